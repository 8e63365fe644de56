-- dpobj: what version 0.4.0 changes in tables, types and indexes of 0.3.0; they stand in other files, too

-- ledger.sql
ALTER TABLE dpobj.ledger_events
    ADD COLUMN reason text,
    ADD CONSTRAINT ledger_reason_of_a_failure CHECK (reason IS NULL OR
        (event = 'failed' AND reason IN ('cancel', 'stop', 'error'))),
    DROP CONSTRAINT ledger_event_known,
    ADD CONSTRAINT ledger_event_known CHECK (event IN
        ('charged', 'released', 'failed', 'protect', 'unprotect', 'set_budget', 'raise_budget',
         'drop_budget', 'limit_budget', 'confirm_epoch', 'mark_part', 'unmark_part', 'read_part', 'remember_server',
         'reset_failures', 'maintenance', 'population'));

-- epochs.sql
CREATE TABLE dpobj.server_start
(
    only_row boolean PRIMARY KEY DEFAULT true,
    at timestamptz NOT NULL DEFAULT pg_catalog.pg_postmaster_start_time(),
    settled bigint NOT NULL DEFAULT 0,
    CONSTRAINT only_one_row CHECK (only_row)
);
INSERT INTO dpobj.server_start (settled) SELECT coalesce(max(id), 0) FROM dpobj.ledger_events;

-- populations.sql
CREATE TABLE dpobj.populations
(
    population bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    adjacency text NOT NULL,
    key_relation bigint NOT NULL,
    key_column text NOT NULL,
    CONSTRAINT population_adjacency_known CHECK (adjacency IN ('replace', 'add_remove')),
    CONSTRAINT population_key UNIQUE (key_relation, key_column)
);
CREATE TABLE dpobj.population_tables
(
    relation bigint PRIMARY KEY,
    population bigint NOT NULL,
    person text NOT NULL,
    rows integer,
    since bigint NOT NULL,
    CONSTRAINT population_rows_valid CHECK (rows > 0)
);
CREATE INDEX population_tables_population_idx ON dpobj.population_tables (population);
SELECT pg_catalog.pg_extension_config_dump('dpobj.populations', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.population_tables', '');
DROP FUNCTION dpobj.protect(regclass, jsonb, text, text, integer, bigint, boolean, integer, text);

-- charge_counts.sql: the charges are counted again, with the last of each kind
ALTER TABLE dpobj.charge_counts ADD COLUMN last bigint;
DELETE FROM dpobj.charge_counts;
INSERT INTO dpobj.charge_counts (block, relation_identity, role_identity, payers, mechanism, adjacency, person,
    guarantee, pair, pair_terms, epsilon_nano, delta_units, rho_pico, rho_delta, rdp_pico, rdp_delta,
    rdp_replaced, times, last)
SELECT id >> 16, relation_identity, role_identity, payers, mechanism, adjacency, person,
    guarantee, pair, pair_terms, epsilon_nano, delta_units, rho_pico, rho_delta, rdp_pico, rdp_delta,
    rdp_replaced, pg_catalog.count(*), pg_catalog.max(id)
  FROM dpobj.ledger_events WHERE event = 'charged'
 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17;
ALTER TABLE dpobj.charge_counts ALTER COLUMN last SET NOT NULL;
DROP INDEX dpobj.ledger_events_spending_idx;
CREATE INDEX ledger_events_spending_idx ON dpobj.ledger_events (relation_identity, id)
    INCLUDE (at, epsilon_nano, payers) WHERE event = 'charged';
-- nothing reads this one any more
DROP INDEX IF EXISTS dpobj.ledger_events_analyst_idx;
CREATE INDEX ledger_events_end_idx ON dpobj.ledger_events (relation_identity, release) WHERE release IS NOT NULL;
CREATE INDEX ledger_events_of_release_idx ON dpobj.ledger_events ((CASE WHEN event = 'charged' THEN id ELSE release END));
CREATE INDEX ledger_events_part_idx ON dpobj.ledger_events (id) WHERE event IN ('mark_part', 'unmark_part', 'read_part');
CREATE INDEX ledger_events_rating_idx ON dpobj.ledger_events ((parameters ->> 'model'), id)
    WHERE event = 'charged' AND parameters ? 'model';
CREATE INDEX ledger_events_role_idx ON dpobj.ledger_events (role_identity, id);

-- what only dpobj calls
ALTER FUNCTION dpobj.rdp_orders() SET SCHEMA dpobj_internal;
ALTER FUNCTION dpobj.model_hash(@extschema@.dp_model) SET SCHEMA dpobj_internal;

-- no function returns the rows of a table; tests have these in a module of their own (tests/scan)
DROP FUNCTION
    dpobj_internal.scan_digest(regclass, text, text[], jsonb, boolean, bytea),
    dpobj_internal.scan_rows(regclass, text, text[], jsonb, bytea);

-- weights are shown with their errors
DROP FUNCTION dpobj_internal.largest_points(jsonb, integer);

-- a function takes a model as itself or by its name, and a format as an argument
DROP VIEW dpobj.scorecards;
DROP FUNCTION dpobj_internal.named_model(text, regrole),
    dpobj.share(text, regrole), dpobj.unshare(text, regrole),
    dpobj.show(text, regrole), dpobj.show(@extschema@.dp_model),
    dpobj.model_card(text, regrole), dpobj.model_card(@extschema@.dp_model),
    dpobj.model_json(text, regrole), dpobj.model_json(@extschema@.dp_model),
    dpobj.model_pmml(text, regrole), dpobj.model_pmml(@extschema@.dp_model),
    dpobj.scorecard(text, regrole), dpobj.scorecard(@extschema@.dp_model),
    dpobj.predict_sql(text, text, regrole), dpobj.predict_sql(@extschema@.dp_model, text),
    dpobj.predict(text, record, regrole), dpobj.predict(@extschema@.dp_model, record),
    dpobj.score(text, record, regrole), dpobj.score(@extschema@.dp_model, record),
    dpobj.predict_proba(text, record, regrole), dpobj.predict_proba(@extschema@.dp_model, record),
    dpobj.predict_class(text, record, regrole), dpobj.predict_class(@extschema@.dp_model, record),
    dpobj.predict_class_proba(text, record, regrole), dpobj.predict_class_proba(@extschema@.dp_model, record);

-- looks.sql, answers.sql, drift.sql: the level of an interval is called confidence
ALTER TYPE @extschema@.dp_look RENAME ATTRIBUTE level TO confidence;
ALTER TYPE @extschema@.dp_average RENAME ATTRIBUTE level TO confidence;
ALTER TYPE @extschema@.dp_bin RENAME ATTRIBUTE level TO confidence;
ALTER TYPE @extschema@.dp_quantile RENAME ATTRIBUTE level TO confidence;
DROP FUNCTION
    dpobj.count(regclass, numeric, text[], jsonb, jsonb, text),
    dpobj.sum(regclass, text, numeric, text[], jsonb, jsonb, text),
    dpobj.avg(regclass, text, numeric, text[], jsonb, jsonb, text),
    dpobj.histogram(regclass, text, numeric, text[], jsonb, jsonb, text),
    dpobj.quantiles(regclass, text, float8[], numeric, text[], jsonb, jsonb, text),
    dpobj.residuals(text, regclass, numeric, jsonb, jsonb, text),
    dpobj.auc(text, regclass, numeric, jsonb, jsonb, text),
    dpobj.calibration(text, regclass, numeric, jsonb, jsonb, text),
    dpobj.drift(text, text, float8);
ALTER VIEW dpobj.evaluations RENAME COLUMN level TO confidence;
ALTER VIEW dpobj.model_history RENAME COLUMN level TO confidence;
ALTER VIEW dpobj.drifts RENAME COLUMN level TO confidence;
-- the view is made again, by another function
CREATE OR REPLACE VIEW dpobj.drifts AS
SELECT NULL::text AS name, NULL::text AS first, NULL::text AS relation_name, NULL::text AS "column", NULL::float8 AS value, NULL::float8 AS low,
       NULL::float8 AS high, NULL::float8 AS confidence, NULL::name AS owner, NULL::timestamptz AS created, NULL::numeric AS epsilon, NULL::bigint AS release;
DROP FUNCTION dpobj_internal.drift_total(dpobj.kept_histograms, dpobj.kept_histograms, float8);

-- answers.sql: a confusion has a row for each prediction and label, whatever the model predicts
DROP FUNCTION
    dpobj.confusion(text, regclass, numeric, jsonb, jsonb, text),
    dpobj.class_confusion(text, regclass, numeric, jsonb, jsonb, text);

-- parts.sql: the owner of a table marks it, and nobody else can
DO $body$
DECLARE
  granted record;
BEGIN
  FOR granted IN
    SELECT p.oid::regprocedure AS name, a.grantee::regrole FROM pg_proc p, aclexplode(p.proacl) a
     WHERE p.pronamespace = 'dpobj'::regnamespace AND p.proname = 'mark_part' AND a.grantee NOT IN (0, p.proowner)
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %s', granted.name, granted.grantee);
  END LOOP;
END
$body$;
GRANT EXECUTE ON FUNCTION dpobj.mark_part(regclass, text, regrole) TO PUBLIC;
DROP FUNCTION dpobj.unmark_part(regclass);

-- views.sql
CREATE TABLE dpobj.public_tables
(
    relation oid PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    owner oid NOT NULL,
    origin text NOT NULL
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.public_tables', '');

-- jobs.sql: a job keeps the call that it makes
DROP FUNCTION dpobj.submit(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text);
DROP FUNCTION dpobj.submit_answer(text, regclass, jsonb, text);
ALTER TABLE dpobj.job_rows ADD COLUMN arguments jsonb, DROP CONSTRAINT job_is_one_request;

-- schedules.sql: so does a schedule
DROP FUNCTION dpobj.schedule(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text, text, numeric, interval);
DROP FUNCTION dpobj.schedule_evaluation(text, regclass, jsonb, text, text, numeric, interval);
DROP FUNCTION dpobj_internal.schedule_put(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text, text, numeric, interval, text);
DROP FUNCTION dpobj_internal.answer_statement(text, regclass, jsonb, text);
DROP FUNCTION dpobj_internal.schedule_models(text, jsonb);
DROP VIEW dpobj.schedules;
ALTER TABLE dpobj.schedule_rows ADD COLUMN arguments jsonb, DROP CONSTRAINT schedule_is_one_request;

-- report.sql: a report is one function
DROP FUNCTION dpobj.report(regclass, numeric), dpobj.report_text(regclass, numeric), dpobj.report_html(regclass, numeric),
    dpobj_internal.report_promise(jsonb);

-- report_html.sql: the page is a template (src/server/ledger/report_page.html)
DROP FUNCTION
    dpobj_internal.html(text),
    dpobj_internal.html_name(text, integer),
    dpobj_internal.html_date(text),
    dpobj_internal.svg(text, numeric, numeric, text, text),
    dpobj_internal.svg_rect(text, numeric, numeric, numeric, numeric),
    dpobj_internal.svg_part(numeric, numeric),
    dpobj_internal.svg_weight(float8, float8),
    dpobj_internal.svg_interval(float8, float8, float8),
    dpobj_internal.svg_periods(numeric[], numeric[], text),
    dpobj_internal.svg_steps(numeric[], numeric[], text),
    dpobj_internal.page_section(text, text, text),
    dpobj_internal.page_row(text[], text[]),
    dpobj_internal.page_table(text[], text),
    dpobj_internal.page_budget(jsonb, jsonb, jsonb),
    dpobj_internal.page_budgets(jsonb),
    dpobj_internal.page_timeline(jsonb),
    dpobj_internal.page_releases(jsonb),
    dpobj_internal.page_totals(jsonb),
    dpobj_internal.page_ratings(jsonb),
    dpobj_internal.page_points(jsonb),
    dpobj_internal.page_card(jsonb),
    dpobj_internal.page_models(jsonb),
    dpobj_internal.page_list(text[]),
    dpobj_internal.page_events(jsonb),
    dpobj_internal.page_not_covered(),
    dpobj_internal.page_style(),
    dpobj_internal.page(jsonb);

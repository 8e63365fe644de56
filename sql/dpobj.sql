-- dpobj: the full script of version 0.1.0
\echo Use "CREATE EXTENSION dpobj" to load this file. \quit

CREATE SCHEMA dpobj;
COMMENT ON SCHEMA dpobj IS 'ledger, administration and the analyst''s door of dpobj';
GRANT USAGE ON SCHEMA dpobj TO PUBLIC;

-- ---------------------------------------------------------------------------
-- Ledger: an append-only table of events, and the view that people read
-- ---------------------------------------------------------------------------

/*
 * One row per event, written by the charge worker and by nothing else.  The cost
 * stands in the 'charged' row alone, so that a sum over the table counts it once;
 * the end of the release is a second row, which names that charge in "release".
 * A charge without an end may have been released: the server may have stopped in
 * between.  No reg* types: a dump is restored where other OIDs hold.
 */
CREATE TABLE dpobj.ledger_events
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    event text NOT NULL,
    release bigint,
    relation oid,
    relation_name text,
    role oid NOT NULL,
    role_name text NOT NULL,
    mechanism text,
    mechanism_version text,
    adjacency text,
    epsilon_nano bigint,
    delta_units bigint,
    guarantee text,
    pair text,
    parameters jsonb,
    snapshot text,
    output_hash bytea,
    CONSTRAINT ledger_event_known CHECK (event IN
        ('charged', 'released', 'failed', 'protect', 'set_budget', 'drop_budget', 'confirm_epoch')),
    CONSTRAINT ledger_charge_complete CHECK (event <> 'charged' OR
        (release IS NULL AND relation IS NOT NULL AND relation_name IS NOT NULL
         AND mechanism IS NOT NULL AND mechanism_version IS NOT NULL AND adjacency IS NOT NULL
         AND epsilon_nano IS NOT NULL AND delta_units IS NOT NULL AND guarantee IS NOT NULL
         AND pair IS NOT NULL AND parameters IS NOT NULL AND snapshot IS NOT NULL)),
    CONSTRAINT ledger_cost_charged_once CHECK (event = 'charged' OR
        (epsilon_nano IS NULL AND delta_units IS NULL)),
    CONSTRAINT ledger_end_of_a_charge CHECK ((event IN ('released', 'failed')) = (release IS NOT NULL)),
    CONSTRAINT ledger_hash_of_a_release CHECK ((event = 'released') = (output_hash IS NOT NULL)),
    CONSTRAINT ledger_hash_is_sha256 CHECK (pg_catalog.octet_length(output_hash) = 32),
    CONSTRAINT ledger_adjacency_known CHECK (adjacency IN ('replace', 'add_remove')),
    CONSTRAINT ledger_guarantee_known CHECK (guarantee IN ('exact', 'float', 'conditional', 'unproven')),
    CONSTRAINT ledger_epsilon_valid CHECK (epsilon_nano >= 0),
    CONSTRAINT ledger_delta_valid CHECK (delta_units BETWEEN 0 AND 1152921504606846976)
);
CREATE UNIQUE INDEX ledger_events_release_key ON dpobj.ledger_events (release)
    WHERE release IS NOT NULL;
REVOKE ALL ON TABLE dpobj.ledger_events FROM PUBLIC;
REVOKE ALL ON SEQUENCE dpobj.ledger_events_id_seq FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.ledger_events', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.ledger_events_id_seq', '');

CREATE FUNCTION dpobj.ledger_refuse_change() RETURNS trigger
    AS 'MODULE_PATHNAME', 'dpobj_ledger_refuse_change' LANGUAGE C;
REVOKE ALL ON FUNCTION dpobj.ledger_refuse_change() FROM PUBLIC;
-- The statement is refused even when it meets no row; the rows, even when a
-- statement on an inheritance parent reaches them.
CREATE TRIGGER ledger_append_only BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.ledger_events
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.ledger_refuse_change();
CREATE TRIGGER ledger_append_only_row BEFORE UPDATE OR DELETE ON dpobj.ledger_events
    FOR EACH ROW EXECUTE FUNCTION dpobj.ledger_refuse_change();
ALTER TABLE dpobj.ledger_events
    ENABLE ALWAYS TRIGGER ledger_append_only,
    ENABLE ALWAYS TRIGGER ledger_append_only_row;

COMMENT ON TABLE dpobj.ledger_events IS 'privacy ledger: append-only, one row per event, written by the charge worker only';
COMMENT ON SEQUENCE dpobj.ledger_events_id_seq IS 'ledger ids; gaps are normal: a refused event or a crash of the server leaves one';
COMMENT ON INDEX dpobj.ledger_events_pkey IS 'ledger id';
COMMENT ON INDEX dpobj.ledger_events_release_key IS 'a charge ends at most once';
COMMENT ON FUNCTION dpobj.ledger_refuse_change() IS 'trigger: refuses changes of the ledger';
COMMENT ON TRIGGER ledger_append_only ON dpobj.ledger_events IS 'refuses UPDATE, DELETE and TRUNCATE for every role, and INSERT but for the charge worker and superusers';
COMMENT ON TRIGGER ledger_append_only_row ON dpobj.ledger_events IS 'refuses UPDATE and DELETE that come through an inheritance parent';
COMMENT ON COLUMN dpobj.ledger_events.id IS 'ledger id; the id of a charged event is the id of its release';
COMMENT ON COLUMN dpobj.ledger_events.at IS 'when the event was written';
COMMENT ON COLUMN dpobj.ledger_events.event IS 'charged: before any noise is drawn; released: before the answer is sent; failed: nothing was released, the charge stays; protect, set_budget, drop_budget, confirm_epoch: administration';
COMMENT ON COLUMN dpobj.ledger_events.release IS 'released and failed: id of the charged event they end; else null';
COMMENT ON COLUMN dpobj.ledger_events.relation IS 'OID of the table, of the topmost ancestor for a partition; meaningless after a restore';
COMMENT ON COLUMN dpobj.ledger_events.relation_name IS 'schema-qualified, quoted name that the table had then';
COMMENT ON COLUMN dpobj.ledger_events.role IS 'OID of the session user; meaningless after a restore';
COMMENT ON COLUMN dpobj.ledger_events.role_name IS 'name that the session user had then';
COMMENT ON COLUMN dpobj.ledger_events.mechanism IS 'mechanism, as in the option of that name';
COMMENT ON COLUMN dpobj.ledger_events.mechanism_version IS 'version of dpobj whose mechanism it was';
COMMENT ON COLUMN dpobj.ledger_events.adjacency IS 'which tables are neighbours: replace (one row changes) or add_remove (one row comes or goes)';
COMMENT ON COLUMN dpobj.ledger_events.epsilon_nano IS 'charged epsilon in units of 1e-9, rounded up';
COMMENT ON COLUMN dpobj.ledger_events.delta_units IS 'charged delta in units of 2^-60, rounded up';
COMMENT ON COLUMN dpobj.ledger_events.guarantee IS 'exact, float, conditional or unproven';
COMMENT ON COLUMN dpobj.ledger_events.pair IS 'tag of the dominating pair, for tighter composition';
COMMENT ON COLUMN dpobj.ledger_events.parameters IS 'public parameters of the mechanism or of the administration';
COMMENT ON COLUMN dpobj.ledger_events.snapshot IS 'snapshot that the release read, as pg_current_snapshot() writes it';
COMMENT ON COLUMN dpobj.ledger_events.output_hash IS 'released: SHA-256 of the released model';

/*
 * Roles see their own events, superusers all.  By name, since OIDs do not survive
 * a restore; for the same reason a table is shown as regclass only while its OID
 * still has the name it was charged under.  The factors are exactly 1e-9 and
 * 2^-60; products of numerics are exact.
 */
CREATE VIEW dpobj.ledger WITH (security_barrier) AS
SELECT e.id,
       e.at,
       e.event,
       CASE WHEN e.event = 'charged' THEN e.id ELSE e.release END AS release,
       CASE WHEN pg_catalog.parse_ident(e.relation_name) = ARRAY[n.nspname::text, c.relname::text]
            THEN c.oid::regclass END AS relation,
       e.relation_name,
       e.role_name AS role,
       e.mechanism,
       e.mechanism_version,
       e.adjacency,
       pg_catalog.trim_scale(e.epsilon_nano * 0.000000001) AS epsilon,
       pg_catalog.trim_scale(e.delta_units
           * 0.000000000000000000867361737988403547205962240695953369140625) AS delta,
       e.guarantee,
       e.pair,
       e.parameters,
       e.snapshot,
       e.output_hash
  FROM dpobj.ledger_events e
  LEFT JOIN pg_catalog.pg_class c ON c.oid = e.relation
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE e.role_name = session_user
    OR EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = current_user AND r.rolsuper);
REVOKE ALL ON TABLE dpobj.ledger FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.ledger TO PUBLIC;

COMMENT ON VIEW dpobj.ledger IS 'privacy ledger: the events of the session''s own role; all events for superusers';
COMMENT ON COLUMN dpobj.ledger.id IS 'ledger id';
COMMENT ON COLUMN dpobj.ledger.at IS 'when the event was written';
COMMENT ON COLUMN dpobj.ledger.event IS 'charged, released, failed, protect, set_budget, drop_budget or confirm_epoch; charged alone means: may have been released';
COMMENT ON COLUMN dpobj.ledger.release IS 'id of the charged event that this event belongs to; its own id for a charged event';
COMMENT ON COLUMN dpobj.ledger.relation IS 'the table; null when no table has the recorded OID and name any more';
COMMENT ON COLUMN dpobj.ledger.relation_name IS 'schema-qualified, quoted name that the table had then';
COMMENT ON COLUMN dpobj.ledger.role IS 'name that the session user had then';
COMMENT ON COLUMN dpobj.ledger.mechanism IS 'mechanism, as in the option of that name';
COMMENT ON COLUMN dpobj.ledger.mechanism_version IS 'version of dpobj whose mechanism it was';
COMMENT ON COLUMN dpobj.ledger.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.ledger.epsilon IS 'charged epsilon, exact; null except for charged events';
COMMENT ON COLUMN dpobj.ledger.delta IS 'charged delta, exact; null except for charged events';
COMMENT ON COLUMN dpobj.ledger.guarantee IS 'exact, float, conditional or unproven';
COMMENT ON COLUMN dpobj.ledger.pair IS 'tag of the dominating pair';
COMMENT ON COLUMN dpobj.ledger.parameters IS 'public parameters';
COMMENT ON COLUMN dpobj.ledger.snapshot IS 'snapshot that the release read';
COMMENT ON COLUMN dpobj.ledger.output_hash IS 'released: SHA-256 of the released model';

-- ---------------------------------------------------------------------------
-- Models
-- ---------------------------------------------------------------------------

CREATE TYPE dp_model AS (
  kind text,
  mechanism text,
  weights float8[],
  epsilon float8,
  delta float8,
  adjacency text,
  guarantee text,
  release bigint,
  details jsonb
);
COMMENT ON TYPE dp_model IS 'a model released under differential privacy';
COMMENT ON COLUMN dp_model.kind IS 'halfspace: predicts positive if and only if the score is greater than 0';
COMMENT ON COLUMN dp_model.mechanism IS 'the mechanism that chose the weights';
COMMENT ON COLUMN dp_model.weights IS 'one weight for each feature, then the intercept if there is one';
COMMENT ON COLUMN dp_model.epsilon IS 'epsilon charged for this release';
COMMENT ON COLUMN dp_model.delta IS 'delta charged for this release; 0 under pure differential privacy';
COMMENT ON COLUMN dp_model.adjacency IS 'replace or add_remove: which data sets count as neighbours';
COMMENT ON COLUMN dp_model.guarantee IS 'exact, float, conditional (a limit was set) or unproven';
COMMENT ON COLUMN dp_model.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dp_model.details IS 'public parameters: options, grid size, noise, encoding of the features';

CREATE FUNCTION dp_score(model dp_model, features float8[]) RETURNS float8
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_score';
COMMENT ON FUNCTION dp_score(dp_model, float8[]) IS
  'score of a model: <weights, encoded features>; null if a feature is null or NaN';

CREATE FUNCTION dp_predict(model dp_model, features float8[]) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict';
COMMENT ON FUNCTION dp_predict(dp_model, float8[]) IS
  'prediction of a model: is the score greater than 0?';

CREATE FUNCTION dpobj.model_hash(model dp_model) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_hash';
COMMENT ON FUNCTION dpobj.model_hash(dp_model) IS
  'SHA-256 over every attribute of a model, as the ledger keeps it';

-- A value of type dp_model can be forged; the ledger cannot.
CREATE FUNCTION dpobj.verify(model dp_model) RETURNS boolean
  LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT EXISTS (
      SELECT FROM dpobj.ledger_events e
      WHERE e.event = 'released' AND e.release = model.release
        AND e.output_hash = dpobj.model_hash(model))
  $$;
COMMENT ON FUNCTION dpobj.verify(dp_model) IS
  'was this very model released? compares its hash with the ledger';

-- ---------------------------------------------------------------------------
-- The owner's door: aggregates
-- ---------------------------------------------------------------------------

CREATE TYPE dp_rows;

CREATE FUNCTION dpobj.rows_in(cstring) RETURNS dp_rows
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_in';
COMMENT ON FUNCTION dpobj.rows_in(cstring) IS 'refuses: a dp_rows has no text form';

CREATE FUNCTION dpobj.rows_out(dp_rows) RETURNS cstring
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_out';
COMMENT ON FUNCTION dpobj.rows_out(dp_rows) IS 'refuses: showing a dp_rows would show rows';

CREATE TYPE dp_rows (
  INPUT = dpobj.rows_in,
  OUTPUT = dpobj.rows_out,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = double,
  STORAGE = extended
);
COMMENT ON TYPE dp_rows IS 'state of the training aggregates; not for use in queries';
REVOKE ALL ON TYPE dp_rows FROM PUBLIC;

CREATE FUNCTION dpobj.rows_combine(dp_rows, dp_rows) RETURNS dp_rows
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_combine';
COMMENT ON FUNCTION dpobj.rows_combine(dp_rows, dp_rows) IS 'adds up two partial training sets';

CREATE FUNCTION dpobj.halfspace_final(dp_rows) RETURNS dp_model
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_halfspace_final';
COMMENT ON FUNCTION dpobj.halfspace_final(dp_rows) IS 'charges, solves and releases a halfspace';

-- dp_halfspace(features, label, epsilon, delta [, options]): one aggregate for
-- each type of label and each way to write epsilon and delta.
DO $body$
DECLARE
  label text;
  cost text;
  options text;
  arguments text;
BEGIN
  FOREACH label IN ARRAY ARRAY['boolean', 'integer', 'bigint'] LOOP
    FOREACH cost IN ARRAY ARRAY['float8, float8', 'numeric, numeric', 'numeric, integer'] LOOP
      FOREACH options IN ARRAY ARRAY['', ', jsonb'] LOOP
        arguments := format('float8[], %s, %s%s', label, cost, options);
        EXECUTE format(
          $$CREATE FUNCTION dpobj.halfspace_accumulate(dp_rows, %s) RETURNS dp_rows
            LANGUAGE C IMMUTABLE PARALLEL SAFE
            AS 'MODULE_PATHNAME', 'dpobj_halfspace_accumulate'$$, arguments);
        EXECUTE format(
          $$COMMENT ON FUNCTION dpobj.halfspace_accumulate(dp_rows, %s) IS
            'adds one row to a training set'$$, arguments);
        EXECUTE format(
          $$CREATE AGGREGATE dp_halfspace(%s) (
            SFUNC = dpobj.halfspace_accumulate,
            STYPE = dp_rows,
            COMBINEFUNC = dpobj.rows_combine,
            FINALFUNC = dpobj.halfspace_final,
            FINALFUNC_MODIFY = READ_WRITE,
            PARALLEL = SAFE)$$, arguments);
        EXECUTE format(
          $$COMMENT ON AGGREGATE dp_halfspace(%s) IS
            'private halfspace: features, label, epsilon, delta, options'$$, arguments);
        EXECUTE format('REVOKE ALL ON FUNCTION dp_halfspace(%s) FROM PUBLIC', arguments);
      END LOOP;
    END LOOP;
  END LOOP;
END
$body$;

-- The aggregates read whatever their caller can read: only owners and roles that
-- they trust may call them.
CREATE FUNCTION dpobj.grant_trainer(role regrole) RETURNS void
  LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    aggregate regprocedure;
  BEGIN
    FOR aggregate IN
      SELECT p.oid
      FROM pg_depend d
      JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
      JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
      WHERE e.extname = 'dpobj' AND d.deptype = 'e' AND p.prokind = 'a'
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', aggregate, role);
    END LOOP;
  END
  $$;
COMMENT ON FUNCTION dpobj.grant_trainer(regrole) IS
  'lets a trusted role call the training aggregates of the owner''s door';

-- ---------------------------------------------------------------------------
-- The analyst's door: what administrators declare about tables
-- ---------------------------------------------------------------------------

/*
 * One row per protected relation.  Found by name, since OIDs do not survive a
 * restore: a relation that is renamed has to be protected again.
 */
CREATE TABLE dpobj.protections
(
    schema_name text NOT NULL,
    relation_name text NOT NULL,
    relation oid NOT NULL,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    encoders jsonb NOT NULL,
    adjacency text NOT NULL,
    person text,
    max_rows_per_person integer,
    n bigint,
    ignore_rls boolean NOT NULL,
    CONSTRAINT protections_pkey PRIMARY KEY (schema_name, relation_name),
    CONSTRAINT protection_adjacency_known CHECK (adjacency IN ('replace', 'add_remove')),
    CONSTRAINT protection_person_bounded CHECK ((person IS NULL) = (max_rows_per_person IS NULL)),
    CONSTRAINT protection_rows_valid CHECK (max_rows_per_person > 0),
    CONSTRAINT protection_n_valid CHECK (n > 0)
);
REVOKE ALL ON TABLE dpobj.protections FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.protections', '');

COMMENT ON TABLE dpobj.protections IS 'declarations of dpobj.protect, one row per relation';
COMMENT ON INDEX dpobj.protections_pkey IS 'a relation is protected once';
COMMENT ON COLUMN dpobj.protections.schema_name IS 'schema of the relation';
COMMENT ON COLUMN dpobj.protections.relation_name IS 'name of the relation';
COMMENT ON COLUMN dpobj.protections.relation IS 'OID that the relation had then; meaningless after a restore';
COMMENT ON COLUMN dpobj.protections.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.protections.encoders IS 'how each column becomes features';
COMMENT ON COLUMN dpobj.protections.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.protections.person IS 'column that says whose row it is; null: each row is somebody else''s';
COMMENT ON COLUMN dpobj.protections.max_rows_per_person IS 'rows that one person contributes at most';
COMMENT ON COLUMN dpobj.protections.n IS 'declared number of rows; null: none';
COMMENT ON COLUMN dpobj.protections.ignore_rls IS 'may rows be read that row-level security would hide?';

CREATE VIEW dpobj.protected AS
SELECT c.oid::regclass AS relation,
       pg_catalog.format('%I.%I', p.schema_name, p.relation_name) AS relation_name,
       p.at,
       p.encoders,
       p.adjacency,
       p.person,
       p.max_rows_per_person,
       p.n,
       p.ignore_rls
  FROM dpobj.protections p
  LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = p.schema_name
  LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = p.relation_name;
REVOKE ALL ON TABLE dpobj.protected FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.protected TO PUBLIC;

COMMENT ON VIEW dpobj.protected IS 'relations that analysts may be given a budget for, and how their columns become features';
COMMENT ON COLUMN dpobj.protected.relation IS 'the relation that has that name now; null when there is none';
COMMENT ON COLUMN dpobj.protected.relation_name IS 'schema-qualified, quoted name';
COMMENT ON COLUMN dpobj.protected.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.protected.encoders IS 'how each column becomes features';
COMMENT ON COLUMN dpobj.protected.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.protected.person IS 'column that says whose row it is';
COMMENT ON COLUMN dpobj.protected.max_rows_per_person IS 'rows that one person contributes at most';
COMMENT ON COLUMN dpobj.protected.n IS 'declared number of rows';
COMMENT ON COLUMN dpobj.protected.ignore_rls IS 'may rows be read that row-level security would hide?';

CREATE FUNCTION dpobj.protect(relation regclass, encoders jsonb, adjacency text DEFAULT 'replace',
    person text DEFAULT NULL, max_rows_per_person integer DEFAULT NULL, n bigint DEFAULT NULL,
    ignore_rls boolean DEFAULT false) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_protect';
COMMENT ON FUNCTION dpobj.protect(regclass, jsonb, text, text, integer, bigint, boolean) IS
  'declares how the columns of a table become features, and who its neighbours are; for administrators';

CREATE FUNCTION dpobj.features(encoders jsonb, "row" anyelement) RETURNS float8[]
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_features';
COMMENT ON FUNCTION dpobj.features(jsonb, anyelement) IS
  'features of one row under a declaration of dpobj.protect; null for a neutral row';

CREATE FUNCTION dpobj.protected_features(relation regclass, columns text[] DEFAULT NULL,
    OUT "position" integer, OUT feature text, OUT column_name text, OUT is_numeric boolean,
    OUT group_number integer, OUT low float8, OUT high float8) RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_protected_features';
COMMENT ON FUNCTION dpobj.protected_features(regclass, text[]) IS
  'the features of a protected relation, in the order of a model''s weights';

CREATE FUNCTION dpobj.scan_digest(relation regclass, label text, features text[] DEFAULT NULL,
    filter jsonb DEFAULT NULL, with_digest boolean DEFAULT true,
    OUT "rows" bigint, OUT neutral bigint, OUT distinct_rows bigint, OUT digest bytea) RETURNS record
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_scan_digest';
COMMENT ON FUNCTION dpobj.scan_digest(regclass, text, text[], jsonb, boolean) IS
  'internal, for tests and superusers only: what a scan of a protected relation reads';

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA dpobj FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpobj.model_hash(dp_model), dpobj.verify(dp_model) TO PUBLIC;
GRANT EXECUTE ON FUNCTION dpobj.features(jsonb, anyelement),
  dpobj.protected_features(regclass, text[]) TO PUBLIC;

-- An exact-match overload in a schema that others may create in would capture calls.
DO $body$
BEGIN
  IF EXISTS (
    SELECT FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
    WHERE n.nspname = '@extschema@' AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
  ) THEN
    RAISE WARNING 'other roles may create objects in schema "@extschema@"'
      USING DETAIL = 'A function of theirs could capture calls of dp_halfspace.',
            HINT = 'Revoke CREATE on the schema, or create the extension in a schema of its own.';
  END IF;
END
$body$;

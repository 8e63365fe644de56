-- Mechanism pool at the analyst's door: both stages, what the model and the ledger say, persons, delta, refusals.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_pool_ana', 'dpobj_pool_zoe');
SELECT format('CREATE TABLE meadow AS SELECT i AS id, i %% 400 AS owner, i * 7919 %% 1009 / 1009.0 AS a, i * 104729 %% 997 / 997.0 AS b, ''l'' || i %% 4 AS c,
    i * 7919 %% 1009 / 1009.0 + i * 104729 %% 997 / 997.0 > 1.05 AS y, %s FROM generate_series(1, 2000::bigint) i',
    string_agg(format('i * 7919 >> %1$s & 1 = 1 AS f%1$s', k), ', ')) FROM generate_series(0, 31) k \gexec
CREATE TABLE pasture AS TABLE meadow;
CREATE TABLE paddock AS TABLE meadow;
CREATE TABLE fallow AS TABLE meadow;
SELECT '{"a": {"clip": [0, 1]}, "b": {"clip": [0, 1]}, "c": {"levels": ["l0", "l1", "l2", "l3"]}, "y": {}}'::jsonb || jsonb_object_agg('f' || k, '{}'::jsonb) AS encoders,
    array_agg('f' || k) AS flags FROM generate_series(0, 31) k \gset
SELECT dpobj.protect('meadow', :'encoders', n => 2000);
SELECT dpobj.protect('pasture', :'encoders', n => 2000, adjacency => 'add_remove');
SELECT dpobj.protect('paddock', :'encoders', n => 2000, person => 'owner', max_rows_per_person => 5);
SELECT dpobj.protect('fallow', :'encoders', adjacency => 'add_remove');
SELECT dpobj.set_budget(t, 'dpobj_pool_ana', 1000, 0.001) FROM unnest('{meadow,pasture,paddock,fallow}'::regclass[]) t;
SELECT dpobj.set_budget('meadow', 'dpobj_pool_zoe', 20, 0.000001, accountant => 'zcdp');

-- One charge for both stages; the model says what each had, and what its candidates can be drawn again from.
\c - dpobj_pool_ana
CREATE TEMP TABLE pooled AS SELECT dpobj.train('meadow', 'y', 2, '{a,b,c}', method => 'logistic', options => '{"mechanism": "pool", "rate": 0}', name => 'field') AS m;
SELECT (m).kind, (m).mechanism, cardinality((m).weights) AS weights, (m).epsilon, (m).delta, (m).adjacency, (m).guarantee, dpobj.verify(m) AS verified FROM pooled;
SELECT jsonb_object_keys((m).details - '{relation,label,features,encoders,types,encoding,options,dimension}'::text[]) AS key FROM pooled;
SELECT d -> 'loss' AS loss, d -> 'noise' AS noise, d -> 'pool_rows' AS rows, d -> 'pool_candidates' AS candidates,
       (d ->> 'centre_epsilon')::numeric + (d ->> 'pool_epsilon')::numeric AS shares,
       d ->> 'pool_seed' ~ '^[0-9a-f]{32}$' AS seed, jsonb_array_length(d -> 'pool_centre') = (d -> 'dimension')::int AS centre,
       jsonb_array_length(d -> 'pool_drawn') = (d -> 'pool_rounds')::int AS drawn,
       (SELECT bool_and(k::int BETWEEN 0 AND (d -> 'pool_candidates')::int - 1) FROM jsonb_array_elements(d -> 'pool_drawn') k) AS numbers
  FROM (SELECT (m).details AS d FROM pooled) s;
SELECT count(*) AS charges, sum(epsilon) AS epsilon, min(pair) AS pair,
       bool_and(rho BETWEEN bound AND bound + 0.000001) AS rho, bool_and(parameters ? 'centre_epsilon') AS said, bool_or(parameters ? 'pool_seed') AS drawn_before
  FROM dpobj.ledger, LATERAL (SELECT (parameters ->> 'centre_epsilon')::numeric ^ 2 / 2
    + (parameters ->> 'pool_epsilon')::numeric ^ 2 / 8 / (parameters ->> 'pool_rounds')::int AS bound) s WHERE event = 'charged';
SELECT m = dpobj.train('meadow', 'y', 2, '{a,b,c}', method => 'logistic', options => '{"mechanism": "pool", "rate": 0}', name => 'field') AS same FROM pooled;
-- its coins are new in each release
SELECT count(DISTINCT (m).details ->> 'pool_seed') AS seeds, count(DISTINCT (m).details -> 'pool_centre') AS centres
  FROM (SELECT dpobj.train('meadow', 'y', 0.5, '{a,b,c}', method => 'logistic', options => '{"mechanism": "pool", "rate": 0}') AS m FROM generate_series(1, 3) OFFSET 0) s;
-- the price says the same before
SELECT count(*) FILTER (WHERE p -> key = (m).details -> key) AS same, count(*) AS all FROM pooled,
  dpobj.price('meadow', 'y', 2, '{a,b,c}', method => 'logistic', options => '{"mechanism": "pool", "rate": 0}') p, jsonb_object_keys(p) key WHERE (m).details ? key;
SELECT p ->> 'mechanism' AS mechanism, (p -> 'error' ->> 'above_pool')::int BETWEEN 20 AND 200 AS error, (p ->> 'seconds_at_most')::float8 < 20 AS soon, p -> 'sure_to_finish' AS sure, p -> 'calls' AS calls
  FROM dpobj.price('meadow', 'y', 2, '{a,b,c}', method => 'logistic', options => '{"mechanism": "pool", "rate": 0}') p;

-- The model is a halfspace.
\c - postgres
SELECT avg((dpobj.predict(model, w) = w.y)::int) > 0.9 AS learnt FROM dpobj.models, meadow w WHERE name = 'field';
SELECT dpobj.predict_sql('field', owner => 'dpobj_pool_ana') AS statement \gset
CREATE TEMP VIEW exported AS :statement;
SELECT count(*) AS rows, bool_and(e.dp_prediction = dpobj.predict(model, w)) AS same FROM dpobj.models, meadow w JOIN exported e USING (id) WHERE name = 'field';
SELECT dp_predict_proba(model, array_fill(0::float8, ARRAY[6])) FROM dpobj.models WHERE name = 'field';
SELECT (model::jsonb)::dp_model = model AS same, (SELECT count(*) FROM dpobj.scorecard(model) WHERE weight IS NOT NULL) AS lines FROM dpobj.models WHERE name = 'field';
\c - dpobj_pool_ana
SELECT dpobj.predict_proba('field', NULL::meadow);
SELECT dpobj.evaluate('field', 'meadow', 20) > 0.9 AS accurate;

-- Rows that do not fit into memory go through a file.
SET work_mem = '64kB';
SELECT (m).mechanism, (m).details -> 'pool_rounds' AS rounds FROM (SELECT dpobj.train('meadow', 'y', 0.5, ARRAY['a', 'b'] || :'flags'::text[], method => 'logistic', options => '{"mechanism": "pool", "rate": 0}') AS m OFFSET 0) s;
RESET work_mem;

-- A job and a schedule train it, too.
SELECT dpobj.submit('train', 'meadow', '{"label": "y", "epsilon": 0.5, "features": ["a", "b", "c"], "method": "logistic", "options": {"mechanism": "pool", "rate": 0}}', 'job') AS job \gset
SELECT dpobj.wait(:job, '1 min');
SELECT dpobj_internal.schedule_put('train', 'meadow', '{"label": "y", "epsilon": 0.5, "features": ["a", "b", "c"], "method": "logistic", "options": {"intercept": false, "mechanism": "pool"}}', 'yearly', '0 0 1 1 *', NULL, NULL) IS NOT NULL AS scheduled;
CALL dpobj.run_schedule('yearly');
SELECT split_part(name, ' ', 1) AS name, (model).kind, (model).mechanism, (model).details ? 'pool_seed' AS seed, dpobj.verify(model) AS verified FROM dpobj.models WHERE name ~ '^(job|yearly)' ORDER BY name;

-- Under add_remove, and per person, whose rows share epsilon: the stages have the margin and the epsilon of a row.
SELECT t, p -> 'adjacency' AS adjacency, p -> 'unit' AS unit, (p ->> 'centre_epsilon')::numeric + (p ->> 'pool_epsilon')::numeric AS shares,
       round((p -> 'error' ->> 'mean')::numeric * (p ->> 'pool_epsilon')::numeric / (p ->> 'pool_rounds')::int / ln(5 * (p ->> 'pool_candidates')::numeric / 3), 1) AS margin,
       (p ->> 'objective_noise')::numeric < (first_value(p) OVER (ORDER BY t) ->> 'objective_noise')::numeric AS less_noise
  FROM (VALUES ('meadow', 0.5), ('pasture', 0.5), ('paddock', 2.5)) v(t, e), dpobj.price(t::regclass, 'y', e, '{a,b,c}', method => 'logistic', options => '{"mechanism": "pool", "rate": 0}') p ORDER BY t;
SELECT t, (m).adjacency, (m).epsilon, (m).delta, (m).details ->> 'person' AS person, ((m).details ->> 'centre_epsilon')::numeric + ((m).details ->> 'pool_epsilon')::numeric AS shares
  FROM (VALUES ('pasture', 0.5), ('paddock', 2.5)) v(t, e), LATERAL (SELECT dpobj.train(t::regclass, 'y', e, '{a,b,c}', method => 'logistic', options => '{"mechanism": "pool", "rate": 0}') OFFSET 0) s(m);
-- zCDP of five rows of a person is 25 times that of one, and never more than epsilon allows
SELECT relation_name, epsilon, rho BETWEEN bound AND bound + 0.000001 AS rho
  FROM dpobj.ledger, LATERAL (SELECT least(epsilon, coalesce((parameters ->> 'max_rows_per_person')::int, 1) ^ 2 * ((parameters ->> 'centre_epsilon')::numeric ^ 2 / 2
    + (parameters ->> 'pool_epsilon')::numeric ^ 2 / 8 / (parameters ->> 'pool_rounds')::int)) AS bound) s WHERE event = 'charged' AND relation_name <> 'public.meadow' ORDER BY id;

-- Delta: Gaussian noise of the centre where that is less, for many columns in no group; else none is charged.
SELECT t, f AS features, p ->> 'noise' AS noise, p -> 'delta' AS charged, (m).epsilon, (m).delta, (m).details ->> 'noise' AS said
  FROM (VALUES ('meadow', 1, 0.00001), ('pasture', 1, 0.00001), ('paddock', 5, 0.0005)) v(t, e, d), (VALUES ('few', ARRAY['a', 'b']), ('many', :'flags'::text[])) w(f, names),
       dpobj.price(t::regclass, 'y', e, names, d, method => 'logistic', options => '{"mechanism": "pool", "rate": 0}') p,
       LATERAL (SELECT dpobj.train(t::regclass, 'y', e, names, d, method => 'logistic', options => '{"mechanism": "pool", "rate": 0}') OFFSET 0) s(m) ORDER BY t, f;
SELECT relation_name, adjacency, pair, epsilon, delta, rho FROM dpobj.ledger WHERE event = 'charged' AND delta > 0 ORDER BY relation_name;
-- prices of the aggregate do the same
SELECT o, p -> 'adjacency' AS adjacency, p -> 'noise' AS noise, p -> 'delta' AS delta
  FROM unnest(ARRAY['{}', '{"adjacency": "add_remove"}']::jsonb[]) o, unnest('{2,24}'::int[]) d, dpobj.price_aggregate('logistic', d, 1, 0.00001, o || '{"mechanism": "pool", "n": 2000}') p;

-- The default, method auto, goes by the same rule at both doors: by public numbers, a row's epsilon and the adjacency.
SELECT t, e AS epsilon, p ->> 'mechanism' AS mechanism, p ->> 'unit' AS unit, p -> 'delta' AS delta, p -> 'classifier' ->> 'because' AS because,
       p -> 'classifier' = o -> 'classifier' AND p ->> 'mechanism' = o ->> 'mechanism' AND p -> 'pool_epsilon' IS NOT DISTINCT FROM o -> 'pool_epsilon' AS as_the_aggregate
  FROM (VALUES ('meadow', 0.1, 1, 'replace'), ('meadow', 20, 1, 'replace'), ('pasture', 10, 1, 'add_remove'), ('paddock', 0.5, 5, 'replace'), ('paddock', 100, 5, 'replace')) v(t, e, k, adjacency),
       dpobj.price(t::regclass, 'y', e, '{a,b,c}', 0.00001, options => '{"coverage_epsilon": 0, "objective": "accuracy", "rate": 0}') p,
       dpobj.price_aggregate('auto', 6, e / k, 0, jsonb_build_object('n', 2000, 'adjacency', adjacency, 'clip', '[[0,1],[0,1],[0,1],[0,1],[0,1],[0,1]]'::jsonb, 'numeric', '[1,2]'::jsonb)) o;
SELECT t, (m).kind, (m).mechanism, (m).delta, (m).adjacency, (m).details -> 'classifier' AS classifier, (m).details ? 'pool_seed' AS seed
  FROM (VALUES ('meadow', 20), ('pasture', 10), ('paddock', 100)) v(t, e), LATERAL (SELECT dpobj.train(t::regclass, 'y', e, '{a,b,c}', options => '{"objective": "accuracy", "rate": 0}') OFFSET 0) s(m);
SELECT t, (m).mechanism, ((m).delta > 0) = ((m).details ->> 'noise' = 'gaussian') AS charged_if_used FROM (VALUES ('meadow', 40), ('pasture', 20), ('paddock', 200)) v(t, e), LATERAL (SELECT dpobj.train(t::regclass, 'y', e, :'flags', 0.00001, options => '{"objective": "accuracy", "rate": 0}') OFFSET 0) s(m);
-- no number of rows, no pool; nor for groups, whose numbers are private
SELECT e, p ->> 'mechanism' AS mechanism, p -> 'classifier' ->> 'because' AS because FROM unnest('{0.1,50}'::numeric[]) e, dpobj.price('fallow', 'y', e, '{a,b,c}', options => '{"objective": "accuracy"}') p;
SELECT DISTINCT (model).mechanism FROM dpobj.train_groups('meadow', 'y', 20, '{a,b}', options => '{"objective": "accuracy"}', by => '{c}');

-- A zcdp budget has more calls than the sum of epsilon would allow.
\c - dpobj_pool_zoe
SELECT dpobj.train('meadow', 'y', 1, '{a,b,c}', method => 'logistic', options => '{"mechanism": "pool", "rate": 0}') IS NOT NULL AS released;
SELECT p -> 'calls' AS pool, o -> 'calls' AS objective FROM dpobj.price('meadow', 'y', 1, '{a,b,c}', method => 'logistic', options => '{"mechanism": "pool", "rate": 0}') p,
  dpobj.price('meadow', 'y', 1, '{a,b,c}', method => 'logistic', options => '{"mechanism": "objective", "rate": 0}') o;

-- Refused before the charge.
\c - dpobj_pool_ana
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT * FROM answers($$SELECT dpobj.train('fallow', 'y', 1, '{a,b,c}', method => 'logistic', options => %)$$, $$'{"mechanism": "pool"}'$$, $$'{"mechanism": "pool", "n": 2000}'$$);
SELECT * FROM answers($$SELECT dpobj.train('meadow', 'y', 1, '{a,b,c}', %)$$,
  $$method => 'svm', options => '{"mechanism": "pool", "rate": 0}'$$, $$method => 'halfspace', options => '{"mechanism": "pool", "rate": 0}'$$,
  $$options => '{"mechanism": "pool", "noise": "gaussian"}', delta => 0.00001$$, $$options => '{"mechanism": "pool", "radius": 1}'$$,
  $$options => '{"mechanism": "pool", "regularization": 5}'$$, $$options => '{"mechanism": "pool", "loss": "clipped_logistic"}'$$,
  $$options => '{"mechanism": "pool", "grid": "sign"}'$$, $$options => '{"mechanism": "pool", "net": 100}'$$);
SELECT dpobj.train_groups('meadow', 'y', 1, '{a,b}', method => 'logistic', options => '{"mechanism": "pool", "rate": 0}', by => '{c}');
SELECT count(*) - :before AS written FROM dpobj.ledger;
\c - postgres
DROP TABLE meadow, pasture, paddock, fallow CASCADE;
DROP OWNED BY dpobj_pool_ana, dpobj_pool_zoe;
DROP ROLE dpobj_pool_ana, dpobj_pool_zoe;

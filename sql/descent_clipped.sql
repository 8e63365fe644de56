-- Mechanism "descent" of logistic models: what is released, what it costs, what is refused.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE TABLE moor (id int, x float8[], y boolean);
INSERT INTO moor SELECT i, ARRAY[(i % 3 = 0)::int, (i % 3 = 1)::int, (i % 3 = 2)::int, (i % 7) / 7.0], i % 3 = 0 AND i % 4 > 0 FROM generate_series(1, 6000) i;

-- A model has learnt, starts at the base rate, and is on its grid.
CREATE TABLE fen AS SELECT 'replace' AS adjacency, dp_logistic(x, y, 5.0, 0.000001, '{"mechanism": "descent", "groups": [3], "dimension": 4}') AS model FROM moor;
INSERT INTO fen SELECT 'add_remove', dp_logistic(x, y, 5.0, 0.000001, '{"mechanism": "descent", "groups": [3], "dimension": 4, "adjacency": "add_remove"}') FROM moor;
SELECT adjacency, (model).kind, (model).mechanism, cardinality((model).weights) AS weights, (model).guarantee, dpobj.verify(model) AS verified,
       (model).details - 'options' - 'encoding' - 'weight_step' - 'gradient_noise' - 'count_noise' - 'label_noise' AS details FROM fen ORDER BY 1 DESC;
SELECT adjacency, avg((dp_predict(model, x) = y)::int) > 0.85 AS learnt, avg((dp_predict_proba(model, x) - y::int)) BETWEEN -0.1 AND 0.1 AS near FROM fen, moor GROUP BY 1 ORDER BY 1 DESC;
SELECT mechanism, epsilon, delta > 0 AS delta, pair, guarantee FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.moor' ORDER BY id;

-- The noise, of mu = 1 / 4.224679: labels have 0.02 of its square, three columns of a group and one lone number.
SELECT round((p ->> 'label_noise')::numeric, 3) AS labels, round((p ->> 'count_noise')::numeric, 3) AS counts, round((p ->> 'gradient_noise')::numeric, 3) AS sums, p -> 'error' AS error, p -> 'sure_to_finish' AS sure
  FROM unnest(ARRAY['{"adjacency": "add_remove"}', '{}']::jsonb[]) WITH ORDINALITY o(o, i), dpobj.price_aggregate('logistic', 4, 1, 0.000001, o || '{"mechanism": "descent", "groups": [3], "dimension": 4}') p ORDER BY i;

-- No row, one row, one label, rows that are not numbers.
SELECT cardinality((dp_logistic(x, y, 1.0, 0.001, '{"mechanism": "descent", "dimension": 4}')).weights) FROM moor WHERE id < 0;
SELECT cardinality((dp_logistic(x, y, 1.0, 0.001, '{"mechanism": "descent", "groups": [3], "dimension": 4, "intercept": false}')).weights) FROM moor WHERE id = 1;
SELECT cardinality((dp_logistic(x, true, 1.0, 0.001, '{"mechanism": "descent", "groups": [3], "dimension": 4}')).weights) FROM moor;
SELECT cardinality((dp_logistic(ARRAY[CASE WHEN id % 2 = 0 THEN NULL ELSE 'Infinity'::float8 END, 'NaN', -1e300], NULLIF(y, id % 3 = 0), 1.0, 0.001, '{"mechanism": "descent"}')).weights) FROM moor;
SELECT cardinality((dp_logistic(ARRAY[id % 300, 1], y, 1.0, 0.001, '{"mechanism": "descent", "levels": [299, 0]}')).weights) FROM moor;

-- Refused before anything is charged.
SELECT count(*) AS charged FROM dpobj.ledger WHERE event = 'charged' \gset before_
SELECT dp_logistic(x, y, 1.0, 0, '{"mechanism": "descent"}') FROM moor;
SELECT dp_svm(x, y, 1.0, 0.001, '{"mechanism": "descent"}') FROM moor;
SELECT dp_halfspace(x, y, 1.0, 0.001, '{"mechanism": "descent"}') FROM moor;
SELECT * FROM answers($$SELECT dp_logistic(x, y, 1.0, 0.001, '{"mechanism": "descent", %}') FROM moor$$,
  '"noise": "gaussian"', '"loss": "clipped_logistic"', '"radius": 1', '"regularization": 1', '"iterations": 5', '"step": 1');
SELECT count(*) - :before_charged AS charged FROM dpobj.ledger WHERE event = 'charged';

-- The analyst's door: bins, levels, a flag, a number, persons.
CALL login_roles('dpobj_clipped_ana');
CREATE TABLE heath (who int, age int, kind text, wet boolean, depth float8, sandy boolean);
INSERT INTO heath SELECT i / 2, 20 + i % 50, CASE WHEN i % 3 = 0 THEN 'f' WHEN i % 7 > 0 THEN 'm' END, i % 5 = 0, i % 11, i % 50 > 25 FROM generate_series(1, 6000) i;
REVOKE ALL ON heath FROM PUBLIC;
SELECT dpobj.protect('heath', '{"age": {"bins": [30, 40, 50, 60]}, "kind": {"levels": ["f", "m"]}, "wet": {}, "depth": {"clip": [0, 10]}, "sandy": {"positive": [true]}}', person => 'who', max_rows_per_person => 2, n => 6000);
SELECT dpobj.set_budget('heath', 'dpobj_clipped_ana', 100, 0.01);
\c - dpobj_clipped_ana
SELECT kind, mechanism, cardinality(weights) AS weights, details -> 'groups' AS groups, details -> 'ordered_groups' AS ordered, round((details ->> 'number_length')::numeric, 3) AS length
  FROM dpobj.train('heath', 'sandy', 4, delta => 0.000001, method => 'logistic', options => '{"mechanism": "descent"}', name => 'peat');
SELECT dpobj.score('peat', a) > dpobj.score('peat', b) AS rises FROM (SELECT 65 AS age, 'm' AS kind, false AS wet, 5::float8 AS depth) a, (SELECT 22 AS age, 'm' AS kind, false AS wet, 5::float8 AS depth) b;
SELECT p -> 'mechanism' AS mechanism, p -> 'error' AS error, p -> 'sure_to_finish' AS sure FROM dpobj.price('heath', 'sandy', 4, delta => 0.000001, method => 'logistic', options => '{"mechanism": "descent"}') p;
SELECT dpobj.train('heath', 'sandy', 4, method => 'logistic', options => '{"mechanism": "descent"}');
-- Method auto takes it where a delta is offered (rule D12); without bins in order the objective is better, with numbers only if noise is small.
SELECT d, o, p ->> 'mechanism' AS mechanism, p -> 'classifier' ->> 'because' AS because
  FROM unnest('{0,0.000001}'::float8[]) d, unnest(ARRAY['{}', '{"objective": "probability"}', '{"objective": "ranking"}', '{"objective": "accuracy"}']) WITH ORDINALITY o(o, i),
       dpobj.price('heath', 'sandy', 4, delta => d, options => o::jsonb) p ORDER BY d, i;
SELECT p ->> 'mechanism' AS mechanism, p -> 'classifier' ->> 'because' AS because FROM dpobj.price('heath', 'sandy', 4, '{kind}', delta => 0.000001) p;
SELECT f, e, p ->> 'mechanism' AS mechanism FROM unnest('{wet,depth,kind+depth,age}'::text[]) f, unnest('{0.05,4}'::float8[]) e,
       dpobj.price('heath', 'sandy', e, string_to_array(f, '+'), delta => 0.000001, options => '{"force": true}') p ORDER BY 1, 2;
SELECT mechanism, dpobj.predict_proba(m, a) BETWEEN 0 AND 1 AS probable
  FROM dpobj.train('heath', 'sandy', 1, delta => 0.000001) m, (SELECT 65 AS age, 'm' AS kind, false AS wet, 5::float8 AS depth) a;
SELECT * FROM answers('SELECT dpobj.price(%)', $$'heath', 'sandy', 4, options => '{"objective": "lift"}'$$,
  $$'heath', 'sandy', 4, method => 'logistic', options => '{"objective": "ranking"}'$$);
\c - postgres
-- At the owner's door the option must be given.
SELECT d, o, p ->> 'method' AS method, p ->> 'mechanism' AS mechanism
  FROM unnest('{0,0.000001}'::float8[]) d, unnest(ARRAY['{}', '{"objective": "ranking"}']) WITH ORDINALITY o(o, i),
       dpobj.price_aggregate('auto', 12, 1, d, o::jsonb || '{"n": 5000, "groups": [4, 4, 4]}') p ORDER BY d, i;
DROP OWNED BY dpobj_clipped_ana;
DROP ROLE dpobj_clipped_ana;

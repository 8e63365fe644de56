-- Mechanism "sgd" of dp_logistic and dp_svm: what is refused, what is released, what it costs.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE TABLE dune (id int, x float8[] CHECK (cardinality(x) = 3), y boolean);
INSERT INTO dune SELECT i, ARRAY[(i % 7) / 7.0, (i % 11) / 11.0, (i % 2)::float8], i % 7 > 3 FROM generate_series(1, 4000) i;

-- A model by each kind of sampling: it is within its ball, on its grid, and has learnt.
CREATE TABLE shell AS
  SELECT 'full' AS sampling, 'logistic' AS method, dp_logistic(x, y, 5.0, 0.000001, '{"mechanism": "sgd"}') AS model FROM dune;
INSERT INTO shell SELECT 'poisson', 'svm', dp_svm(x, y, 5.0, 0.000001, '{"mechanism": "sgd", "sampling": "poisson", "n": 4000}') FROM dune;
INSERT INTO shell SELECT 'fixed', 'logistic', dp_logistic(x, y, 5.0, 0.000001, '{"mechanism": "sgd", "sampling": "fixed", "n": 4000, "batch": 100, "iterations": 150}') FROM dune;
SELECT sampling, (model).kind, (model).mechanism, array_length((model).weights, 1) AS weights, (model).epsilon,
       (model).delta > 0 AND (model).delta <= 1e-6 * (1 + 1e-12) AS delta, (model).adjacency, (model).guarantee, dpobj.verify(model) AS verified,
       (model).details - 'options' - 'encoding' - 'weight_step' - 'radius' - 'regularization' - 'gradient_noise' AS details
  FROM shell;
SELECT s.sampling, avg((dp_predict(s.model, x) = y)::int) > 0.65 AS learnt FROM shell s, dune GROUP BY s.sampling ORDER BY 1;
SELECT s.sampling, bool_and(abs(w / g - round(w / g)) < 1e-6) AS on_grid, sqrt(sum(w * w)) <= ((s.model).details ->> 'norm')::float8 + 1e-5 AS within
  FROM shell s, unnest((s.model).weights) w, LATERAL (SELECT ((s.model).details ->> 'weight_step')::float8) d(g) GROUP BY s.sampling, s.model ORDER BY 1;
SELECT mechanism, epsilon, delta > 0 AS delta, pair, guarantee FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.dune' ORDER BY id;

-- The noise in a sum of gradients, in rows of length 1: sigma_G(1, 1e-6) = 4.224679 a row, times sqrt(T), twice under replace.
SELECT round((p ->> 'gradient_noise')::numeric, 4) AS noise, p -> 'error' AS error, p -> 'sure_to_finish' AS sure
  FROM unnest(ARRAY['{"iterations": 1, "adjacency": "add_remove"}', '{"iterations": 100, "adjacency": "add_remove"}', '{"iterations": 100}']::jsonb[]) WITH ORDINALITY o(o, i),
       dpobj.price_aggregate('logistic', 5, 1, 0.000001, o || '{"mechanism": "sgd", "radius": 1}') p ORDER BY i;
-- batches
SELECT o ->> 'sampling' AS sampling, o ->> 'adjacency' AS adjacency, p -> 'batch' AS batch, p -> 'iterations' AS iterations, round((p ->> 'gradient_noise')::numeric, 3) AS noise
  FROM unnest(ARRAY['{"sampling": "poisson", "adjacency": "add_remove"}', '{"sampling": "poisson"}', '{"sampling": "fixed", "adjacency": "add_remove"}', '{"sampling": "fixed"}']::jsonb[]) WITH ORDINALITY o(o, i),
       dpobj.price_aggregate('svm', 5, 1, 0.000001, o || '{"mechanism": "sgd", "radius": 1, "n": 60000, "batch": 256, "iterations": 1000}') p ORDER BY i;

-- No row, one row, one label, separable rows, a column of zeros, rows that are not numbers, fewer rows than a batch, more than declared.
SELECT array_length((dp_logistic(x, y, 1.0, 0.001, '{"mechanism": "sgd", "dimension": 3}')).weights, 1) FROM dune WHERE id < 0;
SELECT array_length((dp_svm(x, y, 1.0, 0.001, '{"mechanism": "sgd", "sampling": "fixed", "n": 50, "batch": 50, "iterations": 3}')).weights, 1) FROM dune WHERE id = 1;
SELECT array_length((dp_svm(x, true, 1.0, 0.001, '{"mechanism": "sgd", "sampling": "poisson", "n": 10, "iterations": 5}')).weights, 1) FROM dune;
SELECT array_length((dp_logistic(x, y, 1.0, 0.001, '{"mechanism": "sgd", "sampling": "fixed", "n": 10, "iterations": 5, "adjacency": "add_remove", "dimension": 3}')).weights, 1) FROM dune;
SELECT array_length((dp_logistic(ARRAY[CASE WHEN y THEN 1.0::float8 ELSE -1 END, 0], y, 1.0, 0.001, '{"mechanism": "sgd", "iterations": 1}')).weights, 1) FROM dune;
SELECT array_length((dp_logistic(ARRAY[CASE WHEN id % 2 = 0 THEN NULL ELSE 'Infinity'::float8 END, 'NaN', -1e300], NULLIF(y, id % 3 = 0), 1.0, 0.001, '{"mechanism": "sgd"}')).weights, 1) FROM dune;
SELECT (m).guarantee FROM (SELECT dp_logistic(x, y, 1.0, 0.001, '{"mechanism": "sgd", "time_limit": 60, "regularization": 5, "step": 0.1, "norm": 3, "noise": "gaussian"}') AS m FROM dune) s;

-- Refused before anything is charged.
SELECT count(*) AS charged FROM dpobj.ledger WHERE event = 'charged' \gset before_
SELECT dp_logistic(x, y, 1.0, 0, '{"mechanism": "sgd"}') FROM dune;
SELECT * FROM answers($$SELECT dp_logistic(x, y, 1.0, 0.001, '{"mechanism": "sgd", %}') FROM dune$$,
  '"noise": "gamma"', '"sampling": "poisson"', '"sampling": "fixed", "n": 100, "batch": 101', '"sampling": "fixed", "n": 100, "batch": 0',
  '"batch": 10', '"sampling": "shuffled"', '"iterations": 0', '"iterations": 100001', '"step": 0', '"step": 1e9, "radius": 1',
  '"norm": 1e-12, "radius": 1', '"regularization": 1e-9, "radius": 1');
SELECT dp_logistic(x, y, 0.001, 0.000001, '{"mechanism": "sgd", "sampling": "poisson", "n": 4000}') FROM dune;
SELECT dp_logistic(x, y, 1.0, 0, '{"iterations": 5}') FROM dune;
SELECT dp_svm(x, y, 1.0, 0, '{"mechanism": "output", "sampling": "poisson"}') FROM dune;
SELECT dp_svm(x, y, 1.0, 0, '{"sampling": "full"}') FROM dune;
SELECT dp_halfspace(x, y, 1.0, 0.001, '{"mechanism": "sgd"}') FROM dune;
SELECT dp_halfspace(x, y, 1.0, 0, '{"batch": 5}') FROM dune;
SELECT count(*) - :before_charged AS charged FROM dpobj.ledger WHERE event = 'charged';

-- The analyst's door: the declared number of rows counts.
CALL login_roles('dpobj_descent_ana');
CREATE TABLE beach (age int, kind text, sandy boolean);
CREATE TABLE cliff (age int, sandy boolean);
INSERT INTO beach SELECT 20 + i % 50, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END, i % 50 > 25 FROM generate_series(1, 3000) i;
REVOKE ALL ON beach, cliff FROM PUBLIC;
SELECT dpobj.protect('beach', '{"age": {"center": 45, "scale": 25}, "kind": {"levels": ["f", "m"]}, "sandy": {}}', n => 3000);
SELECT dpobj.protect('cliff', '{"age": {"center": 45, "scale": 25}, "sandy": {}}', adjacency => 'add_remove');
SELECT dpobj.set_budget('beach', 'dpobj_descent_ana', 20, 0.00001);
SELECT dpobj.set_budget('cliff', 'dpobj_descent_ana', 20, 0.00001);
\c - dpobj_descent_ana
SELECT (m).kind, (m).mechanism, (m).guarantee, (m).delta > 0 AS delta FROM dpobj.train('beach', label => 'sandy', epsilon => 5, delta => 0.000001, method => 'logistic', options => '{"mechanism": "sgd"}', name => 'a') m;
SELECT (m).details -> 'n' AS n, (m).details -> 'batch' AS batch FROM dpobj.train('beach', label => 'sandy', epsilon => 5, delta => 0.000001, method => 'svm', options => '{"mechanism": "sgd", "sampling": "fixed"}', name => 'b') m;
SELECT * FROM answers('SELECT dpobj.train(%)',
  $$'beach', label => 'sandy', epsilon => 1, delta => 0.000001, method => 'svm', options => '{"mechanism": "sgd", "iterations": 100}'$$,
  $$'beach', label => 'sandy', epsilon => 1, delta => 0.000001, method => 'svm', options => '{"mechanism": "sgd", "sampling": "fixed", "batch": 3001}'$$,
  $$'beach', label => 'sandy', epsilon => 1, delta => 0.000001, method => 'svm', options => '{"mechanism": "sgd", "n": 5}'$$,
  $$'cliff', label => 'sandy', epsilon => 1, delta => 0.000001, method => 'svm', options => '{"mechanism": "sgd", "sampling": "poisson"}'$$);
SELECT dpobj.evaluate('a', 'beach', 1) > 0.6 AS learnt;
\c - postgres
DROP OWNED BY dpobj_descent_ana;
DROP ROLE dpobj_descent_ana;

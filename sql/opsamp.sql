-- Mechanism opsamp of dp_logistic and dp_svm.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE TABLE moor (id int, x float8[] CHECK (cardinality(x) = 2), y boolean);
INSERT INTO moor SELECT i, ARRAY[(i % 7) / 3.5 - 1, (i % 11) / 5.5 - 1], i % 7 > 3 FROM generate_series(1, 4000) i;

-- A model on the public grid, within the cube; delta is charged. n is what is declared.
CREATE TABLE peat (method text, model dp_model);
INSERT INTO peat SELECT 'logistic', dp_logistic(x, y, 4.0, 1e-6, '{"mechanism": "opsamp", "n": 4000, "calls": 600, "intercept": false}') FROM moor;
INSERT INTO peat SELECT 'svm', dp_svm(x[1:1], y, 2.0, 1e-6, '{"mechanism": "opsamp", "n": 100000, "calls": 300, "norm": 0.5, "noise": "laplace", "regularization": 2, "dimension": 1}') FROM moor;
SELECT method, (model).kind, (model).mechanism, array_length((model).weights, 1) AS weights, (model).epsilon, (model).delta > 0 AS delta,
       (model).delta <= 1e-6 * (1 + 1e-12) AS within, (model).guarantee, dpobj.verify(model) AS verified FROM peat ORDER BY 1;
SELECT method, (model).details ->> 'noise' AS noise, (model).details -> 'calls' AS calls, (model).details -> 'n' AS n,
       round(((model).details ->> 'norm')::numeric, 4) AS norm, round(((model).details ->> 'regularization')::numeric, 4) AS regularization FROM peat ORDER BY 1;
SELECT method, bool_and(abs(w / s - round(w / s)) < 1e-6) AS on_grid, bool_and(abs(w) <= n * (1 + 1e-12)) AS in_cube
  FROM peat, unnest((model).weights) w, LATERAL (SELECT ((model).details ->> 'weight_step')::float8, ((model).details ->> 'norm')::float8) d(s, n) GROUP BY method ORDER BY 1;
SELECT mechanism, epsilon, delta > 0 AS delta, pair, guarantee FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.moor' ORDER BY id;

-- No row, one row, one label, a column of zeros, rows that are not numbers: n is declared, not counted.
SELECT array_length((dp_logistic(x, y, 4.0, 1e-6, '{"mechanism": "opsamp", "n": 20000, "calls": 300, "dimension": 2}')).weights, 1) FROM moor WHERE id < 0;
SELECT array_length((dp_svm(x, y, 4.0, 1e-6, '{"mechanism": "opsamp", "n": 20000, "calls": 300}')).weights, 1) FROM moor WHERE id = 1;
SELECT array_length((dp_svm(x, true, 4.0, 1e-6, '{"mechanism": "opsamp", "n": 20000, "calls": 300}')).weights, 1) FROM moor;
SELECT array_length((dp_logistic(ARRAY[CASE WHEN y THEN 1.0::float8 ELSE -1 END, 0], y, 4.0, 1e-6, '{"mechanism": "opsamp", "n": 20000, "calls": 300}')).weights, 1) FROM moor;
SELECT array_length((dp_logistic(ARRAY['NaN'::float8, 1e300], y, 4.0, 1e-6, '{"mechanism": "opsamp", "n": 20000, "calls": 300, "adjacency": "add_remove", "dimension": 2}')).weights, 1) FROM moor;

-- Refused before anything is charged.
SELECT count(*) AS charged FROM dpobj.ledger WHERE event = 'charged' \gset before_
SELECT dp_logistic(x, y, 1.0, 0, '{"mechanism": "opsamp", "n": 4000}') FROM moor;
SELECT dp_logistic(x, y, 1.0, 1e-6, '{"mechanism": "opsamp"}') FROM moor;
SELECT dp_logistic(x, y, 0.5, 1e-6, '{"mechanism": "opsamp", "n": 4000, "dimension": 2}') FROM moor;
SELECT * FROM answers($$SELECT dp_logistic(x, y, 1.0, 1e-6, '{"mechanism": "opsamp", "n": %}') FROM moor$$,
  '100000, "dimension": 50', '1000000000', '100000, "calls": 100000', '100000, "calls": 0', '100000, "calls": 1e6', '100000, "net": 100',
  '100000, "noise": "gaussian"', '100000, "norm": 1000', '100000, "regularization": 1e-9');
SELECT dp_logistic(x, y, 1.0, 1e-6, '{"calls": 100}') FROM moor;
SELECT dp_logistic(x, y, 1.0, 1e-6, '{"mechanism": "exponential", "calls": 100}') FROM moor;
SELECT dp_halfspace(x, y, 1.0, 1e-6, '{"mechanism": "opsamp"}') FROM moor;
SELECT count(*) - :before_charged AS charged FROM dpobj.ledger WHERE event = 'charged';

-- Prices: a bound on the mean loss, which falls with n and epsilon.
SELECT n, e, p -> 'sure_to_finish' AS sure, (p ->> 'delta')::numeric > 0 AS delta, round((p -> 'error' ->> 'mean_loss')::numeric, 4) AS mean_loss,
       round((p -> 'error' ->> 'of_zero')::numeric, 4) AS of_zero, p -> 'calls' AS calls
  FROM unnest(ARRAY[100000, 1000000]) n, unnest(ARRAY[1, 4]) e,
       dpobj.price_aggregate('logistic', 3, e, 0.000001, jsonb_build_object('mechanism', 'opsamp', 'n', n)) p ORDER BY 1, 2;

-- The analyst's door: n is the table's.
CALL login_roles('dpobj_opsamp_ana');
CREATE TABLE marsh (age int, ripe boolean);
INSERT INTO marsh SELECT 20 + i % 50, i % 50 > 25 FROM generate_series(1, 3000) i;
REVOKE ALL ON marsh FROM PUBLIC;
SELECT dpobj.protect('marsh', '{"age": {"center": 45, "scale": 25}, "ripe": {}}', n => 3000);
SELECT dpobj.set_budget('marsh', 'dpobj_opsamp_ana', 10, 0.0001);
\c - dpobj_opsamp_ana
SELECT (m).kind, (m).mechanism, (m).guarantee, (m).delta > 0 AS delta FROM dpobj.train('marsh', label => 'ripe', epsilon => 4, delta => 0.00001, method => 'logistic', options => '{"mechanism": "opsamp", "calls": 500}') m;
SELECT dpobj.train('marsh', label => 'ripe', epsilon => 0.1, delta => 0.00001, method => 'logistic', options => '{"mechanism": "opsamp"}');
SELECT epsilon FROM dpobj.remaining('marsh');
\c - postgres
DROP OWNED BY dpobj_opsamp_ana;
DROP ROLE dpobj_opsamp_ana;

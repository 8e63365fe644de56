-- dp_linear: what is refused, what is released, in which units, what it costs.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
-- pay = 30000 + 4000 years - 200 age + 6000 if the row is a manager's
CREATE TABLE staff (id int, x float8[] CHECK (cardinality(x) = 3), pay float8);
INSERT INTO staff SELECT i, ARRAY[i % 11, 20 + i % 41, i % 2], 30000 + 4000 * (i % 11) - 200 * (20 + i % 41) + 6000 * (i % 2)
  FROM generate_series(1, 8000) i;

-- A model: weights and predictions in the target's units.
CREATE TABLE paid AS
  SELECT dp_linear(x, pay, 1000.0, 0, '{"n": 8000, "center": [5, 40, 0.5], "scale": [5, 20, 0.5], "target": [0, 100000]}') AS model FROM staff;
SELECT (model).kind, (model).mechanism, array_length((model).weights, 1) AS weights, (model).epsilon, (model).delta,
       (model).adjacency, (model).guarantee, dpobj.verify(model) AS verified,
       (model).details - 'regularization' - 'objective_noise' - 'weight_noise' - 'hessian_epsilon' - 'weight_step' - 'radius' AS details
  FROM paid;
SELECT max(abs(dp_score(model, x) - pay)) < 300 AS near, min(abs((model).weights[1] - 20000)) < 200 AS years FROM paid, staff;
SELECT mechanism, epsilon, delta, pair, guarantee FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.staff' ORDER BY id;
SELECT dp_predict(model, ARRAY[0, 0, 0]) FROM paid;
SELECT dp_predict_proba(model, ARRAY[0, 0, 0]) FROM paid;
SELECT feature, level, round(weight::numeric, -3) AS weight FROM paid, dpobj.scorecard(model);

-- Noise: Gaussian only where delta is offered and it is shorter; delta is charged only then.
SELECT m.details ->> 'noise' AS noise, m.delta > 0 AS spent FROM
  (SELECT (m).* FROM (SELECT dp_linear(x, pay, 1.0, 1e-6, '{"target": [0, 100000]}') AS m FROM staff) s
   UNION ALL SELECT (m).* FROM (SELECT dp_linear(x, pay, 1.0, 1e-6, '{"target": [0, 100000], "noise": "gaussian"}') AS m FROM staff) s
   UNION ALL SELECT (m).* FROM (SELECT dp_linear(x, pay, 1.0, 0, '{"target": [0, 100000], "noise": "gamma"}') AS m FROM staff) s) m;
SELECT round((m.details ->> 'threshold')::numeric, 6) AS threshold FROM
  (SELECT (m).* FROM (SELECT dp_linear(x, pay, 0.001, 0, '{"target": [0, 100000]}') AS m FROM staff) s
   UNION ALL SELECT (m).* FROM (SELECT dp_linear(x, pay, 1.0, 0, '{"target": [0, 100000]}') AS m FROM staff) s
   UNION ALL SELECT (m).* FROM (SELECT dp_linear(x, pay, 5.0, 0, '{"target": [-1, 1]}') AS m FROM staff) s) m;

-- Everything else of the aggregate.
SELECT array_length((dp_linear(x, pay, 1.0, 0, '{"adjacency": "add_remove", "dimension": 3, "target": [0, 100000]}')).weights, 1) FROM staff;
SELECT array_length((dp_linear(x, pay, 1.0, 0, '{"intercept": false, "target": [0, 100000]}')).weights, 1) FROM staff;
SELECT abs((m).weights[1] - 3) < 0.1 AS through_zero
  FROM (SELECT dp_linear(ARRAY[id % 11], 0.3 * (id % 11), 1000.0, 0, '{"intercept": false, "target": [1, 4], "scale": 10, "dimension": 1, "regularization": 1}') AS m FROM staff) s;
SELECT (m).guarantee FROM (SELECT dp_linear(x, pay, 1.0, 0, '{"target": [0, 100000], "time_limit": 60}') AS m FROM staff) s;
SELECT array_length((dp_linear(x, id, 1.0, 0, '{"target": [0, 10000], "groups": [1, 1, 1]}')).weights, 1) FROM staff;
-- no row, one row, constant columns, a constant target, targets out of range, rows that are not numbers
SELECT array_length((dp_linear(x, pay, 1.0, 0, '{"target": [0, 100000]}')).weights, 1) FROM staff WHERE id < 0;
SELECT array_length((dp_linear(x, pay, 1.0, 0, '{"target": [0, 100000]}')).weights, 1) FROM staff WHERE id = 1;
SELECT array_length((dp_linear(ARRAY[0.0::float8, 0], pay, 1.0, 0, '{"target": [0, 100000]}')).weights, 1) FROM staff;
SELECT array_length((dp_linear(x, pay, 1.0, 0, '{"clip": [1, 1], "target": [0, 100000]}')).weights, 1) FROM staff;
SELECT abs(dp_score(m, ARRAY[0, 0, 0]) - 70) < 1 AS constant
  FROM (SELECT dp_linear(x, 70, 1000.0, 0, '{"n": 8000, "target": [0, 100], "scale": 100}') AS m FROM staff) s;
SELECT dp_score(m, ARRAY[0, 0, 0]) BETWEEN 97 AND 103 AS clipped
  FROM (SELECT dp_linear(x, 1e300, 1000.0, 0, '{"n": 8000, "target": [0, 100], "scale": 100}') AS m FROM staff) s;
SELECT array_length((dp_linear(x, CASE id % 4 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN NULL ELSE -1e300 END, 1.0, 0, '{"target": [0, 1]}')).weights, 1) FROM staff;
SELECT array_length((dp_linear(ARRAY['NaN'::float8, 'Infinity', 1e300], pay, 1.0, 0, '{"target": [0, 1]}')).weights, 1) FROM staff;
SELECT array_length((dp_linear(CASE WHEN id % 3 = 0 THEN ARRAY[1, NULL]::float8[] WHEN id % 3 = 1 THEN x END, pay, 1.0, 0, '{"dimension": 3, "target": [0, 1]}')).weights, 1) FROM staff;

-- The mean error and the share of the variance that is explained are averages, each with its interval.
SELECT model::text AS m FROM paid \gset
SELECT value BETWEEN 0 AND 300 AS near, low <= value AND value <= high AS within, abs(rows - 8000) < 200 AS counted
  FROM (SELECT (dp_avg(abs(dp_score(:'m'::dp_model, x) - pay), 0, 5000, 100)).* FROM staff) e;
SELECT 1 - e.value / v.value > 0.99 AS explained
  FROM (SELECT (dp_avg((dp_score(:'m'::dp_model, x) - pay) ^ 2, 0, 25e6, 100)).* FROM staff) e,
       (SELECT (dp_avg((pay - 45000) ^ 2, 0, 25e8, 100)).* FROM staff) v;

-- A line for each group, of targets of every type of number; one that no float8 holds is clipped.
CREATE TABLE office AS
  SELECT t, (g).* FROM (SELECT 'float8' AS t, unnest(dp_groups((id % 2)::text, x, pay, 2000.0, 0, '{"keys": ["0", "1"], "method": "linear", "center": [5, 40, 0.5], "scale": [5, 20, 0.5], "target": [0, 100000], "regularization": 1}')) AS g FROM staff
    UNION ALL SELECT 'numeric', unnest(dp_groups((id % 2)::text, x, CASE WHEN id = 7 THEN '1e400'::numeric ELSE pay::numeric END, 2000.0, 0, '{"keys": ["0", "1"], "method": "linear", "center": [5, 40, 0.5], "scale": [5, 20, 0.5], "target": [0, 100000], "regularization": 1}')) FROM staff
    UNION ALL SELECT 'integer', unnest(dp_groups((id % 2)::text, x, pay::int, 2000.0, 0, '{"keys": ["0", "1"], "method": "linear", "center": [5, 40, 0.5], "scale": [5, 20, 0.5], "target": [0, 100000], "regularization": 1}')) FROM staff) s;
SELECT t, key, (model).kind, (model).mechanism, avg(abs(dp_score(model, x) - pay)) < 500 AS near FROM office JOIN staff ON key[1] = (id % 2)::text GROUP BY 1, 2, 3, 4 ORDER BY 1, 2;
-- two determinants: only the claim is charged
SELECT count(*) FROM (SELECT unnest(dp_groups('0'::text, x, pay, 1.0, 1e-6, '{"keys": ["0"], "method": "linear", "noise": "gaussian", "target": [0, 100000]}')) FROM staff) s;
SELECT mechanism, pair, epsilon, delta FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;

-- Refused before anything is charged.
SELECT count(*) AS charged FROM dpobj.ledger WHERE event = 'charged' \gset before_
SELECT * FROM answers($$SELECT dp_linear(x, pay, 1.0, 0, '{%}') FROM staff$$,
  '"target": 3', '"target": [1, -1]', '"target": [1, 1]', '"target": [-1e308, 1e308]', '"target": [0, 1e16]', '"target": [0, 1], "regularization": 0',
  '"target": [0, 1], "regularization": 1e-9', '"target": [0, 1], "mechanism": "objective"', '"target": [0, 1], "noise": "laplace"',
  '"target": [0, 1], "noise": "gaussian"', '"target": [0, 1], "loss": "huber"', '"target": [0, 1], "radius": 0', '"target": [0, 1], "dimension": 1024');
SELECT dp_linear(x, id, 1.0, 0) FROM staff;
SELECT dp_linear(x, pay, pay, 0) FROM staff;
SELECT dp_linear(x, pay, 0.0, 0, '{"target": [0, 1]}') FROM staff;
SELECT dp_logistic(x, pay > 50000, 1.0, 0, '{"loss": "clipped_squares"}') FROM staff;
SELECT * FROM answers($$SELECT dp_groups(mod(id, 2)::text, x, %, 1.0, 0, '{"keys": ["0", "1"], "method": "linear"}') FROM staff$$, 'id', 'id * 1.5', 'pay > 5', $$'7'::text$$);
SELECT dp_groups((id % 2)::text, x, pay, 1.0, 0, '{"keys": ["0", "1"], "method": "simplex", "target": [0, 1]}') FROM staff;
SELECT count(*) - :before_charged AS charged FROM dpobj.ledger WHERE event = 'charged';

-- Prices are settled alike, without a charge.
SELECT p ->> 'mechanism' AS mechanism, p -> 'delta' AS delta, p -> 'sure_to_finish' AS sure, p ->> 'guarantee' AS guarantee, p -> 'target' AS target
  FROM dpobj.price_aggregate('linear', 10, 1, 0, '{"n": 100000, "target": [0, 80]}') p;

-- The analyst's door: the label is a number, and its declaration has the units.
CALL login_roles('dpobj_linear_ana');
CREATE TABLE flat (area int, rooms int, garden boolean, kind text, price numeric);
INSERT INTO flat SELECT 50 + i % 100, 1 + i % 5, i % 2 = 0, CASE WHEN i % 3 = 0 THEN 'flat' END, CASE WHEN i % 10 > 0 THEN 1000 * (50 + i % 100) END FROM generate_series(1, 6000) i;
REVOKE ALL ON flat FROM PUBLIC;
SELECT dpobj.protect('flat', '{"area": {"center": 100, "scale": 50}, "rooms": {"scale": 5}, "garden": {}, "kind": {"levels": ["flat", "hut"], "null": "hut"}, "price": {"center": 100000, "scale": 50000}}', n => 6000);
SELECT dpobj.set_budget('flat', 'dpobj_linear_ana', 1000, 0.00001);
\c - dpobj_linear_ana
SELECT (m).kind, (m).mechanism, (m).delta, array_length((m).weights, 1) AS weights, (m).details -> 'target' AS target
  FROM dpobj.train('flat', label => 'price', epsilon => 500, method => 'linear', name => 'a') m;
SELECT area, round(dpobj.score('a', f)::numeric, -4) AS price FROM (VALUES (50, 3, true, 'flat'), (100, 3, true, 'flat'), (150, 3, false, NULL)) f(area, rooms, garden, kind);
SELECT feature, level, round(weight::numeric, -4) AS weight FROM dpobj.scorecard('a') WHERE feature IN ('area', '(intercept)') ORDER BY 1, 2;
SELECT (m).delta > 0 AS delta, array_length((m).weights, 1) AS weights
  FROM dpobj.train('flat', label => 'price', features => ARRAY['area', 'rooms'], epsilon => 1, delta => 0.000009, method => 'linear', options => '{"noise": "gaussian"}', filter => '{"kind": {"in": ["flat"]}}') m;
SELECT key, (model).kind, (model).details -> 'target' AS target, (model).details #>> '{group,epsilon}' AS of_a_group
  FROM dpobj.train_groups('flat', 'price', 200, features => '{area,rooms}', method => 'linear', options => '{"regularization": 1}', name => 'by', by => '{kind}');
SELECT dpobj.evaluate('by{flat}', 'flat', 50, '{"kind": {"=": "flat"}}') > 0.9 AS explained, round(dpobj.score('by{flat}', f)::numeric, -4) AS price FROM (VALUES (100, 3)) f(area, rooms);
SELECT * FROM answers('SELECT %', $$dpobj.train_groups('flat', 'kind', 1, method => 'linear', by => '{garden}')$$,
  $$dpobj.train('flat', label => 'kind', epsilon => 1, method => 'linear')$$);
-- method auto predicts a label that is declared as a number, and others say which method does
SELECT m.kind, m.details -> 'classifier' ->> 'because' AS because, m.details -> 'target' AS target FROM dpobj.train('flat', 'price', 1, '{area,rooms}') m;
SELECT DISTINCT (model).kind FROM dpobj.train_groups('flat', 'price', 1, '{area,rooms}', by => '{kind}');
SELECT p ->> 'mechanism' AS mechanism FROM dpobj.price('flat', 'price', 1, '{area,rooms}') p;
SELECT * FROM answers('SELECT %', $$dpobj.train('flat', 'price', 1, '{area,rooms}', method => 'logistic')$$,
  $$dpobj.train('flat', 'price', 1, '{area,rooms}', options => '{"grid": "sign"}')$$,
  $$dpobj.train('flat', label => 'price', epsilon => 1, method => 'linear', options => '{"n": 5}')$$,
  $$dpobj.train('flat', label => 'price', epsilon => 1, method => 'linear', options => '{"target": [0, 1]}')$$, $$dpobj.confusion('a', 'flat', 1)$$);
SELECT p -> 'target' AS target, p ->> 'mechanism' AS mechanism, p -> 'dimension' AS dimension FROM dpobj.price('flat', 'price', 1, method => 'linear') p;
SELECT dpobj.price('flat', NULL, 1, method => 'linear');
SELECT epsilon FROM dpobj.remaining('flat');
\c - postgres
DROP OWNED BY dpobj_linear_ana;
DROP ROLE dpobj_linear_ana;

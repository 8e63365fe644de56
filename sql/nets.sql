-- dp_logistic and dp_svm over a body of weights: exponential and localized.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE TABLE heath (id int, x float8[] CHECK (cardinality(x) = 2), y boolean);
INSERT INTO heath SELECT i, ARRAY[(i % 7) / 7.0 - 0.5, (i % 11) / 11.0 - 0.5], i % 7 > 3 FROM generate_series(1, 4000) i;

-- A model: weights on the net, exact and pure whatever delta is offered, and it has learnt.
CREATE TABLE moss (mechanism text, method text, model dp_model);
INSERT INTO moss SELECT 'exponential', 'logistic', dp_logistic(x, y, 2.0, 1e-6, '{"mechanism": "exponential", "n": 4000}') FROM heath;
INSERT INTO moss SELECT 'exponential', 'svm', dp_svm(x, y, 2.0, 0, '{"mechanism": "exponential", "norm": 4, "net": 2000}') FROM heath;
INSERT INTO moss SELECT 'localized', 'logistic', dp_logistic(x, y, 2.0, 1e-6, '{"mechanism": "localized", "n": 4000}') FROM heath;
INSERT INTO moss SELECT 'localized', 'svm', dp_svm(x, y, 2.0, 0, '{"mechanism": "localized", "regularization": 20, "noise": "gamma"}') FROM heath;
SELECT mechanism, method, (model).kind, (model).mechanism AS "as", array_length((model).weights, 1) AS weights, (model).epsilon,
       (model).delta, (model).guarantee, dpobj.verify(model) AS verified, (model).details -> 'net' AS net
  FROM moss ORDER BY 1, 2;
SELECT mechanism, method, avg((dp_predict(model, x) = y)::int) > 0.8 AS learnt FROM moss, heath GROUP BY 1, 2 ORDER BY 1, 2;
SELECT method, bool_and(abs(w / s - round(w / s)) < 1e-6) AS on_net,
       sqrt(sum(w * w)) <= min(((model).details ->> 'norm')::float8) AS in_body
  FROM moss, unnest((model).weights) w, LATERAL (SELECT ((model).details ->> 'net_step')::float8) d(s)
 WHERE mechanism = 'exponential' GROUP BY method ORDER BY 1;
SELECT mechanism, epsilon, delta, pair, guarantee FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.heath' ORDER BY id;

-- A net of three points.
SELECT (dp_logistic(ARRAY[x[1]], y, 1.0, 0, '{"mechanism": "exponential", "net": 3, "norm": 2, "radius": 1, "intercept": false}')).weights[1] IN (-2, 0, 2) AS net FROM heath;

-- No row, one row, one label, separable rows, a column of zeros, rows that are not numbers.
SELECT array_length((dp_logistic(x, y, 1.0, 0, '{"dimension": 2, "mechanism": "exponential"}')).weights, 1) FROM heath WHERE id < 0;
SELECT array_length((dp_svm(x, y, 1.0, 0, '{"dimension": 2, "mechanism": "localized"}')).weights, 1) FROM heath WHERE id < 0;
SELECT array_length((dp_logistic(x, y, 1.0, 0, '{"mechanism": "exponential"}')).weights, 1) FROM heath WHERE id = 1;
SELECT array_length((dp_logistic(x, true, 1.0, 0, '{"mechanism": "localized"}')).weights, 1) FROM heath;
SELECT array_length((dp_svm(ARRAY[CASE WHEN y THEN 1.0::float8 ELSE -1 END, 0], y, 1.0, 0, '{"mechanism": "localized"}')).weights, 1) FROM heath;
SELECT array_length((dp_logistic(ARRAY['NaN'::float8, 'Infinity', 1e300], y, 1.0, 0, '{"mechanism": "exponential", "net": 1000}')).weights, 1) FROM heath;
SELECT (dp_logistic(x, y, 1.0, 0, '{"mechanism": "exponential", "adjacency": "add_remove", "dimension": 2, "intercept": true, "n": 4000}')).adjacency FROM heath;
SELECT (dp_logistic(x, y, 0.000000001, 0, '{"mechanism": "exponential", "net": 100}')).mechanism FROM heath;
SELECT (dp_logistic(x, y, 1.0, 0, '{"mechanism": "exponential", "regularization": 3, "net": 100}')).details ->> 'regularization' AS regularization FROM heath;

-- Refused before anything is charged.
SELECT count(*) AS charged FROM dpobj.ledger WHERE event = 'charged' \gset before_
SELECT dp_logistic(x, y, 1.0, 0, '{"mechanism": "exponential", "dimension": 7}') FROM heath;
SELECT dp_logistic(x, y, 1.0, 0, '{"mechanism": "exponential", "dimension": 100}') FROM heath;
SELECT dp_logistic(x, y, 1.0, 0, '{"mechanism": "exponential", "dimension": 5}') FROM heath;
SELECT dp_logistic(x, y, 1.0, 0, '{"mechanism": "localized", "dimension": 5, "n": 1000000}') FROM heath;
SELECT * FROM answers($$SELECT dp_logistic(x, y, 1.0, 0, '{"mechanism": "exponential", %}') FROM heath$$,
  '"n": 1000000000, "net": 1000', '"net": 2', '"net": 4', '"net": 1000, "dimension": 100', '"net": 1e8', '"net": "many"', '"norm": 0',
  '"norm": 33, "radius": 1', '"norm": 1e-9, "radius": 1', '"noise": "gamma"');
SELECT dp_logistic(x, y, 1.0, 1e-6, '{"mechanism": "localized", "noise": "gaussian"}') FROM heath;
SELECT dp_logistic(x, y, 1.0, 0, '{"mechanism": "localized", "regularization": 0.0001, "radius": 1}') FROM heath;
SELECT dp_logistic(x, y, 0.000000001, 0, '{"mechanism": "localized"}') FROM heath;
SELECT dp_logistic(x, y, 1.0, 0, '{"norm": 3}') FROM heath;
SELECT dp_logistic(x, y, 1.0, 0, '{"mechanism": "output", "net": 3}') FROM heath;
SELECT dp_halfspace(x, y, 1.0, 0, '{"mechanism": "localized"}') FROM heath;
SELECT dp_halfspace(x, y, 1.0, 0, '{"norm": 3}') FROM heath;
SELECT count(*) - :before_charged AS charged FROM dpobj.ledger WHERE event = 'charged';

-- Prices are settled alike, without a charge: epsilon / (R B) under add_remove, half of it under replace.
SELECT p ->> 'mechanism' AS mechanism, p -> 'delta' AS delta, p -> 'sure_to_finish' AS sure, p -> 'net' AS net,
       round((p ->> 'loss_range')::numeric, 4) AS range, round((p ->> 'exponent_per_loss')::numeric, 5) AS exponent,
       round((p -> 'error' ->> 'loss')::numeric, 1) AS loss, round((p -> 'error' ->> 'mesh')::numeric, 4) AS mesh,
       round((p ->> 'centre_noise')::numeric, 4) AS centre
  FROM unnest(ARRAY['{"mechanism": "exponential", "radius": 1}', '{"mechanism": "exponential", "radius": 2, "norm": 1, "adjacency": "add_remove"}',
                    '{"mechanism": "exponential", "n": 1000000}', '{"mechanism": "localized", "regularization": 50, "radius": 1}']::jsonb[]) o,
       dpobj.price_aggregate('logistic', 3, 1, 0.000001, o) p;
SELECT dpobj.price_aggregate('svm', 9, 1, 0, '{"mechanism": "exponential"}');

-- The analyst's door: the same, and the declared number of rows is the table's.
CALL login_roles('dpobj_nets_ana');
CREATE TABLE fen (age int, ripe boolean);
INSERT INTO fen SELECT 20 + i % 50, i % 50 > 25 FROM generate_series(1, 3000) i;
REVOKE ALL ON fen FROM PUBLIC;
SELECT dpobj.protect('fen', '{"age": {"center": 45, "scale": 25}, "ripe": {}}', n => 3000);
SELECT dpobj.set_budget('fen', 'dpobj_nets_ana', 10, 0);
\c - dpobj_nets_ana
SELECT (m).kind, (m).mechanism, (m).guarantee, array_length((m).weights, 1) AS weights FROM dpobj.train('fen', label => 'ripe', epsilon => 4, method => 'logistic', options => '{"mechanism": "exponential", "intercept": true}', name => 'a') m;
SELECT (m).kind, (m).mechanism, (m).guarantee FROM dpobj.train('fen', label => 'ripe', epsilon => 2, method => 'svm', options => '{"mechanism": "localized", "norm": 3, "net": 500}') m;
SELECT dpobj.train('fen', label => 'ripe', epsilon => 1, method => 'logistic', options => '{"mechanism": "exponential", "n": 5}');
SELECT dpobj.evaluate('a', 'fen', 1) > 0.6 AS learnt;
SELECT epsilon FROM dpobj.remaining('fen');
\c - postgres
DROP OWNED BY dpobj_nets_ana;
DROP ROLE dpobj_nets_ana;

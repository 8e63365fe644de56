-- dp_classifier: which model is chosen and why, what is refused, and that nothing else is new.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE TABLE mill (id int, x float8[] CHECK (cardinality(x) = 3), y boolean);
INSERT INTO mill SELECT i, ARRAY[(i % 7) / 7.0, (i % 11) / 11.0, (i % 2)::float8], i % 7 > 3 FROM generate_series(1, 4000) i;

-- A model is a halfspace or a logistic model, or one of a pool, and its details name the reason.
CREATE TABLE grain AS SELECT 'small' AS what, dp_classifier(x, y, 1.0, 0, '{"n": 4000, "intercept": true}') AS model FROM mill;
INSERT INTO grain SELECT 'unknown', dp_classifier(x, y, 1.0, 0, '{"intercept": true}') FROM mill;
INSERT INTO grain SELECT 'pool', dp_classifier(x || array_fill(0::float8, ARRAY[97]), y, 5.0, 0.000001, '{"n": 4000, "dimension": 100}') FROM mill;
INSERT INTO grain SELECT 'wide', dp_classifier(x || array_fill(0::float8, ARRAY[97]), y, 2.0, 0.000001, '{"n": 4000, "dimension": 100}') FROM mill;
INSERT INTO grain SELECT 'wide, unknown', dp_classifier(x || array_fill(0::float8, ARRAY[97]), y, 5.0, 0, '{"dimension": 100}') FROM mill;
SELECT what, (model).kind, (model).mechanism, cardinality((model).weights) AS weights, (model).delta, (model).guarantee, dpobj.verify(model) AS verified,
       (model).details -> 'classifier' AS classifier, (model).details -> 'grid' AS grid FROM grain ORDER BY what;
SELECT what, avg((dp_predict(g.model, x) = y)::int) > 0.8 AS learnt FROM grain g, mill WHERE what = 'small' GROUP BY what;
SELECT event, mechanism, epsilon, delta, parameters -> 'classifier' ->> 'chosen' AS chosen FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.mill' ORDER BY id;
-- a logistic model has probabilities
SELECT abs(dp_predict_proba(model, array_fill(0::float8, ARRAY[100])) - 1 / (1 + exp(-(model).weights[101]))) < 1e-12 AS same FROM grain WHERE what = 'wide';
SELECT dp_predict_proba(model, ARRAY[0, 0, 0]) FROM grain WHERE what = 'small';

-- The rule depends on dimension, groups, n, epsilon and delta only.
SELECT d, n, e, p ->> 'method' AS method, p ->> 'mechanism' AS mechanism, p -> 'delta' AS delta, p -> 'grid' AS grid, p -> 'classifier' ->> 'because' AS because
  FROM (VALUES (10, 1000), (10, 100000), (23, 15682), (60, 15682), (111, 32561)) v(d, n), unnest(ARRAY[0.1, 1, 10]) e,
       dpobj.price_aggregate('classifier', d, e, 0, jsonb_build_object('n', n)) p ORDER BY d, n, e;
SELECT e, p ->> 'method' AS method, p -> 'delta' AS delta, p -> 'grid' AS grid, p ->> 'noise' AS noise
  FROM unnest(ARRAY[0.1, 0.3, 1, 2]) e, dpobj.price_aggregate('classifier', 111, e, 0.000000001, '{"n": 32561, "groups": [9, 16, 7, 15, 6, 5, 2, 42, 3, 2, 4]}') p ORDER BY e;
-- delta is charged only where Gaussian noise uses it
SELECT o, p ->> 'method' AS method, p -> 'delta' AS delta FROM unnest(ARRAY['{}', '{"groups": [60, 51]}']::jsonb[]) o, dpobj.price_aggregate('classifier', 111, 1, 0.000000001, o || '{"n": 32561}') p;
-- add_remove counts each row twice as much; an intercept is one more weight
SELECT o, p ->> 'method' AS method, p -> 'grid' AS grid, p -> 'dimension' AS dimension
  FROM unnest(ARRAY['{}', '{"adjacency": "add_remove"}', '{"intercept": true}', '{"clip": [-1000, 1000]}']::jsonb[]) o,
       dpobj.price_aggregate('classifier', 14, 0.25, 0, o || '{"n": 3000, "groups": [6, 1, 1, 1, 1, 1, 1, 1, 1], "numeric": [7, 8]}') p;
-- an option of one kind of model chooses that kind
SELECT o, p ->> 'method' AS method, p -> 'radius' AS radius, p -> 'classifier' AS chosen
  FROM unnest(ARRAY['{"radius": 2}', '{"radius": 2, "mechanism": "sgd"}', '{"solver": "auto"}']::jsonb[]) o,
       dpobj.price_aggregate('auto', 3, 1, 1e-6, o || '{"n": 3000}') p;
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)', $$'auto', 3, 1, 0, '{"grid": "ternary", "radius": 2}'$$,
  $$'auto', 3, 1, 0, '{"mechanism": "exponential", "radius": 2}'$$);

-- dp_halfspace chooses its grid, too, if the number of rows is declared and the grid is not.
SELECT o, p ->> 'mechanism' AS mechanism, p -> 'grid' AS grid, p -> 'log2_grid' AS log2
  FROM unnest(ARRAY['{}', '{"n": 15682}', '{"n": 15682, "numeric": [21, 22, 23], "groups": [7, 6, 5, 2, 1, 1, 1]}', '{"n": 1000}', '{"n": 1}', '{"n": 15682, "grid": "auto"}',
       '{"n": 15682, "mechanism": "exponential"}', '{"n": 15682, "grid": "ternary"}', '{"n": 15682, "modulus": 3}', '{"n": 15682, "reference": true}',
       '{"n": 15682, "mechanism": "opdisc"}']::jsonb[]) o, dpobj.price_aggregate('halfspace', 23, 1, 0, o) p;
-- the same if no dense grid can be drawn from
SELECT p ->> 'mechanism' AS mechanism, p -> 'grid' AS grid, p ->> 'sure_to_finish' AS sure FROM dpobj.price_aggregate('halfspace', 111, 1, 0, '{"n": 400000}') p;
-- A grid needs all distinct rows in memory, the other models do not; few distinct rows are no matter.
SELECT m, n, o, replace(answer_of(format('SELECT p ->> ''mechanism'' FROM dpobj.price_aggregate(%L, 23, %s, 0, %L) p', m, 1000.0 / n, format('{"n": %s%s}', n, o))), E'\n', ' | ') AS mechanism
  FROM (VALUES ('halfspace', 1000000, ''), ('halfspace', 10000000, ''), ('classifier', 10000000, ''), ('halfspace', 10000000, ', "memory_limit": 4000'),
    ('halfspace', 10000000, ', "groups": [7, 6, 10]')) v(m, n, o);
SELECT dpobj.price_aggregate('halfspace', 111, 1);

-- Every form, and rows of every kind.
SELECT (dp_classifier(x, y::int, 1::float8, 0::float8)).kind FROM mill;
SELECT (dp_classifier(x, y::int::bigint, 1.0, 0)).kind FROM mill;
SELECT (dp_classifier(x, y, 1.0, 0.0, '{"adjacency": "add_remove", "dimension": 3, "n": 4000}')).adjacency FROM mill;
SELECT cardinality((dp_classifier(x, y, 1.0, 0, '{"dimension": 3, "n": 4000}')).weights) FROM mill WHERE id < 0;
SELECT cardinality((dp_classifier(x, y, 1.0, 0, '{"n": 4000}')).weights) FROM mill WHERE id = 1;
SELECT cardinality((dp_classifier(ARRAY['NaN'::float8, 'Infinity', 1e300], y, 1.0, 0, '{"n": 4000}')).weights) FROM mill;
SELECT dp_classifier(x || '{}'::float8[], y, 1.0, 0) FROM mill WHERE id < 0;
SELECT (m).guarantee FROM (SELECT dp_classifier(x, y, 1.0, 0, '{"time_limit": 60}') AS m FROM mill) s;

-- Refused before anything is charged.
SELECT count(*) AS charged FROM dpobj.ledger WHERE event = 'charged' \gset before_
SELECT * FROM answers($$SELECT dp_classifier(x, y, 1.0, 0, '%') FROM mill$$,
  '{"noise": "gaussian"}', '{"grid": "sign", "regularization": 1}', '{"mechanism": "sgd", "grid": "sign"}', '{"sparse": 2}', '{"n": 0}',
  '{"radius": 1e9}', '{"numeric": [4]}');
SELECT dp_classifier(x, y, 0.0, 0) FROM mill;
SELECT dp_classifier(x, y, 1.0, 1) FROM mill;
SELECT dp_classifier(x, y, 1.0, 0) FROM mill GROUP BY id % 2;
SELECT count(*) - :before_charged AS charged FROM dpobj.ledger WHERE event = 'charged';

-- dpobj.train uses the declared n, and only mechanisms that are sure to finish.
CALL login_roles('dpobj_classifier_ana');
CREATE TABLE sack (age int, kind text, ripe boolean);
INSERT INTO sack SELECT 20 + i % 50, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END, i % 50 > 25 FROM generate_series(1, 3000) i;
REVOKE ALL ON sack FROM PUBLIC;
SELECT dpobj.protect('sack', '{"age": {"center": 45, "scale": 25}, "kind": {"levels": ["f", "m"]}, "ripe": {}}', n => 3000);
SELECT dpobj.set_budget('sack', 'dpobj_classifier_ana', 10, 0);
\c - dpobj_classifier_ana
SELECT (m).kind, (m).mechanism, (m).details -> 'classifier' AS classifier, (m).details -> 'grid' AS grid
  FROM dpobj.train('sack', label => 'ripe', epsilon => 5, method => 'classifier', options => '{"objective": "accuracy"}', name => 'a') m;
SELECT p ->> 'method' AS method, p -> 'sure_to_finish' AS sure, p -> 'grid' AS grid FROM dpobj.price('sack', 'ripe', 0.5, method => 'classifier', options => '{"objective": "accuracy"}') p;
SELECT (m).kind, (m).details -> 'classifier' AS classifier FROM dpobj.train('sack', label => 'ripe', epsilon => 1, method => 'classifier', options => '{"mechanism": "auto", "objective": "accuracy"}') m;
SELECT dpobj.train('sack', label => 'ripe', epsilon => 1, method => 'classifier', options => '{"n": 5}');
SELECT dpobj.evaluate('a', 'sack', 4) > 0.9 AS learnt;

\c - postgres
DROP TABLE mill, grain, sack;
DROP OWNED BY dpobj_classifier_ana;
DROP ROLE dpobj_classifier_ana;

-- dp_softmax: a label of several classes.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE TYPE shade AS ENUM ('red', 'green', 'blue');
CREATE TABLE petal AS
  SELECT i AS id, x, CASE WHEN x[1] > 0.3 THEN 'red' WHEN x[2] > 0 THEN 'green' ELSE 'blue' END AS kind
    FROM generate_series(1, 6000) i, LATERAL (SELECT ARRAY[sin(i * 1.7), cos(i * 2.3), sin(i * 0.37)]::float8[]) v(x);
ALTER TABLE petal ADD CHECK (cardinality(x) = 3);

-- A model: a weight vector for each class, and it has learnt.
CREATE TABLE sepal AS
  SELECT dp_softmax(x, kind, 4.0, 0, '{"classes": ["red", "green", "blue"]}') AS model FROM petal;
SELECT (model).kind, (model).mechanism, cardinality((model).weights) AS weights, (model).epsilon, (model).delta,
       (model).adjacency, (model).guarantee, dpobj.verify(model) AS verified, jsonb_pretty((model).details - 'weight_noise') AS details
  FROM sepal;
SELECT avg((dp_predict_class(model, x) = kind)::int) > 0.9 AS learnt FROM sepal, petal;
SELECT bool_and(abs(s.sum - 1) < 1e-12) AS adds_up,
       bool_and(dp_predict_class(model, x) = (ARRAY['red', 'green', 'blue'])[array_position(p, s.max)]) AS highest
  FROM sepal, petal, LATERAL dp_predict_class_proba(model, x) p,
       LATERAL (SELECT sum(v), max(v) FROM unnest(p) v) s;
SELECT mechanism, epsilon, delta, pair, guarantee FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.petal' ORDER BY id;
SELECT (model::jsonb)::dp_model = model AS same FROM sepal;
SELECT dp_predict_class(model, ARRAY[0, 'NaN'::float8, 0]) AS class, dp_predict_class_proba(model, ARRAY[0, NULL, 0]) AS proba FROM sepal;

-- Integers and enums, output perturbation, Gaussian noise; classes that no row has, rows of no class.
ALTER TABLE petal ADD code int, ADD tint shade;
UPDATE petal SET code = CASE kind WHEN 'red' THEN -7 WHEN 'green' THEN 0 ELSE 12 END, tint = kind::shade;
SELECT avg((dp_predict_class(s.model, x) = code::text)::int) > 0.8 AS learnt, (s.model).details -> 'classes' AS classes
  FROM petal, (SELECT dp_softmax(x, code, 8.0, 1e-6, '{"classes": [12, 0, -7, 5], "noise": "gaussian"}') AS model FROM petal) s GROUP BY 2;
SELECT avg((dp_predict_class(s.model, x) = kind)::int) > 0.6 AS learnt
  FROM petal, (SELECT dp_softmax(x, tint, 20.0, 0, '{"classes": ["blue", "red", "green"], "mechanism": "output"}') AS model FROM petal) s;
SELECT dp_predict_class(dp_softmax(x, CASE WHEN id % 2 = 0 THEN kind END, 4.0, 0, '{"classes": ["red", "blue"]}'), ARRAY[1, 0, 0]) AS class FROM petal;
SELECT dp_predict_class(dp_softmax(x, 'none'::text, 4.0, 0, '{"classes": ["red", "blue"], "adjacency": "add_remove"}'), ARRAY[1, 0, 0]) IS NOT NULL AS answer FROM petal;

-- What is refused.
SELECT dp_softmax(x, kind, 1.0, 0, NULL) FROM petal;
SELECT dp_softmax(x, kind, 1.0, 0, '{"classes": ["red"]}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 0, '{"classes": "red"}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 0, '{"classes": ["red", "red"]}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 0, '{"classes": ["red", 1]}') FROM petal;
SELECT dp_softmax(x, id, 1.0, 0, '{"classes": [1, 2.5]}') FROM petal;
SELECT dp_softmax(x, x[1], 1.0, 0, '{"classes": [1, 2]}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 0, '{"classes": ["red", "blue"], "positive": "red"}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 0, '{"classes": ["red", "blue"], "mechanism": "pool"}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 0, '{"classes": ["red", "blue"], "noise": "knorm"}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 0, '{"classes": ["red", "blue"], "noise": "gaussian"}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 0, '{"classes": ["red", "blue"], "loss": "logistic"}') FROM petal;
SELECT dp_softmax(ARRAY[sin(id)], id, 1.0, 0, '{"dimension": 100, "classes": [1, 2]}') FROM petal;
SELECT dp_logistic(x, kind, 1.0, 0, '{"classes": ["red", "blue"]}') FROM petal;
SELECT dp_softmax(x, kind, 0.000000001, 0, '{"classes": ["red", "blue"]}') FROM petal;
SELECT dpobj.price_aggregate('softmax', 3, 1, 0, '{"classes": ["red", "blue", "green"]}') ->> 'epsilon' AS epsilon;

-- A class is no yes or no, and has a score of its own.
SELECT dp_predict(model, ARRAY[1, 0, 0]) FROM sepal;
SELECT dp_score(model, ARRAY[1, 0, 0]) FROM sepal;
SELECT dp_predict_proba(model, ARRAY[1, 0, 0]) FROM sepal;
SELECT dp_accuracy((SELECT model FROM sepal), x, kind = 'red', 1.0) FROM petal;
SELECT dpobj.predict_sql(model) FROM sepal;
SELECT dpobj.scorecard(model) FROM sepal;
SELECT dp_predict_class(dp_logistic(x, kind, 1.0, 0, '{"positive": "red"}'), ARRAY[1, 0, 0]) FROM petal;
SELECT dp_predict_class(model, ARRAY[1, 0]) FROM sepal;
SELECT dp_predict_class((SELECT jsonb_set(model::jsonb, '{details,classes}', '["red", "green"]')::dp_model FROM sepal), ARRAY[1, 0, 0]);
SELECT dp_predict_class((SELECT (model::jsonb #- '{details,classes}')::dp_model FROM sepal), ARRAY[1, 0, 0]);
SELECT (model::jsonb || '{"kind": "softmin"}')::dp_model FROM sepal;

-- Its accuracy is an average; the model is a constant.
SELECT model::text AS sepal FROM sepal \gset
SELECT a.value > 0.9 AS accurate FROM (SELECT dp_avg((dp_predict_class(:'sepal'::dp_model, x) = kind)::int, 0, 1, 2.0) AS a FROM petal) s, LATERAL (SELECT (s.a).*) a;

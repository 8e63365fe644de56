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
       (model).adjacency, (model).guarantee, dpobj.verify(model) AS verified, (model).details - 'weight_noise' AS details
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
SELECT dp_softmax(ARRAY[sin(id)], id, 1.0, 0, '{"dimension": 700, "classes": [1, 2, 3]}') FROM petal;
SELECT dp_logistic(x, kind, 1.0, 0, '{"classes": ["red", "blue"]}') FROM petal;
SELECT dp_softmax(x, kind, 0.000000001, 0, '{"classes": ["red", "blue"]}') FROM petal;
SELECT dpobj.price_aggregate('softmax', 3, 1, 0, '{"classes": ["red", "blue", "green"]}') ->> 'epsilon' AS epsilon;

-- Gradient descent: by its name, and by default where rows times epsilon are few.
CREATE TABLE stamen AS
  SELECT dp_softmax(x, kind, 4.0, 1e-6, '{"classes": ["red", "green", "blue"], "mechanism": "sgd"}') AS model FROM petal;
SELECT avg((dp_predict_class(model, x) = kind)::int) > 0.8 AS learnt FROM stamen, petal;
SELECT (model).mechanism, (model).guarantee, dpobj.verify(model) AS verified, round(((model).details ->> 'gradient_noise')::numeric, 2) AS noise,
       (model).details - '{gradient_noise,classes,options}'::text[] AS details FROM stamen;
SELECT mechanism, epsilon, delta, pair FROM dpobj.ledger WHERE event = 'charged' AND mechanism = 'sgd' AND relation_name = 'public.petal' ORDER BY id;
SELECT o, delta, p ->> 'mechanism' AS mechanism, p -> 'iterations' AS iterations, p -> 'radius' AS radius, p -> 'gradient_length' AS gradient_length
  FROM unnest(ARRAY['{"n": 1800}', '{"n": 1799}', '{"n": 899, "adjacency": "add_remove"}', '{"n": 900, "adjacency": "add_remove"}', '{}', '{"n": 1799, "noise": "gaussian"}', '{"n": 1799, "radius": 1}',
                    '{"n": 1799, "regularization": 9}', '{"n": 1799, "mechanism": "objective"}', '{"n": 1799, "step": 0.2, "iterations": 9}']::jsonb[]) WITH ORDINALITY v(o, i),
       unnest(ARRAY[0, 1e-6]) delta, dpobj.price_aggregate('softmax', 3, 1, delta, o || '{"classes": ["red", "green", "blue"]}') p
 WHERE delta > 0 OR i = 2 ORDER BY i, delta;
SELECT dp_softmax(x, kind, 1.0, 0, '{"classes": ["red", "blue"], "mechanism": "sgd"}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 1e-6, '{"classes": ["red", "blue"], "mechanism": "sgd", "noise": "gamma"}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 1e-6, '{"classes": ["red", "blue"], "mechanism": "sgd", "sampling": "poisson"}') FROM petal;
SELECT dp_softmax(x, kind, 1.0, 1e-6, '{"classes": ["red", "blue"], "mechanism": "objective", "step": 1}') FROM petal;

-- A class is no yes or no, and has a score of its own.
SELECT dp_predict(model, ARRAY[1, 0, 0]) FROM sepal;
SELECT dp_score(model, ARRAY[1, 0, 0]) FROM sepal;
SELECT dp_predict_proba(model, ARRAY[1, 0, 0]) FROM sepal;
SELECT dp_accuracy((SELECT model FROM sepal), x, kind = 'red', 1.0) FROM petal;
CREATE TABLE plain AS SELECT id, x AS features FROM petal UNION ALL VALUES (0, NULL::float8[]), (-1, ARRAY[1, NULL, 0]), (-2, ARRAY[1]), (-3, ARRAY[1e300, 'NaN', 0]);
CREATE FUNCTION said(statement text) RETURNS TABLE (features float8[], probability float8[], prediction text) LANGUAGE plpgsql
  AS $$BEGIN RETURN QUERY EXECUTE format('SELECT features, dp_probability, dp_prediction FROM (%s) s', statement); END$$;
SELECT count(*), count(prediction) AS predicted, bool_and(prediction = dp_predict_class(model, features)) AS class,
       bool_and(probability = dp_predict_class_proba(model, features)) AS probability
  FROM sepal, said(dpobj.predict_sql(model, 'plain')) WHERE cardinality(features) = 3;
SELECT count(*) AS no_prediction FROM sepal, said(dpobj.predict_sql(model, 'plain')) WHERE prediction IS NULL AND probability IS NULL;
SELECT class, count(*), count(points) AS points, min(feature) AS first, max(level) AS last FROM sepal, dpobj.scorecard(model) GROUP BY class ORDER BY class;
SELECT abs(s.weight - (model).weights[5]) < 1e-12 AS of_its_class FROM sepal, dpobj.scorecard(model) s WHERE s.class = 'green' AND s.feature = 'features[1]';
SELECT dp_predict_class(dp_logistic(x, kind, 1.0, 0, '{"positive": "red"}'), ARRAY[1, 0, 0]) FROM petal;
SELECT dp_predict_class(model, ARRAY[1, 0]) FROM sepal;
SELECT dp_predict_class((SELECT jsonb_set(model::jsonb, '{details,classes}', '["red", "green"]')::dp_model FROM sepal), ARRAY[1, 0, 0]);
SELECT dp_predict_class((SELECT (model::jsonb #- '{details,classes}')::dp_model FROM sepal), ARRAY[1, 0, 0]);
SELECT (model::jsonb || '{"kind": "softmin"}')::dp_model FROM sepal;

-- Rated like other models: right is the class itself.  The classes are those of the model.
SELECT dp_accuracy((SELECT model FROM sepal), x, kind, 20) > 0.9 AS accurate FROM petal;
SELECT model::text AS sepal, ARRAY[jsonb_set(model::jsonb, '{weights}', '[0,0,0,0,0,0,0,0,0,0,0,9]')::dp_model, model]::text AS two,
       ARRAY[jsonb_set(model::jsonb, '{details,options,classes}', '["green", "red", "blue"]')::dp_model, model]::text AS others FROM sepal \gset
SELECT dp_accuracy(:'sepal'::dp_model, x, kind, 20) > 0.9 AS accurate, dp_accuracy(:'sepal'::dp_model, x, tint, 20) > 0.9 AS of_an_enum,
       dp_accuracy(:'sepal'::dp_model, x, CASE WHEN kind <> 'red' THEN 'rot' END, 100) IS NULL AS of_none FROM petal;
SELECT array_dims(c) AS dims, c[1][1] + c[2][2] + c[3][3] > 5400 AS right, (SELECT sum(n) FROM unnest(c) n) BETWEEN 5900 AND 6100 AS all,
       c[1][1] - 2000 BETWEEN -800 AND 800 AS red
  FROM (SELECT dp_class_confusion(:'sepal'::dp_model, x, kind, 5) AS c FROM petal) s;
SELECT dp_select(:'two'::dp_model[], x, kind, 20) AS chosen FROM petal;
SELECT dp_select(:'others'::dp_model[], x, kind, 20) FROM petal;
SELECT dp_confusion(:'sepal'::dp_model, x, kind, 5) FROM petal;
SELECT dp_accuracy(:'sepal'::dp_model, x, x[1], 5) FROM petal;
SELECT dp_accuracy(:'sepal'::dp_model, x, code, 5) FROM petal;
SELECT dp_class_confusion(jsonb_set((:'sepal'::dp_model)::jsonb, '{kind}', '"logistic"')::dp_model, ARRAY[x[1], x[2], x[3], 0, 0, 0, 0, 0, 0, 0, 0], kind = 'red', 5) FROM petal;

-- A model for each group: all of them have the classes of the options, whatever their rows are, also those without rows.
CREATE TABLE garden AS
  SELECT (unnest(dp_groups((id % 2)::text, x, CASE WHEN id % 2 = 0 THEN kind ELSE 'red' END, 40.0, 0,
                           '{"keys": ["0", "1", "2"], "method": "softmax", "classes": ["red", "green", "blue"]}'))).* FROM petal;
SELECT key, (model).kind, (model).mechanism, cardinality((model).weights) AS weights, (model).details -> 'classes' AS classes,
       (model).details #>> '{group,epsilon}' AS of_a_group, dpobj.verify(model) AS verified FROM garden;
SELECT key, avg((dp_predict_class(model, x) = CASE WHEN id % 2 = 0 THEN kind ELSE 'red' END)::int) > 0.9 AS learnt
  FROM petal JOIN garden ON key[1] = (id % 2)::text GROUP BY key ORDER BY key;
SELECT (g).key, cardinality((g).model.weights) AS weights FROM (SELECT unnest(dp_groups(ARRAY[kind], x, code, 4.0, 1e-6,
  '{"keys": [["red"], ["none"]], "method": "softmax", "classes": [0, 12, 5], "noise": "gaussian", "adjacency": "add_remove"}')) AS g FROM petal) s;
SELECT mechanism, pair, epsilon, delta, adjacency FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
SELECT * FROM answers($$SELECT dp_groups(kind, x, kind, 1.0, 0, '{"keys": ["red"], "method": "softmax"%}') FROM petal$$,
  '', ', "classes": ["red"]', ', "classes": ["red", "red"]', ', "classes": ["red", "blue"], "n": 6000', ', "classes": ["red", "blue"], "mechanism": "pool"');

-- Its accuracy is an average; the model is a constant.
SELECT a.value > 0.9 AS accurate FROM (SELECT dp_avg((dp_predict_class(:'sepal'::dp_model, x) = kind)::int, 0, 1, 2.0) AS a FROM petal) s, LATERAL (SELECT (s.a).*) a;

-- The analyst's door: a label with levels, each of which is a class.
CALL login_roles('dpobj_softmax_ana');
CREATE TABLE iris (id int, who int, length int, width float8, kind text, code smallint, tint shade, native boolean, one text, outcome text);
INSERT INTO iris SELECT i, i / 2, i % 60, (i * 7) % 40 / 40.0,
  CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN 'rose' WHEN i % 60 < 20 THEN 'setosa' WHEN (i * 7) % 40 < 20 THEN 'versi''color' ELSE 'virginica' END,
  CASE WHEN i % 60 < 20 THEN -1 WHEN i % 60 < 40 THEN 7 ELSE 300 END, CASE WHEN i % 60 < 30 THEN 'red' ELSE 'blue' END::shade, i % 60 < 30, 'x', 'good'
  FROM generate_series(1, 6000) i;
REVOKE ALL ON iris FROM PUBLIC;
\set declared '"length": {"bins": [20, 40]}, "width": {"center": 0.5, "scale": 0.5}, "kind": {"levels": ["setosa", "versi''color", "virginica"]}, "code": {"levels": [300, 7, -1], "null": 7, "drop_first": true}, "tint": {"levels": ["red", "blue"], "null_indicator": true}, "native": {}, "one": {"levels": ["x"]}, "outcome": {"positive": ["good"], "negative": ["bad"]}'
SELECT dpobj.protect('iris', ('{' || :'declared' || '}')::jsonb, n => 6000);
SELECT dpobj.set_budget('iris', 'dpobj_softmax_ana', 5000, 0.001);
\c - dpobj_softmax_ana
SELECT kind, mechanism, cardinality(weights) AS weights, adjacency, guarantee, dpobj.verify(m) AS verified, details -> 'classes' AS classes,
       details -> 'classifier' AS classifier, details -> 'label' AS label
  FROM dpobj.train('iris', 'kind', 50, '{length,width}', name => 'kinds') m;
-- levels that are integers or of an enum; a substitute or a dropped feature changes no class
SELECT kind, cardinality(weights) AS weights, details -> 'classes' AS classes, details -> 'classifier' AS classifier
  FROM dpobj.train('iris', 'code', 50, '{length,width}', method => 'softmax', options => '{"intercept": false}', name => 'codes');
SELECT cardinality(weights) AS weights, delta > 0 AS delta, details -> 'classes' AS classes
  FROM dpobj.train('iris', 'tint', 50, '{length}', delta => 0.000001, options => '{"noise": "gaussian"}', filter => '{"width": {"<": 0.5}}', name => 'tints');
CREATE TEMP TABLE flower (length int, width float8, kind text);
INSERT INTO flower VALUES (5, 0.9, 'setosa'), (50, 0.1, 'versi''color'), (50, 0.9, 'virginica'), (NULL, 0.9, NULL);
SELECT f.*, dpobj.predict_class('kinds', f) AS predicted, round((dpobj.predict_class_proba('kinds', f))[1]::numeric, 0) AS first,
       dpobj.predict_class('codes', f) AS code, dpobj.predict_class('tints', f) AS tint FROM flower f;
SELECT dpobj.predict_class(model, flower) AS by_value, dp_predict_class(model, ARRAY[0, 0, 1, 0.8]) AS by_array,
       dp_predict_class_proba(model, ARRAY[0, 0, 1, 0.8]) = dpobj.predict_class_proba(model, flower) AS the_same
  FROM dpobj.models, flower WHERE name = 'kinds' AND flower.kind = 'virginica';
-- as plain SQL, also of equal scores, of scores far apart and of names with quotes
SELECT regexp_replace(dpobj.predict_sql(jsonb_set(m.model::jsonb, '{weights}', '[0,0,0,0,0,0,0,0,-1,0.5,0,0,2,0,0]')::dp_model, 'flower'), 'release \d+', 'release n') AS statement FROM dpobj.models m WHERE name = 'kinds';
CREATE TEMP TABLE variant AS SELECT model, 'flower' AS place FROM dpobj.models WHERE name = 'kinds';
INSERT INTO variant SELECT jsonb_set(model::jsonb, '{weights}', w)::dp_model, 'flower' FROM variant, (VALUES ('[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]'::jsonb), ('[0,0,0,0,0,1e5,1,0,0,1,-1e3,0,1,1e4,1e5]')) v(w);
CREATE FUNCTION pg_temp.said(statement text) RETURNS TABLE (f flower, probability float8[], prediction text) LANGUAGE plpgsql
  AS $$BEGIN RETURN QUERY EXECUTE format('SELECT (length, width, kind)::flower, dp_probability, dp_prediction FROM (%s) s', statement); END$$;
SELECT count(*), count(prediction) AS predicted, bool_and(prediction = dpobj.predict_class(model, f)) AS class,
       bool_and(probability = dpobj.predict_class_proba(model, f)) AS probability, bool_and((prediction IS NULL) = ((f).length IS NULL)) AS of_whole_rows
  FROM variant, pg_temp.said(dpobj.predict_sql(model, place));
-- points of each class and level, and JSON, from which it comes back the same
SELECT s.* FROM variant, LATERAL dpobj.scorecard(model) s WHERE (model).weights[6] = 1e5 ORDER BY "position" \g (tuples_only=off)
SELECT count(*) AS rows, count(weight) AS weights, count(DISTINCT class) AS classes FROM dpobj.scorecard('kinds');
SELECT bool_and((model::jsonb)::dp_model = model) AS same, bool_and(dpobj.verify(model::jsonb::dp_model)) AS verified,
       bool_and(dpobj.predict_class(model::jsonb::dp_model, f) = dpobj.predict_class('kinds', f)) AS predicted
  FROM dpobj.models, flower f WHERE name = 'kinds' AND f.kind IS NOT NULL;
-- a model for each group, with all classes; rated and used by its name
SELECT key, (model).kind, cardinality((model).weights) AS weights, (model).details -> 'classes' AS classes, (model).details #>> '{group,epsilon}' AS of_a_group
  FROM dpobj.train_groups('iris', 'kind', 100, features => '{length,width}', name => 'by', by => '{native}');
SELECT dpobj.evaluate('by{true}', 'iris', 20, '{"native": {"=": true}}') > 0.9 AS accurate, dpobj.select('{"by{false}","by{true}"}', 'iris', 20, '{"native": {"=": true}}') AS chosen,
       dpobj.predict_class('by{true}', f) AS predicted, (SELECT count(*) FROM dpobj.scorecard('by{true}')) AS rows
  FROM flower f WHERE kind = 'setosa';
SELECT count(*) FROM dpobj.train_groups('iris', 'code', 5, features => '{length}', options => '{"mechanism": "output"}', filter => '{"width": {"<": 0.5}}', by => '{kind}');
SELECT * FROM answers($$SELECT dpobj.train_groups('iris', %)$$,
  $$'kind', 1, features => '{length}', by => '{kind}'$$, $$'kind', 1, features => '{length}', method => 'logistic', by => '{native}'$$,
  $$'native', 1, features => '{length}', method => 'softmax', by => '{kind}'$$, $$'one', 1, features => '{length}', by => '{kind}'$$);
-- rated; the choice is among models of the same label
SELECT dpobj.evaluate('kinds', 'iris', 20) > 0.9 AS accurate, dpobj.evaluate('codes', 'iris', 20) > 0.9 AS of_integers,
       dpobj.evaluate('kinds', 'iris', 20, '{"kind": {"=": "setosa"}, "length": {"<": 20}}') > 0.9 AS of_one_class;
SELECT string_agg(DISTINCT predicted || '|' || label, ' ') AS pairs, max(rows) FILTER (WHERE predicted = label AND label = 'setosa') BETWEEN 1800 AND 2050 AS first,
       max(rows) FILTER (WHERE predicted <> label) < 100 AS few, sum(rows) BETWEEN 5700 AND 6000 AS usable
  FROM dpobj.confusion('kinds', 'iris', 5);
SELECT (dpobj.train('iris', 'kind', 0.01, '{native}', name => 'weak')).kind;
SELECT dpobj.select('{weak,kinds}', 'iris', 5);
SELECT p -> 'counts' AS counts, p -> 'error' AS error FROM dpobj.price('iris', NULL, 0.1, method => 'confusion', options => '{"classes": 3}') p;
SELECT dpobj.price('iris', NULL, 0.1, method => 'confusion', options => '{"classes": 1}');
-- at the owner's door the number of classes is an option, too
SELECT p -> 'counts' AS counts, p -> 'error' AS error, p -> 'adjacency' AS adjacency FROM unnest('{"{}","{\"classes\": 3}","{\"classes\": 3, \"adjacency\": \"add_remove\"}"}'::jsonb[]) o, dpobj.price_aggregate('confusion', 1, 0.1, 0, o) p;
SELECT p -> 'basic' -> 'epsilon' AS epsilon FROM dpobj.price_plan('[{"method": "confusion", "d": 1, "epsilon": 0.5, "count": 2, "options": {"classes": 64}}]', 0) p;
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)', $$'confusion', 1, 1, 0, '{"classes": 65}'$$, $$'confusion', 1, 1, 0, '{"models": 2}'$$, $$'accuracy', 1, 1, 0, '{"classes": 3}'$$);
SELECT dpobj.select('{kinds,codes}', 'iris', 5);
-- replayed by its name, priced alike
SELECT epsilon AS before FROM dpobj.remaining('iris') \gset
SELECT cardinality((dpobj.train('iris', 'kind', 50, '{length,width}', name => 'kinds')).weights) AS weights;
SELECT p ->> 'method' AS method, p ->> 'mechanism' AS mechanism, p -> 'dimension' AS dimension, p -> 'classifier' AS classifier
  FROM dpobj.price('iris', 'kind', 1, '{length,width}') p;
SELECT p ->> 'method' AS method, p -> 'dimension' AS dimension FROM dpobj.price('iris', 'tint', 1, '{length,width}', method => 'softmax') p;
SELECT dpobj.submit('train', 'iris', '{"label": "kind", "epsilon": 1, "features": ["length"]}', 'job') AS job \gset
SELECT dpobj.wait(:job, '1 min');
SELECT name, state, (model).kind, dpobj.predict_class('job', flower) IS NOT NULL AS predicted FROM dpobj.jobs, flower WHERE flower.kind = 'setosa';
-- what is refused, before anything is charged
SELECT * FROM answers($$SELECT dpobj.train('iris', %)$$,
  $$'kind', 1, '{length}', method => 'logistic'$$, $$'kind', 1, '{length}', method => 'halfspace'$$, $$'kind', 1, '{length}', method => 'linear'$$,
  $$'native', 1, '{length}', method => 'softmax'$$, $$'outcome', 1, '{length}', method => 'softmax'$$, $$'one', 1, '{length}'$$, $$'length', 1$$,
  $$'kind', 1, '{length,kind}'$$, $$'kind', 1, '{length}', options => '{"classes": ["setosa", "virginica"]}'$$,
  $$'kind', 1, '{length}', options => '{"grid": "ternary"}'$$, $$'kind', 1, '{length}', options => '{"mechanism": "pool"}'$$,
  $$'kind', 1, '{length}', options => '{"loss": "huber"}'$$, $$'kind', 1, '{length}', options => '{"noise": "knorm"}'$$,
  $$'kind', 0.000001, '{length}'$$, $$'kind', 1, method => 'soft'$$);
SELECT * FROM answers('SELECT %', $$dpobj.price('iris', NULL, 1, method => 'softmax')$$, $$dpobj.predict('kinds', flower) FROM flower LIMIT 1$$,
  $$dpobj.score('kinds', flower) FROM flower LIMIT 1$$, $$dpobj.predict_class('kinds', f) FROM (SELECT 5 AS length) f$$,
  $$dpobj.predict_class('kinds', f) FROM (SELECT 5 AS length, 'x' AS width) f$$, $$dpobj.predict_class('none', flower) FROM flower LIMIT 1$$);
SELECT kind FROM dpobj.train('iris', 'outcome', 10, '{length}', name => 'binary');
SELECT dpobj.predict_class('binary', flower) FROM flower LIMIT 1;
\c - postgres
SELECT :before - epsilon AS charged FROM dpobj.remaining('iris', 'dpobj_softmax_ana');
SELECT array_agg(format('l%s', i)) AS levels FROM generate_series(1, 65) i \gset
SELECT dpobj.protect('iris', jsonb_build_object('length', '{"bins": [20]}'::jsonb, 'kind', jsonb_build_object('levels', :'levels'::text[])));
\c - dpobj_softmax_ana
SELECT dpobj.train('iris', 'kind', 1, '{length}');
\c - postgres
SELECT dpobj.protect('iris', jsonb_build_object('kind', jsonb_build_object('levels', (SELECT array_agg(format('l%s', i)) FROM generate_series(1, 1025) i))));
-- a class without a row, one row, no row; persons; added and removed rows
CREATE TABLE tulip AS SELECT * FROM iris WHERE id <= 3000;
REVOKE ALL ON tulip FROM PUBLIC;
SELECT dpobj.protect('tulip', '{"length": {"bins": [20, 40]}, "kind": {"levels": ["setosa", "tulip", "virginica"]}, "native": {}}', adjacency => 'add_remove', person => 'who', max_rows_per_person => 2);
SELECT dpobj.set_budget('tulip', 'dpobj_softmax_ana', 1000, 0);
\c - dpobj_softmax_ana
SELECT details -> 'classes' AS classes, details -> 'person' AS person, adjacency, dp_predict_class(m, ARRAY[1, 0, 0]) AS class
  FROM dpobj.train('tulip', 'kind', 100, '{length}') m;
SELECT key, cardinality((model).weights) AS weights, (model).details #>> '{group,epsilon}' AS of_a_group, CASE WHEN key = '{true}' THEN dp_predict_class(model, ARRAY[1, 0, 0]) END AS class
  FROM dpobj.train_groups('tulip', 'kind', 200, features => '{length}', by => '{native}');
SELECT cardinality(weights) AS weights FROM dpobj.train('tulip', 'kind', 1, '{length}', filter => '{"kind": {"in": ["tulip"]}}');
\c - postgres
DELETE FROM tulip WHERE id <> 2;
\c - dpobj_softmax_ana
SELECT cardinality(weights) AS weights FROM dpobj.train('tulip', 'kind', 1, '{length}');
\c - postgres
SELECT DISTINCT relation_name, mechanism, adjacency, guarantee FROM dpobj.ledger
 WHERE event = 'charged' AND relation_name IN ('public.iris', 'public.tulip') ORDER BY 1, 2;
DROP OWNED BY dpobj_softmax_ana;
DROP ROLE dpobj_softmax_ana;

-- What is trained without options, and declarations for every method, by aggregates and by dpobj.train.
\i tests/answers.sql
\set SHOW_CONTEXT never
CREATE TABLE infirmary (features float8[], onehot float8[], a float8, b float8, c float8, sex text, ill boolean, share float8);
INSERT INTO infirmary
SELECT ARRAY[a, b, c], ARRAY[sex, 1 - sex, a, b, c], a, b, c, CASE sex WHEN 1 THEN 'f' ELSE 'm' END, a + b + c > 1.57, a
  FROM (SELECT i * 7919 % 10007 / 10007.0::float8, i * 104729 % 9973 / 9973.0::float8, i * 1299709 % 9949 / 9949.0::float8, i % 2
          FROM generate_series(1, 10000::bigint) i) s(a, b, c, sex);
-- The intercept is on by default: without it, a threshold that is not at 0 cannot be learnt.
CREATE TABLE trained (what text, model dp_model);
INSERT INTO trained SELECT 'dp_halfspace, without', dp_halfspace(features, ill, 1.0, 0, '{"n": 10000}') FROM infirmary;
INSERT INTO trained SELECT 'dp_logistic', dp_logistic(features, ill, 1.0, 0) FROM infirmary;
INSERT INTO trained SELECT 'dp_svm', dp_svm(features, ill, 1.0, 0) FROM infirmary;
INSERT INTO trained SELECT 'dp_classifier', dp_classifier(features, ill, 1.0, 0, '{"n": 10000}') FROM infirmary;
INSERT INTO trained SELECT 'dp_groups', (unnest(dp_groups(sex, features, ill, 2.0, 0, '{"keys": ["f"], "method": "logistic", "dimension": 3}'))).model FROM infirmary;
CREATE ROLE dpobj_defaults_ana LOGIN;
ALTER ROLE dpobj_defaults_ana SET dpobj.release_tick = 0;
SELECT dpobj.protect('infirmary', '{"a": {"clip": [0, 1]}, "b": {"clip": [0, 1]}, "c": {"clip": [0, 1]}, "sex": {"levels": ["f", "m"]},
  "ill": {"positive": [true]}, "share": {"clip": [0, 1]}}', n => 10000);
SELECT dpobj.set_budget('infirmary', 'dpobj_defaults_ana', 100, 0);
\c - dpobj_defaults_ana
SELECT (dpobj.train('infirmary', 'ill', 1, '{a,b,c}', name => 'train')).kind;
SELECT cardinality((dpobj.train('infirmary', 'ill', 1, '{a,b,c}', method => method, name => method)).weights) AS weights, method
  FROM unnest('{halfspace,logistic,svm}'::text[]) method;
SELECT cardinality((dpobj.train('infirmary', 'ill', 1, '{a,b,c}', method => 'halfspace', options => '{"intercept": false}', name => 'train, without')).weights) AS weights;
SELECT key FROM dpobj.train_groups('infirmary', 'ill', 2, features => '{a,b,c}', name => 'by', by => '{sex}');
\c - postgres
INSERT INTO trained SELECT name, model FROM dpobj.models WHERE owner = 'dpobj_defaults_ana';
SELECT what, avg((dp_predict(t.model, w.features) = w.ill)::int) BETWEEN 0.5 AND 0.6 AS as_good_as_none,
       avg((dp_predict(t.model, w.features) = w.ill)::int) >= 0.93 AS learnt
  FROM trained t, infirmary w GROUP BY what ORDER BY what;

-- The default method is auto, which has an older name.
SELECT proname, substring(pg_get_function_arguments(oid) FROM 'method text DEFAULT [^,]*') AS method
  FROM pg_proc WHERE pronamespace = 'dpobj'::regnamespace AND proname IN ('train', 'train_groups', 'price')
   AND pg_get_function_arguments(oid) LIKE 'relation%'
 ORDER BY proname;
SELECT method, p ->> 'method' AS trained, p -> 'classifier' ->> 'because' AS because FROM unnest('{auto,classifier}'::text[]) method, dpobj.price_aggregate(method, 3, 1, 0, '{"n": 10000}') p;
-- Options of one family choose that family.
SELECT o AS options, p ->> 'method' AS trained, p ->> 'mechanism' AS mechanism, p -> 'dimension' AS dimension
  FROM unnest(ARRAY['{"grid": "sign"}', '{"mechanism": "exponential"}', '{"mechanism": "opdisc"}', '{"noise": "gauge"}', '{"reference": true}', '{"regularization": 5}',
                    '{"mechanism": "output"}', '{"noise": "gamma"}', '{"mechanism": "sgd", "radius": 1}', '{"norm": 1, "mechanism": "localized"}']::jsonb[]) o,
       dpobj.price_aggregate('auto', 3, 1, 0.001, o) p;
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)', $$'auto', 3, 1, 0.001, '{"grid": "sign", "regularization": 5}'$$,
  $$'auto', 3, 1, 0.001, '{"mechanism": "sgd", "noise": "gauge"}'$$, $$'auto', 3, 1, 0.001, '{"grids": "sign"}'$$);
-- The option intercept in aggregates and in dpobj.train; shares have no intercept.
SELECT method, o AS options, p -> 'dimension' AS owner, q -> 'dimension' AS analyst
  FROM unnest('{halfspace,logistic,svm,auto}'::text[]) method, unnest(ARRAY['{}', '{"intercept": true}', '{"intercept": false}']::jsonb[]) o,
       dpobj.price_aggregate(method, 3, 1, 0, o) p, dpobj.price('infirmary', NULL, 1, features => '{a,b,c}', delta => 0, method => method, options => o) q;
SELECT p -> 'dimension' AS owner, q -> 'dimension' AS analyst
  FROM dpobj.price_aggregate('simplex', 3, 1, 0, '{"n": 10000, "intercept": false}') p, dpobj.price('infirmary', 'share', 1, features => '{a,b,c}', delta => 0, method => 'simplex', options => '{"intercept": false}') q;
SELECT * FROM answers('SELECT %',
  $$dpobj.price('infirmary', 'share', 1, features => '{a,b,c}', delta => 0, method => 'simplex', options => '{"intercept": true}')$$,
  $$dpobj.price_aggregate('logistic', 1024, 1)$$);
SELECT p -> 'dimension' AS dimension FROM dpobj.price_aggregate('logistic', 1023, 1, 0) p;
SELECT dpobj.price_aggregate('halfspace', 2, 1, 0, '{"intercept": true, "grid": {"levels": [[-1, 1], [-1, 1]]}}');
-- The intercept's weights under grid "auto": more than those of numbers; one only if columns of a group hold a constant with wide weights.
SELECT o AS options, p -> 'grid' AS grid, p -> 'log2_grid' AS log2
  FROM unnest(ARRAY['{"numeric": [1]}', '{"numeric": [1], "intercept": true}', '{"n": 10000}', '{"n": 10000, "intercept": true}', '{"n": 10000, "groups": [2]}',
                    '{"n": 10000, "groups": [2], "intercept": true}', '{"groups": [2], "intercept": true}', '{"groups": [2], "intercept": true, "reference": true}']::jsonb[]) o,
       dpobj.price_aggregate('halfspace', 2, 1, 0, o) p;

-- One declaration for every method: columns beyond the groups are in none.
CREATE TABLE declared (method text, model dp_model);
\set declaration '''{"n": 10000, "groups": [2], "numeric": [3, 4, 5], "center": [0, 0, 0.5, 0.5, 0.5], "scale": [1, 1, 0.5, 0.5, 0.5], "clip": [[0, 1], [0, 1], [-1, 1], [-1, 1], [-1, 1]], "target": [0, 1], "adjacency": "replace"}'''
INSERT INTO declared SELECT 'halfspace', dp_halfspace(onehot, ill, 1.0, 0, :declaration) FROM infirmary;
INSERT INTO declared SELECT 'logistic', dp_logistic(onehot, ill, 1.0, 0, :declaration) FROM infirmary;
INSERT INTO declared SELECT 'svm', dp_svm(onehot, ill, 1.0, 0, :declaration) FROM infirmary;
INSERT INTO declared SELECT 'classifier', dp_classifier(onehot, ill, 1.0, 0, :declaration) FROM infirmary;
INSERT INTO declared SELECT 'simplex', dp_simplex(onehot, share, 1.0, 0, :declaration) FROM infirmary;
INSERT INTO declared SELECT 'groups', (unnest(dp_groups(sex, onehot, ill, 2.0, 0, :declaration::jsonb - 'n' || '{"keys": ["f"]}'))).model FROM infirmary;
SELECT method, cardinality((model).weights) - ((model).details -> 'encoding' ->> 'intercept')::boolean::int AS features,
       (model).details -> 'encoding' -> 'center' AS center FROM declared ORDER BY method;
SELECT method, avg((dp_predict(d.model, w.onehot) = w.ill)::int) >= 0.93 AS learnt FROM declared d, infirmary w WHERE method NOT IN ('simplex', 'groups') GROUP BY method ORDER BY method;
-- The number of features follows from an array in the statement, else from lists, else from groups and numeric.
SELECT what, cardinality((m).weights) AS features FROM (
  SELECT 'array', dp_halfspace(ARRAY[onehot[1], onehot[2], a], ill, 1.0, 0, '{"groups": [2]}') FROM infirmary) s(what, m);
SELECT what, cardinality((m).weights) AS features FROM (
  SELECT 'lists', dp_halfspace(onehot, ill, 1.0, 0, '{"groups": [2], "scale": [1, 1, 2, 2, 2]}') FROM infirmary) s(what, m);
SELECT what, cardinality((m).weights) AS features FROM (
  SELECT 'numeric', dp_halfspace(onehot, ill, 1.0, 0, '{"groups": [2], "numeric": [3, 5]}') FROM infirmary) s(what, m);
SELECT dp_halfspace(ARRAY[a, b], ill, 1.0, 0, '{"groups": [2, 1]}') FROM infirmary;
SELECT dp_logistic(ARRAY[a, b], ill, 1.0, 0, '{"numeric": [3]}') FROM infirmary;
SELECT dp_svm(ARRAY[a, b], ill, 1.0, 0, '{"clip": [[0, 1]], "center": [0, 0, 0]}') FROM infirmary;
-- A radius that relies on groups holds for every row: rows that break the declaration are neutral.
SELECT (m).details ->> 'radius' AS radius, (SELECT max(abs(w)) < 0.1 FROM unnest((m).weights) w) AS nothing_learnt
  FROM (SELECT dp_logistic(ARRAY[1.0::float8, 1, a], ill, 10000, 0, '{"groups": [2], "intercept": false, "regularization": 1}') FROM infirmary) s(m);
SELECT (m).details ->> 'radius' AS radius, (SELECT max(abs(w)) < 0.1 FROM unnest((m).weights) w) AS nothing_learnt
  FROM (SELECT dp_logistic(ARRAY[1.0::float8, 0, a], ill, 10000, 0, '{"groups": [2], "intercept": false, "regularization": 1}') FROM infirmary) s(m);

DROP TABLE trained, declared;
DROP TABLE infirmary;
DROP OWNED BY dpobj_defaults_ana;
DROP ROLE dpobj_defaults_ana;

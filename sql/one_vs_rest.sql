-- dp_one_vs_rest: a halfspace for each class against the others.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
-- the class follows from the first two columns, the third says nothing; every 50th label is no class
CREATE TABLE bird (id int, x float8[] CHECK (cardinality(x) = 3), kind text);
INSERT INTO bird SELECT i, ARRAY[i % 4 / 2, i % 2, i % 3 / 2.0], CASE WHEN i % 50 = 0 THEN NULL WHEN i % 50 = 1 THEN 'bat' WHEN i % 4 = 0 THEN 'owl' WHEN i % 4 = 3 THEN 'crow' ELSE 'wren' END
  FROM generate_series(1, 12000) i;

CREATE TABLE trained AS
  SELECT dp_one_vs_rest(x, kind, 30.0, 0, '{"classes": ["owl", "crow", "wren"], "intercept": true, "n": 12000}') AS model FROM bird;
SELECT (model).kind, (model).mechanism, array_length((model).weights, 1) AS weights, (model).epsilon, (model).delta, (model).guarantee,
       dpobj.verify(model) AS verified, (model).details -> 'classes' AS classes, (model).details -> 'dimension' AS dimension FROM trained;
SELECT bool_and(w = floor(w)) AS integers FROM trained, unnest((model).weights) w;
SELECT count(*) FILTER (WHERE dp_predict_class(model, x) = kind) > 8000 AS good, count(dp_predict_class(model, x)) AS predicted FROM trained, bird;
-- the parts are epsilon / 3 each: 3 (10^2 / 8) in zCDP
SELECT mechanism, epsilon, delta, pair, round(rho::numeric, 4) AS rho FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.bird' ORDER BY id;
SELECT class, feature, level FROM trained, dpobj.scorecard(model) WHERE feature = '(intercept)' OR position = 1;

-- The statement of predict_sql predicts the same, and has no probabilities.
CREATE TABLE other AS SELECT x AS features FROM bird UNION ALL SELECT ARRAY[a, 1, 0.5] FROM unnest(ARRAY[-1e300, 'Infinity', 'NaN', NULL]::float8[]) a;
SELECT dpobj.predict_sql(model, 'other') AS statement FROM trained \gset
SELECT bool_and(s.dp_prediction IS NOT DISTINCT FROM dp_predict_class(model, s.features)) AS same FROM trained, (:statement) s;
SELECT dp_predict_class_proba(model, ARRAY[1, 0, 0]) FROM trained;
SELECT dp_predict(model, ARRAY[1, 0, 0]) FROM trained;
SELECT dp_predict_class(model::jsonb::dp_model, ARRAY[0, 0, 0]) = dp_predict_class(model, ARRAY[0, 0, 0]) AS same FROM trained;
SELECT model::text AS m FROM trained \gset
SELECT array_length(c, 1) AS classes FROM (SELECT dp_class_confusion(:'m'::dp_model, x, kind, 10) AS c FROM bird) s;
SELECT dp_accuracy(:'m'::dp_model, x, kind, 10) > 0.7 AS good FROM bird;
-- a model for each group
SELECT (g).key, (g).model.kind, cardinality((g).model.weights) AS weights FROM
  (SELECT unnest(dp_groups((id % 2)::text, x, kind, 30.0, 0, '{"keys": ["0", "1"], "method": "one_vs_rest", "classes": ["owl", "crow", "wren"]}')) AS g FROM bird) s;

-- Other mechanisms and laws: delta is divided, too.
SELECT m.mechanism, m.details ->> 'noise' AS noise, m.delta, array_length(m.weights, 1) AS weights FROM
  (SELECT (m).* FROM (SELECT dp_one_vs_rest(x, kind, 3.0, 1e-6, '{"classes": ["owl", "crow"], "grid": "sign", "mechanism": "opdisc", "noise": "gaussian"}') AS m FROM bird) s
   UNION ALL SELECT (m).* FROM (SELECT dp_one_vs_rest(x, kind, 3.0, 1e-6, '{"classes": ["owl", "crow"], "grid": "sign", "mechanism": "permute_flip"}') AS m FROM bird) s
   UNION ALL SELECT (m).* FROM (SELECT dp_one_vs_rest(x, kind, 3.0, 0, '{"classes": ["owl", "crow"], "grid": "sign", "mechanism": "rspm"}') AS m FROM bird) s
   UNION ALL SELECT (m).* FROM (SELECT dp_one_vs_rest(x, kind, 3.0, 0, '{"classes": ["owl", "crow"], "adjacency": "add_remove", "mechanism": "sample_aggregate", "n": 12000}') AS m FROM bird) s) m;
SELECT array_length((dp_one_vs_rest(x, kind, 1.0, 0, '{"classes": ["owl", "crow"]}')).weights, 1) FROM bird WHERE id < 0;
SELECT array_length((dp_one_vs_rest(x, kind, 1.0, 0, '{"classes": ["owl", "heron"]}')).weights, 1) FROM bird WHERE id = 4;

-- What is refused.
SELECT dp_one_vs_rest(x, kind, 1.0, 0, '{}') FROM bird;
SELECT dp_one_vs_rest(x, kind, 1.0, 0, '{"classes": ["owl"]}') FROM bird;
SELECT dp_one_vs_rest(x, kind, 0.000000001, 0, '{"classes": ["owl", "crow"]}') FROM bird;
SELECT dp_one_vs_rest(x, kind, 1.0, 0, '{"classes": ["owl", "crow"], "regularization": 1}') FROM bird;
SELECT dp_one_vs_rest(x, kind, 1.0, 0, '{"classes": ["owl", "crow"], "mechanism": "objective"}') FROM bird;
SELECT dp_one_vs_rest(x, kind, 1.0, 0, '{"classes": ["owl", "crow"], "positive": "owl"}') FROM bird;

-- At the analyst's door the classes are the label's levels.
CREATE ROLE dpobj_rest_ana;
CREATE TABLE nest (id int, high boolean, large boolean, kind text);
INSERT INTO nest SELECT id, x[1] = 1, x[2] = 1, kind FROM bird;
SELECT dpobj.protect('nest', '{"high": {}, "large": {}, "kind": {"levels": ["owl", "crow", "wren"]}}', n => 12000);
SELECT dpobj.set_budget('nest', 'dpobj_rest_ana', 1000, 0);
GRANT SELECT ON nest TO dpobj_rest_ana;
SET SESSION AUTHORIZATION dpobj_rest_ana;
SELECT m.kind, m.mechanism, array_length(m.weights, 1) AS weights, m.details -> 'classes' AS classes
  FROM dpobj.train('nest', 'kind', 30, method => 'one_vs_rest', name => 'nests') m;
SELECT p -> 'dimension' AS weights, p -> 'mechanism' AS mechanism, p -> 'sure_to_finish' AS sure FROM dpobj.price('nest', 'kind', 30, method => 'one_vs_rest') p;
SELECT count(*) FILTER (WHERE dpobj.predict_class('nests', n) = kind) > 8000 AS good FROM nest n;
SELECT dpobj.evaluate('nests', 'nest', 10) > 0.7 AS good;
SELECT count(*) FROM dpobj.confusion('nests', 'nest', 10);
SELECT * FROM answers('SELECT dpobj.train(%)', $$'nest', 'kind', 1, method => 'one_vs_rest', options => '{"positive": "owl"}'$$,
  $$'nest', 'high', 1, method => 'one_vs_rest'$$);
RESET SESSION AUTHORIZATION;
SELECT dpobj.unprotect('nest');
DROP OWNED BY dpobj_rest_ana;
DROP ROLE dpobj_rest_ana;

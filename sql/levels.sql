-- Option "levels": features that hold the index of a level instead of a column for each level.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
-- shops 7, 14, ... sell more; 0 is no shop; every 100th row has no index
CREATE TABLE sale (id int, x float8[], big boolean, price float8);
INSERT INTO sale SELECT i, ARRAY[CASE WHEN i % 100 = 0 THEN 0.5 ELSE i % 211 END, i % 3, (i % 11) / 10.0], i % 211 % 7 = 0, 10 + i % 211 % 7
  FROM generate_series(1, 14000) i;

-- Each level has a weight: as good as with a column for each, and better than a number can be.
CREATE TABLE trained AS
  SELECT dp_logistic(x, big, 500.0, 0, '{"levels": [210, 2, 0]}') AS by_level, dp_linear(x, price, 500.0, 0, '{"levels": [210, 2, 0], "target": [10, 16]}') AS by_price
    FROM sale;
SELECT array_length((by_level).weights, 1) AS weights, dpobj.verify(by_level) AS verified, (by_level).guarantee,
       (by_level).details - 'regularization' - 'objective_noise' - 'weight_noise' - 'weight_step' - 'weight_errors' AS details FROM trained;
SELECT count(*) FILTER (WHERE dp_predict(by_level, x) IS NULL) AS without, avg((dp_predict(by_level, x) = big)::int) > 0.99 AS good,
       max(abs(dp_score(by_price, x) - price)) < 0.5 AS near FROM trained, sale WHERE x[1] <> 0;
SELECT feature, level FROM trained, dpobj.scorecard(by_level) WHERE position IN (1, 210, 211, 212, 213, 214, 215);

-- The statement of predict_sql computes the same to the last bit, also for what is no index.
CREATE TABLE other AS SELECT x AS features FROM sale UNION ALL
  SELECT ARRAY[a, 1, 0.5] FROM unnest(ARRAY[-1, 0, -0.0, 0.5, 210, 701, 1e300, 'Infinity', '-Infinity', 'NaN', NULL]::float8[]) a;
SELECT dpobj.predict_sql(by_level, 'other') AS statement FROM trained \gset
SELECT count(*) FILTER (WHERE s.dp_score IS NULL) AS without, bool_and(s.dp_score IS NOT DISTINCT FROM dp_score(by_level, s.features)) AS same
  FROM trained, (:statement) s;
-- JSON and back, and a model whose details were changed
SELECT dp_score((by_level::jsonb)::dp_model, ARRAY[7, 1, 0]) = dp_score(by_level, ARRAY[7, 1, 0]) AS same FROM trained;
SELECT dp_score(jsonb_set(by_level::jsonb, '{details,encoding,levels,0}', '209')::dp_model, ARRAY[7, 1, 0]) FROM trained;

-- Other laws: noise, mechanism, both adjacencies, no rows, one row, groups of rows.
SELECT m.details ->> 'noise' AS noise, m.mechanism, m.delta > 0 AS spent FROM
  (SELECT (m).* FROM (SELECT dp_logistic(x, big, 1.0, 1e-6, '{"levels": [210, 2, 0]}') AS m FROM sale) s
   UNION ALL SELECT (m).* FROM (SELECT dp_svm(x, big, 1.0, 1e-6, '{"levels": [210, 2, 0], "noise": "gamma", "adjacency": "add_remove"}') AS m FROM sale) s
   UNION ALL SELECT (m).* FROM (SELECT dp_logistic(x, big, 1.0, 1e-6, '{"levels": [210, 2, 0], "mechanism": "output"}') AS m FROM sale) s) m;
SELECT array_length((dp_logistic(x, big, 1.0, 0, '{"levels": [210, 2, 0]}')).weights, 1) FROM sale WHERE id < 0;
SELECT array_length((dp_linear(x, price, 1.0, 0, '{"levels": [210, 2, 0], "target": [0, 1]}')).weights, 1) FROM sale WHERE id = 1;
SELECT array_length((dp_logistic(ARRAY[id % 1024, id % 500], big, 1.0, 0, '{"levels": [1024, 500], "intercept": false}')).weights, 1) FROM sale;

-- What is refused, before a charge.
SELECT count(*) AS charges FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.sale' \gset
SELECT dp_logistic(x, big, 1.0, 0, '{"levels": 210}') FROM sale;
SELECT dp_logistic(x, big, 1.0, 0, '{"levels": [1025, 0, 0]}') FROM sale;
SELECT dp_logistic(x, big, 1.0, 0, '{"levels": [1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000]}') FROM sale;
SELECT dp_logistic(ARRAY[id, 1, 2], big, 1.0, 0, '{"levels": [210, 2]}') FROM sale;
SELECT dp_logistic(ARRAY[id, id, 0.5::float8], big, 1.0, 0, '{"levels": [210, 0, 0]}') FROM sale;
SELECT dp_logistic(x, big, 1.0, 0, '{"levels": [210, 2, 0], "groups": [3]}') FROM sale;
SELECT dp_logistic(x, big, 1.0, 0, '{"levels": [210, 2, 0], "noise": "knorm"}') FROM sale;
SELECT dp_logistic(x, big, 1.0, 1e-6, '{"levels": [210, 2, 0], "mechanism": "sgd"}') FROM sale;
SELECT dp_logistic(x, big, 1.0, 0, '{"levels": [210, 2, 0], "mechanism": "pool", "n": 14000}') FROM sale;
SELECT dp_halfspace(x, big, 1.0, 0, '{"levels": [210, 2, 0]}') FROM sale;
SELECT dp_softmax(x, id % 3, 1.0, 0, '{"levels": [210, 2, 0], "classes": [0, 1, 2]}') FROM sale;
SELECT count(*) = :charges AS none FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.sale';

-- At the analyst's door declared columns that make more than 128 features are packed in the same way.
CREATE ROLE dpobj_levels_ana;
CREATE TABLE visit (id int, town text, age int, days float8, late boolean, cost float8);
INSERT INTO visit SELECT i, CASE WHEN i % 50 = 0 THEN NULL WHEN i % 50 = 1 THEN 'elsewhere' ELSE 'town ' || i % 300 END, i % 90, i % 10, i % 300 % 7 = 0, i % 300 % 7
  FROM generate_series(1, 12000) i;
SELECT dpobj.protect('visit', jsonb_build_object('town', jsonb_build_object('levels', (SELECT jsonb_agg('town ' || i ORDER BY i) FROM generate_series(0, 299) i), 'null_indicator', true),
  'age', '{"bins": [20, 40, 60], "null": 30, "null_indicator": true}'::jsonb, 'days', '{"clip": [0, 10], "scale": 10}'::jsonb, 'late', '{}'::jsonb, 'cost', '{"clip": [0, 6]}'::jsonb));
SELECT dpobj.set_budget('visit', 'dpobj_levels_ana', 100000, 0.001);
GRANT SELECT ON visit TO dpobj_levels_ana; -- for predictions; the models do not need it
SET SESSION AUTHORIZATION dpobj_levels_ana;
SELECT m.kind, m.mechanism, array_length(m.weights, 1) AS weights, m.details #> '{encoding,levels}' AS levels, m.details -> 'classifier' AS classifier
  FROM dpobj.train('visit', 'late', 1000, '{town,age,days}', name => 'late') m;
SELECT array_length(weights, 1) AS weights FROM dpobj.train('visit', 'cost', 1000, '{town,age,days}', method => 'linear', name => 'cost');
SELECT array_length(weights, 1) AS weights FROM dpobj.train('visit', 'late', 1000, '{age,days}', method => 'logistic', name => 'small');
SELECT p -> 'dimension' AS weights, p -> 'mechanism' AS mechanism FROM dpobj.price('visit', 'late', 1, '{town,age,days}', method => 'svm') p;
SELECT m.kind, m.mechanism FROM dpobj.train('visit', 'late', 1, '{town,age,days}', method => 'halfspace') m;
SELECT dpobj.train('visit', 'late', 1, '{town,age,days}', method => 'logistic', options => '{"mechanism": "sgd"}');
-- predictions of a row, by the statement, and at both doors' evaluations
SELECT count(*) FILTER (WHERE dpobj.predict('late', v) = late) > 11500 AS good, count(dpobj.predict('late', v)) AS predicted,
       count(*) FILTER (WHERE abs(dpobj.score('cost', v) - cost) < 1) > 11500 AS near FROM visit v;
SELECT dpobj.predict_sql('late') AS statement \gset
SELECT bool_and(s.dp_score IS NOT DISTINCT FROM dpobj.score('late', v)) AS same FROM (:statement) s JOIN visit v USING (id);
SELECT dpobj.evaluate('late', 'visit', 100) > 0.95 AS good, dpobj.evaluate('small', 'visit', 100) BETWEEN 0.8 AND 0.9 AS small;
SELECT dpobj.select('{late,small}', 'visit', 100);
SELECT feature, level FROM dpobj.scorecard('late') WHERE position IN (1, 300, 301, 302, 305, 306, 307, 308);
SELECT * FROM dpobj.protected_features('visit', '{town,age,days}') WHERE position IN (1, 300, 301, 302, 305, 306, 307);
RESET SESSION AUTHORIZATION;
-- columns without their first level are packed, too: index 0 is the level left out; and a declaration may be long
CREATE TABLE trip (id int, a text, b int, c text, far boolean);
INSERT INTO trip SELECT i, 'stop ' || i % 100, CASE WHEN i % 50 > 0 THEN i / 3 % 120 END, CASE WHEN i % 40 > 0 THEN 'line ' || i / 7 % 90 END, i % 100 % 7 = 0 OR i % 50 = 0
  FROM generate_series(1, 9000) i;
SELECT dpobj.protect('trip', jsonb_build_object('far', '{}'::jsonb,
  'a', jsonb_build_object('levels', (SELECT jsonb_agg('stop ' || i ORDER BY i) FROM generate_series(0, 99) i), 'drop_first', true),
  'b', jsonb_build_object('bins', (SELECT jsonb_agg(i ORDER BY i) FROM generate_series(1, 119) i), 'drop_first', true, 'null_indicator', true),
  'c', jsonb_build_object('levels', (SELECT jsonb_agg('line ' || i ORDER BY i) FROM generate_series(0, 89) i), 'drop_first', true, 'null', 'line 0', 'null_indicator', true)));
SELECT dpobj.set_budget('trip', 'dpobj_levels_ana', 100000, 0.001);
GRANT SELECT ON trip TO dpobj_levels_ana;
SET SESSION AUTHORIZATION dpobj_levels_ana;
SELECT m.kind, array_length(m.weights, 1) AS weights, m.details #> '{encoding,levels}' AS levels FROM dpobj.train('trip', 'far', 1000, name => 'far') m;
SELECT dpobj.predict_sql('far') AS statement \gset
SELECT avg((dpobj.predict('far', t) = t.far)::int) > 0.99 AS good, bool_and(s.dp_score IS NOT DISTINCT FROM dpobj.score('far', t)) AS same
  FROM (:statement) s JOIN trip t USING (id);
SELECT dpobj.evaluate('far', 'trip', 100) > 0.99 AS good, (dpobj.auc('far', 'trip', 100)).low > 0.95 AS ranks;
SELECT feature, level FROM dpobj.scorecard('far') WHERE level IN ('stop 0', 'stop 1', 'line 0', 'line 89') OR level LIKE 'missing%' OR level LIKE 'below%';
SELECT position, feature, low, high FROM dpobj.protected_features('trip') WHERE position IN (1, 99, 100, 218, 219, 220, 307, 308, 309);
RESET SESSION AUTHORIZATION;
SELECT dpobj.protect('trip', jsonb_build_object('far', '{}'::jsonb, 'a', jsonb_build_object('levels', (SELECT jsonb_agg(repeat('stop ', 19) || i) FROM generate_series(1, 1000) i))));
SELECT dpobj.protect('trip', jsonb_build_object('far', '{}'::jsonb, 'a', jsonb_build_object('levels', (SELECT jsonb_agg(repeat('stop ', 250) || i) FROM generate_series(1, 1000) i))));

-- More than 128 numbers make a model of real weights, at both doors.
CREATE TABLE wide (id int, x float8[], sort int, big boolean);
INSERT INTO wide SELECT i, ARRAY(SELECT ((i * (j + 3) + j * j) % 17 - 8) / 8.0 FROM generate_series(1, 300) j), i % 3, (i * 4 + 1) % 17 > 8 FROM generate_series(1, 3000) i;
CREATE TABLE wide_models AS SELECT dp_halfspace(x, big, 1000.0, 0) AS halfspace, dp_svm(x, big, 1.0, 1e-6) AS svm, dp_linear(x, x[1] + x[2], 1000.0, 0, '{"target": [-2, 2]}') AS linear,
  dp_softmax(x, sort, 1000.0, 0, '{"classes": [0, 1, 2]}') AS softmax, dp_softmax(x, sort, 1.0, 1e-6, '{"classes": [0, 1, 2], "mechanism": "sgd", "n": 3000}') AS descent FROM wide;
SELECT (halfspace).kind, (halfspace).mechanism, array_length((halfspace).weights, 1) AS weights, (halfspace).details ->> 'noise' AS noise, dpobj.verify(halfspace) AS verified,
       array_length((svm).weights, 1) AS svm, array_length((linear).weights, 1) AS linear, array_length((softmax).weights, 1) AS softmax, (descent).mechanism FROM wide_models;
SELECT avg((dp_predict(halfspace, x) = big)::int) > 0.95 AS good, avg(abs(dp_score(linear, x) - x[1] - x[2])) < 0.2 AS near FROM wide_models, wide;
SELECT array_length((dp_one_vs_rest(x[1:40], sort, 1.0, 0, '{"classes": [0, 1, 2, 3], "dimension": 40}')).weights, 1) AS scorecards FROM wide;
SELECT array_length((dp_softmax(x[1:77], sort, 1.0, 0, '{"classes": [0, 1, 2], "dimension": 77}')).weights, 1) AS classes FROM wide;
SELECT dp_halfspace(x, big, 1.0, 0, '{"mechanism": "exponential"}') FROM wide;
SELECT dp_halfspace(x, big, 1.0, 0, '{"grid": {"sparse": 1}}') FROM wide;
SELECT (m).kind, array_length((m).weights, 1) AS weights, (m).details -> 'classifier' AS chosen FROM (SELECT dp_one_vs_rest(x, sort, 1.0, 0, '{"classes": [0, 1, 2]}') AS m FROM wide) s;
SELECT dp_one_vs_rest(x, sort, 1.0, 0, '{"classes": [0, 1, 2], "grid": "sign"}') FROM wide;
SELECT sum(w) BETWEEN 0.999999 AND 1.000001 AS shares, count(*) FROM (SELECT dp_simplex(x, x[1], 10.0, 0, '{"n": 3000}') AS m FROM wide) s, unnest((m).weights) w;
SELECT dp_softmax(x, sort, 1.0, 0, '{"classes": [0, 1, 2, 3, 4, 5, 6], "dimension": 300}') FROM wide;
SELECT dp_logistic(x, big, 1.0, 0, '{"mechanism": "pool", "n": 3000}') FROM wide;
SELECT dp_logistic(x || x || x || x, big, 1.0, 0, '{"dimension": 1200}') FROM wide;
DO $$
BEGIN
  EXECUTE 'CREATE TABLE survey AS SELECT ' || (SELECT string_agg(format('x[%s] AS c%s', j, j), ', ') FROM generate_series(1, 300) j) || ', sort, big FROM wide';
  PERFORM dpobj.protect('survey', (SELECT jsonb_object_agg('c' || j, '{}'::jsonb) FROM generate_series(1, 300) j) || '{"sort": {"levels": [0, 1, 2]}, "big": {}}', n => 3000);
  PERFORM dpobj.set_budget('survey', 'dpobj_levels_ana', 100000, 0.001);
END $$;
CREATE FUNCTION first_columns(count int) RETURNS text[] LANGUAGE sql AS $$ SELECT array_agg('c' || j ORDER BY j) FROM generate_series(1, count) j $$;
GRANT SELECT ON survey TO dpobj_levels_ana;
SET client_min_messages = warning;
SET SESSION AUTHORIZATION dpobj_levels_ana;
SELECT n, m.kind, array_length(m.weights, 1) AS weights FROM (VALUES (127), (128), (129), (300)) v (n), dpobj.train('survey', 'big', 20, first_columns(n), options => '{"objective": "accuracy"}') m;
SELECT m.kind, array_length(m.weights, 1) AS weights FROM dpobj.train('survey', 'big', 1000, first_columns(300), name => 'survey') m;
SELECT dpobj.evaluate('survey', 'survey', 100) > 0.9 AS good, avg((dpobj.predict('survey', s) = big)::int) > 0.9 AS predicted FROM survey s;
SELECT m.kind, array_length(m.weights, 1) AS weights FROM (VALUES (77), (300)) v (n), dpobj.train('survey', 'sort', 1, first_columns(n)) m;
SELECT p ->> 'mechanism' AS mechanism, p -> 'dimension' AS weights FROM dpobj.price('survey', 'sort', 1, first_columns(300)) p;
SELECT m.kind, array_length(m.weights, 1) AS weights FROM (VALUES (127), (128), (300)) v (n), dpobj.train('survey', 'big', 1, first_columns(n), method => 'halfspace') m;
SELECT array_length(weights, 1) AS weights FROM dpobj.train('survey', 'big', 1, first_columns(128), method => 'halfspace', options => '{"intercept": false}');
SELECT dpobj.train('survey', 'big', 1, first_columns(300), method => 'halfspace', options => '{"grid": {"sparse": 1}}');
SELECT m.kind, array_length(m.weights, 1) AS weights FROM dpobj.train('survey', 'sort', 1, first_columns(300), method => 'one_vs_rest') m;
SELECT count(*) FROM dpobj.profile('survey', 100) WHERE bin = 'NULL';
RESET SESSION AUTHORIZATION;
SELECT dpobj.unprotect('visit');
DROP OWNED BY dpobj_levels_ana;
DROP ROLE dpobj_levels_ana;

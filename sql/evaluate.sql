-- Private evaluation and selection: dp_accuracy, dp_confusion and dp_select at the owner's door,
-- dpobj.evaluate, dpobj.confusion and dpobj.select at the analyst's.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_evaluate_ana', 'dpobj_evaluate_bob', 'dpobj_evaluate_eve');

-- Of 600 rows the first feature is right in 500 and the second in 300.
CREATE TABLE exam (id int PRIMARY KEY, x float8[], y boolean, k int, b bigint, age int, e float8, m dp_model);
INSERT INTO exam SELECT i, ARRAY[CASE WHEN i <= 100 THEN 1 - z ELSE z END, i / 2 % 2]::float8[], z = 1, z, 2 * z - 1, i % 90, 1, NULL
  FROM (SELECT i, i % 2 AS z FROM generate_series(1, 600) i) s;
CREATE TABLE candidate (id int, model dp_model);
-- made by hand: the first feature, the second, and neither
INSERT INTO candidate SELECT i, ROW('halfspace', 'by hand', w, 1, 0, 'replace', 'exact', 0, '{}')::dp_model
  FROM (VALUES (1, '{1,0}'::float8[]), (2, '{0,1}'), (3, '{-1,0}')) v(i, w);
-- the first again, by an encoding of its own
INSERT INTO candidate SELECT 8, ROW('halfspace', 'by hand', '{1,0}', 1, 0, 'replace', 'exact', 0,
  '{"encoding": {"features": 2, "intercept": false, "center": [0.5, 0], "scale": [2, 1]}}')::dp_model;
INSERT INTO candidate SELECT 4, dp_halfspace(x, y, 1000.0, 0, '{"grid": "sign"}') FROM exam;
INSERT INTO candidate SELECT 5, dp_logistic(x, y, 100.0, 0) FROM exam;
INSERT INTO candidate SELECT 6, dp_simplex(x, e, 1.0, 0, '{"n": 600}') FROM exam;
INSERT INTO candidate SELECT 7, dp_halfspace(ARRAY[age], y, 1.0, 0, '{"scale": 90, "intercept": true}') FROM exam;

-- At epsilon 1000 the noise is 0: labels of each type, models by value, by name, from a sub-select.
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1000.0) AS boolean,
       dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, k, 1000.0) AS integer,
       dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, b, 1000::float8) AS bigint,
       dp_accuracy((SELECT model FROM candidate WHERE id = 2), x, y, 1000.0) AS other,
       dp_accuracy((SELECT model FROM candidate WHERE id = 3), x, y, 1000.0) AS neither FROM exam;
SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 1000.0)).* FROM exam \g (tuples_only=off)
SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 2), x, k, 1000)).* FROM exam;
SELECT dp_select(ARRAY(SELECT model FROM candidate WHERE id <= 3 ORDER BY id), x, y, 1000.0) AS first,
       dp_select(ARRAY(SELECT model FROM candidate WHERE id <= 3 ORDER BY id DESC), x, y, 1000.0) AS last FROM exam;
SELECT dp_select(ARRAY[(SELECT model FROM candidate WHERE id = 2), (SELECT model FROM candidate WHERE id = 5)], x, k, 1000) FROM exam;
-- the same predictions as dp_predict, with every encoding
DO $$
DECLARE model dp_model; f int; private float8; exact float8;
BEGIN
  FOREACH f IN ARRAY ARRAY[1, 2, 3, 4, 5, 8] LOOP
    model := (SELECT k.model FROM candidate k WHERE id = f);
    SELECT dp_accuracy(model, x, y, 1000.0) INTO private FROM exam WHERE id > 77;
    SELECT avg((dp_predict(model, x) = y)::int) INTO exact FROM exam WHERE id > 77;
    ASSERT abs(private - exact) < 1e-5, f;
  END LOOP;
  model := (SELECT k.model FROM candidate k WHERE id = 7);
  SELECT dp_accuracy(model, ARRAY[age], y, 1000.0) INTO private FROM exam;
  SELECT avg((dp_predict(model, ARRAY[age]) = y)::int) INTO exact FROM exam;
  ASSERT abs(private - exact) < 1e-5;
END $$;
PREPARE rate(dp_model, numeric) AS SELECT dp_accuracy($1, x, y, $2) FROM exam WHERE id > 100;
EXECUTE rate(ROW('halfspace', 'by hand', '{1,0}', 1, 0, 'replace', 'exact', 0, '{}'), 1000);
EXECUTE rate(NULL, 1000);
DO $$ DECLARE m dp_model := (SELECT model FROM candidate WHERE id = 1); a float8;
BEGIN EXECUTE 'SELECT dp_accuracy($1, x, y, 1000.0) FROM exam WHERE id > 100' INTO a USING m; RAISE NOTICE '%', a; END $$;

-- A row that cannot be predicted, or has no label, is in no count; none raises an error.
SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 1),
  CASE id % 6 WHEN 0 THEN NULL WHEN 1 THEN ARRAY[1]::float8[] WHEN 2 THEN ARRAY[NULL, 1]::float8[]
    WHEN 3 THEN ARRAY['NaN', 1]::float8[] WHEN 4 THEN ARRAY[[1, 2]]::float8[] ELSE x END, y, 1000.0)).* FROM exam;
SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 8),
  CASE id % 3 WHEN 0 THEN '{}' WHEN 1 THEN ARRAY['NaN', 1]::float8[] ELSE x END, y, 1000.0)).* FROM exam;
SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 1), x, CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN 7 ELSE k END, 1000.0)).* FROM exam;
SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 1000.0) FILTER (WHERE id > 100)).* FROM exam;
-- a table without rows is answered, too, sometimes with null
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1000.0) IS NULL AS nothing FROM exam WHERE id < 0;
SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 1000.0)).* FROM exam WHERE false;
SELECT dp_select(ARRAY(SELECT model FROM candidate WHERE id <= 3), x, y, 1000.0) BETWEEN 1 AND 3 AS any FROM exam WHERE id < 0;
-- with noise, of any sign
DO $$
DECLARE c dp_confusion_table; negative boolean := false;
BEGIN
  FOR i IN 1..40 LOOP
    SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 0.01)).* INTO c FROM exam WHERE id < 0;
    negative := negative OR c.true_positives < 0;
  END LOOP;
  RAISE NOTICE 'negative counts: %', negative;
END $$;

-- Equal calls of one statement are one release, also with a sub-select; other calls are releases of their own.
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'charged' \gset
SELECT true_positives + false_positives + false_negatives + true_negatives IS NOT NULL AS four_places
  FROM (SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 0.01)).* FROM exam OFFSET 0) s;
SELECT count(*) - :before AS charged FROM dpobj.ledger WHERE event = 'charged';
SELECT a = b AS same, b <> c AS other_rows, b <> d AS other_filter, b <> f AS other_cost FROM (
  SELECT dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 0.01) AS a,
         dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 0.01) AS b,
         dp_confusion((SELECT model FROM candidate WHERE id = 1), x, k, 0.01) AS c,
         dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 0.01) FILTER (WHERE id > 0) AS d,
         dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 0.011) AS f FROM exam) s;
SELECT count(*) - :before AS charged FROM dpobj.ledger WHERE event = 'charged';
-- each execution of the aggregate is a release, for instance in a loop
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'charged' \gset
SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT count(DISTINCT c) > 1 AS fresh FROM generate_series(1, 12) i
  LEFT JOIN (SELECT dp_confusion((SELECT model FROM candidate WHERE id = 2), x, y, 0.01) AS c FROM exam) s ON i > 0 OR c IS NULL;
RESET enable_material; RESET enable_hashjoin; RESET enable_mergejoin;
SELECT count(*) - :before AS charged FROM dpobj.ledger WHERE event = 'charged';

-- The ledger has one charge for each, the hash of the answer, and nothing else of it.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 4), x, y, 0.5)).true_positives IS NOT NULL AS released FROM exam;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 4), x, y, 1000.0) AS accuracy FROM exam \gset
SELECT dp_select(ARRAY(SELECT model FROM candidate WHERE id IN (1, 2, 3)), x, y, 2.0) BETWEEN 1 AND 3 AS chosen FROM exam;
SELECT event, mechanism, epsilon, delta, adjacency, guarantee, pair, door, parameters - 'model' AS parameters, relation
  FROM dpobj.ledger ORDER BY id OFFSET :before;
SELECT output_hash = sha256(float8send(:accuracy)) AS hash_of_the_answer FROM dpobj.ledger_events
  WHERE event = 'released' ORDER BY id DESC OFFSET 1 LIMIT 1;
SELECT parameters -> 'model' = to_jsonb((model).release) AS names_the_model FROM dpobj.ledger, candidate
  WHERE candidate.id = 4 AND event = 'charged' AND parameters ->> 'evaluation' = 'confusion' ORDER BY ledger.id DESC LIMIT 1;

-- Arguments; a refusal charges nothing.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT dp_accuracy(NULL::dp_model, x, y, 1.0) FROM exam;
SELECT dp_accuracy(NULL::text, x, y, 1.0) FROM exam;
SELECT * FROM answers('SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, %) FROM exam',
  'NULL::numeric', '0', '-1.0', $$'NaN'::float8$$, '10000.1', '0.0000000001', 'e', '(SELECT max(e) FROM exam)');
SELECT * FROM answers('SELECT dp_accuracy(%) FROM exam',
  'm, x, y, 1.0', '(SELECT model FROM candidate WHERE id = 99), x, y, 1.0', '(SELECT model FROM candidate WHERE id = 6), x, y, 1.0',
  $$'anything', x, y, 1.0$$, $$ROW('halfspace', 'by hand', '{1,0}', 1, 0, 'replace', 'exact', 0, NULL)::dp_model, x, y, 1.0$$,
  $$ROW('halfspace', 'by hand', '{{1,0}}', 1, 0, 'replace', 'exact', 0, '{}')::dp_model, x, y, 1.0$$,
  '(SELECT model FROM candidate WHERE id = 4), ARRAY[age, k], y, 1.0', '(SELECT model FROM candidate WHERE id = 4), ARRAY[0.5, x[1], x[2]], y, 1.0',
  '(SELECT model FROM candidate WHERE id = 1), x, y::text, 1.0');
-- a constraint says how long the features are, as ARRAY[...] does
BEGIN;
CREATE TABLE longer (x float8[] CHECK (cardinality(x) = 5), y boolean);
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) FROM longer;
ROLLBACK;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, e, 1.0) FROM exam;
SELECT dp_confusion((SELECT model FROM candidate WHERE id = 6), x, y, 1.0) FROM exam;
SELECT * FROM answers('SELECT dp_select(%, x, y, 1.0) FROM exam',
  'ARRAY(SELECT model FROM candidate WHERE id = 1)', $$'{}'::dp_model[]$$, 'NULL::dp_model[]',
  'ARRAY[(SELECT model FROM candidate WHERE id = 1), NULL]', 'ARRAY(SELECT model FROM candidate WHERE id IN (1, 6) ORDER BY id)',
  'ARRAY(SELECT model FROM candidate WHERE id IN (1, 7) ORDER BY id)', 'ARRAY(SELECT model FROM candidate, generate_series(1, 257) WHERE id = 1)',
  'ARRAY[m, m]');
-- models that may depend on these rows
SELECT dp_accuracy((SELECT ROW('halfspace', 'by hand', ARRAY[max(age), 1], 1, 0, 'replace', 'exact', 0, '{}')::dp_model FROM exam), x, y, 1.0) FROM exam;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = (SELECT min(id) FROM exam)), x, y, 1.0) FROM exam;
SELECT dp_accuracy((SELECT model FROM candidate WHERE EXISTS (SELECT FROM exam WHERE age = 89) LIMIT 1), x, y, 1.0) FROM exam;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id IN (SELECT k + 1 FROM exam) LIMIT 1), x, y, 1.0) FROM exam;
SELECT dp_select(ARRAY[(SELECT model FROM candidate WHERE id = 1), (SELECT model FROM candidate, exam LIMIT 1)], x, y, 1.0) FROM exam;
WITH w AS MATERIALIZED (SELECT min(id) AS id FROM exam)
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = (SELECT id FROM w)), x, y, 1.0) FROM exam;
-- or one for each row of another table
SELECT (SELECT dp_accuracy(o.model, x, y, 1.0) FROM exam) FROM candidate o;
SELECT (SELECT dp_accuracy((SELECT model FROM candidate i WHERE i.id = o.id), x, y, 1.0) FROM exam) FROM candidate o;
-- shapes
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) FROM exam GROUP BY k;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) FROM exam HAVING count(*) > 1;
SELECT dp_accuracy(DISTINCT (SELECT model FROM candidate WHERE id = 1), x, y, 1.0) FROM exam;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0 ORDER BY id) FROM exam;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) OVER () FROM exam;
SELECT dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 1.0), count(*) FROM exam;
SELECT dp_confusion(model, x, y, 1.0) FROM exam, candidate;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) FROM (TABLE exam UNION ALL TABLE exam) u;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) FROM (SELECT * FROM exam LIMIT 5) s;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) FROM exam WHERE age > (SELECT avg(age) FROM exam);
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, random() < 0.5, 1.0) FROM exam;
SELECT dp_accuracy(ROW('halfspace', random()::text, '{1,0}', 1, 0, 'replace', 'exact', 0, '{}')::dp_model, x, y, 1.0) FROM exam;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) FROM exam;
BEGIN READ ONLY;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) FROM exam;
ROLLBACK;
-- internal functions in an aggregate of somebody else
SELECT dpobj_internal.counts_combine(NULL, NULL);
SELECT dpobj_internal.accuracy_final(NULL);
CREATE AGGREGATE evil(dp_model, float8[], boolean, float8) (SFUNC = dpobj_internal.evaluation_accumulate, STYPE = bytea);
SELECT evil((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) FROM exam;
DROP AGGREGATE evil(dp_model, float8[], boolean, float8);
SELECT count(*) - :before AS charged FROM dpobj.ledger;

-- Trained and rated in one statement, on two halves of a table.
SELECT dp_accuracy((SELECT dp_halfspace(x, y, 100.0, 0) FROM exam WHERE id % 2 = 0), x, y, 1000.0) BETWEEN 0 AND 1 AS rated
  FROM exam WHERE id % 2 = 1;

-- In parallel the counts are the same.
CREATE FUNCTION has_partial(query text) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE line text; found boolean := false;
  BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP found := found OR line LIKE '%Partial Aggregate%'; END LOOP;
    RETURN found;
  END $$;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT has_partial('SELECT dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 1000.0) FROM exam');
SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 1000.0)).* FROM exam;
SELECT dp_select(ARRAY(SELECT model FROM candidate WHERE id <= 3 ORDER BY id), x, y, 1000.0) FROM exam;
SELECT (dp_confusion((SELECT model FROM candidate WHERE id = 1), x, y, 1000.0)).* FROM exam WHERE id < 0;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), ARRAY[age, k], y, 1.0) BETWEEN 0 AND 1 AS rated FROM exam;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = (SELECT min(id) FROM exam)), x, y, 1.0) FROM exam;
SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), x, y, 1.0) IS NULL FROM exam;
SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- A protected table: its adjacency, and no row decides whether there is an error.
CREATE TABLE checkup (id int, age int, sex text, weight float8, ill boolean, outcome text);
INSERT INTO checkup SELECT i, 20 + i % 50, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END, CASE WHEN i % 10 > 0 THEN i % 40 END,
  i % 50 > 25, CASE WHEN i % 50 > 25 THEN 'bad' ELSE 'good' END FROM generate_series(1, 2000) i;
SELECT dpobj.protect('checkup', '{"age": {"bins": [46]}, "sex": {"levels": ["f", "m"]}, "weight": {"scale": 40}, "ill": {},
  "outcome": {"positive": ["bad"], "negative": ["good"]}}', adjacency => 'add_remove');
SELECT dpobj.set_budget('checkup', 'dpobj_evaluate_ana', 100000, 0), dpobj.set_budget('checkup', 'dpobj_evaluate_bob', 1, 0);
REVOKE ALL ON checkup FROM PUBLIC;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), ARRAY[(sex = 'f')::int, (sex = 'm')::int], ill, 1.0) BETWEEN 0 AND 1 AS rated FROM checkup;
SELECT adjacency, parameters -> 'sensitivity' AS sensitivity FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
SELECT dp_select(ARRAY(SELECT model FROM candidate WHERE id <= 2), ARRAY[(sex = 'f')::int, (sex = 'm')::int], ill, 1.0) BETWEEN 1 AND 2 AS chosen FROM checkup;
SELECT adjacency, parameters -> 'margin' AS margin FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), ARRAY[weight + 1, 1], ill, 1.0) FROM checkup;

-- The analyst's door: models by name, of one's own.
\c - dpobj_evaluate_ana
SELECT name, epsilon FROM (VALUES ('age', '{age}'), ('sex', '{sex}'), ('both', '{sex,age}')) v(name, features),
  LATERAL dpobj.train('checkup', 'ill', 1000, features::text[], name => name, options => '{"grid": "sign", "intercept": false}');
SELECT epsilon FROM dpobj.train('checkup', 'ill', 1000, '{weight}', name => 'weight', options => '{"intercept": true}');
SELECT epsilon FROM dpobj.train('checkup', 'outcome', 1000, '{age}', name => 'outcome');
SELECT dpobj.evaluate('age', 'checkup', 1000) AS age, dpobj.evaluate('both', 'checkup', 1000) AS both,
       dpobj.evaluate('age', 'checkup', 1000, '{"age": {">": 45}}') AS some;
SELECT * FROM dpobj.confusion('age', 'checkup', 1000) \g (tuples_only=off)
SELECT string_agg(rows::text, '|') FROM dpobj.confusion('age', 'checkup', 1000, '{"age": {"<": 46}}');
SELECT string_agg(rows::text, '|') FROM dpobj.confusion('both', 'checkup', 1000, filter => '{"age": {">": 1000}}');
-- rows without a weight are in no count of a model that needs the weight
SELECT sum(rows) AS rows FROM dpobj.confusion('weight', 'checkup', 1000);
SELECT dpobj.select('{sex,age}', 'checkup', 1000) AS chosen;
SELECT dpobj.select('{weight,age,sex}', 'checkup', 1000) AS chosen;
SELECT dpobj.select('{both,sex}', 'checkup', 1000, '{"age": {"<": 46}}') IN ('both', 'sex') AS chosen;
SELECT dpobj.select('{sex,weight}', 'checkup', 0.5, '{"age": {">": 1000}}') IN ('sex', 'weight') AS chosen;
-- one charge, also where the attributes are asked for one by one, and for many models
SELECT epsilon AS before FROM dpobj.remaining('checkup') \gset
SELECT string_agg(rows::text, '|') FROM (SELECT (dpobj.confusion('age', 'checkup', 1000)).*) c;
SELECT :before - epsilon AS spent FROM dpobj.remaining('checkup');
SELECT epsilon AS before FROM dpobj.remaining('checkup') \gset
SELECT count(DISTINCT c) FROM generate_series(1, 3) i, LATERAL (SELECT string_agg(rows::text, '|') FROM dpobj.confusion('age', 'checkup', 0.01 + 0 * i)) t(c);
SELECT :before - epsilon AS spent FROM dpobj.remaining('checkup');
SELECT event, mechanism, epsilon, adjacency, guarantee, pair, door, parameters ->> 'evaluation' AS evaluation,
       jsonb_array_length(parameters -> 'models') AS models, parameters -> 'margin' AS margin, parameters -> 'features' AS features
  FROM dpobj.ledger WHERE mechanism = 'permute_flip' AND event = 'charged' ORDER BY id LIMIT 2;
-- what is refused, before the charge
SELECT epsilon AS before FROM dpobj.remaining('checkup') \gset
SELECT * FROM answers('SELECT dpobj.confusion(%)',
  $$'nobody''s', 'checkup', 1$$, $$NULL, 'checkup', 1$$, $$'age', NULL, 1$$, $$'age', 'checkup', NULL$$, $$'age', 'checkup', 0.0009$$,
  $$'age', 'checkup', 1, '[]'$$, $$'age', 'exam', 1$$);
SELECT * FROM answers($$SELECT dpobj.select(%, 'checkup', 1)$$,
  $$'{age}'$$, $$'{}'$$, 'NULL', $$'{age,NULL}'$$, $$'{age,sex,age}'$$, $$'{age,"nobody''s"}'$$, $$'{age,outcome}'$$);
SELECT dpobj.select(array_agg('m' || i), 'checkup', 1) FROM generate_series(1, 257) i;
SELECT dpobj.select('{age,sex}', 'checkup', 1000000);
BEGIN READ ONLY;
SELECT dpobj.select('{age,sex}', 'checkup', 1);
SELECT dpobj.confusion('age', 'checkup', 1);
ROLLBACK;
SELECT dp_accuracy('age', NULL::float8[], true, 1.0);
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('checkup');
-- another role's models are not there
\c - dpobj_evaluate_bob
SELECT * FROM answers('SELECT %', $$dpobj.confusion('age', 'checkup', 1)$$, $$dpobj.select('{age,sex}', 'checkup', 1)$$);
SELECT release > 0 AS released FROM dpobj.train('checkup', 'ill', 0.5, '{age}', name => 'age');
SELECT dpobj.confusion('age', 'checkup', 0.6);
\c - dpobj_evaluate_eve
SELECT dpobj.select('{age,sex}', 'checkup', 1);

-- Prices: the error that is exceeded once in twenty times.
SELECT method, d, options, p - 'method' - 'delta' - 'unit' - 'guarantee' AS price
  FROM (VALUES ('accuracy', 1, '{}'), ('accuracy', 1, '{"adjacency": "add_remove"}'), ('confusion', 1, '{}'), ('select', 2, '{}'),
               ('select', 256, '{"adjacency": "add_remove"}')) v(method, d, options),
       LATERAL dpobj.price_aggregate(method, d, 0.5, 0, options::jsonb) p;
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)',
  $$'accuracy', 2, 1$$, $$'select', 1, 1$$, $$'select', 257, 1$$, $$'confusion', 1, 0$$, $$'confusion', 1, 1, 1$$,
  $$'confusion', 1, 1, 0, '{"n": 1}'$$, $$'confusion', 1, 1, 0, '{"adjacency": "both"}'$$, $$'confusion', 1, 1, 0, '[]'$$);

-- A name in an aggregate is that of the session user, and is refused in functions of other roles.
\c - postgres
SELECT dpobj.grant_trainer('dpobj_evaluate_ana'), dpobj.grant_trainer('dpobj_evaluate_eve');
GRANT SELECT ON exam, candidate TO dpobj_evaluate_ana, dpobj_evaluate_eve;
GRANT CREATE ON SCHEMA public TO dpobj_evaluate_eve;
\c - dpobj_evaluate_eve
CREATE FUNCTION peek(name text) RETURNS float8 LANGUAGE sql SECURITY DEFINER AS $$SELECT dp_accuracy(name, x, y, 1.0) FROM exam$$;
SELECT dp_accuracy('age', x, y, 1.0) FROM exam;
\c - dpobj_evaluate_ana
SELECT dp_accuracy('age', x, y, 1000.0) AS accuracy FROM exam;
SELECT (dp_confusion('sex', x, k, 1000.0)).* FROM exam WHERE id <= 100;
SELECT dp_accuracy('weight', ARRAY[0.5::float8], y, 1000.0) BETWEEN 0 AND 1 AS rated FROM exam;
SELECT dp_accuracy('both', x, y, 1000.0) IS NULL AS wrong_length FROM exam;
SELECT peek('age');
SELECT peek('nothing');
-- by name in a parallel plan, and with other operators in front
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT dp_accuracy('age', x, y, 1000.0) AS accuracy FROM exam;
CREATE TEMP TABLE model_rows (release bigint);
SET search_path = pg_temp, public;
SELECT dp_accuracy('age', x, y, 1000.0) AS accuracy FROM exam;
RESET search_path;
SELECT dp_accuracy((SELECT model FROM dpobj.models WHERE name = 'age'), x, y, 1000.0) AS accuracy FROM exam;

-- Persons: the guarantee is for all rows of one; the aggregates have no such argument.
\c - postgres
CREATE TABLE bed (patient int, ill boolean, a boolean);
INSERT INTO bed SELECT i / 4, i % 2 = 0, i % 2 = 0 FROM generate_series(1, 4000) i;
SELECT dpobj.protect('bed', '{"ill": {}, "a": {}}', person => 'patient', max_rows_per_person => 2);
SELECT dpobj.set_budget('bed', 'dpobj_evaluate_ana', 10000, 0);
SELECT dp_accuracy((SELECT model FROM candidate WHERE id = 1), ARRAY[0.0::float8, 1], ill, 1.0) FROM bed;
\c - dpobj_evaluate_ana
SELECT epsilon FROM dpobj.train('bed', 'ill', 100, '{a}', options => '{"intercept": false}', name => 'a');
SELECT epsilon FROM dpobj.train('bed', 'ill', 100, '{a}', options => '{"intercept": true}', name => 'a with intercept');
SELECT sum(rows) AS rows FROM dpobj.confusion('a', 'bed', 1000);
SELECT dpobj.select('{a,a with intercept}', 'bed', 1) LIKE 'a%' AS chosen;
SELECT person, epsilon, mechanism FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 2;
\c - postgres
SELECT dpobj.protect('bed', '{"ill": {}, "a": {}}', person => 'patient', max_rows_per_person => 2000000);
\c - dpobj_evaluate_ana
SELECT * FROM answers('SELECT %', $$dpobj.confusion('a', 'bed', 0.001)$$, $$dpobj.select('{a,a with intercept}', 'bed', 0.001)$$);

\c - postgres
-- another declaration than the model was trained under
SELECT dpobj.protect('checkup', '{"age": {"bins": [50]}, "sex": {"levels": ["f", "m"]}, "ill": {}}', adjacency => 'add_remove');
\c - dpobj_evaluate_ana
SELECT * FROM answers('SELECT %', $$dpobj.confusion('age', 'checkup', 1)$$, $$dpobj.select('{sex,age}', 'checkup', 1)$$,
  $$dpobj.select('{sex,weight}', 'checkup', 1)$$);

\c - postgres
DROP FUNCTION peek, has_partial;
DROP TABLE exam, candidate, checkup, bed;
REVOKE CREATE ON SCHEMA public FROM dpobj_evaluate_eve;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM dpobj_evaluate_ana, dpobj_evaluate_eve;
DROP ROLE dpobj_evaluate_ana, dpobj_evaluate_bob, dpobj_evaluate_eve;

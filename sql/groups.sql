-- dp_groups and dpobj.train_groups: a model for each key of a public list, for one charge
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_groups_ana');

-- Group f wants weight 1 and m weight -1; rows of key x, which no list has, and rows without a
-- key, all want the opposite of both.
CREATE TABLE referral (id int, a float8, sex text, ward text, ill boolean);
INSERT INTO referral SELECT i, s.sign, s.sex, s.ward, (s.sign > 0) = s.right
  FROM generate_series(1, 200) i,
       (VALUES (1, 'f', 'n', true), (-1, 'f', 'n', true), (1, 'm', 'n', false), (-1, 'm', 's', false)) s(sign, sex, ward, "right");
INSERT INTO referral SELECT i, s.sign, s.sex, s.ward, (s.sign > 0) = s.right
  FROM generate_series(1, 2000) i,
       (VALUES (1, 'x', 'n', false), (-1, 'x', 'n', true), (1, NULL, 'n', false), (-1, NULL, 's', true), (1, 'f', NULL, true)) s(sign, sex, ward, "right");
REVOKE ALL ON referral FROM PUBLIC;

-- The owner's door: every listed key is answered, also without rows; no other key is.
SELECT (g).key, CASE WHEN (g).key <> '{d}' THEN (g).model.weights END AS weights, cardinality((g).model.weights) AS d,
       (g).model.kind, (g).model.mechanism, (g).model.epsilon, (g).model.delta, (g).model.adjacency, (g).model.guarantee
  FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1000, 0, '{"keys": ["f", "m", "d"], "grid": "sign"}')) g FROM referral) s;
SELECT name, key, dpobj.verify(model) FROM dpobj.models WHERE relation = 'referral'::regclass ORDER BY key;
SELECT count(*), count(DISTINCT (model).release) FROM (SELECT (unnest(dp_groups(sex, ARRAY[a], ill, 1.0, 0.0, '{"keys": ["m", "f"]}'))).* FROM referral) s;
-- two columns; a key that is null in part is none
SELECT (g).key, CASE WHEN (g).key <> '{s,f}' THEN (g).model.weights END AS weights
  FROM (SELECT unnest(dp_groups(ARRAY[ward, sex], ARRAY[a], ill::int, 1000.0::float8, 0.0::float8,
                                '{"keys": [["n", "f"], ["n", "m"], ["s", "m"], ["s", "f"]], "grid": "sign", "intercept": false}')) g FROM referral) s;
-- keys of another length are none; labels of all types
SELECT (g).key, cardinality((g).model.weights) AS d
  FROM (SELECT unnest(dp_groups(ARRAY[ward], ARRAY[a], ill::int::bigint, 1, 0, '{"keys": [["n", "f"]], "dimension": 1}')) g FROM referral) s;
SELECT (g).key, (g).model.weights
  FROM (SELECT unnest(dp_groups(ARRAY[sex], ARRAY[a], ill, 1000, 0, '{"keys": [["m"], ["f"]], "grid": "sign"}')) g FROM referral) s;
-- no row at all, and a filter on the key
SELECT cardinality(dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f", "m"]}')) FROM referral WHERE false;
SELECT (g).key, CASE WHEN (g).key = '{f}' THEN (g).model.weights END AS weights
  FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1000, 0, '{"keys": ["f", "m"], "grid": "sign"}')) g FROM referral WHERE sex = 'f') s;
SELECT (g).key, (g).model.weights
  FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1000, 0, '{"keys": ["f", "m"], "grid": "sign"}') FILTER (WHERE ward IS NOT NULL)) g FROM referral) s;
-- models in a table: each row is predicted by the model of its group
CREATE TEMP TABLE kept AS SELECT (unnest(dp_groups(sex, ARRAY[a], ill, 1000, 0, '{"keys": ["f", "m"], "grid": "sign"}'))).* FROM referral;
SELECT k.key, a, bool_and(dp_predict(k.model, ARRAY[a]) = ill) AS as_trained FROM referral r JOIN kept k ON k.key[1] = r.sex GROUP BY 1, 2 ORDER BY 1, 2;
-- the other methods
SELECT (g).key, (g).model.kind, (g).model.mechanism FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"], "method": "logistic"}')) g FROM referral) s;
SELECT (g).key, (g).model.kind, (g).model.mechanism FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"], "method": "svm", "mechanism": "exponential"}')) g FROM referral) s;
SELECT (g).key, (g).model.mechanism, (g).model.details ->> 'sampling' AS sampling
  FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1, 0.000001, '{"keys": ["f"], "method": "svm", "mechanism": "sgd"}')) g FROM referral) s;
SELECT (g).key, (g).model.details -> 'classifier' AS classifier FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"], "method": "classifier"}')) g FROM referral) s;
SELECT (g).key, (g).model.mechanism FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"], "mechanism": "permute_flip"}')) g FROM referral) s;
SELECT (g).key, (g).model.mechanism FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"], "mechanism": "opdisc", "noise": "gauge"}')) g FROM referral) s;
SELECT (g).key, (g).model.details -> 'parts' AS parts FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"], "mechanism": "sample_aggregate", "parts": 9}')) g FROM referral) s;

-- The cost, and the cost of each group's mechanism, computed by hand:
--   replace, pure            epsilon 1 = 2 * 0.5
--   add_remove               epsilon 1 = the largest of 1, 1
--   replace, delta 1e-6      1e-6 / (1 + e^0.5) = 3.775406687981454e-7, rounded down
--   replace, 3e-9            1.5e-9 rounded down
CREATE FUNCTION last_cost(OUT epsilon numeric, OUT delta numeric, OUT adjacency text, OUT pair text, OUT of_a_group jsonb) LANGUAGE sql AS
  $$ SELECT epsilon, delta, adjacency, pair, parameters -> 'groups' FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1 $$;
SELECT cardinality(dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f", "m"]}')) FROM referral;
SELECT * FROM last_cost() \g (tuples_only=off)
SELECT cardinality(dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f", "m"], "adjacency": "add_remove"}')) FROM referral;
SELECT * FROM last_cost();
SELECT (g).model.epsilon, (g).model.delta, (g).model.details -> 'group' AS group_of, (g).model.details ->> 'weight_noise' AS noise
  FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1, 0.000001,
    '{"keys": ["f", "d"], "method": "logistic", "mechanism": "output", "noise": "gaussian", "regularization": 10}')) g FROM referral) s;
SELECT * FROM last_cost();
-- the noise is that of one model under add_remove at (0.5, 3.775e-7), and at (1, 1e-6) if the call is under add_remove
SELECT (m).details ->> 'weight_noise' AS noise
  FROM (SELECT dp_logistic(ARRAY[a], ill, 0.5, 0.000000377540668798,
    '{"adjacency": "add_remove", "mechanism": "output", "noise": "gaussian", "regularization": 10}') m FROM referral) s;
-- rho is four times that model's, as for a row that stays in its group and changes; two groups would cost twice as much
SELECT round(g.rho / m.rho, 6) AS rho, g.pair
  FROM dpobj.ledger g, dpobj.ledger m
 WHERE g.pair = 'gauss' AND g.adjacency = 'replace' AND g.relation = 'referral'::regclass
   AND m.pair = 'gauss' AND m.adjacency = 'add_remove' AND m.epsilon = 0.5 AND m.relation = 'referral'::regclass;
SELECT (g).model.details ->> 'weight_noise' AS noise
  FROM (SELECT unnest(dp_groups(sex, ARRAY[a], ill, 1, 0.000001,
    '{"keys": ["f"], "method": "logistic", "mechanism": "output", "noise": "gaussian", "regularization": 10, "adjacency": "add_remove"}')) g FROM referral) s;
SELECT (m).details ->> 'weight_noise' AS noise
  FROM (SELECT dp_logistic(ARRAY[a], ill, 1, 0.000001,
    '{"adjacency": "add_remove", "mechanism": "output", "noise": "gaussian", "regularization": 10}') m FROM referral) s;
SELECT * FROM last_cost();
SELECT cardinality(dp_groups(sex, ARRAY[a], ill, 0.000000003, 0, '{"keys": ["f", "m"]}')) FROM referral;
SELECT * FROM last_cost();
SELECT cardinality(dp_groups(sex, ARRAY[a], ill, 1, 0.000001, '{"keys": ["f"]}')) FROM referral;
SELECT * FROM last_cost();

-- What is refused; nothing of it is charged.
SELECT count(*) AS charges FROM dpobj.ledger WHERE event = 'charged' \gset
SELECT sex, dp_halfspace(ARRAY[a], ill, 1, 0) FROM referral GROUP BY sex;
SELECT dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"]}') FROM referral GROUP BY ward;
SELECT dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"]}') OVER () FROM referral;
CREATE AGGREGATE stolen(text, float8[], boolean, float8, float8, jsonb) (SFUNC = dpobj_internal.groups_accumulate, STYPE = internal, FINALFUNC = dpobj_internal.groups_final);
SELECT stolen(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"]}') FROM referral;
DROP AGGREGATE stolen(text, float8[], boolean, float8, float8, jsonb);
EXPLAIN (ANALYZE, COSTS OFF) SELECT dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"]}') FROM referral;
SELECT dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"]}') FROM referral JOIN (VALUES (1), (2)) v(i) ON true;
SELECT count(*), dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"]}') FROM referral;
SELECT dp_groups(DISTINCT sex, ARRAY[a], ill, 1, 0, '{"keys": ["f"]}') FROM referral;
SELECT dp_groups(upper(sex) || random()::text, ARRAY[a], ill, 1, 0, '{"keys": ["f"]}') FROM referral;
SELECT dp_groups((SELECT max(v.sex) FROM referral v), ARRAY[a], ill, 1, 0, '{"keys": ["f"]}') FROM referral;
SELECT * FROM answers('SELECT dp_groups(sex, ARRAY[a], ill, 1, 0, %) FROM referral',
  $$jsonb_build_object('keys', ARRAY[sex])$$, 'NULL', $$'[]'$$, $$'{}'$$, $$'{"keys": []}'$$, $$'{"keys": "f"}'$$, $$'{"keys": ["f", null]}'$$,
  $$'{"keys": ["f", 1]}'$$, $$'{"keys": [["f"], ["f", "m"]]}'$$, $$'{"keys": [["f"], "m", []]}'$$, $$'{"keys": [[]]}'$$);
SELECT dp_groups(ARRAY[ward, sex], ARRAY[a], ill, 1, 0, '{"keys": [["n", "f"], ["s", null]]}') FROM referral;
SELECT dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": ["f", "m", "f"]}') FROM referral;
SELECT dp_groups(ARRAY[ward, sex], ARRAY[a], ill, 1, 0, '{"keys": [["n", "f"], ["nf", ""], ["n", "f"]]}') FROM referral;
SELECT dp_groups(sex, ARRAY[a], ill, 1, 0, '{"keys": [["n", "f"], ["s", "f"]]}') FROM referral;
CREATE FUNCTION with_options(options jsonb) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT cardinality(dp_groups(sex, ARRAY[a], ill, 1, 0, options)) INTO n FROM referral;
  RETURN n;
END $$;
SELECT with_options(jsonb_build_object('keys', array_agg(i::text))) FROM generate_series(1, 1001) i;
SELECT with_options(jsonb_build_object('keys', ARRAY[repeat('x', 1025)]));
SELECT * FROM answers($$SELECT with_options('{"keys": ["f"], %}')$$,
  '"method": "forest"', '"method": 1', '"method": "simplex"', '"n": 1000', '"unknown": 1', '"method": "logistic", "grid": "sign"',
  '"method": "logistic", "mechanism": "opsamp"', '"method": "logistic", "mechanism": "sgd", "sampling": "poisson"');
SELECT dp_groups(sex, ARRAY[a], ill, 0.000000001, 0, '{"keys": ["f"]}') FROM referral;
SELECT dp_groups(sex, ARRAY[id], ill, 1, 0, '{"keys": ["f"]}') FROM referral;
ALTER TABLE referral ADD features float8[];
SELECT dp_groups(sex, features, ill, 1, 0, '{"keys": ["f"]}') FROM referral;
SELECT count(*) - :charges AS nothing FROM dpobj.ledger WHERE event = 'charged';
SELECT cardinality(dp_groups(sex, features, ill, 1, 0, '{"keys": ["f"], "dimension": 2}')) FROM referral WHERE false;
SELECT with_options(jsonb_build_object('keys', ARRAY[repeat('x', 1024), 'f']));
SELECT with_options(jsonb_build_object('keys', array_agg(i::text))) FROM generate_series(1, 100) i;

-- The analyst's door.
SELECT dpobj.protect('referral', '{"a": {"bins": [0]}, "sex": {"levels": ["f", "m", "d"], "drop_first": true, "null": "m"},
  "ward": {"levels": ["n", "s"]}, "ill": {}, "id": {"scale": 100}}', n => 10800);
SELECT dpobj.set_budget('referral', 'dpobj_groups_ana', 100000, 0.01);
\c - dpobj_groups_ana
-- the value for NULL of a feature is no key
SELECT key, CASE WHEN key <> '{d}' THEN (model).weights END AS weights, (model).epsilon, (model).adjacency, (model).details -> 'group' AS "group"
  FROM dpobj.train_groups('referral', 'ill', 1000, features => '{a}', options => '{"grid": "sign"}', name => 'by sex', by => '{sex}');
SELECT key, cardinality((model).weights) AS d FROM dpobj.train_groups('referral', 'ill', 1, by => '{ward,sex}');
SELECT (model).details -> 'features' AS features FROM dpobj.train_groups('referral', 'ill', 1, by => '{ward,sex}') LIMIT 1;
SELECT key FROM dpobj.train_groups('referral', 'ill', 1, by => '{a}');
SELECT key, (model).details -> 'prior' AS prior FROM dpobj.train_groups('referral', 'ill', 1, features => '{a}', options => '{"grid": "sign", "prior": {"power": 2}}', by => '{ward}');
SELECT key FROM dpobj.train_groups('referral', 'ill', 1, by => '{ill,sex}');
SELECT key, CASE WHEN key = '{f}' THEN (model).weights END AS weights
  FROM dpobj.train_groups('referral', 'ill', 1000, features => '{a}', options => '{"grid": "sign"}', filter => '{"sex": {"=": "f"}}', by => '{sex}');
SELECT key, (model).kind, (model).mechanism, (model).delta, (model).details -> 'group' AS "group"
  FROM dpobj.train_groups('referral', 'ill', 1, features => '{a}', delta => 0.000001, method => 'logistic', options => '{"noise": "gaussian"}', by => '{ward}');
SELECT key, (model).details -> 'classifier' AS classifier FROM dpobj.train_groups('referral', 'ill', 1, features => '{a}', method => 'classifier', by => '{ward}');
SELECT epsilon, delta, adjacency, mechanism, parameters -> 'groups' AS groups, parameters -> 'filter' AS filter FROM dpobj.ledger WHERE event = 'charged' ORDER BY id;
SELECT event, count(*), count(output_hash) AS hashes FROM dpobj.ledger GROUP BY event ORDER BY event;
-- each model is found by its name, or by its key
SELECT name, key, dpobj.verify(model), (model).release = release AS same_release FROM dpobj.models WHERE name IS NOT NULL ORDER BY name;
SELECT dpobj.evaluate('by sex{f}', 'referral', 100, '{"sex": {"=": "f"}}') > 0.4 AS measured;
SELECT bool_and(dpobj.verify(model)) AS all_verified, count(*) FROM dpobj.models;
SELECT dpobj.verify(ROW ((m.model).kind, (m.model).mechanism, '{0,0}', (m.model).epsilon, (m.model).delta, (m.model).adjacency,
  (m.model).guarantee, (m.model).release, (m.model).details)::dp_model) AS forged FROM dpobj.models m WHERE name = 'by sex{f}';
-- a model with the release of another one does not verify
SELECT dpobj.verify(ROW ((m.model).kind, (m.model).mechanism, (m.model).weights, (m.model).epsilon, (m.model).delta, (m.model).adjacency,
  (m.model).guarantee, o.release, (m.model).details)::dp_model) AS forged
  FROM dpobj.models m, (SELECT min(release) AS release FROM dpobj.models WHERE name IS NULL) o WHERE name = 'by sex{f}';
-- under its name the same request is free, another one is refused; so is one within a statement
SELECT epsilon AS before FROM dpobj.remaining('referral') \gset
SELECT count(*), bool_and(m.model = g.model) AS the_same
  FROM dpobj.train_groups('referral', 'ill', 1000, features => '{a}', options => '{"grid": "sign"}', name => 'by sex', by => '{sex}') g JOIN dpobj.models m ON m.name = 'by sex' || g.key::text;
SELECT * FROM answers('SELECT %',
  $$key FROM dpobj.train_groups('referral', 'ill', 999, features => '{a}', options => '{"grid": "sign"}', name => 'by sex', by => '{sex}')$$,
  $$dpobj.train('referral', 'ill', 1, name => 'by sex{m}')$$);
SELECT epsilon = :before AS free FROM dpobj.remaining('referral');
SELECT count(*) FROM (SELECT (dpobj.train_groups('referral', 'ill', 1, features => '{a}', by => '{ward}')).* OFFSET 0) g;
SELECT :before - epsilon AS one_charge FROM dpobj.remaining('referral');
SELECT (dpobj.train('referral', 'ill', 1, '{a}', name => 'other{n}')).epsilon;
SELECT key FROM dpobj.train_groups('referral', 'ill', 1, features => '{a}', name => 'other', by => '{ward}');

-- Arguments.
SELECT epsilon AS before FROM dpobj.remaining('referral') \gset
SELECT * FROM answers($$SELECT dpobj.train_groups('referral', 'ill', 1, by => %)$$,
  'NULL', $$'{}'$$, $$'{sex,NULL}'$$, $$'{unknown}'$$, $$'{sex,sex}'$$, $$'{id}'$$, $$'{ill}'$$);
SELECT * FROM answers('SELECT dpobj.train_groups(%)', $$'referral', 'ill', 1, features => '{a,sex}', by => '{sex}'$$,
  $$'referral', 'id', 1, method => 'svm', by => '{sex}'$$, $$'referral', NULL, 1, by => '{sex}'$$, $$NULL, 'ill', 1, by => '{sex}'$$);
SELECT * FROM answers($$SELECT dpobj.train_groups('referral', 'ill', 1, features => %, by => '{sex}')$$,
  $$'{a}', method => 'simplex'$$, $$'{a}', options => '{"n": 3}'$$, $$'{a}', options => '{"keys": ["f"]}'$$,
  $$'{a}', options => '{"mechanism": "opdisc"}'$$, $$'{a}', delta => 0.1, method => 'svm', options => '{"mechanism": "sgd", "sampling": "fixed"}'$$);
SELECT * FROM answers('SELECT dpobj.train_groups(%)',
  $$'referral', 'ill', 1, features => '{id}', options => '{"mechanism": "sample_aggregate", "parts": 20000, "part_nodes": 30000}', by => '{sex,ward,a}'$$,
  $$'referral', 'ill', 1, features => '{a}', filter => '{"nothing": {"=": 1}}', by => '{sex}'$$, $$'referral', 'ill', 1000000, by => '{sex}'$$,
  $$'referral', 'ill', 0.0009, by => '{sex}'$$);
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('referral');

-- Persons may be in several groups, with so many rows in all; and a list may be too long, or a table too large.
\c - postgres
CREATE TABLE hostel (patient int, sex text, ill boolean, a boolean);
SELECT dpobj.protect('hostel', '{"ill": {}, "a": {}, "sex": {"levels": ["f", "m"]}}', person => 'patient', max_rows_per_person => 2);
-- each person has a row in either group, one of another key and one without; nobody's rows say the opposite
INSERT INTO hostel SELECT i, (ARRAY['f', 'm', 'x', NULL])[j], CASE j WHEN 1 THEN a ELSE NOT a END, a
  FROM generate_series(1, 300) i, generate_series(1, 4) j, LATERAL (SELECT i % 2 = 0 AS a OFFSET 0) s;
INSERT INTO hostel SELECT NULL, s, CASE s WHEN 'f' THEN NOT a ELSE a END, a
  FROM generate_series(1, 5000) i, unnest('{f,m}'::text[]) s, LATERAL (SELECT i % 2 = 0 AS a OFFSET 0) o;
CREATE TABLE hostel_2 AS TABLE hostel;
SELECT dpobj.protect('hostel_2', '{"ill": {}, "a": {}, "sex": {"levels": ["f", "m"]}}', 'add_remove', 'patient', 3);
CREATE TABLE keyed (a int, b int, c text, x float8, y boolean);
INSERT INTO keyed SELECT i % 33, i % 33, i % 2, i % 1000 / 1000.0, i % 1000 > 500 FROM generate_series(1, 600000) i;
SELECT dpobj.protect('keyed', format('{"a": {"levels": %1$s}, "b": {"levels": %1$s}, "c": {"levels": ["0", "1"]}, "x": {}, "y": {}}',
    to_json(array_agg(i)))::jsonb, adjacency => 'add_remove')
  FROM generate_series(1, 31) i;
SELECT dpobj.set_budget('hostel', 'dpobj_groups_ana', 100000, 0.1), dpobj.set_budget('hostel_2', 'dpobj_groups_ana', 10, 0.1),
  dpobj.set_budget('keyed', 'dpobj_groups_ana', 100000, 0);
\c - dpobj_groups_ana
-- 2 rows of a person, replaced: epsilon / 4, and 1e-6 / (1 + e^0.25 + e^0.5 + e^0.75); 3 rows that come or go: epsilon / 3
SELECT key, (model).epsilon, (model).delta, (model).adjacency, (model).details -> 'group' AS "group", (model).details ->> 'max_rows_per_person' AS k
  FROM dpobj.train_groups('hostel', 'ill', 1, delta => 0.000001, method => 'logistic', options => '{"noise": "gaussian"}', by => '{sex}');
SELECT key, (model).epsilon, (model).delta, (model).adjacency, (model).details -> 'group' AS "group", (model).details ->> 'max_rows_per_person' AS k
  FROM dpobj.train_groups('hostel_2', 'ill', 1, delta => 0.000001, method => 'logistic', options => '{"noise": "gaussian"}', by => '{sex}');
SELECT person, epsilon, delta, adjacency FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 2;
-- two rows of each person are in groups: both enter
SELECT key, (model).weights FROM dpobj.train_groups('hostel', 'ill', 8000, features => '{a}', options => '{"grid": "ternary", "intercept": true}', by => '{sex}');
SELECT key FROM dpobj.train_groups('hostel', 'ill', 0.001, by => '{sex}') LIMIT 1;
SELECT dpobj.train_groups('keyed', 'y', 1, by => '{a,b,c}');
SET work_mem = '64kB';
SELECT key FROM dpobj.train_groups('keyed', 'y', 1, features => '{c,x}', method => 'logistic', by => '{a,b}');
-- under add_remove each group has all of epsilon; many groups, and rows on disk: as from memory
SELECT count(*), min((model).epsilon) AS epsilon, min((model).adjacency) AS adjacency, min((model).details #>> '{group,epsilon}') AS of_a_group
  FROM dpobj.train_groups('keyed', 'y', 1, features => '{c}', by => '{a}');
SELECT key FROM dpobj.train_groups('keyed', 'y', 9000, features => '{x}', method => 'logistic', options => '{"intercept": true, "regularization": 1}', name => 'disk', by => '{c}');
SET work_mem = '1GB';
SELECT key FROM dpobj.train_groups('keyed', 'y', 9000, features => '{x}', method => 'logistic', options => '{"intercept": true, "regularization": 1}', name => 'memory', by => '{c}');
SELECT count(*), bool_and(abs((d.model).weights[1] - (m.model).weights[1]) < 0.01) AS alike
  FROM dpobj.models d JOIN dpobj.models m ON m.key = d.key WHERE d.name LIKE 'disk%' AND m.name LIKE 'memory%';

\c - postgres
SET work_mem = '64kB';
SELECT (g).key, abs((g).model.weights[1] - (m.model).weights[1]) < 0.01 AS alike
  FROM (SELECT unnest(dp_groups(c, ARRAY[x], y, 9000, 0, '{"keys": ["1", "0"], "method": "logistic", "intercept": true, "regularization": 1}')) g FROM keyed) s
  JOIN dpobj.models m ON m.key = (g).key AND m.name LIKE 'memory%' ORDER BY 1;
-- objective perturbation in two groups is charged as claimed, because there are two determinants
SELECT count(*) FROM (SELECT unnest(dp_groups(c, ARRAY[x], y, 1, 0.000001, '{"keys": ["1", "0"], "method": "logistic", "noise": "gaussian"}')) FROM keyed) s;
SELECT mechanism, pair, adjacency FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
DROP TABLE referral, hostel, hostel_2, keyed CASCADE;
DROP FUNCTION last_cost, with_options;
DROP ROLE dpobj_groups_ana;

-- dpobj.price: what a call would cost, from public parameters
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_price_ana', 'dpobj_price_bob');
CREATE ROLE dpobj_price_group;
GRANT dpobj_price_group TO dpobj_price_bob;
CREATE TABLE lodger (age int, sex text, weight numeric, ill boolean, outcome text);
INSERT INTO lodger SELECT 20 + i % 50, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END, 60 + i % 40, i % 50 > 25,
  CASE WHEN i % 50 > 25 THEN 'bad' ELSE 'good' END FROM generate_series(1, 200) i;
CREATE TABLE lodger_case (who int, x float8, y boolean);
CREATE TABLE lodger_once (who int, x float8);
CREATE TABLE lodger_bare (x float8, y boolean);
CREATE TABLE lodger_free (x float8, y boolean);
CREATE TABLE sheltered (x float8, y boolean);
ALTER TABLE sheltered ENABLE ROW LEVEL SECURITY;
CREATE VIEW lodger_view AS SELECT * FROM lodger;
REVOKE ALL ON lodger, lodger_case, lodger_bare, sheltered FROM PUBLIC;
SELECT dpobj.protect('lodger', '{"age": {"bins": [30, 46, 60]}, "sex": {"levels": ["f", "m"], "drop_first": true},
  "weight": {"center": 80, "scale": 20}, "ill": {}, "outcome": {"positive": ["bad"], "negative": ["good"]}}');
SELECT dpobj.protect('lodger_case', '{"x": {}, "y": {}}', adjacency => 'add_remove', person => 'who', max_rows_per_person => 3);
SELECT dpobj.protect('lodger_once', '{"x": {}}', person => 'who', max_rows_per_person => 1);
SELECT dpobj.protect('lodger_free', '{"x": {}, "y": {}}', adjacency => 'add_remove');
SELECT dpobj.protect('sheltered', '{"x": {}, "y": {}}', ignore_rls => true);
SELECT dpobj.set_budget('lodger', 'dpobj_price_ana', 10, 0);
SELECT dpobj.set_budget('lodger', NULL, 12, 0);
SELECT dpobj.set_budget('lodger_case', 'dpobj_price_group', 5, 0.001, max_releases => 2);

-- A number of features; d and epsilon, exact decimals.
SELECT dpobj.price_aggregate('halfspace', 23, 1, options => '{"groups": [7, 6, 5, 2, 1, 1, 1], "grid": "ternary"}');
SELECT dpobj.price_aggregate('halfspace', 3, 0.1234567891, 0.001, '{"mechanism": "permute_flip", "adjacency": "add_remove"}');
SELECT dpobj.price_aggregate(method => 'halfspace', d => 40, epsilon => 1, options => '{"grid": "sign", "mechanism": "opdisc"}');
SELECT p ->> 'gauge' AS gauge, p -> 'N' AS n, p -> 'rate' AS rate, p -> 'error' AS error
  FROM unnest(ARRAY['{"grid": "sign", "modulus": 2}', '{"grid": "ternary"}', '{"grid": {"sparse": 4}}', '{"grid": {"ball": 9}}']::jsonb[]) o,
       dpobj.price_aggregate('halfspace', 23, 1, 0, o || '{"mechanism": "opdisc"}') p;
-- the other noises: scale, in rows for a weight of 1, and a bound on the error
SELECT m AS mechanism, n AS noise, p ->> 'features' AS features, p ->> 'gauge' AS gauge, p ->> 'guarantee' AS guarantee, p -> 'delta' AS delta,
       round(coalesce(p ->> 'sigma', p ->> 'radius_scale')::numeric, 4) AS scale, p ->> 'bound' AS bound, p -> 'numbers' AS numbers, p -> 'error' AS error
  FROM unnest('{opdisc,rspm}'::text[]) m, unnest('{gauge,laplace,spherical,gaussian}'::text[]) n,
       dpobj.price_aggregate('halfspace', 23, 1, 0.125, jsonb_build_object('grid', 'sign', 'mechanism', m, 'noise', n)) p;
SELECT round((p ->> 'sigma')::numeric, 4) AS sigma, p ->> 'bound' AS bound, p ->> 'features' AS features, p -> 'error' AS error
  FROM dpobj.price_aggregate('halfspace', 23, 1, 1e-6, '{"grid": {"ball": 23}, "mechanism": "opdisc", "noise": "gaussian"}') p;
SELECT round((p ->> 'radius_scale')::numeric, 4) AS radius_scale, p -> 'numbers' AS numbers, p -> 'error' AS error
  FROM dpobj.price_aggregate('halfspace', 23, 1, 0, '{"grid": {"ball": 23}, "mechanism": "opdisc", "noise": "paraboloid"}') p;
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)', $$'halfspace', 23, 1, 0, '{"grid": "sign", "mechanism": "opdisc", "noise": "gaussian"}'$$,
  $$'halfspace', 23, 1, 1e-6, '{"grid": "sign", "mechanism": "opdisc", "noise": "published"}'$$);
SELECT dpobj.price_aggregate('halfspace', 111, 1, options => '{"grid": "ternary", "mechanism": "sample_aggregate", "n": 400000}');
SELECT p -> 'parts' AS parts, p -> 'nodes' AS nodes, p -> 'lead' AS lead
  FROM unnest(ARRAY['{"n": 1000}', '{"n": 1}', '{"parts": 7, "part_nodes": 9}', '{"adjacency": "add_remove"}']::jsonb[]) o,
       dpobj.price_aggregate('halfspace', 23, 2, 0, o || '{"mechanism": "sample_aggregate", "grid": {"sparse": 2}}') p;
-- mechanism auto chooses as the aggregate does
SELECT d, p ->> 'mechanism' AS mechanism, p ->> 'sure_to_finish' AS sure
  FROM (VALUES (10), (23), (45)) v(d), dpobj.price_aggregate('halfspace', d, 1, 0, '{"grid": "ternary"}') p;
SELECT dpobj.price_aggregate('halfspace', 23, 1, 0, '{"grid": "ternary"}');
SELECT p ->> 'mechanism' AS mechanism, p -> 'seconds_at_most' AS seconds FROM dpobj.price_aggregate('halfspace', 23, 1, 0, '{"grid": "ternary", "time_limit": 60}') p;
SELECT dpobj.price_aggregate('halfspace', 60, 1);
SELECT dpobj.price_aggregate('halfspace', 45, 1, 0, '{"grid": "ternary", "n": 1000000}');
SELECT p ->> 'guarantee' FROM dpobj.price_aggregate('halfspace', 3, 1, 0, '{"time_limit": 10}') p;
SELECT p -> 'dimension' AS dimension FROM dpobj.price_aggregate('halfspace', 3, 1, 0, '{"intercept": true, "dimension": 3}') p;
-- a prior is part of the price, and of the bound on the error: large weights may be worse, but are seldom drawn
SELECT m AS mechanism, o AS prior, p -> 'prior' AS said, p -> 'error' AS error
  FROM unnest('{exponential,permute_flip}'::text[]) m, unnest(ARRAY['"uniform"', '{"power": 0.5}', '{"power": 2}']::jsonb[]) o,
       dpobj.price_aggregate('halfspace', 4, 1, 0, jsonb_build_object('grid', '{"max": 8}'::jsonb, 'mechanism', m, 'prior', o, 'n', 10000)) p;
SELECT dpobj.price_aggregate('halfspace', 45, 1, 0, '{"grid": "ternary", "prior": {"power": 2}}');
SELECT dpobj.price_aggregate('auto', 4, 1, 0, '{"prior": {"power": 2}}') ->> 'method' AS method;
SELECT dpobj.price_aggregate('logistic', 4, 1, 0, '{"prior": {"power": 2}}');
-- less noise for more epsilon, and for fewer vectors
SELECT bool_and(b) FROM (SELECT (p -> 'error' ->> 'rows')::numeric < lag((p -> 'error' ->> 'rows')::numeric) OVER (ORDER BY e) AS b
  FROM unnest(ARRAY[0.1, 0.2, 0.5, 1, 10]) e, dpobj.price_aggregate('halfspace', 5, e) p) s;
-- Halfspaces hold the distinct rows: how many by the declared number and the values of the columns, how many may be, in how many MiB.
SELECT n, o AS options, p -> 'distinct_rows_at_most' AS distinct_rows, p -> 'distinct_rows_limit' AS most, p -> 'memory_at_most' AS memory
  FROM (VALUES (3, '{"n": 1000, "grid": "ternary"}'::jsonb), (3, '{"n": 1000, "grid": "ternary", "groups": [3]}'), (4, '{"groups": [2, 2]}'), (3, '{}'),
    (2, '{"n": 1000000, "grid": "ternary"}'), (23, '{"n": 1842951, "grid": {"sparse": 1}}'), (23, '{"n": 1842951, "grid": {"sparse": 1}, "memory_limit": 10000}'),
    (23, '{"n": 1842952, "grid": {"sparse": 1}}'), (2, '{"adjacency": "add_remove"}')) v(n, o),
       dpobj.price_aggregate('halfspace', n, 1, 0, o) p;
SELECT answer_of($$SELECT dpobj.price_aggregate('halfspace', 23, 1, 0, '{"n": 1842952, "grid": {"sparse": 1}}')$$);
-- with classes, a row is held for each of them, and once more
SELECT p -> 'distinct_rows_at_most' AS distinct_rows, p -> 'distinct_rows_limit' AS most, p -> 'memory_at_most' AS memory
  FROM dpobj.price_aggregate('one_vs_rest', 4, 1, 0, '{"n": 1000, "classes": [1, 2, 3], "groups": [2, 2], "grid": "ternary"}') p;
-- what reads the rows in passes holds none of them
SELECT m, p ? 'distinct_rows_at_most' AS holds FROM unnest('{logistic,svm,linear,simplex}'::text[]) m, dpobj.price_aggregate(m, 3, 1, 0, '{"n": 1000}') p;
-- a grid of one vector has no error
SELECT p -> 'error' AS error FROM dpobj.price_aggregate('halfspace', 1, 1, 0, '{"grid": {"levels": [[1]]}}') p;

-- A protected table, for anybody: no privilege and no budget.
\c - dpobj_price_bob
SELECT count(*) FROM lodger;
SELECT key, value FROM jsonb_each(dpobj.price('lodger', NULL, 0.5, method => 'halfspace'));
SELECT * FROM dpobj.remaining('lodger') \g (tuples_only=off)
-- the label is no feature: outcome never is, a boolean column only if it is named
SELECT a -> 'dimension' AS a, b -> 'dimension' AS b, c -> 'dimension' AS c
  FROM dpobj.price('lodger', 'outcome', 0.5) a, dpobj.price('lodger', 'ill', 0.5) b,
       dpobj.price('lodger', 'ill', 0.5, features => '{weight,sex}'::text[]) c;
-- a table with persons: three rows share the epsilon; the budget is the group's
SELECT key, regexp_replace(value::text, '(\.[0-9]{9})[0-9]+$', '\1') AS value FROM jsonb_each(dpobj.price('lodger_case', NULL, 1.0, features => '{x}', delta => 0.0001));
SELECT p -> 'calls' AS calls FROM dpobj.price('lodger_case', NULL, 3, features => '{x}') p;
SELECT p -> 'calls' AS calls FROM dpobj.price('lodger_case', NULL, 6, features => '{x}') p;
-- evaluations of persons have the error of a third of the epsilon
SELECT p - 'remaining' - 'calls' AS price, p -> 'remaining' AS remaining, p -> 'calls' AS calls,
       p -> 'error' = dpobj.price_aggregate(method, models, 0.4, 0, '{"adjacency": "add_remove"}') -> 'error' AS same
  FROM (VALUES ('accuracy', 1, '{}'::jsonb), ('confusion', 1, '{}'), ('select', 5, '{"models": 5}')) v(method, models, o),
       dpobj.price('lodger_case', NULL, 1.2, method => method, options => o) p;
SELECT p - 'remaining' - 'calls' AS price FROM dpobj.price('lodger', NULL, 1, method => 'accuracy') p;
SELECT p -> 'error' AS error FROM dpobj.price('lodger', NULL, 1, method => 'confusion', options => '{"confidence": 0.5, "classes": 3}') p;
-- persons stay persons where each has one row
SELECT m AS method, p -> 'unit' AS unit, p -> 'max_rows_per_person' AS rows
  FROM unnest('{auto,accuracy,count}'::text[]) m, dpobj.price('lodger_once', NULL, 1, method => m) p;
-- a large delta warns here as it does at the charge, where the mechanism uses it
SELECT p -> 'delta' AS delta FROM dpobj.price_aggregate('logistic', 3, 1, 0.5, '{"mechanism": "output", "noise": "gaussian"}') p;
SELECT p -> 'delta' AS delta FROM dpobj.price_aggregate('logistic', 3, 1, 0.01, '{"mechanism": "output", "noise": "gaussian"}') p;
SELECT p -> 'delta' AS delta FROM dpobj.price_aggregate('halfspace', 3, 1, 0.5) p;
-- if e^epsilon overflows, no delta is left for a row
SELECT dpobj.price('lodger_case', NULL, 3000, features => '{x}', delta => 0.5, method => 'logistic', options => '{"noise": "gaussian"}');
SELECT p -> 'unit' AS unit, p -> 'remaining' AS remaining FROM dpobj.price('sheltered', NULL, 1, features => '{x}') p;
-- how many rows a table has is told only to those who hold a budget or may read it, under replace of rows
SELECT name, p -> 'rows_at_most' AS rows_at_most, p -> 'mechanism' AS mechanism
  FROM unnest('{lodger,lodger_case,lodger_free}'::regclass[]) name, dpobj.price(name, NULL, 1, method => 'logistic', features => CASE name WHEN 'lodger'::regclass THEN '{age}'::name[] ELSE '{x}' END) p;

-- nor how many distinct rows, but for the values of the columns
SELECT p -> 'distinct_rows_at_most' AS distinct_rows, p -> 'distinct_rows_limit' AS most, q -> 'distinct_rows_at_most' AS of_free, q -> 'distinct_rows_limit' AS most_of_free
  FROM dpobj.price('lodger', 'outcome', 1, method => 'halfspace', features => '{sex,ill}') p, dpobj.price('lodger_free', NULL, 1, method => 'halfspace', features => '{x}') q;

-- dpobj.train does what the price says.
\c - dpobj_price_ana
SELECT p -> 'calls' AS calls, p -> 'remaining' AS remaining FROM dpobj.price('lodger', NULL, 3) p;
SELECT p ->> 'mechanism' = m.mechanism AS mechanism, (p ->> 'epsilon')::float8 = m.epsilon AS epsilon, p ->> 'guarantee' = m.guarantee AS guarantee,
       p ->> 'adjacency' = m.adjacency AS adjacency, (p ->> 'dimension')::int = cardinality(m.weights) AS dimension,
       p -> 'objective_noise' = m.details -> 'objective_noise' AS noise
  FROM dpobj.price('lodger', NULL, 3.0, features => '{age,sex}', options => '{"intercept": true}') p,
       dpobj.train('lodger', 'outcome', 3, '{age,sex}', options => '{"intercept": true}') m;
SELECT p -> 'calls' AS calls, p -> 'remaining' AS remaining FROM dpobj.price('lodger', NULL, 3) p;
SELECT p -> 'calls' AS calls FROM dpobj.price('lodger', NULL, 0.001, options => '{"force": true}') p;
-- the cap over all roles is the tighter one after another role's spending
\c - postgres
SELECT dpobj.set_budget('lodger', NULL, 4.5, 0);
\c - dpobj_price_ana
SELECT p -> 'calls' AS calls, p -> 'remaining' AS remaining FROM dpobj.price('lodger', NULL, 0.7) p;
-- a superuser sees the caps, but has no budget
\c - postgres
SELECT epsilon FROM dpobj.remaining('lodger');
SELECT p -> 'calls' AS calls, p -> 'remaining' AS remaining FROM dpobj.price('lodger', NULL, 0.7) p;

-- messages list the methods that each function accepts
SELECT * FROM answers('SELECT %', $$dpobj.price('lodger', NULL, 1, method => 'accurcy')$$, $$dpobj.price_aggregate('accurcy', 1, 1)$$);
-- what an analyst cannot set, and why
SELECT * FROM answers('SELECT %', $$dpobj.price('lodger', NULL, 1, options => '{"mechanism": "exponential", "noise": "laplace"}')$$,
  $$dpobj.price_aggregate('halfspace', 3, 1, 0, '{"mechanism": "exponential", "noise": "laplace"}')$$,
  $$dpobj.price('lodger', NULL, 1, options => '{"iterations": 10}')$$, $$dpobj.price('lodger', NULL, 1, options => '{"n": 10}')$$);
-- a limit on time lets no analyst's run last
SET dpobj.time_limit = 60;
SELECT dpobj.price('lodger', NULL, 1, options => '{"grid": {"ball": 1000}}');
RESET dpobj.time_limit;

-- Nothing is written, and it may run where nothing can be.
\c - dpobj_price_ana
SELECT count(*) AS before FROM dpobj.ledger \gset
BEGIN READ ONLY;
SELECT p -> 'calls' AS calls FROM dpobj.price('lodger', NULL, 1) p;
COMMIT;
SELECT count(*) = :before AS nothing_written FROM dpobj.ledger;
-- an empty table has the same price
\c - postgres
BEGIN;
DELETE FROM lodger;
SELECT p -> 'error' AS error FROM dpobj.price('lodger', NULL, 0.5, method => 'halfspace', options => '{"force": true}') p;
ROLLBACK;
SELECT p -> 'error' AS error FROM dpobj.price('lodger', NULL, 0.5, method => 'halfspace', options => '{"force": true}') p;

-- A price is refused with the error of the training.
\c - dpobj_price_ana
CREATE TEMP TABLE ask (arguments text, price text DEFAULT 'price');
INSERT INTO ask VALUES ('''lodger'', NULL, 0'), ('''lodger'', NULL, -1'), ('''lodger'', NULL, 10001'), ('''lodger'', NULL, ''NaN'''), ('''lodger'', NULL, 0.0001'), ('''lodger'', NULL, NULL::numeric'),
  ('NULL::regclass, NULL, 1'), ('''lodger'', NULL, 1, features => ''{age,age}'''), ('''lodger'', NULL, 1, features => ''{nothing}'''), ('''lodger'', NULL, 1, features => ''{}'''),
  ('''lodger'', NULL, 1, features => ''{outcome}'''), ('''lodger'', ''age'', 1'), ('''lodger'', ''nothing'', 1'),
  ('''lodger'', ''ill'', 1, features => ''{ill}'''), ('''lodger'', NULL, 1, method => ''forest'''), ('''lodger'', NULL, 1, method => NULL'),
  ('''lodger'', NULL, 1, delta => 1'), ('''lodger'', NULL, 1, delta => NULL'), ('''lodger'', NULL, 1, options => ''{"time_limit": 1}'''),
  ('''lodger'', NULL, 1, options => ''{"mechanism": "opdisc"}'''), ('''lodger'', NULL, 1, options => ''[]'''), ('''lodger'', NULL, 1, options => ''{"grid": {"ball": 1000}}'''),
  ('''lodger'', NULL, 1, method => ''accuracy'', options => ''{"adjacency": "replace"}'''), ('''lodger'', NULL, 1, method => ''select'''),
  ('''lodger'', NULL, 1, method => ''select'', options => ''{"models": 1}'''), ('''lodger_bare'', NULL, 1, method => ''accuracy'''),
  ('''lodger_case'', NULL, 0.000000002, method => ''accuracy'''), ('''lodger_bare'', NULL, 1'), ('''lodger_view'', NULL, 1'), ('''pg_class'', NULL, 1'), ('''dpobj.protections'', NULL, 1'), ('1234567890, NULL, 1'),
  ('''lodger'', NULL, 1, filter => ''{"none": {"=": 1}}''');
INSERT INTO ask SELECT arguments, 'price_aggregate' FROM (VALUES
  ('''forest'', 3, 1'), ('''halfspace'', 0, 1'), ('''halfspace'', 1025, 1'), ('''halfspace'', NULL, 1'), ('''halfspace'', 3, 0'), ('NULL, 3, 1'),
  ('''halfspace'', 3, 1, 0, ''{"dimension": 4}'''), ('''halfspace'', 3, 1, 0, ''{"groups": [2, 2]}'''), ('''halfspace'', 3, 1, 0, ''{"unknown": 1}'''),
  ('''halfspace'', 23, 1, 0, ''{"mechanism": "permute_flip"}'''), ('''halfspace'', 3, 1, 0, ''{"solver": "glpk"}''')) a(arguments);
SELECT price, arguments, replace(answer_of(format('SELECT dpobj.%s(%s)', price, arguments)), E'\n', ' | ') AS refusal FROM ask;
-- dpobj.train has the same errors about a table (with a label)
SELECT arguments, answer_of(format('SELECT dpobj.train(%s)', replace(arguments, ', NULL, ', ', ''outcome'', ')))
       = answer_of(format('SELECT dpobj.price(%s)', replace(arguments, ', NULL, ', ', ''outcome'', '))) AS the_same
  FROM ask WHERE arguments ~ '^''(lodger|lodger_view|pg_class|dpobj.protections)'', NULL, [^,]*$';

-- Whatever is asked, a price and the call are refused alike, or neither is.
\c - postgres
CREATE TABLE guest AS SELECT random() AS a, random() AS b, random() AS c, random() AS d, random() AS e, random() AS f, random() AS g, random() AS h,
  random() < 0.5 AS i, random() < 0.5 AS j, random() < 0.5 AS y, random() AS t, chr(97 + n % 3) AS z, n / 3 AS who FROM generate_series(1, 3000) n;
CREATE TABLE guest_free AS TABLE guest;
CREATE TABLE guest_case AS TABLE guest;
WITH declared AS (SELECT jsonb_object_agg(name, '{"center": 0.5, "scale": 0.5}'::jsonb) || '{"i": {}, "j": {}, "y": {}, "z": {"levels": ["a", "b", "c"]}}' AS encoders
  FROM regexp_split_to_table('abcdefght', '') name)
SELECT dpobj.protect('guest', encoders), dpobj.protect('guest_free', encoders, adjacency => 'add_remove', n => 20000),
  dpobj.protect('guest_case', encoders, person => 'who', max_rows_per_person => 3, n => 500000) FROM declared;
SELECT dpobj.set_budget(name, 'dpobj_price_ana', 1e6, 0.001) FROM unnest('{guest,guest_free,guest_case}'::regclass[]) name;
SET dpobj.longest_run = 1;
SET dpobj.release_tick = 0;
SET SESSION AUTHORIZATION dpobj_price_ana;
CREATE FUNCTION pg_temp.one_of(VARIADIC words text[]) RETURNS text LANGUAGE sql AS 'SELECT words[1 + floor(random() * cardinality(words))::int]';
CREATE FUNCTION pg_temp.random_call() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  method text := pg_temp.one_of('auto', 'halfspace', 'halfspace', 'logistic', 'svm', 'linear', 'softmax', 'one_vs_rest', 'simplex');
  label text := CASE WHEN method IN ('linear', 'simplex') THEN 't' WHEN method IN ('softmax', 'one_vs_rest') THEN 'z' ELSE 'y' END;
BEGIN
  RETURN format('(%L, %L, %s, %L, delta => %s, method => %L, options => %L)', pg_temp.one_of('guest', 'guest_free', 'guest_case'), label,
    pg_temp.one_of('0.1', '1', '10'), substr('{a,b,c,d,e,f,g,h,i,j', 1, 2 * (1 + floor(random() * 10)::int)) || '}', pg_temp.one_of('0', '1e-6'), method,
    pg_temp.one_of('{}', '{}', '{"grid": "ternary"}', '{"mechanism": "exponential"}', '{"mechanism": "permute_flip"}', '{"mechanism": "sample_aggregate"}',
      '{"mechanism": "opdisc"}', '{"mechanism": "pool"}', '{"mechanism": "output"}', '{"mechanism": "sgd"}', '{"mechanism": "localized"}'));
END $$;
SET client_min_messages = error;
WITH calls AS MATERIALIZED (SELECT pg_temp.random_call() AS arguments FROM generate_series(1, 120)),
  answers AS MATERIALIZED (SELECT arguments, answer_of('SELECT dpobj.price' || arguments) AS price, answer_of('SELECT (dpobj.train' || arguments || ').release') AS train FROM calls)
SELECT count(*) FILTER (WHERE train !~ '^\d+$') > 10 AS many_are_refused, count(*) FILTER (WHERE train ~ '^\d+$') > 10 AS many_are_answered,
  count(*) FILTER (WHERE train ~ 'sure to end') > 1 AS some_for_time,
  string_agg(arguments || E'\n' || price || E'\n' || train, E'\n') FILTER (WHERE train <> price AND (train !~ '^\d+$' OR price !~ '^{')) AS differ FROM answers;
-- so with ratings and looks
SELECT (dpobj.train('guest_case', 'y', 1, '{a,z}', options => '{"rate": 0}', name => 'guest')).release > 0 AS trained;
WITH answers AS MATERIALIZED (
  SELECT method, arguments, split_part(answer_of(format('SELECT dpobj.price(%L, %L, %s, method => %L)', 'guest_case', 'a', arguments, method)), E'\n', 1) AS price,
      split_part(answer_of(format('SELECT dpobj.%s, %s)', call, arguments)), E'\n', 1) AS answer
    FROM (VALUES ('evaluate(''guest'', ''guest_case''', 'accuracy'), ('avg(''guest_case'', ''a''', 'avg'), ('count(''guest_case''', 'count')) c(call, method),
      unnest('{0,0.0001,0.000000002,1}'::text[]) epsilon,
      unnest(ARRAY['{}', '{"a": {">": 0.5}}', '{"none": {"=": 1}}', '{"z": {"=": "other"}}']) filter,
      unnest(ARRAY['{}', '[]', '{"confidence": 0.9}', '{"confidence": 2}', '{"holdout": 0.5}', '{"holdout": 2}', '{"clip": [1, 0]}', '{"none": 1}']) options,
      format('%s, filter => %L, options => %L', epsilon, filter, options) arguments)
SELECT method, count(*) FILTER (WHERE answer ~ '^[0-9A-Z]{5}: ') AS refused, count(*) FILTER (WHERE answer !~ '^[0-9A-Z]{5}: ') AS answered,
  string_agg(arguments || E'\n' || price || E'\n' || answer, E'\n') FILTER (WHERE answer <> price AND (answer ~ '^[0-9A-Z]{5}: ' OR price !~ '^{')) AS differ
  FROM answers GROUP BY method ORDER BY method;
RESET SESSION AUTHORIZATION;
DROP TABLE guest, guest_free, guest_case;

\c - postgres
DROP VIEW lodger_view;
DROP TABLE lodger, lodger_case, lodger_once, lodger_bare, lodger_free, sheltered;
DROP OWNED BY dpobj_price_ana, dpobj_price_bob;
DROP ROLE dpobj_price_ana, dpobj_price_bob, dpobj_price_group;

-- dpobj.train and dpobj.evaluate: what they return, what they refuse, and what they write
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_train_ana', 'dpobj_train_bob', 'dpobj_train_mallory');
CREATE ROLE dpobj_train_group;
GRANT dpobj_train_group TO dpobj_train_bob;

CREATE TABLE visit (id int, age int, sex text, weight numeric, ill boolean, outcome text, note json);
INSERT INTO visit SELECT i, 20 + i % 50, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END, 60 + i % 40,
  i % 50 > 25, CASE WHEN i % 50 > 25 THEN 'bad' ELSE 'good' END FROM generate_series(1, 2000) i;
REVOKE ALL ON visit FROM PUBLIC;
SELECT dpobj.protect('visit', '{"age": {"bins": [30, 46, 60]}, "sex": {"levels": ["f", "m"], "drop_first": true},
  "weight": {"center": 80, "scale": 20}, "ill": {}, "outcome": {"positive": ["bad"], "negative": ["good"]}}');

-- Without a budget every role is refused; a budget of all roles is none of a role's own.
SELECT dpobj.train('visit', 'outcome', 1);
SELECT dpobj.set_budget('visit', NULL, 1000, 0);
\c - dpobj_train_ana
SELECT * FROM answers('SELECT %', $$dpobj.train('visit', 'outcome', 1)$$, $$dpobj.evaluate('none', 'visit', 1)$$);
\c - postgres
SELECT dpobj.set_budget('visit', 'dpobj_train_ana', 500, 0);
SELECT dpobj.set_budget('visit', 'dpobj_train_group', 3, 0, max_releases => 2);

-- A model, although the table cannot be read.
\c - dpobj_train_ana
SELECT count(*) FROM visit;
SELECT kind, mechanism, cardinality(weights), epsilon, delta, adjacency, guarantee,
       details - 'encoding' - 'log2_grid' - 'encoders' AS details
  FROM dpobj.train('visit', 'outcome', 100, '{age,sex}', name => 'first');
SELECT jsonb_object_keys(details) FROM dpobj.models, LATERAL (SELECT (model).details) m WHERE name = 'first';
-- how to keep a model without a name is said once per statement, before the charge
SET client_min_messages = notice;
SELECT count(dpobj.train('visit', 'outcome', i, '{age,sex}')) FROM generate_series(10, 12) i;
RESET client_min_messages;
SELECT count(dpobj.train('visit', 'outcome', i, '{age,sex}', name => 'noted ' || i)) FROM generate_series(10, 12) i;
-- every mechanism that is sure to finish, every option
SELECT mechanism, weights IS NOT NULL FROM dpobj.train('visit', 'outcome', 10, '{sex,age}', options => '{"mechanism": "permute_flip"}');
SELECT mechanism, guarantee, details -> 'parts' AS parts, details -> 'part_nodes' AS nodes
  FROM dpobj.train('visit', 'outcome', 10, '{sex,age}', options => '{"mechanism": "sample_aggregate", "parts": 9, "part_nodes": 50}');
SELECT mechanism, cardinality(weights) FROM dpobj.train('visit', 'ill', 10, '{sex,age,weight}',
  options => '{"mechanism": "exponential", "grid": "ternary", "intercept": true, "noise": "gauge"}');
SELECT mechanism FROM dpobj.train('visit', 'outcome', 10, '{sex,age}', options => '{"grid": {"sparse": 2}}', delta => 0.0001);
SELECT mechanism FROM dpobj.train('visit', 'outcome', 10, '{sex,age}', options => '{"modulus": 3, "grid": "ternary"}');
SELECT mechanism FROM dpobj.train('visit', 'outcome', 10, '{sex,age}', options => '{"reference": true}');
SELECT mechanism, details -> 'prior' AS prior FROM dpobj.train('visit', 'outcome', 10, '{sex,age}', options => '{"grid": "ternary", "prior": {"power": 1.5}}');
SELECT dpobj.train('visit', 'outcome', 10, '{sex,age}', options => '{"grid": {"sparse": 2}, "mechanism": "sample_aggregate", "prior": {"power": 1.5}}');
SELECT dpobj.train('visit', 'outcome', 10, '{sex,age}', options => '{"grid": "ternary", "prior": {"power": 99}}');
SELECT mechanism, cardinality(weights) FROM dpobj.train('visit', 'outcome', 10, filter => '{"sex": {"=": "f"}, "age": {"<": 40}}');

-- A name makes it idempotent: the same request is answered again and costs nothing.
SELECT (SELECT epsilon FROM dpobj.remaining('visit')) AS before \gset
SELECT (m.model) = dpobj.train('visit', 'outcome', 100, '{age,sex}', name => 'first') AS the_same
  FROM dpobj.models m WHERE name = 'first';
SELECT epsilon = :before AS free FROM dpobj.remaining('visit');
SELECT * FROM answers('SELECT dpobj.train(%)', $$'visit', 'outcome', 99, '{age,sex}', name => 'first'$$,
  $$'visit', 'outcome', 100, '{sex,age}', name => 'first'$$, $$'visit', 'ill', 100, '{age,sex}', name => 'first'$$,
  $$'visit', 'outcome', 100, '{age,sex}', options => '{"intercept": true}', name => 'first'$$,
  $$'visit', 'outcome', 100, '{age,sex}', filter => '{"sex": {"=": "f"}}', name => 'first'$$);
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('visit');
-- in a transaction that is rolled back, and at another level
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM dpobj.models;
SELECT release AS paid FROM dpobj.train('visit', 'outcome', 2, '{age,sex}', name => 'second') \gset
SELECT release = :paid AS same_release FROM dpobj.train('visit', 'outcome', 2, '{age,sex}', name => 'second');
ROLLBACK;
SELECT release = :paid AS same_release FROM dpobj.train('visit', 'outcome', 2, '{age,sex}', name => 'second');
SELECT name, relation, relation_name, owner, release = :paid AS paid, dpobj.verify(model) FROM dpobj.models WHERE name = 'second';

-- One release however many attributes are taken from it; a new one for each row.
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'charged' \gset
SELECT count(*) FROM (SELECT (dpobj.train('visit', 'outcome', 1, '{age,sex}')).* OFFSET 0) m;
SELECT count(*) - :before AS charged FROM dpobj.ledger WHERE event = 'charged';
SELECT count(*), count(DISTINCT release) FROM (SELECT (dpobj.train('visit', 'outcome', 1, '{age,sex}')).* FROM generate_series(1, 2) OFFSET 0) m;
SELECT count(*) - :before AS charged FROM dpobj.ledger WHERE event = 'charged';
SELECT (a).release = (b).release AS the_same, (a).release = (c).release AS another
  FROM (SELECT dpobj.train('visit', 'outcome', 1, '{age,sex}') AS a, dpobj.train('visit', 'outcome', 1, '{age,sex}') AS b,
               dpobj.train('visit', 'outcome', 2, '{age,sex}') AS c OFFSET 0) m;
DO $$
DECLARE m dp_model;
BEGIN
  FOR i IN 1..2 LOOP
    m := dpobj.train('visit', 'outcome', 1, '{age,sex}');
    m := dpobj.train('visit', 'outcome', 1, '{age,sex}');
  END LOOP;
END $$;
SELECT count(*) - :before AS charged FROM dpobj.ledger WHERE event = 'charged';

-- Evaluation.
SELECT dpobj.evaluate('first', 'visit', 50) > 0.9 AS accurate;
SELECT dpobj.evaluate('first', 'visit', 50, '{"age": {">": 60}}') BETWEEN 0 AND 1 AS accurate;
SELECT dpobj.evaluate('first', 'visit', 50, '{"age": {">": 1000}}') BETWEEN 0 AND 1 IS NOT FALSE AS empty_is_answered;
SELECT * FROM answers('SELECT dpobj.evaluate(%)',
  $$'unknown', 'visit', 1$$, $$NULL, 'visit', 1$$, $$'first', 'visit', NULL$$, $$'first', 'visit', 1000000$$);

-- The ledger of it all; others see nothing of it.
SELECT event, count(*), sum(epsilon) FROM dpobj.ledger GROUP BY event ORDER BY event;
SELECT DISTINCT event, relation, role, mechanism, adjacency, guarantee, pair, door FROM dpobj.ledger ORDER BY event, mechanism;
SELECT parameters - 'encoders' - 'model' AS parameters FROM dpobj.ledger WHERE mechanism = 'laplace' AND event = 'charged' ORDER BY id LIMIT 2;
\c - dpobj_train_mallory
SELECT count(*) FROM dpobj.ledger;
SELECT count(*) FROM dpobj.models;
SELECT dpobj.train('visit', 'outcome', 100, '{age,sex}', name => 'first');

-- A group's budget; its members' own names.
\c - dpobj_train_bob
SELECT release > 0 AS released FROM dpobj.train('visit', 'outcome', 1, '{age,sex}', name => 'first');
SELECT * FROM answers('SELECT %', $$dpobj.evaluate('second', 'visit', 1)$$, $$dpobj.train('visit', 'outcome', 2.5, '{age,sex}')$$);
SET ROLE dpobj_train_group;
SELECT release > 0 AS released FROM dpobj.train('visit', 'outcome', 1, '{age,sex}');
SELECT dpobj.train('visit', 'outcome', 1, '{age,sex}');
RESET ROLE;
SELECT role, count(*) FROM dpobj.ledger WHERE event = 'charged' GROUP BY role;

-- Whose budget is it? Not of the definer of a function that somebody else calls.
\c - postgres
GRANT CREATE ON SCHEMA public TO dpobj_train_mallory;
\c - dpobj_train_mallory
CREATE FUNCTION steal() RETURNS dp_model LANGUAGE sql SECURITY DEFINER AS $$ SELECT dpobj.train('visit', 'outcome', 1, '{age}') $$;
CREATE FUNCTION replay() RETURNS dp_model LANGUAGE sql SECURITY DEFINER AS $$ SELECT dpobj.train('visit', 'outcome', 100, '{age,sex}', name => 'first') $$;
CREATE FUNCTION measure() RETURNS float8 LANGUAGE sql SECURITY DEFINER AS $$ SELECT dpobj.evaluate('first', 'visit', 1) $$;
CREATE FUNCTION look() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$ SELECT count(*) FROM dpobj.models $$;
\c - dpobj_train_ana
SELECT (SELECT epsilon FROM dpobj.remaining('visit')) AS before \gset
SELECT steal();
SELECT replay();
SELECT measure();
SELECT look();
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('visit');

-- Arguments; a refusal before the charge writes nothing.
SELECT * FROM answers('SELECT dpobj.train(%)', $$NULL, 'outcome', 1$$, $$1234567890, 'outcome', 1$$);
SELECT * FROM answers($$SELECT dpobj.train('visit', %)$$,
  'NULL, 1', $$'outcome', NULL$$, $$'outcome', 0$$, $$'outcome', -1$$, $$'outcome', 'NaN'$$, $$'outcome', 'Infinity'$$, $$'outcome', 0.0009$$);
SELECT * FROM answers($$SELECT dpobj.train('visit', 'outcome', 1, %)$$,
  'delta => 1', 'delta => NULL', $$method => 'forest'$$, 'method => NULL');
SELECT * FROM answers('SELECT dpobj.train(%)', $$'visit', 'age', 1$$, $$'visit', 'note', 1$$, $$'visit', 'nothing', 1$$);
SELECT * FROM answers($$SELECT dpobj.train('visit', 'outcome', 1, %)$$,
  $$'{age,age}'$$, $$'{age,NULL}'$$, $$'{}'$$, $$'{id}'$$, $$'{note}'$$, $$'{outcome}'$$, $$'{ctid}'$$, $$name => ''$$, $$name => repeat('x', 257)$$,
  $$filter => '[]'$$, $$filter => '{"nothing": {"=": 1}}'$$, $$filter => '{"age": {"~": 1}}'$$,
  $$filter => jsonb_build_object('sex', jsonb_build_object('=', repeat('x', 65536)))$$,
  $$options => jsonb_build_object('grid', repeat('x', 65536))$$, $$options => '[]'$$, $$options => '{"unknown": 1}'$$,
  $$options => '{"time_limit": 1}'$$, $$options => '{"memory_limit": 1}'$$, $$options => '{"solver": "native"}'$$, $$options => '{"n": 2000}'$$,
  $$options => '{"adjacency": "add_remove"}'$$, $$options => '{"scale": 2}'$$, $$options => '{"center": 2}'$$, $$options => '{"clip": [0, 1]}'$$,
  $$options => '{"dimension": 2}'$$, $$options => '{"groups": [2]}'$$, $$options => '{"numeric": [2]}'$$, $$options => '{"noise": "published"}'$$,
  $$'{age,sex}', options => '{"mechanism": "opdisc"}'$$, $$'{age,sex}', options => '{"parts": 5}'$$,
  $$'{age,sex}', options => '{"mechanism": "sample_aggregate", "parts": 60000, "part_nodes": 9999}'$$);
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('visit');

-- A grid that nothing else is sure to finish on: parts that vote are.
\c - postgres
CREATE TABLE ward (load int, shift int, floor int, month int, ill boolean);
INSERT INTO ward SELECT i % 100, i * 7 % 50, i * 13 % 60, i * 29 % 70, i % 100 > 30 FROM generate_series(1, 3000) i;
SELECT dpobj.protect('ward', '{"load": {"bins": [10, 20, 31, 40, 50, 60, 70, 80, 90]}, "shift": {"bins": [5, 10, 15, 20, 25, 30, 35, 40, 45]},
  "floor": {"bins": [6, 12, 18, 24, 30, 36, 42, 48, 54]}, "month": {"bins": [7, 14, 21, 28, 35, 42, 49, 56, 63]}, "ill": {}}',
  adjacency => 'add_remove', n => 3000);
SELECT dpobj.set_budget('ward', 'dpobj_train_ana', 200, 0);
\c - dpobj_train_ana
SELECT * FROM answers('SELECT dpobj.train(%)', $$'ward', 'ill', 100, options => '{"grid": "ternary"}'$$,
  $$'ward', 'ill', 100, options => '{"grid": "ternary", "mechanism": "exponential"}'$$);
SELECT mechanism, guarantee, adjacency, cardinality(weights), details -> 'parts' AS parts, details -> 'part_nodes' AS nodes
  FROM dpobj.train('ward', 'ill', 100, options => '{"grid": "sign", "mechanism": "sample_aggregate"}', name => 'voted');
SELECT dpobj.evaluate('voted', 'ward', 90) > 0.75 AS good;

-- Tables that are refused.
\c - postgres
CREATE TABLE plain (ill boolean, a boolean);
CREATE VIEW plain_view AS SELECT * FROM plain;
SELECT dpobj.set_budget('plain', 'dpobj_train_ana', 5, 0);
CREATE TABLE part (ill boolean, a boolean) PARTITION BY LIST (a);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (true);
SELECT dpobj.set_budget('part', 'dpobj_train_ana', 5, 0);
SELECT dpobj.protect('part', '{"ill": {}, "a": {}}');
CREATE TABLE rls (ill boolean, a boolean);
SELECT dpobj.protect('rls', '{"ill": {}, "a": {}}');
ALTER TABLE rls ENABLE ROW LEVEL SECURITY;
SELECT dpobj.set_budget('rls', 'dpobj_train_ana', 5, 0);
\c - dpobj_train_ana
SELECT * FROM answers('SELECT dpobj.train(%)',
  $$'plain', 'ill', 1$$, $$'plain_view', 'ill', 1$$, $$'pg_class', 'relhasindex', 1$$, $$'dpobj.ledger', 'event', 1$$, $$'part_1', 'ill', 1$$,
  $$'rls', 'ill', 1, options => '{"force": true}'$$);
SELECT epsilon FROM dpobj.train('part', 'ill', 1, options => '{"force": true}');
-- a training whose noise outweighs its rows is refused before the charge, with an epsilon and a number of rows that would do (rule U19)
SELECT epsilon FROM dpobj.remaining('visit') \gset before_
SELECT * FROM answers($$SELECT (dpobj.train('visit', 'outcome', %)).mechanism$$, $$0.0045, '{age,sex}', method => 'halfspace'$$, $$0.0066, '{age,sex}', method => 'halfspace'$$, $$0.002, '{age,sex}', method => 'logistic'$$,
  $$0.0044, '{age,sex}', method => 'logistic'$$, $$0.002, '{age,sex}', method => 'logistic', options => '{"mechanism": "output"}'$$,
  $$0.002, '{age,sex}', 1e-7, method => 'logistic', options => '{"mechanism": "sgd"}'$$, $$0.002, '{age,sex}', method => 'halfspace', options => '{"grid": {"sparse": 1}}'$$,
  $$0.01, '{age,sex}', method => 'halfspace', options => '{"holdout": 0.9}'$$, $$0.002, '{age,sex}', options => '{"force": false}'$$, $$0.002, '{age,sex}', options => '{"force": "yes"}'$$);
SELECT * FROM answers($$SELECT dpobj.%$$, $$price('visit', 'outcome', 0.002, '{age,sex}') -> 'mechanism'$$, $$price('visit', 'outcome', 0.002, '{age,sex}', options => '{"force": true}') -> 'mechanism'$$,
  $$submit('train', 'visit', '{"label": "outcome", "epsilon": 0.002}', 'small')$$);
SELECT :before_epsilon - epsilon AS charged FROM dpobj.remaining('visit');
SELECT mechanism FROM dpobj.train('visit', 'outcome', 0.002, '{age,sex}', options => '{"force": true}', name => 'forced');

-- Persons: the guarantee is for all rows of one, and so is the charge.
\c - postgres
CREATE TABLE stay (patient int, ill boolean, a boolean);
INSERT INTO stay SELECT i / 4, i % 2 = 0, i % 2 = 0 FROM generate_series(1, 4000) i;
SELECT dpobj.protect('stay', '{"ill": {}, "a": {}}', person => 'patient', max_rows_per_person => 2);
SELECT dpobj.set_budget('stay', 'dpobj_train_ana', 200, 0);
\c - dpobj_train_ana
SELECT weights, epsilon, adjacency, details ->> 'person' AS person, details ->> 'max_rows_per_person' AS k
  FROM dpobj.train('stay', 'ill', 100, options => '{"intercept": false, "grid": "ternary"}', name => 'persons');
SELECT dpobj.evaluate('persons', 'stay', 50) > 0.9 AS accurate;
SELECT person, epsilon, mechanism, parameters ->> 'max_rows_per_person' AS k FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 2;
\c - postgres
SELECT dpobj.protect('stay', '{"ill": {}, "a": {}}', person => 'patient', max_rows_per_person => 2000000);
\c - dpobj_train_ana
SELECT * FROM answers('SELECT %', $$dpobj.train('stay', 'ill', 0.001)$$, $$dpobj.evaluate('persons', 'stay', 0.001)$$);

-- A declared column that has gone or has another type stops the requests that take it, and no others.
\c - postgres
CREATE TABLE faded (who int, a boolean, b int, c text, y boolean, z text);
INSERT INTO faded SELECT i, i % 3 = 0, i, 'x', i % 2 = 0, 'n' FROM generate_series(1, 60) i;
SELECT dpobj.protect('faded', '{"a": {}, "b": {"bins": [30]}, "c": {"levels": ["x", "y"]}, "y": {}, "z": {"positive": ["p"], "negative": ["q"]}}');
SELECT dpobj.set_budget('faded', 'dpobj_train_ana', 100, 0);
ALTER TABLE faded DROP COLUMN b, ALTER COLUMN c TYPE date USING NULL;
\c - dpobj_train_ana
SELECT cardinality((dpobj.train('faded', 'y', 1, '{a}')).weights);
SELECT dpobj.price('faded', 'y', 1, features => '{a}') ->> 'mechanism';
SELECT feature FROM dpobj.protected_features('faded', '{a}');
SELECT cardinality((dpobj.train('faded', 'z', 1, '{a}')).weights);
SELECT * FROM answers('SELECT %', $$dpobj.train('faded', 'y', 1)$$, $$dpobj.train('faded', 'y', 1, '{a,b}')$$,
  $$dpobj.train('faded', 'y', 1, '{c}')$$, $$dpobj.price('faded', NULL, 1, features => '{c}')$$,
  $$* FROM dpobj.train_groups('faded', 'y', 1, features => '{a}', by => '{c}')$$, $$dpobj.train('faded', 'y', 1, '{d}')$$);
\c - postgres
SELECT * FROM answers('SELECT %', $$dpobj.train('faded', 'y', 1, '{b}')$$, $$* FROM dpobj.protected_features('faded')$$);
ALTER TABLE faded DROP COLUMN z; -- a label that nobody asks for
SELECT dpobj.protect('faded', '{"a": {}, "y": {}}', person => 'who', max_rows_per_person => 1, earlier_rows_per_person => 1);
ALTER TABLE faded RENAME who TO whom;
\c - dpobj_train_ana
SELECT dpobj.train('faded', 'y', 1, '{a}');
SELECT count(*), count(*) FILTER (WHERE event = 'charged') FROM dpobj.ledger WHERE relation = 'faded'::regclass;

-- Where nothing can be charged.
BEGIN READ ONLY;
SELECT dpobj.train('visit', 'outcome', 1);
ROLLBACK;

\c - postgres
DROP TABLE visit, plain, part, rls, stay, faded CASCADE;
DROP FUNCTION steal, replay, measure, look;
REVOKE CREATE ON SCHEMA public FROM dpobj_train_mallory;
DROP ROLE dpobj_train_ana, dpobj_train_bob, dpobj_train_mallory, dpobj_train_group;

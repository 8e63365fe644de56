-- dpobj.protect: what it stores, what it refuses, and who may see it
\i tests/answers.sql
\set SHOW_CONTEXT never
CREATE SCHEMA "Clinic";
CREATE TABLE "Clinic"."Visit" (person int, age int, sex text, "Weight kg" float8, ill boolean, note json);
SELECT dpobj.protect('"Clinic"."Visit"',
  '{"age": {"bins": [25, 45]}, "sex": {"levels": ["f", "m"], "drop_first": true, "null_indicator": true},
    "Weight kg": {"center": 70, "scale": 20, "clip": [-2, 2]}, "ill": {}}');
SELECT relation, relation_name, encoders, adjacency, person, max_rows_per_person, n, ignore_rls FROM dpobj.protected;
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"') \g (tuples_only=off)
SELECT position, feature FROM dpobj.protected_features('"Clinic"."Visit"', '{Weight kg,age}');
SELECT * FROM answers('SELECT * FROM dpobj.protected_features(%)',
  $$'"Clinic"."Visit"', '{age,age}'$$, $$'"Clinic"."Visit"', '{note}'$$, $$'"Clinic"."Visit"', '{}'$$, $$'"Clinic"."Visit"', '{NULL}'$$,
  $$'pg_class'$$, 'NULL');

-- Protecting again replaces the declaration.
SELECT dpobj.protect('"Clinic"."Visit"', '{"age": {"scale": 100}, "sex": {"positive": ["m"], "negative": ["f"]}}', 'add_remove', 'person', 3, 1000);
SELECT relation, encoders, adjacency, person, max_rows_per_person, n FROM dpobj.protected;
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"');
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"', '{sex}');

-- A rename keeps the protection; so does DROP and CREATE under the same name, whatever the session
-- says about quotes; a table that is made under an old name has none.
ALTER TABLE "Clinic"."Visit" RENAME TO visit;
SELECT relation, relation_name FROM dpobj.protected;
SELECT feature FROM dpobj.protected_features('"Clinic".visit');
CREATE TABLE "Clinic"."Visit" (age int, sex text);
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"');
DROP TABLE "Clinic"."Visit";
ALTER TABLE "Clinic".visit RENAME TO "Visit";
BEGIN;
DROP TABLE "Clinic"."Visit";
SELECT relation, relation_name FROM dpobj.protected;
CREATE TABLE "Clinic"."Visit" (person int, age int, sex text);
SELECT relation, relation_name FROM dpobj.protected;
SET LOCAL quote_all_identifiers = on;
SELECT feature FROM dpobj.protected_features('"Clinic"."Visit"');
SET LOCAL search_path = "Clinic", pg_temp, pg_catalog;
CREATE TEMP TABLE protections (LIKE dpobj.protections);
CREATE TEMP TABLE identities (LIKE dpobj.identities);
SELECT feature FROM dpobj.protected_features('"Visit"');
ROLLBACK;

-- The ledger has all declarations, also those that were taken back.
SELECT event, relation_name, role = session_user AS by_me, parameters FROM dpobj.ledger WHERE relation_name = '"Clinic"."Visit"' ORDER BY id;

-- dpobj.unprotect ends a protection; a rollback keeps it.
BEGIN;
SELECT dpobj.unprotect('"Clinic"."Visit"');
SELECT count(*) FROM dpobj.protected;
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"');
SELECT dpobj.unprotect('"Clinic"."Visit"');
ROLLBACK;
SELECT * FROM answers('SELECT dpobj.unprotect(%)', $$NULL$$, $$'pg_class'$$);
SELECT count(*) FROM dpobj.protected;

-- A column that is dropped or has another type is refused when the declaration is used.
ALTER TABLE "Clinic"."Visit" ALTER age TYPE text;
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"');
ALTER TABLE "Clinic"."Visit" DROP age;
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"');

-- Arguments.
SELECT dpobj.protect(NULL, '{"ill": {}}');
SELECT * FROM answers($$SELECT dpobj.protect('"Clinic"."Visit"', %)$$,
  'NULL', $$'{}'$$, $$'{"note": {}}'$$, $$'{"ill": {}}', 'swap'$$, $$'{"ill": {}}', person => 'person'$$,
  $$'{"ill": {}}', max_rows_per_person => 2$$, $$'{"ill": {}}', person => 'person', max_rows_per_person => 0$$,
  $$'{"ill": {}}', person => 'nobody', max_rows_per_person => 2$$, $$'{"ill": {}}', person => 'ctid', max_rows_per_person => 2$$,
  $$'{"ill": {}}', person => 'note', max_rows_per_person => 2$$, $$'{"ill": {}}', n => 0$$);
-- large declarations: more features than a model takes may be declared, not used at once
SELECT * FROM answers('SELECT dpobj.protect(%)',
  $$'"Clinic"."Visit"', jsonb_build_object('sex', jsonb_build_object('levels', ARRAY[repeat('x', 1048570)]))$$,
  $$'"Clinic"."Visit"', jsonb_build_object('sex', jsonb_build_object('levels', ARRAY[repeat('"', 600000)]))$$);
BEGIN;
CREATE TABLE wide (a int, b int);
SELECT dpobj.protect('wide', jsonb_build_object('a', b, 'b', b)) FROM (SELECT jsonb_build_object('levels', jsonb_agg(i)) AS b FROM generate_series(1, 100) i) l;
SELECT count(*) FROM dpobj.protected_features('wide', '{b}');
SELECT count(*) FROM dpobj.protected_features('wide');
ROLLBACK;

-- Relations that are refused.
CREATE TABLE base (a boolean);
CREATE INDEX base_index ON base (a);
CREATE VIEW base_view AS SELECT * FROM base;
CREATE MATERIALIZED VIEW base_kept AS SELECT * FROM base;
CREATE UNLOGGED TABLE base_unlogged (a boolean);
CREATE TEMP TABLE base_temp (a boolean);
CREATE SEQUENCE base_sequence;
CREATE TYPE base_type AS (a boolean);
CREATE FOREIGN DATA WRAPPER base_wrapper;
CREATE SERVER base_server FOREIGN DATA WRAPPER base_wrapper;
CREATE FOREIGN TABLE base_foreign (a boolean) SERVER base_server;
CREATE TABLE base_rls (a boolean);
ALTER TABLE base_rls ENABLE ROW LEVEL SECURITY;
SELECT * FROM answers($$SELECT dpobj.protect(%, '{"a": {}}')$$,
  $$'base_index'$$, $$'base_view'$$, $$'base_kept'$$, $$'base_unlogged'$$, $$'base_temp'$$);
SELECT * FROM answers('SELECT dpobj.protect(%)', $$'base_sequence', '{"is_called": {}}'$$, $$'base_type', '{"a": {}}'$$,
  $$'base_foreign', '{"a": {}}'$$, $$'pg_class', '{"relhasindex": {}}'$$, $$'information_schema.sql_features', '{"feature_id": {"levels": ["x"]}}'$$,
  $$'dpobj.ledger_events', '{"event": {"levels": ["x"]}}'$$, $$'base_rls', '{"a": {}}'$$);
SELECT dpobj.protect('base_rls', '{"a": {}}', ignore_rls => true);
SELECT relation, ignore_rls FROM dpobj.protected ORDER BY relation_name;
-- the same holds for each descendant
CREATE TABLE parted (a boolean, b int) PARTITION BY LIST (a);
CREATE TABLE parted_true PARTITION OF parted FOR VALUES IN (true);
CREATE UNLOGGED TABLE parted_false PARTITION OF parted FOR VALUES IN (false);
SELECT dpobj.protect('parted', '{"a": {}}');
DROP TABLE parted_false;
CREATE FOREIGN TABLE parted_false PARTITION OF parted FOR VALUES IN (false) SERVER base_server;
SELECT dpobj.protect('parted', '{"a": {}}');
DROP FOREIGN TABLE parted_false;
CREATE TABLE parted_false PARTITION OF parted FOR VALUES IN (false);
ALTER TABLE parted_false ENABLE ROW LEVEL SECURITY;
SELECT dpobj.protect('parted', '{"a": {}}');
SELECT dpobj.protect('parted', '{"a": {}}', ignore_rls => true);
CREATE TEMP TABLE base_temp_child () INHERITS (base);
SELECT dpobj.protect('base', '{"a": {}}');
DROP TABLE base_temp_child;
-- only the topmost table is protected, and what inherits from it with it
SELECT dpobj.protect('parted_true', '{"a": {}}');
SELECT feature FROM dpobj.protected_features('parted_true');
CREATE TABLE other_base (c boolean);
CREATE TABLE two_parents () INHERITS (other_base);
CREATE TABLE one_parent (a boolean);
SELECT dpobj.protect('other_base', '{"c": {}}'), dpobj.protect('one_parent', '{"a": {}}');
SELECT feature FROM dpobj.protected_features('two_parents');
ALTER TABLE two_parents ADD a boolean;
ALTER TABLE two_parents INHERIT one_parent;
SELECT * FROM dpobj.protected_features('two_parents');
SELECT dpobj.unprotect('other_base');
SELECT feature FROM dpobj.protected_features('two_parents');
DROP TABLE two_parents, one_parent, other_base;

-- Costs of rows and of persons do not add up, and a cost under replace says nothing under add_remove: neither
-- can a table be protected so after it was charged, nor be charged so. The other way round the cost doubles.
CREATE TABLE mixed AS SELECT ARRAY[i % 2, i % 3 - 1]::float8[] AS features, i % 2 = 1 AS label, i AS person, i % 2 AS a FROM generate_series(1, 60) i;
SELECT dpobj.set_budget('mixed', NULL, 3, 0);
SELECT dpobj.protect('mixed', '{"a": {"scale": 1}, "label": {}}', 'add_remove');
SELECT dp_halfspace(features, label, 0.5, 0, '{"adjacency": "replace"}') FROM mixed;
SELECT (dp_halfspace(features, label, 0.5, 0, '{"dimension": 2}')).adjacency FROM mixed;
SELECT epsilon_spent FROM dpobj.budgets WHERE relation = 'mixed'::regclass;
SELECT * FROM answers('SELECT dpobj.protect(%)', $$'mixed', '{"a": {"scale": 1}, "label": {}}', 'add_remove', 'person', 2$$,
  $$'mixed', '{"a": {"scale": 1}, "label": {}}', 'replace', 'person', 2$$);
SELECT dpobj.protect('mixed', '{"a": {"scale": 2}, "label": {}}', 'add_remove');
SELECT dpobj.protect('mixed', '{"a": {"scale": 1}, "label": {}}');
SELECT epsilon_spent FROM dpobj.budgets WHERE relation = 'mixed'::regclass;
SELECT (dp_halfspace(features, label, 0.5, 0)).adjacency FROM mixed;
SELECT (dp_halfspace(features, label, 0.7, 0, '{"adjacency": "add_remove", "dimension": 2}')).adjacency FROM mixed;
SELECT epsilon_spent FROM dpobj.budgets WHERE relation = 'mixed'::regclass;
SELECT dp_halfspace(features, label, 0.06, 0, '{"adjacency": "add_remove", "dimension": 2}') FROM mixed;
SELECT (dp_halfspace(features, label, 0.05, 0, '{"adjacency": "add_remove", "dimension": 2}')).epsilon FROM mixed;
SELECT dpobj.protect('mixed', '{"a": {"scale": 1}, "label": {}}', 'add_remove');
SELECT dpobj.unprotect('mixed');
SELECT epsilon_spent FROM dpobj.budgets WHERE relation = 'mixed'::regclass;
SELECT dpobj.drop_budget('mixed', NULL);
SELECT adjacency, person, epsilon FROM dpobj.ledger WHERE relation_name = 'public.mixed' AND event = 'charged' ORDER BY id;
-- the same if a child was charged
CREATE TABLE mixed_parent (LIKE mixed);
SELECT dpobj.protect('mixed_parent', '{"a": {"scale": 1}, "label": {}}', 'replace', 'person', 2);
ALTER TABLE mixed INHERIT mixed_parent;
SELECT dpobj.protect('mixed_parent', '{"a": {"scale": 1}, "label": {}}', 'replace', 'person', 2);
SELECT dp_halfspace(features, label, 0.5, 0) FROM mixed;
SELECT dpobj.unprotect('mixed_parent');
DROP TABLE mixed, mixed_parent;

-- Only superusers declare; everybody may read what is declared; nobody else reads the table.
CREATE ROLE dpobj_regress_stranger;
GRANT USAGE ON SCHEMA "Clinic" TO dpobj_regress_stranger;
SET ROLE dpobj_regress_stranger;
SELECT dpobj.protect('base', '{"a": {}}');
SELECT count(*) FROM dpobj.protected;
SELECT count(*) FROM dpobj.protections;
SELECT count(*) FROM dpobj.protected_features('base_rls');
SELECT dpobj.features('{"a": {}}', ROW(1));
RESET ROLE;
-- a grant of EXECUTE is not enough
GRANT EXECUTE ON FUNCTION dpobj.protect, dpobj.unprotect TO dpobj_regress_stranger;
SET ROLE dpobj_regress_stranger;
SELECT * FROM answers('SELECT %', $$dpobj.protect('base', '{"a": {}}')$$, $$dpobj.unprotect('base_rls')$$);
RESET ROLE;
REVOKE EXECUTE ON FUNCTION dpobj.protect, dpobj.unprotect FROM dpobj_regress_stranger;
-- all privileges on the table are not enough
GRANT ALL ON dpobj.protections TO dpobj_regress_stranger;
SET ROLE dpobj_regress_stranger;
UPDATE dpobj.protections SET ignore_rls = true WHERE false;
RESET ROLE;
REVOKE ALL ON dpobj.protections FROM dpobj_regress_stranger;
-- a refusal and a rollback write nothing
BEGIN READ ONLY;
SELECT dpobj.protect('base', '{"a": {}}');
ROLLBACK;
BEGIN;
SELECT dpobj.protect('base', '{"a": {}}');
ROLLBACK;
-- search_path does not matter, and no function of another role is called
CREATE SCHEMA trap;
CREATE TABLE trap.protections (LIKE dpobj.protections);
CREATE TABLE trap.identities (LIKE dpobj.identities);
CREATE FUNCTION trap.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
SET search_path = trap, public, pg_catalog;
SELECT dpobj.protect('public.base', '{"a": {}}');
RESET search_path;
SELECT relation FROM dpobj.protected WHERE relation_name = 'public.base';
SELECT session_user = current_user AS same_role;
SELECT count(*) FROM trap.protections;

DROP SCHEMA trap CASCADE;
DROP SCHEMA "Clinic" CASCADE;
DROP VIEW base_view;
DROP MATERIALIZED VIEW base_kept;
DROP TABLE base, base_unlogged, base_temp, base_rls, parted;
DROP SEQUENCE base_sequence;
DROP TYPE base_type;
DROP FOREIGN DATA WRAPPER base_wrapper CASCADE;
SELECT relation, relation_name FROM dpobj.protected ORDER BY relation_name;
DELETE FROM dpobj.protections;
DROP ROLE dpobj_regress_stranger;

-- dpobj.protect: what it stores, what it refuses, and who may see it
\set SHOW_CONTEXT never
CREATE SCHEMA "Clinic";
CREATE TABLE "Clinic"."Visit" (person int, age int, sex text, "Weight kg" float8, ill boolean, note json);
SELECT dpobj.protect('"Clinic"."Visit"',
  '{"age": {"bins": [25, 45]}, "sex": {"levels": ["f", "m"], "drop_first": true, "null_indicator": true},
    "Weight kg": {"center": 70, "scale": 20, "clip": [-2, 2]}, "ill": {}}');
SELECT relation, relation_name, encoders, adjacency, person, max_rows_per_person, n, ignore_rls FROM dpobj.protected;
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"');
SELECT position, feature FROM dpobj.protected_features('"Clinic"."Visit"', '{Weight kg,age}');
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"', '{age,age}');
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"', '{note}');
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"', '{}');
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"', '{NULL}');
SELECT * FROM dpobj.protected_features('pg_class');
SELECT * FROM dpobj.protected_features(NULL);

-- Protecting again replaces the declaration.
SELECT dpobj.protect('"Clinic"."Visit"', '{"age": {"scale": 100}, "sex": {"positive": ["m"]}}', 'add_remove', 'person', 3, 1000);
SELECT relation, encoders, adjacency, person, max_rows_per_person, n FROM dpobj.protected;
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"');
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"', '{sex}');

-- Found by name: a relation that has another name is not protected.
ALTER TABLE "Clinic"."Visit" RENAME TO visit;
SELECT relation, relation_name FROM dpobj.protected;
SELECT * FROM dpobj.protected_features('"Clinic".visit');
ALTER TABLE "Clinic".visit RENAME TO "Visit";

-- A column that is gone, or is of another type, shows when the declaration is used.
ALTER TABLE "Clinic"."Visit" ALTER age TYPE text;
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"');
ALTER TABLE "Clinic"."Visit" DROP age;
SELECT * FROM dpobj.protected_features('"Clinic"."Visit"');

-- Arguments.
SELECT dpobj.protect(NULL, '{"ill": {}}');
SELECT dpobj.protect('"Clinic"."Visit"', NULL);
SELECT dpobj.protect('"Clinic"."Visit"', '{}');
SELECT dpobj.protect('"Clinic"."Visit"', '{"note": {}}');
SELECT dpobj.protect('"Clinic"."Visit"', '{"ill": {}}', 'swap');
SELECT dpobj.protect('"Clinic"."Visit"', '{"ill": {}}', person => 'person');
SELECT dpobj.protect('"Clinic"."Visit"', '{"ill": {}}', max_rows_per_person => 2);
SELECT dpobj.protect('"Clinic"."Visit"', '{"ill": {}}', person => 'person', max_rows_per_person => 0);
SELECT dpobj.protect('"Clinic"."Visit"', '{"ill": {}}', person => 'nobody', max_rows_per_person => 2);
SELECT dpobj.protect('"Clinic"."Visit"', '{"ill": {}}', person => 'ctid', max_rows_per_person => 2);
SELECT dpobj.protect('"Clinic"."Visit"', '{"ill": {}}', n => 0);

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
SELECT dpobj.protect('base_index', '{"a": {}}');
SELECT dpobj.protect('base_view', '{"a": {}}');
SELECT dpobj.protect('base_kept', '{"a": {}}');
SELECT dpobj.protect('base_unlogged', '{"a": {}}');
SELECT dpobj.protect('base_temp', '{"a": {}}');
SELECT dpobj.protect('base_sequence', '{"is_called": {}}');
SELECT dpobj.protect('base_type', '{"a": {}}');
SELECT dpobj.protect('base_foreign', '{"a": {}}');
SELECT dpobj.protect('pg_class', '{"relhasindex": {}}');
SELECT dpobj.protect('information_schema.sql_features', '{"feature_id": {"levels": ["x"]}}');
SELECT dpobj.protect('dpobj.ledger_events', '{"event": {"levels": ["x"]}}');
SELECT dpobj.protect('base_rls', '{"a": {}}');
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

-- Only superusers declare; everybody may read what is declared; nobody else reads the table.
CREATE ROLE dpobj_regress_stranger;
GRANT USAGE ON SCHEMA "Clinic" TO dpobj_regress_stranger;
SET ROLE dpobj_regress_stranger;
SELECT dpobj.protect('base', '{"a": {}}');
SELECT * FROM dpobj.scan_digest('base', 'a');
SELECT count(*) FROM dpobj.protected;
SELECT count(*) FROM dpobj.protections;
SELECT count(*) FROM dpobj.protected_features('base_rls');
SELECT dpobj.features('{"a": {}}', ROW(1));
RESET ROLE;
-- a grant of EXECUTE is not enough
GRANT EXECUTE ON FUNCTION dpobj.protect, dpobj.scan_digest TO dpobj_regress_stranger;
SET ROLE dpobj_regress_stranger;
SELECT dpobj.protect('base', '{"a": {}}');
SELECT * FROM dpobj.scan_digest('base', 'a');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION dpobj.protect, dpobj.scan_digest FROM dpobj_regress_stranger;
-- a refusal and a rollback write nothing
BEGIN READ ONLY;
SELECT dpobj.protect('base', '{"a": {}}');
ROLLBACK;
BEGIN;
SELECT dpobj.protect('base', '{"a": {}}');
ROLLBACK;
-- names are looked up in our schema, and nobody's function or operator is called
CREATE SCHEMA trap;
CREATE TABLE trap.protections (LIKE dpobj.protections);
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

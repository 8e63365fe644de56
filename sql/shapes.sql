-- Each row of one table enters at most once: what is let through and what is refused
\i tests/answers.sql
CREATE TABLE person (id integer PRIMARY KEY, features float8[], rich boolean, city text);
INSERT INTO person SELECT i, ARRAY[(i % 2)::float8, (i % 2 = 0)::int::float8], i % 2 = 1, 'c' || i % 3
FROM generate_series(1, 200) i;
CREATE TABLE place (city text, country text);
INSERT INTO place VALUES ('c0', 'x'), ('c1', 'x'), ('c2', 'y');
ANALYZE person, place;
CREATE INDEX ON person (city);
CREATE VIEW rich_person AS SELECT features, rich FROM person WHERE city <> 'c0';
CREATE TABLE part (id integer, features float8[], rich boolean) PARTITION BY RANGE (id);
CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (100);
CREATE TABLE part_high PARTITION OF part FOR VALUES FROM (100) TO (1000);
INSERT INTO part SELECT id, features, rich FROM person;

CREATE VIEW barrier WITH (security_barrier) AS SELECT features, rich FROM person WHERE city <> 'c0';
CREATE VIEW twice AS SELECT * FROM person UNION ALL SELECT * FROM person;
CREATE MATERIALIZED VIEW stored AS SELECT * FROM person;
CREATE TABLE forebear (id integer, features float8[], rich boolean);
CREATE TABLE other_forebear (city text);
CREATE TABLE offspring () INHERITS (forebear);
CREATE TABLE descendant () INHERITS (offspring, other_forebear);
INSERT INTO forebear SELECT id, features, rich FROM person WHERE id <= 20;
INSERT INTO offspring SELECT id, features, rich FROM person WHERE id > 20 AND id <= 40;
INSERT INTO descendant SELECT id, features, rich FROM person WHERE id > 40;
CREATE TABLE kept (model dp_model);

-- Allowed: what owners do every day.  Each statement is one release.
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'released' \gset
SELECT * FROM answers('SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM %',
  'person', $$person WHERE city IN ('c1', 'c2') AND id < 150$$, 'person WHERE id = 7', $$person WHERE ctid = ANY (ARRAY['(0,1)', '(0,2)']::tid[])$$);
SELECT (dp_halfspace(features, rich, 1.0, 0) FILTER (WHERE id > 5)).kind FROM person;
SELECT (dp_halfspace(ARRAY[id / 100.0::float8, (city = 'c1')::int], rich, 1.0, 0)).kind FROM person WHERE id >= 18;
SELECT * FROM answers('SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM %',
  'rich_person', 'barrier', '(SELECT * FROM person WHERE id > 3) AS p', '(SELECT * FROM person ORDER BY city, id) AS p',
  '(SELECT * FROM person WHERE id > 3 OFFSET 0) AS p WHERE p.id < 100');
WITH p AS (SELECT * FROM person WHERE id > 3) SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM p;
SELECT (dp_halfspace(p.features, p.rich, 1.0, 0)).kind FROM person p LEFT JOIN person q ON q.id = p.id;
SELECT (dp_halfspace(features, NOT rich, 1.0, 0)).kind FROM person HAVING true;
SELECT (dp_halfspace(features, rich, 1.0, 0, '{"dimension": 2}')).kind FROM person WHERE false;
SELECT (dp_halfspace(f, r, 1.0, 0, '{"dimension": 2}')).kind
FROM (SELECT array_append(features[1:1], features[2]) AS f, rich AS r FROM person WHERE id < 0 AND id > 0) AS p;
-- expressions around the call
SELECT upper((m).kind) FROM (SELECT dp_halfspace(features, rich, 1.0, 0) AS m FROM person) AS s;
WITH m AS (SELECT dp_halfspace(features, rich, 1.0, 0) AS model FROM person) SELECT (model).kind FROM m;
WITH m AS MATERIALIZED (SELECT dp_halfspace(features, rich, 1.0, 0) AS model FROM person)
SELECT (a.model).release = (b.model).release AS same FROM m a, m b;
SELECT DISTINCT (dp_halfspace(features, rich, 1.0, 0)).kind, (SELECT max(country) FROM place) FROM person;
SELECT city, (SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person) FROM place ORDER BY city;
CREATE TABLE made AS SELECT dp_halfspace(features, rich, 1.0, 0) AS model FROM person;
INSERT INTO kept SELECT dp_halfspace(features, rich, 1.0, 0) FROM person;
INSERT INTO kept SELECT dp_halfspace(features, rich, 1.0, 0, '{"dimension": 2}') FROM person WHERE false;
INSERT INTO kept WITH m AS (SELECT dp_halfspace(features, rich, 1.0, 0) FROM person) TABLE m;
INSERT INTO kept VALUES ((SELECT dp_halfspace(features, rich, 1.0, 0) FROM person)) RETURNING (model).kind;
UPDATE kept SET model = s.m FROM (SELECT dp_halfspace(features, rich, 1.0, 0) AS m FROM person) AS s;
SELECT count(*), count(DISTINCT (model).release) FROM kept;
DELETE FROM kept WHERE (model).release < 0 RETURNING (SELECT dp_halfspace(features, rich, 1.0, 0) FROM person);
COPY (SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person) TO STDOUT;
SELECT count(*) - :before AS released FROM dpobj.ledger WHERE event = 'released';
-- prepared, cursors, PL/pgSQL, functions
PREPARE train(float8, integer) AS SELECT (dp_halfspace(features, rich, $1, 0::float8)).kind FROM person WHERE id > $2 AND $2 < 100;
EXECUTE train(1.0, 5);
SET plan_cache_mode = force_generic_plan;
EXECUTE train(1.0, 5);
RESET plan_cache_mode;
BEGIN;
DECLARE c CURSOR FOR SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person;
FETCH c;
FETCH c;
COMMIT;
DO $$
DECLARE m dp_model; k text; e numeric := 1.0; least integer := 5;
BEGIN
  m := (SELECT dp_halfspace(features, rich, e, 0) FROM person WHERE id > least);
  SELECT (dp_halfspace(features, rich, e, 0)).kind INTO k FROM person;
  EXECUTE 'SELECT (dp_halfspace(features, rich, $1, 0)).kind FROM person' INTO k USING e;
  RAISE NOTICE '% %', m.kind, k;
END $$;
CREATE FUNCTION trained() RETURNS text LANGUAGE sql AS 'SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person';
SELECT trained();
CREATE FUNCTION on_place() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN NEW.country := (SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person); RETURN NEW; END $$;
CREATE TRIGGER on_place BEFORE INSERT ON place FOR EACH ROW EXECUTE FUNCTION on_place();
INSERT INTO place VALUES ('c3') RETURNING country;
CREATE TABLE ruled (city text);
CREATE RULE on_ruled AS ON INSERT TO ruled DO ALSO INSERT INTO kept SELECT dp_halfspace(features, rich, 1.0, 0) FROM person;
INSERT INTO ruled VALUES ('c3');
SELECT count(*) - :before AS released FROM dpobj.ledger WHERE event = 'released';

-- More than one release, and as many charges: two calls, each a set of its own.
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'released' \gset
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person UNION ALL SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM part;
SELECT (dp_halfspace(features, rich, 1.0, 0) FILTER (WHERE id < 100)).kind, (dp_halfspace(features, rich, 1.0, 0) FILTER (WHERE id >= 100)).kind FROM person;
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person UNION SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person;
SELECT count(*) - :before AS released FROM dpobj.ledger WHERE event = 'released';
-- The same call again for each outer row is charged each time.
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'released' \gset
SET enable_material = off;
SELECT city, (m).kind FROM place LEFT JOIN LATERAL (SELECT dp_halfspace(features, rich, 1.0, 0) AS m FROM person) AS s ON true ORDER BY city;
RESET enable_material;
SELECT (dp_halfspace(features, rich, 1.0, 0)).release = (dp_halfspace(features, rich, 1.0, 0)).release AS merged FROM person;
SELECT count(*) - :before AS released FROM dpobj.ledger WHERE event = 'released';
-- A cursor that goes back shows the same release.
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'released' \gset
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT (dp_halfspace(features, rich, 1.0, 0)).release FROM person;
COMMIT;
FETCH c \gset first_
FETCH FIRST c \gset second_
SELECT :first_release = :second_release AS same;
CLOSE c;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT (dp_halfspace(features, rich, 1.0, 0)).release FROM person;
FETCH c \gset first_
FETCH FIRST c \gset second_
SELECT :first_release = :second_release AS same;
COMMIT;
SELECT count(*) - :before AS released FROM dpobj.ledger WHERE event = 'released';

-- Charges on partitions and children are those of the topmost ancestor.
CREATE TEMP TABLE borrowed () INHERITS (forebear);
CREATE TEMP TABLE own AS SELECT * FROM person;
CREATE UNLOGGED TABLE unlogged AS SELECT * FROM person;
SELECT max(id) AS before FROM dpobj.ledger \gset
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM part;
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM part_high;
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM part WHERE id = 7;
SELECT (dp_halfspace(features, rich, 1.0, 0, '{"dimension": 2}')).kind FROM part WHERE id < 0;
SELECT * FROM answers('SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM %',
  '(SELECT * FROM part ORDER BY id) AS p', 'forebear', 'ONLY forebear', 'offspring', 'ONLY offspring', 'descendant');
SELECT (dp_halfspace(features, rich, 1.0, 0, '{"dimension": 2}')).kind FROM borrowed;
SELECT relation_name, count(*) FROM dpobj.ledger WHERE id > :before AND event = 'charged' GROUP BY 1 ORDER BY 1;
-- A temporary table has no ancestor: it is logged under its name, unless a budget is required.
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM own;
SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM unlogged;
SELECT regexp_replace(relation_name, 'pg_temp_\d+', 'pg_temp') FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 2;
\set VERBOSITY sqlstate
SET dpobj.require_budget = on;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM own;
RESET dpobj.require_budget;
\set VERBOSITY default

-- Refused; nothing is charged.
SELECT count(*) AS before FROM dpobj.ledger \gset
-- groups, windows, other aggregates
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person GROUP BY city;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person GROUP BY ROLLUP (city);
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person HAVING count(*) > 3;
SELECT dp_halfspace(features, rich, 1.0, 0) OVER () FROM person;
SELECT dp_halfspace(DISTINCT features, rich, 1.0, 0) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 0 ORDER BY id) FROM person;
SELECT * FROM answers('SELECT dp_halfspace(features, rich, 1.0, 0) FROM person %',
  'GROUP BY id', $$GROUP BY 'constant'::text$$, 'GROUP BY ()', 'GROUP BY GROUPING SETS ((), ())', 'HAVING false');
SELECT dp_halfspace(features, rich, 1.0, 0) OVER (ORDER BY id ROWS 3 PRECEDING) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 0), count(*) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 0), max(id) FILTER (WHERE rich) FROM person;
SELECT dp_halfspace(VARIADIC features, rich, 1.0, 0) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 0) WITHIN GROUP (ORDER BY id) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT features, rich, row_number() OVER () AS n FROM person) AS p WHERE n < 5;
-- joins and sub-selects
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person JOIN place USING (city);
SELECT dp_halfspace(a.features, a.rich, 1.0, 0) FROM person a, person b WHERE a.city = b.city;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT * FROM person UNION ALL SELECT * FROM person) AS p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT features, rich FROM person UNION ALL SELECT features, rich FROM part) AS p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT * FROM person LIMIT 10) AS p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT DISTINCT features, rich FROM person) AS p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person, generate_series(1, 2);
SELECT dp_halfspace(ARRAY[x], true, 1.0, 0) FROM (VALUES (1.0::float8)) AS v(x);
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT features, rich, generate_series(1, 2) FROM person) AS p;
WITH p AS MATERIALIZED (SELECT * FROM person) SELECT dp_halfspace(features, rich, 1.0, 0) FROM p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person TABLESAMPLE BERNOULLI (50);
SELECT dp_halfspace(p.features, p.rich, 1.0, 0) FROM person p LEFT JOIN place USING (city);
SELECT dp_halfspace(p.features, p.rich, 1.0, 0) FROM person p CROSS JOIN LATERAL unnest(p.features) AS u;
SELECT * FROM answers('SELECT dp_halfspace(features, rich, 1.0, 0) FROM person %',
  'WHERE city IN (SELECT city FROM place)', 'WHERE city NOT IN (SELECT city FROM place)',
  'p WHERE EXISTS (SELECT FROM place WHERE place.city = p.city)', 'p WHERE NOT EXISTS (SELECT FROM place WHERE place.city = p.city)',
  'WHERE id > (SELECT count(*) FROM place)', 'WHERE (SELECT count(*) FROM person WHERE id = 7) = 1');
SELECT dp_halfspace(features, rich = (SELECT count(*) > 2 FROM place), 1.0, 0) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 0) FILTER (WHERE id > (SELECT count(*) FROM place)) FROM person;
SELECT dp_halfspace(features, (SELECT country = 'x' FROM place WHERE place.city = person.city), 1.0, 0) FROM person;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT * FROM person WHERE id > (SELECT 1) OFFSET 0) AS p;
CREATE RULE on_deleted AS ON DELETE TO ruled DO ALSO INSERT INTO kept SELECT dp_halfspace(features, rich, 1.0, 0) FROM person;
DELETE FROM ruled WHERE city = 'c3';
-- once for each row of an outer query
SELECT (SELECT dp_halfspace(features, rich, 1.0, 0) FROM person WHERE person.city = place.city) FROM place;
SELECT (SELECT (dp_halfspace(features, rich, 1.0, 0)).kind || place.city FROM person) FROM place;
SELECT s.m FROM place, LATERAL (SELECT dp_halfspace(features, rich, 1.0, 0) AS m FROM person WHERE place.city = 'c0') AS s;
SELECT city FROM place WHERE EXISTS (SELECT dp_halfspace(features, rich, 1.0, 0) FROM person WHERE person.city = place.city HAVING true);
SELECT city FROM place WHERE country = (SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person WHERE person.city <> place.city);
-- set operations and subqueries that choose rows
SELECT dp_halfspace(features, rich, 1.0, 0) FROM twice;
SELECT * FROM answers('SELECT dp_halfspace(features, rich, 1.0, 0) FROM (%) AS p',
  '(SELECT * FROM person OFFSET 0) UNION ALL (SELECT * FROM person OFFSET 0)',
  '(SELECT * FROM part_low OFFSET 0) UNION ALL (SELECT * FROM part_high OFFSET 0)', 'SELECT * FROM part_low UNION ALL SELECT * FROM part_high',
  'SELECT * FROM person UNION SELECT * FROM person', 'SELECT * FROM person EXCEPT SELECT * FROM person WHERE id = 7',
  'SELECT * FROM person INTERSECT SELECT * FROM person', 'SELECT DISTINCT ON (city) * FROM person ORDER BY city, id',
  'SELECT * FROM person ORDER BY id OFFSET 5', 'SELECT * FROM person ORDER BY id FETCH FIRST 5 ROWS WITH TIES');
SELECT dp_halfspace(f, r, 1.0, 0) FROM (SELECT ARRAY[max(id)::float8] AS f, rich AS r FROM person GROUP BY rich) AS p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM (SELECT * FROM person FOR UPDATE) AS p;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person FOR UPDATE;
SELECT (SELECT (dp_halfspace(features, rich, 1.0, 0)).kind FROM person) FROM place FOR SHARE;
WITH RECURSIVE p AS (SELECT * FROM person UNION ALL SELECT * FROM p WHERE id < 0) SELECT dp_halfspace(features, rich, 1.0, 0) FROM p;
WITH p AS (SELECT * FROM person) SELECT dp_halfspace(a.features, a.rich, 1.0, 0) FROM p a, p b;
WITH gone AS (DELETE FROM person WHERE id = 7 RETURNING *) SELECT dp_halfspace(features, rich, 1.0, 0) FROM gone;
WITH gone AS (DELETE FROM place RETURNING *) SELECT dp_halfspace(features, rich, 1.0, 0) FROM person;
-- no table, or not one of a user
SELECT dp_halfspace(ARRAY[1.0::float8], true, 1.0, 0);
SELECT dp_halfspace(ARRAY[1.0::float8], true, 1.0, 0) WHERE false;
SELECT dp_halfspace(ARRAY[1.0::float8], true, 1.0, 0) FROM person WHERE false;
SELECT dp_halfspace(ARRAY[x::float8 / 10], x > 3, 1.0, 0) FROM generate_series(1, 10) AS x;
SELECT dp_halfspace(ARRAY[x], true, 1.0, 0) FROM unnest(ARRAY[1.0::float8]) AS x;
SELECT dp_halfspace(ARRAY[0.5::float8], relhasindex, 1.0, 0) FROM pg_class;
SELECT dp_halfspace(ARRAY[epsilon_nano::float8 / 1e12], true, 1.0, 0) FROM dpobj.ledger_events;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM stored;
CREATE EXTENSION file_fdw;
CREATE SERVER shapes_server FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE abroad (features float8[], rich boolean) SERVER shapes_server OPTIONS (filename '/dev/null');
SELECT dp_halfspace(features, rich, 1.0, 0) FROM abroad;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM abroad WHERE false;
CREATE FUNCTION on_rows() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM dp_halfspace(features, rich, 1.0, 0) FROM fresh; RETURN NULL; END $$;
CREATE TRIGGER on_rows AFTER INSERT ON person REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION on_rows();
INSERT INTO person SELECT 1000, '{1,1}', true, 'c1';
DROP TRIGGER on_rows ON person;
-- instrumented, or not an aggregate query of ours
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT dp_halfspace(features, rich, 1.0, 0) FROM person;
SELECT dpobj_internal.train_final(NULL);
SELECT dpobj_internal.train_accumulate(NULL, '{1}', true, 1.0, 0);
SELECT dpobj_internal.rows_combine(NULL, NULL);
SELECT 'x'::dp_rows;
-- aggregates over internal functions, made by a superuser
CREATE AGGREGATE spoof(float8[], boolean, float8, float8) (SFUNC = dpobj_internal.train_accumulate, STYPE = dp_rows,
  FINALFUNC = dpobj_internal.train_final, FINALFUNC_MODIFY = READ_WRITE);
SELECT spoof(features, rich, 1.0, 0) FROM person;
CREATE AGGREGATE spoof_state(float8[], boolean, float8, float8) (SFUNC = dpobj_internal.train_accumulate, STYPE = dp_rows);
SELECT spoof_state(features, rich, 1.0, 0) FROM person;
SELECT spoof_state(features, rich, 1.0, 0), dp_halfspace(features, rich, 1.0, 0) FROM person;
CREATE AGGREGATE spoof_combine(dp_rows) (SFUNC = dpobj_internal.rows_combine, STYPE = dp_rows);
SELECT spoof_combine(NULL::dp_rows) FROM person;
CREATE AGGREGATE spoof_final(dp_rows) (SFUNC = dpobj_internal.rows_combine, STYPE = dp_rows, FINALFUNC = dpobj_internal.train_final);
SELECT spoof_final(NULL::dp_rows) FROM person WHERE false;
CREATE AGGREGATE spoof_moving(float8[], boolean, float8, float8) (SFUNC = dpobj_internal.train_accumulate, STYPE = dp_rows,
  MSFUNC = dpobj_internal.train_accumulate, MSTYPE = dp_rows, MINVFUNC = dpobj_internal.train_accumulate,
  FINALFUNC = dpobj_internal.train_final, MFINALFUNC = dpobj_internal.train_final);
SELECT spoof_moving(features, rich, 1.0, 0) OVER (ORDER BY id ROWS 3 PRECEDING) FROM person;
CREATE FUNCTION dp_halfspace(float8[], boolean) RETURNS text LANGUAGE sql AS $$ SELECT 'mine' $$;
SELECT dp_halfspace(features, rich), (SELECT spoof(features, rich, 1.0, 0) FROM person) FROM person LIMIT 1;
-- other roles cannot make such aggregates
CREATE ROLE shapes_owner;
GRANT SELECT ON person TO shapes_owner;
GRANT CREATE ON SCHEMA public TO shapes_owner;
SELECT dpobj.grant_trainer('shapes_owner');
SET ROLE shapes_owner;
CREATE AGGREGATE spoof_own(float8[], boolean, float8, float8) (SFUNC = dpobj_internal.train_accumulate, STYPE = dp_rows);
CREATE FUNCTION spoof_rows(dp_rows) RETURNS text LANGUAGE sql AS $$ SELECT 'rows' $$;
CREATE TABLE spoof_table (state dp_rows);
ALTER AGGREGATE dp_halfspace(float8[], anyelement, float8, float8) RENAME TO spoof_own;
SELECT spoof(features, rich, 1.0, 0) FROM person;
SELECT dpobj_internal.train_final(NULL);
SELECT dpobj.grant_trainer('shapes_owner');
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM shapes_owner;
BEGIN READ ONLY;
SELECT dp_halfspace(features, rich, 1.0, 0) FROM person;
ROLLBACK;
SELECT count(*) - :before AS events FROM dpobj.ledger;
DROP AGGREGATE spoof(float8[], boolean, float8, float8), spoof_state(float8[], boolean, float8, float8),
  spoof_combine(dp_rows), spoof_final(dp_rows), spoof_moving(float8[], boolean, float8, float8);
DROP FUNCTION trained(), on_place(), on_rows(), dp_halfspace(float8[], boolean) CASCADE;
SET client_min_messages = warning;
DROP EXTENSION file_fdw CASCADE;
DROP TABLE person, place, part, kept, made, ruled, forebear, other_forebear, own, unlogged CASCADE;
DROP OWNED BY shapes_owner;
DROP ROLE shapes_owner;

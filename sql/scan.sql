-- The scan of the analyst's door, against the same rows encoded one by one in SQL
\i tests/answers.sql
\i tests/scan/functions.sql
\set SHOW_CONTEXT never

-- What a scan should find, computed from dpobj.features: rows whose label is null do not count.
CREATE FUNCTION expected(relation regclass, encoders jsonb, label text,
  OUT rows bigint, OUT neutral bigint, OUT distinct_rows bigint, OUT digest bytea) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($query$
    WITH encoded AS (SELECT dpobj.features($1, this_row) AS x, (%s)::boolean AS y FROM %s AS this_row),
    used AS (
      SELECT (SELECT string_agg(trunc(v * 65536 + sign(v) * 0.5)::bigint || ' ', '' ORDER BY j)
              FROM unnest(x) WITH ORDINALITY AS u(v, j)) AS x, y
      FROM encoded WHERE x IS NOT NULL AND y IS NOT NULL),
    line AS (
      SELECT format(E'%%s: %%s %%s\n', x, count(*) FILTER (WHERE y), count(*) FILTER (WHERE NOT y)) AS line
      FROM used GROUP BY x)
    SELECT (SELECT count(*) FROM encoded), (SELECT count(*) FROM encoded) - (SELECT count(*) FROM used),
      count(*), sha256(convert_to(coalesce(string_agg(line, '' ORDER BY line COLLATE "C"), ''), 'UTF8'))
    FROM line $query$, label, relation) INTO rows, neutral, distinct_rows, digest USING encoders;
END $$;

-- Every type, every kind of encoder, and rows that are bad in every way.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN share AS float8;
CREATE TABLE citizen (i2 int2, gone int, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, s share, b boolean, d date,
  ts timestamp, tz timestamptz, t text, v varchar(2000), c char(2500), e mood, y boolean, income text, code int);
ALTER TABLE citizen DROP gone;
ALTER TABLE citizen ALTER t SET STORAGE EXTERNAL;
SET TimeZone = 'Asia/Kolkata';
INSERT INTO citizen
SELECT i % 50, i % 7, i * 1000, i::float4 / 300, i::float8 / 700, i / 3::numeric, i / 100.0, i % 2 = 0, date '2000-01-01' + i * 40,
  timestamp '2000-01-01' + i * interval '41 hours', timestamptz '2000-01-01 00:00+00' + i * interval '1 hour',
  CASE i % 3 WHEN 0 THEN 'x' WHEN 1 THEN repeat('long', 900) ELSE repeat('long', 900) || 'er' END, (ARRAY['a', 'b', 'c'])[1 + i % 3],
  repeat('p', i % 4), (ARRAY['sad', 'ok', 'happy']::mood[])[1 + i % 3], i % 5 < 2, (ARRAY['<=50K', '>50K'])[1 + i % 2], i % 3
FROM generate_series(0, 299) i;
INSERT INTO citizen SELECT (good).* FROM (SELECT jsonb_populate_record(good, bad) AS good FROM (SELECT citizen AS good FROM citizen LIMIT 3) AS three,
  unnest(ARRAY['{"i2": null}', '{"f8": "NaN"}', '{"f8": "Infinity"}', '{"f4": "-Infinity"}', '{"f8": 1e308}', '{"n": "NaN"}', '{"n": "Infinity"}',
    '{"n": 1e1000}', '{"n": -1e100000}', '{"d": "infinity"}', '{"d": "-infinity"}', '{"d": "4713-01-01 BC"}', '{"ts": "infinity"}',
    '{"tz": "-infinity"}', '{"t": "unknown"}', '{"t": ""}', '{"v": null}', '{"c": "q"}', '{"e": null}', '{"y": null}', '{"income": null}',
    '{"income": "rich"}', '{"code": null}', '{"code": 2147483647}', '{"b": null}', '{"i4": -2147483648}', '{"i8": 9223372036854775807}']::jsonb[]) AS u(bad)) AS s;
SELECT pg_relation_size(reltoastrelid) > 0 AS toasted FROM pg_class WHERE oid = 'citizen'::regclass;
SELECT $${"i2": {"bins": [10, 20, 30]}, "i4": {"scale": 7}, "i8": {"center": 150000, "scale": 150000, "clip": [-0.5, 0.5]}, "f4": {}, "f8": {"null": -0.5},
  "n": {"scale": 100, "clip": [0, 2], "null": 1, "null_indicator": true}, "s": {"null_indicator": true}, "b": {},
  "d": {"epoch_of": "day", "center": 10957, "scale": 3650, "clip": [-1, 2]}, "ts": {"epoch_of": "hour", "bins": [270000, 280000]},
  "tz": {"epoch_of": "second", "center": 946684800, "scale": 1e6}, "v": {"levels": ["a", "b", "c"], "drop_first": true},
  "c": {"levels": ["", "p", "pp", "ppp"], "null_indicator": true}, "e": {"levels": ["happy", "ok", "sad"]}}$$ AS features,
  $${"y": {}, "income": {"positive": [">50K"], "negative": ["<=50K"]}, "code": {"positive": [0, 2]}}$$ AS labels \gset
SELECT dpobj.protect('citizen', (:'features'::jsonb || :'labels'::jsonb) ||
  jsonb_build_object('t', jsonb_build_object('levels', ARRAY['x', repeat('long', 900), repeat('long', 900) || 'er'])));
SELECT encoders - '{y,income,code}'::text[] AS encoders FROM dpobj.protected WHERE relation = 'citizen'::regclass \gset
SELECT s.rows, s.neutral, s.distinct_rows, s = e AS same
FROM scan_digest('citizen', 'income') AS s, expected('citizen', :'encoders'::jsonb || '{"y": {}}', $$CASE income WHEN '>50K' THEN true WHEN '<=50K' THEN false END$$) AS e;
SELECT s.rows, s.neutral, s.distinct_rows, s = e AS same
FROM scan_digest('citizen', 'y') AS s, expected('citizen', :'encoders', 'y') AS e;
SELECT s.rows, s.neutral, s.distinct_rows, s = e AS same
FROM scan_digest('citizen', 'code', '{f8,b,e}') AS s, expected('citizen', '{"f8": {"null": -0.5}, "b": {}, "e": {"levels": ["happy", "ok", "sad"]}}', 'code IN (0, 2)') AS e;
-- the order of the features is the caller's
SELECT s.rows, s.neutral, s.distinct_rows, s = e AS same
FROM scan_digest('citizen', 'b', '{f4,f8}') AS s, expected('citizen', '{"f4": {}, "f8": {"null": -0.5}}', 'b') AS e;
SELECT s.digest = e.digest AS same
FROM scan_digest('citizen', 'b', '{f8,f4}') AS s, expected('citizen', '{"f4": {}, "f8": {"null": -0.5}}', 'b') AS e;
-- a digest tells one row from another
UPDATE citizen SET f4 = 0.0625 WHERE ctid = (SELECT min(ctid) FROM citizen WHERE f4 BETWEEN 0.3 AND 0.6);
SELECT s.rows, s.neutral, s = e AS same, s.digest <> o.digest AS changed
FROM scan_digest('citizen', 'b', '{f4}') AS s, expected('citizen', '{"f4": {}}', 'b') AS e,
     expected('citizen', '{"f4": {}}', 'f4 <> 0.0625 AND b OR f4 = 0.0625 AND NOT b') AS o;

-- Filters: rows that do not pass are neutral, whatever the operator and type; the number of rows stays.
CREATE FUNCTION filtered(filter jsonb, condition text) RETURNS TABLE (neutral bigint, same boolean) LANGUAGE sql AS $$
  SELECT s.neutral, s = e FROM scan_digest('citizen', 'b', '{i4,f8}', filter) AS s,
    expected('citizen', '{"i4": {"scale": 7}, "f8": {"null": -0.5}}', format('CASE WHEN %s THEN b END', condition)) AS e
$$;
SELECT f, r.* FROM (VALUES
  ('{"i4": {"=": 3}}', 'i4 = 3'), ('{"i4": {"<>": 3}}', 'i4 <> 3'), ('{"i2": {"<": 10}}', 'i2 < 10'),
  ('{"i8": {"<=": 100000}}', 'i8 <= 100000'), ('{"i8": {">": 100000}}', 'i8 > 100000'), ('{"i8": {">=": 9223372036854775807}}', 'i8 >= 9223372036854775807'),
  ('{"i4": {">=": 2, "<": 5}, "b": {"=": true}}', 'i4 >= 2 AND i4 < 5 AND b'), ('{"i4": {"in": [1, 3, 5]}}', 'i4 IN (1, 3, 5)'), ('{"i4": {"in": []}}', 'false'),
  ('{"f8": {"<": 0.2}}', 'f8 < 0.2'), ('{"f8": {">": 1e300}}', 'f8 > 1e300 AND f8 <> ''NaN'''), ('{"f4": {"=": 0.1}}', 'f4 = 0.1::float4'),
  ('{"n": {">": 50.5}}', 'n > 50.5 AND n <> ''NaN'''), ('{"n": {"<": -1e50}}', 'n < -1e50'), ('{"n": {">": 1e900}}', 'n > 1e900 AND n <> ''NaN'''), ('{"s": {"<=": 1}}', 's <= 1'),
  ('{"b": {"<>": true}}', 'NOT b'), ('{"b": {"<": true}}', 'b < true'), ('{"d": {">=": "2010-01-01"}}', $$d >= '2010-01-01'$$), ('{"d": {"=": "infinity"}}', $$d = 'infinity'$$),
  ('{"ts": {"<": "2000-06-01 12:00"}}', $$ts < '2000-06-01 12:00'$$), ('{"tz": {"<": "2000-01-05 00:00"}}', $$tz < '2000-01-05 00:00+00'$$),
  ('{"t": {"=": "x"}}', $$t = 'x'$$), ('{"t": {">": "longlong"}}', $$t COLLATE "C" > 'longlong'$$), ('{"t": {"<=": "longlong"}}', $$t COLLATE "C" <= 'longlong'$$),
  ('{"v": {"in": ["a", "c"]}}', $$v IN ('a', 'c')$$), ('{"c": {"=": "pp"}}', $$c = 'pp'$$), ('{"c": {">": "p"}}', $$c COLLATE "C" > 'p'$$),
  ('{"e": {"=": "ok"}}', $$e = 'ok'$$), ('{"e": {"in": ["ok", "sad"]}}', $$e IN ('ok', 'sad')$$), ('{"e": {"<>": "ok"}}', $$e <> 'ok'$$),
  ('{"v": {"is null": true}}', 'v IS NULL'), ('{"v": {"is null": false}}', 'v IS NOT NULL'), ('{}', 'true')) AS v(f, c), filtered(f::jsonb, c) AS r \g (tuples_only=off)
SET DateStyle = 'German';
SELECT filtered('{"d": {"<": "2005-01-02"}}', $$d < '2005-01-02'$$);
SELECT filtered('{"d": {"<": "02.01.2005"}}', $$d < '2005-01-02'$$);
RESET DateStyle;
ALTER TABLE citizen ADD j json;
SELECT * FROM answers($$SELECT scan_digest('citizen', 'b', '{i4}', '%')$$,
  '1', '[]', '{"i4": 3}', '{"i4": {}}', '{"x": {"=": 1}}', '{"gone": {"=": 1}}', '{"ctid": {"=": "(0,1)"}}', '{"xmin": {"=": 1}}',
  '{"j": {"is null": true}}', '{"i4": {"==": 3}}', '{"i4": {"=": "3"}}', '{"i4": {"=": 3.5}}', '{"i4": {"=": 1e30}}', '{"i4": {"=": null}}',
  '{"i4": {"in": 3}}', '{"i4": {"in": [3, "a"]}}', '{"i4": {"is null": 1}}', '{"f8": {"=": "NaN"}}', '{"f8": {"<": 1e999}}', '{"b": {"=": 1}}',
  '{"d": {"=": "tomorrow-ish"}}', '{"d": {"=": 3}}', '{"ts": {"=": "2000-13-01"}}', '{"t": {"=": 3}}', '{"e": {"=": "angry"}}', '{"e": {"<": "ok"}}',
  '{"n": {"=": "1"}}');

-- Labels, features and tables that are refused.
SELECT * FROM answers($$SELECT scan_digest('citizen', %)$$,
  $$'nobody'$$, $$'i4'$$, $$'b', '{b}'$$, $$'b', '{income}'$$, $$'b', '{j}'$$);
SELECT scan_digest('pg_class', 'relhasindex');
SELECT scan_digest(NULL, 'b');

-- Partitions count once, whatever the order of their columns; so do children in a diamond.
CREATE TABLE parted (id int, a float8, y boolean) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (100);
CREATE TABLE parted_2 (junk text, y boolean, old int, a float8, id int);
ALTER TABLE parted_2 DROP junk, DROP old;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (100) TO (200);
CREATE TABLE parted_3 (y boolean, id int, a float8) PARTITION BY LIST (y);
ALTER TABLE parted ATTACH PARTITION parted_3 FOR VALUES FROM (200) TO (300);
CREATE TABLE parted_3t PARTITION OF parted_3 FOR VALUES IN (true);
CREATE TABLE parted_3f (a float8, id int, y boolean);
ALTER TABLE parted_3 ATTACH PARTITION parted_3f FOR VALUES IN (false);
CREATE TABLE parted_default PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT i, i / 400.0, i % 3 = 0 FROM generate_series(0, 399) i;
SELECT dpobj.protect('parted', '{"a": {}, "y": {}}');
SELECT s.rows, s.neutral, s = e AS same FROM scan_digest('parted', 'y') AS s, expected('parted', '{"a": {}}', 'y') AS e;
SELECT s.rows, s.neutral, s = e AS same FROM scan_digest('parted_3', 'y') AS s, expected('parted_3', '{"a": {}}', 'y') AS e;
SELECT s.rows, s.neutral, s = e AS same FROM scan_digest('parted', 'y', filter => '{"id": {">=": 150, "<": 250}}') AS s,
  expected('parted', '{"a": {}}', 'CASE WHEN id >= 150 AND id < 250 THEN y END') AS e;
CREATE TABLE top (a float8, y boolean);
CREATE TABLE "left" (more int) INHERITS (top);
CREATE TABLE "right" (less int, a float8) INHERITS (top);
CREATE TABLE bottom () INHERITS ("left", "right");
INSERT INTO top SELECT i / 10.0, i % 2 = 0 FROM generate_series(1, 10) i;
INSERT INTO "left" SELECT -i / 20.0, i % 2 = 0, i FROM generate_series(1, 20) i;
INSERT INTO "right" SELECT i / 30.0, i % 2 = 0, i FROM generate_series(1, 30) i;
INSERT INTO bottom (a, y) SELECT -i / 40.0, i % 2 = 0 FROM generate_series(1, 40) i;
SELECT dpobj.protect('top', '{"a": {}, "y": {}}');
SELECT s.rows, s.neutral, s = e AS same FROM scan_digest('top', 'y') AS s, expected('top', '{"a": {}}', 'y') AS e;

-- Statistics of a TOAST table count the values that are fetched: as many whatever the filter,
-- the label and the other columns say.
CREATE TABLE toasted (a float8, t text, y boolean);
ALTER TABLE toasted ALTER t SET STORAGE EXTERNAL;
INSERT INTO toasted SELECT i / 100.0, repeat('long', 1000), true FROM generate_series(1, 97) i;
INSERT INTO toasted VALUES ('NaN', repeat('long', 1000), true), (0, repeat('long', 1000), NULL), (NULL, repeat('long', 1000), NULL);
SELECT dpobj.protect('toasted', jsonb_build_object('a', '{}'::jsonb, 'y', '{}'::jsonb, 't', jsonb_build_object('levels', ARRAY[repeat('long', 1000)])));
CREATE FUNCTION fetched(filter jsonb) RETURNS TABLE (neutral bigint, fetched bigint) LANGUAGE plpgsql AS $$
DECLARE
  toast oid := (SELECT i.indexrelid FROM pg_class c JOIN pg_index i ON i.indrelid = c.reltoastrelid WHERE c.oid = 'toasted'::regclass);
  before bigint := pg_stat_get_xact_numscans(toast);
BEGIN
  neutral := (SELECT s.neutral FROM scan_digest('toasted', 'y', filter => filter) AS s);
  fetched := pg_stat_get_xact_numscans(toast) - before;
  RETURN NEXT;
END $$;
SELECT f, r.* FROM unnest('{NULL,"{\"a\": {\"<\": 0.5}}","{\"a\": {\"in\": []}}","{\"y\": {\"is null\": true}}"}'::jsonb[]) AS f, fetched(f) AS r;
SELECT f, r.* FROM unnest('{"{\"a\": {\"<\": 9}, \"t\": {\">\": \"x\"}}","{\"a\": {\"<\": 0}, \"t\": {\">\": \"x\"}}"}'::jsonb[]) AS f, fetched(f) AS r;

-- A relation that became one of a refused kind after it was protected.
ALTER TABLE bottom ENABLE ROW LEVEL SECURITY;
SELECT scan_digest('top', 'y');
ALTER TABLE bottom DISABLE ROW LEVEL SECURITY;
ALTER TABLE bottom SET UNLOGGED;
SELECT scan_digest('top', 'y');
ALTER TABLE bottom SET LOGGED;
DROP TABLE parted_3f;
SELECT (scan_digest('parted', 'y')).rows;

-- The statement's snapshot: own changes, no deleted rows; and nothing where there is nothing.
BEGIN;
INSERT INTO top VALUES (0.5, true), (0.5, false);
DELETE FROM ONLY top WHERE a < 0.25;
SELECT s.rows, s = e AS same FROM scan_digest('top', 'y') AS s, expected('top', '{"a": {}}', 'y') AS e;
DELETE FROM top;
SELECT s.rows, s.neutral, s.distinct_rows, s = e AS same FROM scan_digest('top', 'y') AS s, expected('top', '{"a": {}}', 'y') AS e;
ROLLBACK;
-- The locks are given back after the scan, also where there were others before.
BEGIN;
SELECT (scan_digest('top', 'y')).rows;
SELECT relation::regclass, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('top'::regclass, '"left"'::regclass, '"right"'::regclass, 'bottom'::regclass);
LOCK TABLE bottom IN ACCESS SHARE MODE;
SELECT (scan_digest('top', 'y')).rows;
SELECT relation::regclass, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('top'::regclass, '"left"'::regclass, '"right"'::regclass, 'bottom'::regclass);
COMMIT;

DROP FUNCTION expected(regclass, jsonb, text), filtered(jsonb, text);
DROP FUNCTION fetched(jsonb);
DROP TABLE citizen, toasted, parted, top, "left", "right", bottom;
DROP TYPE mood;
DROP DOMAIN share;
DELETE FROM dpobj.protections;

-- Shards of Citus are refused at both doors before anything is charged, and what Citus manages at the owner's door and if
-- the catalogs are not all known: a stand-in for them.  tests/t/044_citus.pl reads shards.
CREATE TABLE harvest (age int, sick boolean);
INSERT INTO harvest SELECT i, i % 2 = 0 FROM generate_series(1, 50) i;
CREATE TABLE harvest_102010 AS TABLE harvest;
CREATE TABLE harvest_102011 AS TABLE harvest;
CREATE TABLE "harvest_2024_01" AS TABLE harvest;
CREATE TABLE field (LIKE harvest) PARTITION BY RANGE (age);
CREATE TABLE field_20240101 PARTITION OF field DEFAULT;
INSERT INTO field TABLE harvest;
CREATE SCHEMA elsewhere;
CREATE TABLE elsewhere.pg_dist_partition (logicalrelid regclass);
CREATE TABLE elsewhere.pg_dist_shard (logicalrelid regclass, shardid int8);
INSERT INTO elsewhere.pg_dist_partition VALUES ('harvest');
INSERT INTO elsewhere.pg_dist_shard VALUES ('harvest', 102010);
CREATE FUNCTION both_doors(OUT name text, OUT owner text, OUT analyst text, OUT events bigint) RETURNS SETOF record LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE message text; rule text; hint text; before bigint;
BEGIN
  FOR name IN SELECT unnest(ARRAY['harvest', 'harvest_102010', 'harvest_102011', 'harvest_2024_01', 'field', 'field_20240101']) LOOP
    owner := 'answers'; analyst := 'answers';
    SELECT count(*) INTO before FROM dpobj.ledger WHERE event IN ('charged', 'released', 'failed');
    BEGIN
      EXECUTE format('SELECT dp_halfspace(ARRAY[age], sick, 0.5, 0, ''{"clip": [0, 100]}'') FROM %I', name);
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS rule = PG_EXCEPTION_DETAIL;
      owner := SQLSTATE || ' ' || rule;
    END;
    BEGIN
      PERFORM dpobj.train(name::regclass, label => 'sick', epsilon => 0.5);
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS rule = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
      analyst := SQLSTATE || ' ' || rule || ' ' || hint;
    END;
    SELECT count(*) - before INTO events FROM dpobj.ledger WHERE event IN ('charged', 'released', 'failed');
    RETURN NEXT;
  END LOOP;
END $$;
SELECT count(dpobj.protect(t, '{"age": {"clip": [0, 100]}, "sick": {}}')), count(dpobj.set_budget(t, current_user::regrole, 100, 0))
FROM unnest('{harvest,harvest_102010,harvest_102011,harvest_2024_01,field}'::regclass[]) t;
SELECT * FROM both_doors() \g (tuples_only=off)
SET search_path = elsewhere, public, pg_catalog;
SELECT name, events FROM both_doors();
RESET search_path;
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass NOT NULL, partmethod "char" NOT NULL, partkey text,
  colocationid integer NOT NULL DEFAULT 0, repmodel "char" NOT NULL DEFAULT 'c', autoconverted boolean NOT NULL DEFAULT false);
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass NOT NULL, shardid int8 NOT NULL, shardstorage "char" NOT NULL, shardminvalue text, shardmaxvalue text);
-- a node without metadata
SELECT * FROM both_doors();
-- a node with metadata
CREATE UNIQUE INDEX pg_dist_shard_shardid_index ON pg_catalog.pg_dist_shard (shardid);
INSERT INTO pg_dist_partition VALUES ('harvest', 'h');
INSERT INTO pg_dist_shard VALUES ('harvest', 102010, 't', '-2147483648', '2147483647');
SELECT * FROM both_doors();
-- a shard that was split
INSERT INTO pg_dist_shard VALUES ('harvest', 102013, 't', '0', '2147483647');
SELECT * FROM both_doors() WHERE name = 'harvest_102011';
-- reference and local tables, and partitions of one that is distributed
UPDATE pg_dist_partition SET partmethod = 'n', repmodel = 't', logicalrelid = 'field';
SELECT * FROM both_doors();
SELECT dpobj.protect('harvest_102010', '{"age": {"clip": [0, 100]}, "sick": {}}');
-- by append
UPDATE pg_dist_partition SET partmethod = 'a', logicalrelid = 'harvest';
SELECT dpobj.protect('harvest', '{"age": {"clip": [0, 100]}, "sick": {}}');
-- a catalog of another shape
ALTER TABLE pg_catalog.pg_dist_partition RENAME logicalrelid TO relation;
SELECT name, owner FROM both_doors();
DROP TABLE pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard;
RESET allow_system_table_mods;
DROP FUNCTION both_doors;
DROP SCHEMA elsewhere CASCADE;
DROP TABLE harvest, harvest_102010, harvest_102011, harvest_2024_01, field;
DELETE FROM dpobj.protections;

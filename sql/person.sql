-- Person and max_rows_per_person: how many rows of each person enter a training
\i tests/answers.sql
\i tests/scan/functions.sql
SET client_min_messages = warning; -- protections are replaced all the time
\set SHOW_CONTEXT never
SET TimeZone = 'UTC';
CREATE TYPE badge AS ENUM ('red', 'blue');
CREATE DOMAIN email AS text;
CREATE TABLE visit (id int, who int, y boolean, f float8, k_bool boolean, k_int2 int2, k_int4 int4, k_int8 int8, k_float4 float4, k_float8 float8,
  k_numeric numeric, k_date date, k_timestamp timestamp, k_timestamptz timestamptz, k_text text, k_varchar varchar(3000), k_char char(3000),
  k_uuid uuid, k_bytea bytea, k_badge badge, k_email email);
-- Four persons: 1 has one row, 2 has two, 3 has three and 4 has forty; and two rows are nobody's. A person
-- is named by any of the columns, whose values are equal in whatever way they are written.
INSERT INTO visit
SELECT row_number() OVER (), who, i % 3 = 0, i / 100.0, CASE who WHEN 1 THEN true WHEN 2 THEN false END, who, who, who::int8 << 40,
  CASE who WHEN 1 THEN 'NaN' WHEN 2 THEN '-Infinity' WHEN 3 THEN '1e-3' ELSE CASE i % 2 WHEN 0 THEN '0' ELSE '-0' END END::float4,
  CASE who WHEN 1 THEN 'NaN' WHEN 2 THEN '-Infinity' WHEN 3 THEN '1e-3' ELSE CASE i % 2 WHEN 0 THEN '0' ELSE '-0' END END::float8,
  CASE who WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN CASE i % 2 WHEN 0 THEN '12000' ELSE '12000.00' END ELSE CASE i % 3 WHEN 0 THEN '1.0' WHEN 1 THEN '1.00' ELSE '1' END END::numeric,
  CASE who WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' WHEN 3 THEN '2000-01-01' ELSE '4713-01-01 BC' END::date,
  CASE who WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' WHEN 3 THEN '2000-01-01' ELSE '2000-01-01 00:00:00.000001' END::timestamp,
  CASE who WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' WHEN 3 THEN CASE i % 2 WHEN 0 THEN '2000-01-01 00:00+00' ELSE '2000-01-01 05:30+05:30' END ELSE '2000-01-01 00:00:00.000001' END::timestamptz,
  long, long, long || repeat(' ', i % 2), md5(who::text)::uuid, convert_to(long, 'UTF8'), CASE who WHEN 1 THEN 'red' WHEN 2 THEN 'blue' END::badge, long
FROM (VALUES (1, 1), (2, 2), (3, 3), (4, 40), (NULL, 2)) AS p(who, rows), generate_series(1, rows) i,
  LATERAL (SELECT CASE who WHEN 1 THEN '' WHEN 2 THEN 'a' WHEN 3 THEN repeat('a', 2500) ELSE repeat('a', 2499) || 'A' END AS long) l;
UPDATE visit SET k_text = NULL, k_varchar = NULL, k_char = NULL, k_uuid = NULL, k_bytea = NULL, k_email = NULL, k_float4 = NULL, k_float8 = NULL, k_numeric = NULL,
  k_date = NULL, k_timestamp = NULL, k_timestamptz = NULL, k_int8 = NULL WHERE who IS NULL;
ALTER TABLE visit ALTER k_text SET STORAGE EXTERNAL;
UPDATE visit SET k_text = k_text || '';
SELECT $${"id": {"scale": 1, "clip": [0, 1000]}, "f": {}, "y": {}}$$ AS encoders \gset

-- How many rows of each person enter, by the number that the rows have.
CREATE FUNCTION entered(label text DEFAULT 'y', filter jsonb DEFAULT NULL, key bytea DEFAULT NULL) RETURNS TABLE (who int, entered bigint) LANGUAGE sql AS $$
  SELECT v.who, sum(s.positive + s.negative) FROM scan_rows('visit', label, '{id}', filter, key) AS s JOIN visit v ON v.id = s.x[1] >> 16 GROUP BY v.who ORDER BY v.who
$$;
CREATE FUNCTION limited(person text, most int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM dpobj.protect('visit', encoders, person => limited.person, max_rows_per_person => most) FROM dpobj.protected WHERE relation = 'visit'::regclass;
  RETURN (SELECT string_agg(concat_ws(':', e.who, e.entered), ' ') FROM entered() AS e) || ' of ' || (SELECT format('%s, neutral %s', rows, neutral) FROM scan_digest('visit', 'y'));
END $$;
SELECT dpobj.protect('visit', :'encoders', person => 'who', max_rows_per_person => 3);
SELECT a.attname, limited(a.attname, 3) FROM pg_attribute a WHERE a.attrelid = 'visit'::regclass AND (a.attname LIKE 'k\_%' OR a.attname = 'who') ORDER BY a.attnum;
SELECT most, limited('who', most) FROM unnest('{1, 2, 3, 16, 17, 39, 40, 41, 2147483647}'::int[]) AS most;

-- Rows that are neutral do not compete: a filter, a missing label or a missing value leave the places to others.
SELECT limited('who', 3);
SELECT * FROM entered(filter => '{"f": {">=": 0.02, "<": 0.05}}');
UPDATE visit SET y = NULL WHERE who = 4 AND f > 0.02;
SELECT * FROM entered();
UPDATE visit SET y = true, f = 'NaN' WHERE who = 4 AND f > 0.01;
SELECT sum(positive + negative) FROM scan_rows('visit', 'y', '{f}');
SELECT sum(positive + negative) FROM scan_rows('visit', 'y', '{id}');

-- The choice depends on the key only; equal rows are equally likely, and as many as allowed enter.
SELECT count(DISTINCT digest) FROM generate_series(1, 20) i, scan_digest('visit', 'y', '{id}', person_key => decode(md5(left('one key', i + 7)), 'hex')) s;
SELECT count(DISTINCT digest) > 10 AS various FROM generate_series(1, 20) i, scan_digest('visit', 'y', '{id}', person_key => decode(md5(i::text), 'hex')) s;
SELECT count(DISTINCT digest) > 10 AS various FROM generate_series(1, 20) i, scan_digest('visit', 'y', '{id}', with_digest => i > 0) s;
SELECT scan_digest('visit', 'y', person_key => 'short');
UPDATE visit SET f = 0, y = true WHERE who IS NOT NULL;
SELECT x, positive, negative FROM scan_rows('visit', 'y', '{f}');

-- Every value of the person is looked at, whatever the filter says, and so are those of all other columns.
CREATE FUNCTION fetched(filter jsonb) RETURNS TABLE (neutral bigint, fetched bigint) LANGUAGE plpgsql AS $$
DECLARE
  toast oid := (SELECT i.indexrelid FROM pg_class c JOIN pg_index i ON i.indrelid = c.reltoastrelid WHERE c.oid = 'visit'::regclass);
  before bigint := pg_stat_get_xact_numscans(toast);
BEGIN
  neutral := (SELECT s.neutral FROM scan_digest('visit', 'y', '{f}', filter) AS s);
  fetched := pg_stat_get_xact_numscans(toast) - before;
  RETURN NEXT;
END $$;
SELECT limited('k_text', 1);
SELECT f, r.* FROM unnest('{NULL,"{\"f\": {\"in\": []}}","{\"y\": {\"is null\": true}}"}'::jsonb[]) AS f, fetched(f) AS r;

-- One person's rows in several partitions or children are one person's; a person may be a feature as well.
CREATE TABLE parted (id int, who text, y boolean) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (50);
CREATE TABLE parted_2 (y boolean, junk int, who text, id int);
ALTER TABLE parted_2 DROP junk;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (50) TO (100);
INSERT INTO parted SELECT i, 'person ' || i % 7, i % 2 = 0 FROM generate_series(0, 99) i;
SELECT dpobj.protect('parted', '{"id": {"scale": 1, "clip": [0, 100]}, "y": {}, "who": {"levels": ["person 1"], "null": "person 1"}}', person => 'who', max_rows_per_person => 4);
SELECT p.who, sum(s.positive + s.negative) FROM scan_rows('parted', 'y') AS s JOIN parted p ON p.id = s.x[1] >> 16 GROUP BY p.who ORDER BY p.who;
SELECT p.who, sum(s.positive + s.negative) FROM scan_rows('parted_2', 'y') AS s JOIN parted p ON p.id = s.x[1] >> 16 GROUP BY p.who ORDER BY p.who;
SELECT rows, neutral FROM scan_digest('parted', 'y', filter => '{"id": {"<": 10}}');
CREATE TABLE top (id int, who numeric, y boolean);
CREATE TABLE "left" (more int) INHERITS (top);
CREATE TABLE "right" () INHERITS (top);
CREATE TABLE bottom () INHERITS ("left", "right");
INSERT INTO top SELECT i, 1.0, true FROM generate_series(1, 5) i;
INSERT INTO "left" SELECT i, 1.00, true FROM generate_series(6, 10) i;
INSERT INTO bottom SELECT i, CASE WHEN i < 15 THEN 1 ELSE 2 END, true FROM generate_series(11, 15) i;
SELECT dpobj.protect('top', '{"id": {"scale": 1, "clip": [0, 100]}, "y": {}}', person => 'who', max_rows_per_person => 2);
SELECT count(*) FILTER (WHERE x[1] >> 16 < 15) AS one, count(*) FILTER (WHERE x[1] >> 16 = 15) AS two FROM scan_rows('top', 'y');

-- A person's column that has gone, or is of another type.
ALTER TABLE "left" RENAME TO left_side;
ALTER TABLE top RENAME who TO somebody;
SELECT scan_digest('top', 'y');
ALTER TABLE top RENAME somebody TO who;
ALTER TABLE top ALTER who TYPE json USING to_json(who);
SELECT scan_digest('top', 'y');
ALTER TABLE top DROP who;
SELECT scan_digest('top', 'y');

DROP FUNCTION entered(text, jsonb, bytea), limited(text, int), fetched(jsonb);
DROP TABLE visit, parted, top, left_side, "right", bottom;
DROP TYPE badge;
DROP DOMAIN email;
DELETE FROM dpobj.protections;

-- dpobj.declare: a declaration from the catalog alone, and its gaps.
\i tests/answers.sql
\set SHOW_CONTEXT never
-- The declaration of one column of a table that has this column alone, and whether dpobj.protect takes it.
CREATE FUNCTION declared(definition text, constraints text DEFAULT '') RETURNS text LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE made jsonb; answer text;
BEGIN
  EXECUTE format('CREATE TABLE probe (c %s, y boolean, other int%s)', definition, constraints);
  made := dpobj.declare('probe') - 'y' - 'other';
  answer := answer_of(format('SELECT dpobj.protect(%L, %L)', 'probe', dpobj.declare('probe') - 'other'));
  DROP TABLE probe;
  RETURN (made -> 'c') || CASE WHEN answer <> '' THEN ' ' || split_part(answer, E'\n', 1) ELSE '' END;
END $$;
CREATE TYPE mood AS ENUM ('sad', 'glad');
ALTER TYPE mood ADD VALUE 'odd' BEFORE 'glad';
CREATE DOMAIN percent AS numeric CHECK (VALUE >= 0 AND VALUE <= 100);
CREATE DOMAIN half AS percent CHECK (VALUE <= 50) NOT NULL;
CREATE DOMAIN grade AS text CHECK (VALUE IN ('a', 'b', 'c'));

-- Bounds.
SELECT d, declared(d) FROM unnest(ARRAY['int', 'int NOT NULL CHECK (c BETWEEN 0 AND 100)', 'int CHECK (c >= 0 AND c <= 99)', 'int CHECK (c > 0 AND 10 > c)',
  'int CHECK (c >= 0)', 'int CHECK (c < 10)', 'smallint CHECK (c >= 1 AND c <= 5 AND c IS NOT NULL)', 'bigint CHECK (c > -9223372036854775808) CHECK (c < 9223372036854775807)',
  'int CHECK (c >= 0) CHECK (c >= -5 AND c <= 10)', 'int CHECK (c > 0.5 AND c < 2.5)', 'int CHECK (c BETWEEN 7 AND 7)', 'int CHECK (c BETWEEN 9 AND 7)',
  'numeric CHECK (c >= 0 AND c <= 1000)', 'numeric(5, 2) CHECK (c BETWEEN 0.5 AND 99.95)', 'float8 CHECK (c BETWEEN -90 AND 90)', 'real CHECK (c BETWEEN 0 AND 1.5)',
  'float8 CHECK (c >= 0 AND c <= ''infinity'')', 'float8 CHECK (c IN (0, 0.5, 1))', 'percent', 'half', 'percent CHECK (c > 10)']) d;
-- Times.
SELECT d, declared(d) FROM unnest(ARRAY['date', $$date CHECK (c BETWEEN '2020-01-01' AND '2020-12-31')$$, $$timestamp CHECK (c >= '2020-01-01 06:00' AND c < '2021-01-01')$$,
  $$timestamptz CHECK (c >= '2020-01-01 00:00+00' AND c < '2020-01-11 00:00+00')$$, $$timestamptz CHECK (c >= timestamp '2020-01-01' AND c < timestamp '2021-01-01')$$,
  $$date CHECK (c >= '0044-03-15 BC' AND c < '2020-01-01')$$, $$date CHECK (c >= '2020-01-01' AND c < 'infinity')$$, $$date CHECK (c > '2020-01-01')$$]) d;
-- Levels.
SELECT d, declared(d) FROM unnest(ARRAY['text', 'boolean', 'boolean NOT NULL', 'mood', 'mood NOT NULL', $$mood CHECK (c IN ('glad', 'sad'))$$, 'grade', $$grade CHECK (c <> 'a')$$, $$grade CHECK (c IN ('c', 'a', 'x'))$$,
  $$text NOT NULL CHECK (c IN ('x', 'y', 'x'))$$, $$text CHECK (c = ANY ('{x,y}'))$$, $$text CHECK (c = 'x' OR c = 'y' OR c IS NULL)$$, $$varchar(5) CHECK (c IN ('x', 'y'))$$,
  $$varchar CHECK (c = ANY (ARRAY['x', 'y']::text[]))$$, $$char(3) CHECK (c IN ('x', 'y '))$$, $$text COLLATE "C" CHECK (c IN ('it''s', '"q"'))$$, 'int CHECK (c IN (3, 1, 2))',
  'smallint CHECK (c IN (0, 1))', $$text CHECK (c IN ('x', NULL))$$, $$text CHECK (c = 'x' OR c > 'y')$$, $$text CHECK (NOT c IN ('x', 'y'))$$, $$text CHECK (c <> ALL ('{x,y}'))$$,
  $$text CHECK (c IN ('x') AND c IN ('y'))$$, 'int NOT NULL CHECK (c BETWEEN 0 AND 1)', $$text CHECK (c IN ('Yes', 'no'))$$, $$text CHECK (c IN ('Yes', 'on'))$$, 'time', 'time NOT NULL',
  'interval', 'json', 'uuid', 'int[]']) d;
SELECT left(declared(format('text CHECK (c IN (%s))', (SELECT string_agg(quote_literal(i), ',') FROM generate_series(1, 1024) i))), 90);
SELECT d, declared(format(d || ' CHECK (%s)', list)) FROM (VALUES ('text', (SELECT format('c IN (%s)', string_agg(quote_literal(i), ',')) FROM generate_series(1, 1025) i)),
  ('int', (SELECT string_agg('c = ' || i, ' OR ') FROM generate_series(1, 1025) i)), ('float8', (SELECT format('c = ANY (''{%s}'')', string_agg(i::text, ',')) FROM generate_series(1, 1025) i)),
  ('int', (SELECT format('c IN (1, 2) AND c IN (%s)', string_agg(i::text, ',')) FROM generate_series(1, 2000) i))) s(d, list);
-- Lists are read through casts that keep each value, bounds through those that keep their order; strings under a collation that says they are equal are not the same.
CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT d, declared(d) FROM unnest(ARRAY['bigint CHECK (c::numeric IN (1, 2))', 'bigint CHECK (c::real IN (1, 2))', 'bigint CHECK (c::real BETWEEN 0 AND 100)', $$char(3) CHECK (COLLATION FOR (c) IN ('"C"'))$$,
  $$text COLLATE nocase CHECK (c IN ('x', 'y'))$$, $$text COLLATE nocase CHECK (c = 'x' OR c = 'y')$$, $$text COLLATE nocase CHECK (c COLLATE "C" IN ('x', 'y'))$$, $$text CHECK (c COLLATE nocase IN ('x', 'y'))$$,
  'smallint CHECK (c BETWEEN -100000 AND 100000)', 'smallint CHECK (c IN (1, 2, 100000))', 'smallint CHECK (c IN (100000))', 'smallint CHECK (c BETWEEN 100000 AND 200000)']) d;

-- A condition on two columns says of each what its parts say; one that is no built-in comparison with a constant says nothing.
SELECT c, declared('int', ', CHECK (' || c || ')') FROM unnest(ARRAY['c >= 0 AND c <= 9 AND other > 3', 'c >= 0 AND c <= other', 'c BETWEEN 0 AND 9 OR other > 3', 'abs(c) <= 9', 'c + 1 BETWEEN 0 AND 9',
  'c >= 0 AND c <= abs(9)', 'c BETWEEN 0 AND 9 IS NOT FALSE', 'y OR c IN (1, 2)', 'c >= 0 AND c::numeric <= 9.5', 'c::text IN (''1'', ''2'')', 'CASE WHEN y THEN c IN (1, 2) END', 'c BETWEEN 0 AND 9 AND ?- lseg ''(0,0),(1,0)''']) c;

-- Operators, functions and casts of users are never called and never trusted: they would raise an error.
CREATE FUNCTION trap(int, text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
CREATE FUNCTION trap(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
CREATE OPERATOR <= (LEFTARG = int, RIGHTARG = text, FUNCTION = trap);
CREATE TYPE coin AS ENUM ('head', 'tail');
CREATE FUNCTION twice(coin) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2';
CREATE FUNCTION doubled(int) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
CREATE CAST (coin AS int) WITH FUNCTION twice(coin) AS IMPLICIT;
SELECT d, declared(d) FROM unnest(ARRAY[$$int CHECK (c >= 0 AND c <= '9'::text)$$, $$text CHECK (c IN ('x') AND trap(c))$$, 'int CHECK (c >= 0 AND c <= ''tail''::coin)',
  'coin CHECK (c::int BETWEEN 0 AND 9)', 'int CHECK (c >= 0 AND c <= doubled(9))']) d;

-- Keys, numbers of rows and types without an encoder are left out; a foreign key is a gap.
CREATE TABLE ward (ward int PRIMARY KEY);
CREATE TABLE stay (stay serial, row bigint GENERATED ALWAYS AS IDENTITY, code text PRIMARY KEY, badge int, paper json, ward int REFERENCES ward, bed int REFERENCES ward CHECK (bed IN (1, 2)),
  age int CHECK (age BETWEEN 0 AND 120), "Weight ""kg""" float8, mood mood, ill boolean, gone int, part int CHECK (part IN (1, 2)), doubled int GENERATED ALWAYS AS (part * 2) STORED,
  number int DEFAULT nextval('stay_stay_seq'));
ALTER TABLE stay DROP gone;
CREATE UNIQUE INDEX ON stay (badge);
CREATE UNIQUE INDEX ON stay (part) WHERE ill;
CREATE UNIQUE INDEX ON stay (age, part);
SELECT jsonb_pretty(dpobj.declare('stay'));
SELECT answer_of($$SELECT dpobj.protect('stay', dpobj.declare('stay'))$$);
SELECT answer_of($$SELECT dpobj.protect('stay', dpobj.declare('stay') - 'ward' - 'doubled')$$);
SELECT answer_of($$SELECT dpobj.protect('stay', dpobj.declare('stay') || '{"age": {"gap": 1}}')$$);
SELECT dpobj.protect('stay', dpobj.declare('stay') - 'doubled' || '{"ward": {"levels": [1, 2]}, "Weight \"kg\"": {"clip": [0, 200]}}');
SELECT feature, low, high FROM dpobj.protected_features('stay');
SELECT answer_of($$SELECT dpobj.features(dpobj.declare('stay'), s) FROM stay s$$), answer_of($$SELECT dpobj.features('{"age": {"gap": ""}}', ROW(1)::ward)$$);
SELECT dpobj.unprotect('stay');

-- No row decides anything: neither their number, nor statistics, nor whether a constraint or a unique index that came later holds.
SELECT dpobj.declare('stay') AS empty \gset
INSERT INTO stay (code, badge, age, part, ill) SELECT i, i, i % 100, 1 + i % 2, false FROM generate_series(1, 1000) i ON CONFLICT DO NOTHING;
ANALYZE stay;
SELECT count(*) > 0 AS rows, dpobj.declare('stay') = :'empty' AS same FROM stay;
ALTER TABLE stay ADD CHECK (part IN (2, 3)) NOT VALID;
SELECT dpobj.declare('stay') -> 'part' AS part;
CREATE UNIQUE INDEX CONCURRENTLY ON stay (part);
SELECT dpobj.declare('stay') ? 'part' AS part;

-- Partitions, and relations that are refused.
CREATE TABLE parted (a int CHECK (a BETWEEN 0 AND 9), b int) PARTITION BY RANGE (b);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (9);
SELECT dpobj.declare('parted') = dpobj.declare('parted_1') AS same, dpobj.declare('parted');
CREATE VIEW stays AS SELECT * FROM stay;
SELECT * FROM answers('SELECT dpobj.declare(%)', 'NULL', $$'stays'$$, $$'stay_pkey'$$, '4294967295');

-- Whoever sees the catalog may call it.
CREATE ROLE dpobj_declare_eve;
SET ROLE dpobj_declare_eve;
SELECT dpobj.declare('parted');
RESET ROLE;
DROP ROLE dpobj_declare_eve;
DROP VIEW stays;
DROP TABLE stay, ward, parted;
DROP OPERATOR <= (int, text);
DROP CAST (coin AS int);
DROP FUNCTION trap(int, text), trap(text), doubled(int), twice(coin), declared(text, text);
DROP DOMAIN half;
DROP DOMAIN percent, grade;
DROP TYPE mood, coin;
DROP COLLATION nocase;
DELETE FROM dpobj.protections;

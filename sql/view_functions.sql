-- Every function that a view may have, thrown at edge values of its types: none fails, whatever a row has
\i tests/answers.sql
SET client_min_messages = warning;
\set SHOW_CONTEXT never
SET TimeZone = 'UTC';
CREATE TYPE edge_enum AS ENUM ('low', 'middle', 'high');
ALTER TYPE edge_enum ADD VALUE 'lowest' BEFORE 'low';

-- A column for each type; its values follow one another in all rows.
CREATE TABLE edge (id int PRIMARY KEY, b boolean, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric(600, 300), m numeric(12, 2),
  d date, ts timestamp, tz timestamptz, tm time, t text, v varchar(20000), c char(5), u uuid, e edge_enum);
CREATE FUNCTION nth(list text[], i int) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT list[1 + i % cardinality(list)]';
INSERT INTO edge SELECT i, nth('{true, false, NULL}', i)::boolean, nth('{-32768, 32767, 0, -1, 1, NULL}', i)::smallint, nth('{-2147483648, 2147483647, 0, -1, 1, NULL, 65536}', i)::int,
  nth('{-9223372036854775808, 9223372036854775807, 0, -1, 1, NULL, 4294967296, 9007199254740993}', i)::bigint,
  nth('{NaN, Infinity, -Infinity, 3.4028235e38, -3.4028235e38, 1e-45, -1e-45, 0, -0, 1, NULL, 0.1}', i)::real,
  nth('{NaN, Infinity, -Infinity, 1.7976931348623157e308, -1.7976931348623157e308, 4.9e-324, -4.9e-324, 2.2250738585072014e-308, 0, -0, 1, NULL, 0.1, 9007199254740993, 1e-300}', i)::double precision,
  CASE i % 9 WHEN 0 THEN 'NaN' WHEN 1 THEN 1e300 - 1e-300 WHEN 2 THEN 1e-300 - 1e300 WHEN 3 THEN 1e-300 WHEN 4 THEN -1e-300 WHEN 5 THEN 0 WHEN 6 THEN NULL WHEN 7 THEN 0.5 ELSE -2.5 END,
  nth('{NaN, 9999999999.99, -9999999999.99, 0.01, -0.01, 0, NULL, 1.00}', i)::numeric,
  nth('{infinity, -infinity, 4713-11-24 BC, 5874897-12-31, 2000-02-29, 1999-12-31, 0001-01-01, 0001-12-31 BC, NULL, 294277-01-01, 4714-11-24 BC}', i)::date,
  nth('{infinity, -infinity, 4714-11-24 00:00:00 BC, 294276-12-31 23:59:59.999999, 2000-02-29 12:00, 1999-12-31 23:59:59.999999, 1970-01-01, 0001-01-01 BC, NULL}', i)::timestamp,
  nth('{infinity, -infinity, 4714-11-24 00:00:00+00 BC, 294276-12-31 23:59:59.999999+00, 2000-02-29 12:00+00, 1999-12-31 23:59:59.999999+00, NULL}', i)::timestamptz,
  nth('{00:00, 24:00, 23:59:59.999999, 12:00, NULL}', i)::time,
  nth(texts, i), nth(texts, i), left(nth(texts, i), 5), nth('{00000000-0000-0000-0000-000000000000, ffffffff-ffff-ffff-ffff-ffffffffffff, NULL, 123e4567-e89b-12d3-a456-426614174000}', i)::uuid, nth('{low, high, lowest, NULL}', i)::edge_enum
FROM generate_series(1, 42) i,
  (SELECT ARRAY['', ' ', 'a', 'A', 'ß', 'İ', E'e\u0301', 'é', E'\t\n', '\', 'a\', '%', '_', '\%', repeat('x', 3000), repeat('%', 500), repeat('ß', 2000), E'\U0001F600', 'ǆ', 'Σς', NULL, '0', 'NaN', E'\u200b', '''"']) AS t(texts);
SELECT dpobj.protect('edge', '{"i4": {"center": 0, "scale": 1}}', person => 'id', max_rows_per_person => 1);
-- A second table of the same values, so that functions of two arguments get all pairs.
CREATE TABLE edges AS SELECT * FROM edge;

-- Is an expression accepted, and if so, what does it raise for all pairs?  Its columns are those of a and b.
CREATE FUNCTION tried(expression text, OUT accepted boolean, OUT problem text) LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    EXECUTE format('CREATE VIEW edge_view AS SELECT a.id, %s AS x FROM edge a JOIN edge b ON a.id = b.id', expression);
    PERFORM dpobj_internal.check_view('edge_view', 'id');
    accepted := true;
    RAISE EXCEPTION 'undo';
  EXCEPTION WHEN OTHERS THEN
    IF accepted IS NULL THEN RETURN; END IF;
  END;
  EXECUTE format('SELECT count(x) FROM (SELECT %s AS x FROM edges a CROSS JOIN edges b OFFSET 0) e', expression);
EXCEPTION WHEN OTHERS THEN
  problem := SQLERRM;
END $$;
CREATE FUNCTION tried_aggregate(expression text, OUT accepted boolean, OUT problem text) LANGUAGE plpgsql AS $$
DECLARE ways constant text[] := ARRAY['', 'WHERE id < 0', 'GROUP BY id', 'GROUP BY id % 5', 'GROUP BY id % 7'];
BEGIN
  BEGIN
    EXECUTE format('CREATE VIEW edge_view AS SELECT id, %s AS x FROM edge GROUP BY id', expression);
    PERFORM dpobj_internal.check_view('edge_view', 'id');
    accepted := true;
    RAISE EXCEPTION 'undo';
  EXCEPTION WHEN OTHERS THEN
    IF accepted IS NULL THEN RETURN; END IF;
  END;
  FOR i IN 1 .. cardinality(ways) LOOP
    EXECUTE format('SELECT count(x) FROM (SELECT %s AS x FROM edges %s OFFSET 0) e', expression, ways[i]);
  END LOOP;
  -- as a window, too, with a frame that moves
  IF expression ~ '^[a-z_.]+\([a-z0-9*]*\)$' THEN
    EXECUTE format('SELECT count(x) FROM (SELECT %s OVER (ORDER BY id ROWS 3 PRECEDING) AS x FROM edges OFFSET 0) e', expression);
  END IF;
EXCEPTION WHEN OTHERS THEN
  problem := SQLERRM;
END $$;

-- All functions of PostgreSQL of one or two arguments of these types that are accepted; none raises anything.
CREATE TABLE types(type regtype, name text);
INSERT INTO types SELECT atttypid, attname FROM pg_attribute WHERE attrelid = 'edge'::regclass AND attnum > 1 AND attname NOT IN ('m', 'v');
INSERT INTO types VALUES ('anyenum', 'e'), ('"any"', 't'), ('"any"', 'n'), ('anyelement', 'i4'), ('anyelement', 'f8');
CREATE TABLE results AS
SELECT p.oid::regprocedure AS function, r.* FROM pg_proc p JOIN types x ON x.type = p.proargtypes[0] LEFT JOIN types y ON y.type = p.proargtypes[1],
  LATERAL tried(format('pg_catalog.%I(a.%I%s)', p.proname, x.name, CASE p.pronargs WHEN 2 THEN ', b.' || y.name ELSE '' END)) AS r
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 10000 AND p.prokind = 'f' AND NOT p.proretset AND (p.pronargs = 1 OR p.pronargs = 2 AND y.name IS NOT NULL) AND p.proname !~ '^(pg_|lo_|txid|dsqrt|set_)'
UNION ALL
SELECT p.oid::regprocedure, r.* FROM pg_proc p JOIN pg_aggregate g ON g.aggfnoid = p.oid LEFT JOIN types x ON x.type = p.proargtypes[0], (VALUES (''), ('DISTINCT ')) AS d(word),
  LATERAL tried_aggregate(format('pg_catalog.%I(%s%s)', p.proname, d.word, coalesce(x.name, '*'))) AS r
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 10000 AND g.aggkind = 'n' AND (p.pronargs = 0 OR p.pronargs = 1 AND x.name IS NOT NULL);
SELECT count(*) > 700 AS many, count(accepted) AS accepted, count(problem) AS problems FROM results;
SELECT function FROM results WHERE accepted GROUP BY function ORDER BY function::text COLLATE "C";
SELECT function, problem FROM results WHERE problem IS NOT NULL;

-- What has constants, operators and syntax of its own
SELECT e, (tried(e)).* FROM unnest(ARRAY['round(a.n, 0)', 'round(a.n, 300)', 'round(a.n, 1000)', 'round(a.f8::numeric, 3)', 'a.n + b.n', 'a.n - b.n', 'a.n * b.n', 'a.n * b.n * a.n * b.n * a.n', 'a.n / nullif(b.n, 0)', 'a.f8::numeric / nullif(b.f8::numeric, 0)',
  'a.f8::numeric * b.f8::numeric * a.f4::numeric', 'a.f8::numeric - b.f4::numeric', 'a.n / 7', 'a.n / -1e-300', 'a.n / ''Infinity''', 'a.n / ''NaN''', 'a.i8::numeric * b.i8::numeric', 'a.i8::numeric / nullif(b.m, 0)', 'a.m / nullif(b.i8::numeric, 0) / nullif(b.f8::numeric, 0)',
  '(a.n + 1) / nullif(b.n / nullif(a.m, 0), 0)', '(a.n * b.f8::numeric)', 'a.n::float8', '(a.m / 3)', 'round(a.m / nullif(b.m, 0), 2)', 'left(a.t, 0)', 'left(a.t, 5)', 'left(a.t, 1048576)', 'substr(a.t, 0)', 'substr(a.t, 1048576)', 'substr(a.t, 3, 0)', 'substr(a.t, 0, 1048576)', 'substring(a.t FROM 2 FOR 3)',
  'a.t LIKE ''%a_''', 'a.t LIKE ''\%''', 'a.t NOT LIKE ''%\\''', 'a.t LIKE ''''', 'a.t LIKE ''%x%x%x%ß%''', 'a.t LIKE NULL', 'a.t = b.v', 'a.v < b.v', 'a.c::text = b.t', 'a.t COLLATE "C" < b.t', 'a.i2 = b.i8', 'a.i2::bigint < b.i4', 'a.f4 < b.f8', 'a.i8 < b.f8', 'a.n < b.i8', 'a.m = b.f8::numeric',
  'a.ts::date', 'a.d = b.d', 'dpobj.days(a.d, b.d)', 'dpobj.days(a.ts::date, b.d)', 'dpobj.days(a.d, b.d)::numeric / 365.25', 'a.b::int', 'a.e > b.e', 'a.e IN (''low'', ''high'')', 'a.i4 IN (1, NULL)', 'a.t NOT IN (''a'', ''ß'')', 'a.v IN (''a'', ''b'')', 'a.n IN (1, 2.5)', 'a.d IN (''infinity'', ''2000-01-01'')',
  'coalesce(a.n, b.n)', 'nullif(a.t, b.t)', 'nullif(a.f8, b.f8)', 'greatest(a.t, b.t)', 'least(a.d, b.d)', 'greatest(a.tz, b.tz)', 'greatest(a.e, b.e)', 'least(a.u, b.u)', 'greatest(a.f4, b.f4)', 'greatest(a.b, b.b)', 'a.t IS DISTINCT FROM b.t', 'a.b IS UNKNOWN', 'a.b AND b.b OR NOT a.b', 'a.n IS NULL',
  'CASE a.i4 WHEN 1 THEN a.n WHEN b.i4 THEN b.m END', 'CASE WHEN a.b THEN a.t ELSE b.v END']) e;
SELECT item, problem FROM (SELECT type || ' ' || field AS item, (tried(format('extract(%s FROM a.%s)', field, type))).* FROM unnest('{d,ts}'::text[]) type, unnest('{day, month, quarter, week, year, decade, century, millennium, julian, isoyear, dow, isodow, doy, epoch, hour, minute, second, millisecond, milliseconds}'::text[]) field) x
  WHERE accepted IS NULL OR problem IS NOT NULL;
SELECT e, (tried_aggregate(e)).* FROM unnest(ARRAY['mode() WITHIN GROUP (ORDER BY t)', 'mode() WITHIN GROUP (ORDER BY f8)', 'mode() WITHIN GROUP (ORDER BY e)', 'percentile_disc(0) WITHIN GROUP (ORDER BY d)', 'percentile_disc(1) WITHIN GROUP (ORDER BY m)', 'percentile_disc(0.3) WITHIN GROUP (ORDER BY u)',
  'percentile_cont(0) WITHIN GROUP (ORDER BY f8)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY f8)', 'percentile_cont(1) WITHIN GROUP (ORDER BY n)', 'percentile_cont(0.25) WITHIN GROUP (ORDER BY i8)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY f4)', 'sum(f8::numeric)', 'avg(f8::numeric)', 'stddev(f8::numeric)', 'var_pop(n * n)',
  'sum(n * n * n)', 'stddev(n) * avg(n)', 'sum(m) / nullif(count(*)::numeric, 0)', 'sum(m) FILTER (WHERE b)', 'count(DISTINCT f8)', 'sum(i8) * sum(i8)', 'max(v)', 'max(lower(t))']) e;
-- Window functions, with the constants that they may have
SELECT count(*) FROM (SELECT row_number() OVER w, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w, ntile(1000000) OVER w, ntile(1) OVER w, lag(n) OVER w, lag(n, 0) OVER w, lag(n, 1000000) OVER w, lag(m, 3, 0.0) OVER w, lead(t, 1000000, 'x') OVER w, lead(d) OVER w, lead(d, 2) OVER w,
  first_value(f8) OVER w, last_value(f8) OVER w, nth_value(e, 1) OVER w, nth_value(e, 1000000) OVER w FROM edges WINDOW w AS (PARTITION BY b ORDER BY id) OFFSET 0) x;

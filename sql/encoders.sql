-- dpobj.features: how one row becomes features, whatever it contains
\i tests/answers.sql
\set SHOW_CONTEXT never
SET TimeZone = 'America/New_York';
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN percent AS float8 CHECK (VALUE <= 100);
CREATE DOMAIN share AS percent;

-- Numbers: (x - center) / scale, clipped; NaN and NULL make the row neutral.
CREATE TABLE number (id int, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, s share);
INSERT INTO number VALUES
  (1, 1, 2, 3, 0.5, 0.25, 1.5, 50),
  (2, -32768, -2147483648, -9223372036854775808, '-Infinity', '-Infinity', '-Infinity', '-Infinity'),
  (3, 32767, 2147483647, 9223372036854775807, 'Infinity', 'Infinity', 'Infinity', 100),
  (4, 0, 0, 0, 1e38, 1e308, 10::numeric ^ 1000, -1e300),
  (5, 0, 0, 0, -1e-38, -1e-308, -(10::numeric ^ -1000), 1e-300),
  (6, 0, 0, 0, 0, 0, -(10::numeric ^ 100000), 0);
SELECT id, dpobj.features('{"i2": {"scale": 10}, "i4": {"scale": 10}, "i8": {"scale": 10}, "f4": {}, "f8": {},
  "n": {"center": 1, "scale": 2, "clip": [-3, 3]}, "s": {"scale": 100}}', number)
FROM number ORDER BY id;
-- a NULL or NaN in any column makes a neutral row, which has no features
SELECT dpobj.features('{"f8": {}}', t) FROM (VALUES (1::float8), (NULL), ('NaN')) AS t(f8);
SELECT dpobj.features('{"f4": {}}', t) FROM (VALUES (1::float4), (NULL), ('NaN')) AS t(f4);
SELECT dpobj.features('{"n": {"clip": [0, 9]}}', t) FROM (VALUES (1::numeric), (NULL), ('NaN')) AS t(n);
-- a value for NULL or an indicator of NULL keeps the row
SELECT dpobj.features('{"f8": {"null": 0.5}}', t) FROM (VALUES (1::float8), (NULL), ('NaN')) AS t(f8);
SELECT dpobj.features('{"f8": {"null_indicator": true}}', t) FROM (VALUES (1::float8), (NULL), ('NaN')) AS t(f8);
SELECT dpobj.features('{"f8": {"clip": [2, 3], "null_indicator": true}}', t) FROM (VALUES (1::float8), (NULL)) AS t(f8);
SELECT dpobj.features('{"h": {"center": 40, "scale": 10, "clip": [-2, 2], "null": 0, "null_indicator": true}}', t)
FROM (VALUES (40), (55), (99), (-2147483648), (NULL)) AS t(h);

-- Booleans
SELECT dpobj.features('{"b": {}}', t) FROM (VALUES (true), (false), (NULL)) AS t(b);
SELECT dpobj.features('{"b": {"null": true}}', t) FROM (VALUES (true), (false), (NULL)) AS t(b);
SELECT dpobj.features('{"b": {"null_indicator": true}}', t) FROM (VALUES (true), (false), (NULL)) AS t(b);

-- Bins: the lower bound belongs to the bin; infinities lie in the outer ones
SELECT x, dpobj.features('{"x": {"bins": [25, 35, 45.5]}}', t)
FROM (VALUES (24.99::float8), (25), (34), (45.5), ('-Infinity'), ('Infinity'), ('NaN'), (NULL)) AS t(x);
SELECT x, dpobj.features('{"x": {"bins": [25, 35], "drop_first": true, "null_indicator": true}}', t)
FROM (VALUES (0), (30), (40), (NULL)) AS t(x);
SELECT dpobj.features('{"x": {"bins": [25], "null": 30}}', t) FROM (VALUES (0::numeric), (10::numeric ^ 1000), ('NaN'), (NULL)) AS t(x);

-- Dates and timestamps: since 1970 in UTC, not rounded, whatever the time zone
SELECT d, dpobj.features('{"d": {"epoch_of": "day", "scale": 365, "clip": [-1000, 1000]}}', t)
FROM (VALUES ('1970-01-01'::date), ('1971-01-01'), ('1969-01-01'), ('4713-01-01 BC'), ('5874897-12-31'),
             ('-infinity'), ('infinity'), (NULL)) AS t(d);
SELECT d, dpobj.features('{"d": {"epoch_of": "hour", "scale": 24, "clip": [-1000, 1000]}}', t)
FROM (VALUES ('1970-01-02 12:00'::timestamp), ('1969-12-31 18:00'), ('4713-01-01 BC'), ('294276-12-31'),
             ('-infinity'), ('infinity')) AS t(d);
SELECT dpobj.features('{"d": {"epoch_of": "second", "clip": [-1000, 1000]}}', t)
FROM (VALUES ('1970-01-01 00:00:01.5+00'::timestamptz), ('1970-01-01 00:00+01'), ('1969-12-31 19:00-05'),
             ('infinity')) AS t(d);
SELECT d, dpobj.features('{"d": {"epoch_of": "day", "bins": [0, 365]}}', t)
FROM (VALUES ('1969-12-31'::date), ('1970-06-01'), ('2020-01-01'), ('infinity')) AS t(d);

-- Levels: bytewise, whatever the collation; blanks at the end of a bpchar do not count
SELECT c, dpobj.features('{"c": {"levels": ["a", "b ", ""]}}', t)
FROM (VALUES ('a'::text), ('b '), ('b'), ('A'), (''), (NULL)) AS t(c);
SELECT c, dpobj.features('{"c": {"levels": ["a", "b "]}}', t) FROM (VALUES ('a'::char(5)), ('b'), ('c')) AS t(c);
SELECT c, dpobj.features('{"c": {"levels": ["a", "b"], "drop_first": true}}', t) FROM (VALUES ('a'::varchar), ('b'), ('c'), (NULL)) AS t(c);
SELECT c, dpobj.features('{"c": {"levels": ["a", "b"], "null": "b"}}', t) FROM (VALUES ('a'::varchar(9)), ('c'), (NULL)) AS t(c);
SELECT c, dpobj.features('{"c": {"levels": ["a", "b"], "null_indicator": true}}', t) FROM (VALUES ('a'::text), ('c'), (NULL)) AS t(c);
SELECT c, dpobj.features('{"c": {"levels": ["a", "b"], "drop_first": true, "null": "a", "null_indicator": true}}', t)
FROM (VALUES ('a'::text), ('b'), ('c'), (NULL)) AS t(c);
SELECT c, dpobj.features('{"c": {"levels": ["happy", "sad"]}}', t) FROM (VALUES ('sad'::mood), ('ok'), ('happy'), (NULL)) AS t(c);
SELECT c, dpobj.features('{"c": {"levels": [7, -1, 9223372036854775807]}}', t)
FROM (VALUES (7::int8), (-1), (9223372036854775807), (9223372036854775806)) AS t(c);
SELECT c, dpobj.features('{"c": {"levels": ["é", "ü"]}}', t) FROM (VALUES ('é'), ('ü'), ('e')) AS t(c);
CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE folded (c text COLLATE nocase);
INSERT INTO folded VALUES ('x'), ('X');
SELECT c, dpobj.features('{"c": {"levels": ["x"], "null_indicator": true}}', folded) FROM folded ORDER BY c COLLATE "C";

-- Values from TOAST, stored in each way, long and short beside the levels
CREATE TABLE stored (id int, plain text, inline text, external text, padded char(3000), n numeric);
ALTER TABLE stored ALTER plain SET STORAGE PLAIN, ALTER inline SET STORAGE MAIN, ALTER external SET STORAGE EXTERNAL;
INSERT INTO stored SELECT i, repeat('p', 1000 + i), repeat('m', 5000 + i), repeat('e', 9000 + i),
                          repeat('c', 2000 + i), repeat('9', 9000 + i)::numeric / 10::numeric ^ 9000
FROM generate_series(0, 2) i;
SELECT pg_column_size(inline) < 5000 AS compressed, pg_relation_size(reltoastrelid) > 0 AS outside
FROM stored, pg_class WHERE pg_class.oid = 'stored'::regclass AND id = 0;
SELECT id, dpobj.features(jsonb_build_object(
  'plain', jsonb_build_object('levels', ARRAY['x', repeat('p', 1001)], 'null', 'x'),
  'inline', jsonb_build_object('levels', ARRAY['x', repeat('m', 5001)], 'null', 'x'),
  'external', jsonb_build_object('levels', ARRAY['x', repeat('e', 9001)], 'null', 'x'),
  'padded', jsonb_build_object('levels', ARRAY['x', repeat('c', 2001)], 'null', 'x'),
  'n', '{"scale": 100, "clip": [0, 1]}'::jsonb), stored) FROM stored ORDER BY id;

-- Features stand in the order of the table's columns; labels are none; dropped columns are not there
CREATE TABLE mixed (gone int, b boolean, label text, a int);
ALTER TABLE mixed DROP gone;
INSERT INTO mixed VALUES (true, '>50K', 3);
ALTER TABLE mixed ADD late int DEFAULT 7;
SELECT dpobj.features('{"a": {"clip": [0, 9]}, "b": {}, "late": {"clip": [0, 9]}, "label": {"positive": [">50K"]}}', mixed) FROM mixed;
SELECT dpobj.features('{"gone": {}}', mixed) FROM mixed;
SELECT dpobj.features('{"........pg.dropped.1........": {}}', mixed) FROM mixed;
SELECT dpobj.features('{"f1": {}}', ROW(true));
SELECT dpobj.features('{"f1": {}}', NULL::mixed);
-- the declaration may change from row to row
SELECT dpobj.features(d, t) FROM (VALUES (0.75::float8)) AS t(x), (VALUES ('{"x": {}}'::jsonb), ('{"x": {"scale": 3}}')) AS v(d);
-- and so may the table, between two calls of one plan
CREATE TABLE altered (a text, b int);
INSERT INTO altered VALUES ('1', 7);
DO $$
DECLARE
  r altered;
BEGIN
  FOR step IN 1..4 LOOP
    SELECT * INTO r FROM altered;
    RAISE NOTICE '%', dpobj.features('{"b": {"clip": [0, 9]}, "a": {"levels": ["1", "2"]}}', r);
    IF step = 1 THEN
      ALTER TABLE altered ADD c text DEFAULT 'c';
    ELSIF step = 2 THEN
      ALTER TABLE altered RENAME b TO d;
      ALTER TABLE altered ADD b int DEFAULT 3;
    ELSE
      ALTER TABLE altered ALTER a TYPE bigint USING 1;
    END IF;
  END LOOP;
END $$;
DROP TABLE altered;

-- Declarations that are refused
CREATE FUNCTION refused(declaration jsonb) RETURNS TABLE (state text, message text, hint text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM dpobj.features(declaration, r) FROM (SELECT 1 AS i, 1.5::float8 AS f, 1.5 AS n, 'a' AS t, true AS b,
    'ok'::mood AS e, date '2020-01-01' AS d, '{}'::jsonb AS j, 1.5::float4 AS f4) AS r;
  state := 'accepted';
  RETURN NEXT;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
  RETURN NEXT;
END $$;
SELECT r.* FROM (VALUES
  (1, '[]'), (2, '{}'), (3, '1'), (4, '{"i": 1}'), (5, '{"i": []}'), (6, '{"x": {}}'), (7, '{"i": {}}'),
  (8, '{"n": {"center": 1}}'), (9, '{"d": {"epoch_of": "day"}}'), (10, '{"i": {"scalle": 2}}'),
  (11, '{"i": {"scale": 0}}'), (12, '{"i": {"scale": -1}}'), (13, '{"i": {"scale": "1"}}'), (14, '{"i": {"scale": 1e400}}'),
  (15, '{"i": {"clip": [1]}}'), (16, '{"i": {"clip": [2, 1]}}'), (17, '{"i": {"clip": [0, 1025]}}'), (18, '{"i": {"clip": 3}}'),
  (19, '{"i": {"clip": [0, 1], "center": null}}'), (20, '{"f": {"null": 2}}'), (21, '{"f": {"null": "a"}}'),
  (22, '{"f": {"null_indicator": 1}}'), (23, '{"f": {"levels": [1.5]}}'), (24, '{"b": {"levels": [true]}}'),
  (25, '{"t": {"levels": []}}'), (26, '{"t": {"levels": ["a", "b", "a"]}}'), (27, '{"t": {"levels": ["a", 1]}}'),
  (28, '{"t": {"levels": ["a"], "drop_first": true}}'), (29, '{"t": {"levels": ["a"], "null": "b"}}'),
  (30, '{"t": {"levels": ["a"], "scale": 2}}'), (31, '{"t": {"levels": ["a"], "bins": [1]}}'), (32, '{"t": {}}'),
  (33, '{"t": {"bins": [1]}}'), (34, '{"e": {"levels": ["ok", "angry"]}}'), (35, '{"e": {"scale": 1}}'),
  (36, '{"i": {"levels": [1, 1.5]}}'), (37, '{"i": {"levels": [1, 1.0]}}'), (38, '{"i": {"levels": [1e30]}}'),
  (39, '{"i": {"bins": []}}'), (40, '{"i": {"bins": [1, 1]}}'), (41, '{"i": {"bins": [1], "clip": [0, 1]}}'),
  (42, '{"i": {"bins": ["a"]}}'), (43, '{"d": {"scale": 1}}'), (44, '{"d": {"epoch_of": "week", "scale": 1}}'),
  (45, '{"i": {"epoch_of": "day", "scale": 1}}'), (46, '{"b": {"scale": 1}}'), (47, '{"b": {"null": 1}}'),
  (48, '{"j": {}}'), (49, '{"t": {"positive": []}}'), (50, '{"t": {"positive": "a"}}'), (51, '{"t": {"positive": [1]}}'),
  (52, '{"t": {"positive": ["a"], "null": "a"}}'), (53, '{"t": {"positive": ["a"]}}'), (54, '{"d": {"positive": ["yesterday-ish"]}}'),
  (55, '{"t": {"levels": ["a"], "drop_first": "no"}}'), (56, '{"i": {"null_indicator": true, "bins": [1], "null": "x"}}')
) AS v(id, d), refused(d::jsonb) AS r ORDER BY id;
SELECT * FROM refused(jsonb_build_object('i', jsonb_build_object('levels', (SELECT array_agg(i) FROM generate_series(1, 1000) i)),
                                         'f', jsonb_build_object('bins', (SELECT array_agg(i) FROM generate_series(1, 28) i))));
SELECT * FROM refused(jsonb_build_object('i', jsonb_build_object('levels', (SELECT array_agg(i) FROM generate_series(1, 1000) i)),
                                         'f', jsonb_build_object('bins', (SELECT array_agg(i) FROM generate_series(1, 23) i))));
SELECT dpobj.features('{"i": {}}', 5);

-- No content of a row raises an error or a notice: every type's extremes under every encoder that takes it.
CREATE TABLE extreme AS
SELECT i, x::float8 AS f8, x::numeric AS n,
       CASE WHEN i % 2 = 0 THEN 'infinity'::timestamptz ELSE '-infinity' END AS ts, repeat('x', 1000 * i::int) AS t
FROM unnest('{NaN,Infinity,-Infinity,1e308,-1e308,5e-324,0,-0,NULL}'::text[]) WITH ORDINALITY AS u(x, i);
SELECT count(*), count(dpobj.features(d, extreme)) AS encoded
FROM extreme, unnest(ARRAY['{"f8": {"center": -1e308, "scale": 1e-308, "clip": [-1024, 1024]}}', '{"f8": {"bins": [-1e308, 0]}}',
  '{"n": {"center": 1e308, "scale": 5e-324, "clip": [0, 1]}}', '{"n": {"bins": [0]}}',
  '{"ts": {"epoch_of": "second", "center": -1e308, "scale": 1e-300}}', '{"t": {"levels": ["x"], "null_indicator": true}}']::jsonb[]) AS u(d);
DROP FUNCTION refused(jsonb);
DROP TABLE number, folded, stored, mixed, extreme;
DROP COLLATION nocase;
DROP DOMAIN share, percent;
DROP TYPE mood;

-- Numerics are converted as the server does it, to the last bit, whatever their size and sign.
CREATE TABLE digits AS
SELECT (mantissa * sign)::numeric * 10::numeric ^ exponent AS n
FROM unnest('{0,1,7,10000,12345678,99999999,9007199254740991,9007199254740992,9007199254740993,9999999999999999,12345678901234567,123456789012345678901234567890}'::numeric[]) AS mantissa,
     generate_series(-40, 40) AS exponent, unnest('{-1,1}'::int[]) AS sign
UNION ALL SELECT (hashint4(i)::bigint * 4294967296 + hashint4(-i))::numeric / 10::numeric ^ (i % 30) FROM generate_series(1, 3000) i
UNION ALL SELECT unnest('{NaN,Infinity,-Infinity,0.00,100.000,-0.5,1e131071,-1e131071,1e-200}'::numeric[]);
SELECT count(*), count(*) FILTER (WHERE (dpobj.features(format('{"n": {"scale": 1e%s, "clip": [-1024, 1024]}}', e)::jsonb, digits))[1]
  IS DISTINCT FROM CASE WHEN n = 'NaN' THEN NULL WHEN abs(n) > 1e50 THEN sign(n) * 1024 ELSE greatest(-1024, least(1024, n::float8 / format('1e%s', e)::float8)) END) AS wrong
FROM digits, unnest('{0,-20,-37,10,20,40}'::int[]) AS e;
DROP TABLE digits;

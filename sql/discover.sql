-- What needs persons: how many there are, and levels of a column that nobody has declared.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_discover_ana');

-- 600 persons with twenty visits each in two of three wards; a tenth of the codes is NULL, and each person has a secret.
CREATE TYPE mood AS ENUM ('good', 'bad', 'none');
CREATE DOMAIN short AS text;
CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE TABLE visit (id int, person text, ward text, code char(6), town text COLLATE blind, mood mood, size smallint, note short, secret text, cost numeric, day date, ill boolean);
INSERT INTO visit SELECT i, 'p' || p, CASE WHEN i % 20 < 10 THEN 'ward ' || p % 3 ELSE 'ward ' || (p + 1) % 3 END, CASE WHEN i % 10 > 0 THEN 'c' || p % 2 END,
    CASE WHEN p % 2 = 0 THEN 'Rome' ELSE 'rome' END, CASE WHEN p % 4 = 0 THEN 'bad'::mood ELSE 'good' END, p % 5 - 2,
    CASE p % 3 WHEN 0 THEN '' WHEN 1 THEN repeat('x', 255) ELSE repeat('x', 256) END, 'only ' || p, i, '2024-01-01', p % 2 = 0
  FROM (SELECT i, i / 20 AS p FROM generate_series(0, 11999) i) s;
INSERT INTO visit (ward, code) SELECT 'of nobody', 'c9' FROM generate_series(1, 500);
REVOKE ALL ON visit FROM PUBLIC;
SELECT dpobj.protect('visit', '{"ward": {"levels": ["ward 0", "ward 1", "ward 2", "ward 3"]}, "ill": {}}', person => 'person', max_rows_per_person => 2);
CREATE TABLE stay AS SELECT ward, town FROM visit;
SELECT dpobj.protect('stay', '{"ward": {"levels": ["ward 0"]}}');
SELECT dpobj.set_budget(t, 'dpobj_discover_ana', 1000000, 0.001) FROM unnest('{visit,stay}'::regclass[]) t \g /dev/null
\c - dpobj_discover_ana

-- At epsilon 1000 there is no noise: persons, and each in the two wards that he was in; a person is in two groups at most, whatever his rows.
SELECT value FROM dpobj.count('visit', 1000);
SELECT * FROM dpobj.count('visit', 1000, options => '{"distinct": "person"}') \g (tuples_only=off)
SELECT key, value FROM dpobj.count('visit', 1000, '{ward}', options => '{"distinct": "person"}');
SELECT sum(value) FROM dpobj.count('visit', 1000, '{ward,ill}', '{"ill": {"=": true}}', '{"distinct": "person"}');
-- the noise is that of one person: less than for rows
SELECT d -> 'cells' AS cells, d #> '{error,rows}' AS persons, r #> '{error,rows}' AS rows
  FROM (VALUES (NULL::jsonb), ('["ward"]'), ('["ward", "ill"]'), ('["ill"]')) v(b),
       LATERAL dpobj.price('visit', NULL, 0.1, method => 'count', options => jsonb_strip_nulls(jsonb_build_object('by', b, 'distinct', 'person'))) d,
       LATERAL dpobj.price('visit', NULL, 0.1, method => 'count', options => jsonb_strip_nulls(jsonb_build_object('by', b))) r;
SELECT p #> '{error,rows}' AS persons FROM unnest('{1,2,3,9}'::int[]) d, dpobj.price_aggregate('count', d, 0.1, options => '{"distinct": "person", "max_rows_per_person": 4}') p;
SELECT * FROM answers('SELECT dpobj.count(%)', $$'visit', 1, options => '{"distinct": "id"}'$$, $$'visit', 1, options => '{"distinct": true}'$$, $$'stay', 1, options => '{"distinct": "person"}'$$);
SELECT * FROM answers($$SELECT dpobj.price('stay', NULL, 1, method => 'count', options => '{"distinct": "person"}')$$, '');

-- Levels by their numbers of persons, and equal numbers by their bytes; a level is told apart bytewise, NULL and longer texts are none.
SELECT * FROM dpobj.discover('visit', 'ward', 1000, 1e-6) \g (tuples_only=off)
SELECT level, value FROM dpobj.discover('visit', 'code', 1000, 1e-6);
SELECT level, value FROM dpobj.discover('visit', 'town', 1000, 1e-6, filter => '{"ill": {"=": true}}');
SELECT level, value FROM dpobj.discover('visit', 'mood', 1000, 1e-6);
SELECT level, value FROM dpobj.discover('visit', 'size', 1000, 1e-6);
SELECT length(level), value FROM dpobj.discover('visit', 'note', 1000, 1e-6);
-- what one person has is not named, nor what a filter leaves out
SELECT count(*) FROM dpobj.discover('visit', 'secret', 1000, 1e-6);
SELECT count(*) FROM dpobj.discover('visit', 'ward', 1000, 1e-6, filter => '{"ward": {"=": "ward 3"}}');
-- without a person each row has a level
SELECT level, value FROM dpobj.discover('stay', 'ward', 1000, 1e-6);
SELECT p - '{calls,remaining}'::text[] AS price FROM dpobj.price('visit', 'ward', 1, delta => 1e-8, method => 'discover') p;
SELECT high - low AS width, confidence FROM dpobj.discover('visit', 'mood', 1, 1e-6, options => '{"confidence": 0.9}') LIMIT 1;

-- Arguments; a refusal charges nothing.
SELECT epsilon, delta FROM dpobj.remaining('visit');
SELECT * FROM answers('SELECT dpobj.discover(%)', $$'visit', 'cost', 1, 1e-6$$, $$'visit', 'day', 1, 1e-6$$, $$'visit', 'ill', 1, 1e-6$$, $$'visit', 'wart', 1, 1e-6$$,
  $$'visit', 'ctid', 1, 1e-6$$, $$'visit', 'ward', 1, 0$$, $$'visit', 'ward', 1, 1$$, $$'visit', 'ward', 1, NULL$$, $$'visit', 'ward', 0, 1e-6$$, $$'visit', NULL, 1, 1e-6$$,
  $$'visit', 'ward', 1, 1e-6, options => '{"distinct": "person"}'$$, $$'visit', 'ward', 1, 1e-6, filter => '{"ward": {"=": "of nobody"}}'$$);
SELECT * FROM answers('SELECT %', $$dpobj.price_aggregate('discover', 1, 1, 1e-6)$$, $$dpobj.price('visit', 'ward', 1, method => 'discover')$$, $$dpobj.price('visit', NULL, 1, delta => 1e-6, method => 'discover')$$);
SELECT epsilon, delta FROM dpobj.remaining('visit');

-- The answer has a name and is kept, also that of a job.
SELECT dpobj.submit('discover', 'visit', '{"column": "ward", "epsilon": 1000, "delta": 1e-6}', 'wards') AS job \gset
SELECT dpobj.wait(:job, '1 min');
SELECT array_agg(level ORDER BY level) FROM dpobj.discover('visit', 'ward', 1000, 1e-6, name => 'wards');
SELECT answer -> 0 FROM dpobj.answers WHERE name = 'wards';
SELECT count(*) FROM dpobj.discover('visit', 'secret', 1000, 1e-6, name => 'none');
SELECT answer FROM dpobj.answers WHERE name = 'none';

-- Levels that are found can be declared: of a column of numbers as numbers.
\c - postgres
SET client_min_messages = error;
SELECT dpobj.protect('visit', jsonb_build_object('ill', '{}'::jsonb, 'ward', jsonb_build_object('levels', (SELECT jsonb_agg(x ->> 'level') FROM dpobj.answers a, jsonb_array_elements(a.answer) x WHERE a.name = 'wards')),
    'size', jsonb_build_object('levels', '[-1, 0]'::jsonb)), person => 'person', max_rows_per_person => 2);
SELECT mechanism, pair, epsilon, delta, guarantee, parameters FROM dpobj.ledger
 WHERE event = 'charged' AND relation = 'visit'::regclass AND (parameters ->> 'look' = 'discover' OR parameters ? 'distinct') ORDER BY id LIMIT 4;
\c - dpobj_discover_ana
SELECT key, value FROM dpobj.count('visit', 1000, '{ward}', options => '{"distinct": "person"}');
\c - postgres
DROP OWNED BY dpobj_discover_ana;
DROP ROLE dpobj_discover_ana;

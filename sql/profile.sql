-- dpobj.profile: how many rows a training can use, and what each declared column holds.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_profile_ana', 'dpobj_profile_eve');

-- 2000 visits of 1000 persons: every tenth weight is NULL, NaN, too large or -infinity each; every
-- twentieth region is NULL, and as many are misspelled.
CREATE TABLE visit (id int, person int, age int, region text, weight float8, ill boolean, day date, outcome text, free int);
INSERT INTO visit SELECT i, i % 1000, i % 100, CASE WHEN i % 20 = 0 THEN NULL WHEN i % 20 = 1 THEN 'Nrth' WHEN i % 2 = 0 THEN 'north' ELSE 'south' END,
  CASE WHEN i % 10 = 0 THEN NULL WHEN i % 10 = 1 THEN 'NaN' WHEN i % 10 = 2 THEN 1e300 WHEN i % 10 = 3 THEN '-Infinity' ELSE 50 + i % 7 END,
  i % 4 = 0, CASE WHEN i % 2 = 0 THEN date '2024-01-01' + i % 60 ELSE 'infinity' END,
  (ARRAY['well', 'ill', 'gone', NULL])[1 + i % 4], i FROM generate_series(1, 2000) i;
CREATE VIEW encoders AS SELECT '{"age": {"bins": [25, 50, 75]}, "region": {"levels": ["north", "south", "west"]},
  "weight": {"center": 50, "scale": 10, "clip": [-5, 1], "null": 0}, "ill": {}, "day": {"part": "month"},
  "outcome": {"positive": ["well"], "negative": ["ill"]}}'::jsonb AS e;
SELECT dpobj.protect('visit', e) FROM encoders;
SELECT dpobj.set_budget('visit', 'dpobj_profile_ana', 1000000, 0);
REVOKE ALL ON visit FROM PUBLIC;
CREATE TABLE truth AS
  SELECT count(*) FILTER (WHERE region IN ('north', 'south', 'west') AND day <> 'infinity' AND outcome IN ('well', 'ill')) AS usable,
         count(*) FILTER (WHERE region = 'north') AS north, count(*) FILTER (WHERE region = 'Nrth') AS nrth,
         count(*) FILTER (WHERE weight BETWEEN 0 AND 60) AS within, count(*) FILTER (WHERE outcome = 'gone') AS gone FROM visit;
GRANT SELECT ON truth TO dpobj_profile_ana;

\c - dpobj_profile_ana
-- At epsilon 10,000 there is hardly any noise.
SELECT * FROM dpobj.profile('visit', 10000) \g (tuples_only=off)
SELECT p."column", p.bin, p.rows = CASE p.bin WHEN 'usable' THEN usable WHEN 'north' THEN north WHEN '0 to 60' THEN within
       ELSE CASE p."column" WHEN 'region' THEN nrth ELSE gone END END AS as_counted
  FROM dpobj.profile('visit', 10000) p, truth WHERE p.bin IN ('usable', 'north', '0 to 60', 'other') AND p."column" IS DISTINCT FROM 'day';
-- some columns, in the order of the call; a filter; the confidence of the intervals
SELECT * FROM dpobj.profile('visit', 10000, '{outcome,ill}', '{"age": {"<": 50}}');
SELECT min(high - low) AS narrow FROM dpobj.profile('visit', 1, '{ill}', options => '{"confidence": 0.5}') WHERE rows > 100;
SELECT min(high - low) AS wide FROM dpobj.profile('visit', 1, '{ill}', options => '{"confidence": 0.999}') WHERE rows > 100;
-- the noise of a column grows with their number: every bin is off by 2 for each column and for the rows
SELECT min(high - low) AS six_columns FROM dpobj.profile('visit', 1) WHERE rows > 200;
SELECT dpobj.price_aggregate('profile', d => 6, epsilon => 1) AS price;
SELECT dpobj.price_aggregate('profile', d => 6, epsilon => 1, options => '{"adjacency": "add_remove", "max_rows_per_person": 2}') -> 'error' AS person;

-- No row, and one row, get answers with the same intervals.
SELECT count(*) AS bins, max(rows) AS most, max(share) AS share FROM dpobj.profile('visit', 10000, filter => '{"age": {"=": 1000}}');
SELECT "column", bin, rows, low, high, share, bar FROM dpobj.profile('visit', 10000, '{age,weight}', '{"free": {"=": 4}}') WHERE rows > 0;
DO $$
DECLARE p record; negative boolean := false;
BEGIN
  FOR p IN SELECT q.* FROM generate_series(1, 20), LATERAL dpobj.profile('visit', 0.01, filter => '{"age": {"=": 1000}}') q LOOP
    ASSERT p.low >= 0 AND p.high >= p.low AND p.share BETWEEN 0 AND 1 AND length(p.bar) <= 10;
    negative := negative OR p.rows < 0;
  END LOOP;
  RAISE WARNING 'negative numbers: %', negative;
END $$;

-- One charge for all columns, also where the attributes are asked for one by one.
SELECT epsilon AS before FROM dpobj.remaining('visit') \gset
SELECT count(*) AS bins FROM (SELECT (dpobj.profile('visit', 0.5)).*) s;
SELECT :before - epsilon AS spent FROM dpobj.remaining('visit');
SELECT count(*) AS bins FROM dpobj.profile('visit', 0.25, '{age,ill}', '{"ill": {"=": true}}');
SELECT mechanism, epsilon, adjacency, guarantee, pair, door, parameters FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
-- what is refused, before the charge
SELECT epsilon AS before FROM dpobj.remaining('visit') \gset
SELECT * FROM answers('SELECT dpobj.profile(%)',
  $$NULL, 1$$, $$'visit', NULL$$, $$'visit', 0$$, $$'visit', 0.0009$$, $$'visit', 1, '{}'$$, $$'visit', 1, '{nothing}'$$, $$'visit', 1, '{free}'$$, $$'visit', 1, '{age,age}'$$,
  $$'visit', 1, '{NULL}'$$, $$'visit', 1, NULL, '{"region": {"=": "Nrth"}}'$$, $$'visit', 1, NULL, NULL, '{"clip": [0, 1]}'$$, $$'visit', 1, NULL, NULL, '{"confidence": 2}'$$,
  $$'truth', 1$$, $$'visit', 1000000$$);
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)', $$'profile', 0, 1$$, $$'profile', 1025, 1$$);
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('visit');
\c - dpobj_profile_eve
SELECT dpobj.profile('visit', 1);

-- Of each person one visit enters, which brings a number to every column.
\c - postgres
CREATE TABLE once AS TABLE visit;
SELECT dpobj.protect('once', e, person => 'person', max_rows_per_person => 1) FROM encoders;
SELECT dpobj.set_budget('once', 'dpobj_profile_ana', 1000000, 0);
\c - dpobj_profile_ana
SELECT coalesce("column", '(rows)') AS "column", sum(rows) FROM dpobj.profile('once', 10000) GROUP BY 1 ORDER BY 1;
-- A column whose type has changed, and one that has gone, are named; the others are profiled.
\c - postgres
ALTER TABLE once ALTER age TYPE text;
ALTER TABLE once DROP ill;
\c - dpobj_profile_ana
SELECT * FROM answers('SELECT dpobj.profile(%)', $$'once', 1$$, $$'once', 1, '{age}'$$, $$'once', 1, '{ill}'$$);
SELECT sum(rows) FROM dpobj.profile('once', 10000, '{region,weight}') WHERE "column" = 'region';
-- Nothing stands in for a label: a row without one is not usable, whatever the column's encoder says of a feature.
\c - postgres
CREATE TABLE stay AS SELECT region, weight, CASE WHEN id % 5 > 0 THEN ill END AS ill, age FROM visit;
SELECT dpobj.protect('stay', '{"region": {"levels": ["north", "south"], "null": "south", "null_indicator": true}, "weight": {"scale": 60, "null": 0}, "ill": {"null": true}, "age": {"bins": [50]}}');
SELECT dpobj.set_budget('stay', 'dpobj_profile_ana', 1000000, 0);
\c - dpobj_profile_ana
SELECT label, sum(rows) FILTER (WHERE bin = 'usable') AS usable, sum(rows) FILTER (WHERE bin = 'not usable') AS not_usable
  FROM unnest('{NULL,region,ill,weight}'::text[]) label, LATERAL dpobj.profile('stay', 10000, options => jsonb_strip_nulls(jsonb_build_object('label', label))) GROUP BY 1 ORDER BY 1;
SELECT parameters -> 'label' AS label FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
SELECT p -> 'columns' AS columns FROM dpobj.price('stay', NULL, 1, method => 'profile', options => '{"label": "ill"}') p;
SELECT * FROM answers($$SELECT dpobj.profile('stay', 1, '{age,region}', options => '{"label": %}')$$, '"ill"', '"age"', '1');
-- As many columns as a profile takes, with many levels each, and one column more.
\c - postgres
DO $$ BEGIN EXECUTE (SELECT format('CREATE TABLE many (%s)', string_agg(format('c%s int', i), ', ')) FROM generate_series(1, 129) i); END $$;
INSERT INTO many (c1, c128) SELECT i, i FROM generate_series(1, 1000) i;
SELECT dpobj.protect('many', (SELECT jsonb_object_agg('c' || i, jsonb_build_object('levels', (SELECT jsonb_agg(j) FROM generate_series(1, CASE i WHEN 1 THEN 128 ELSE 20 END) j)))
                              FROM generate_series(1, 129) i), adjacency => 'add_remove');
SELECT dpobj.set_budget('many', 'dpobj_profile_ana', 1000000, 0);
\c - dpobj_profile_ana
SELECT count(*) > 2 * 129 AS answered FROM dpobj.profile('many', 1);
SELECT count(*) AS bins, sum(rows) FILTER (WHERE bin = 'other') AS other, sum(rows) FILTER (WHERE "column" = 'c1') AS c1
  FROM dpobj.profile('many', 10000, (SELECT array_agg('c' || i ORDER BY i) FROM generate_series(1, 128) i));
\c - postgres
DROP VIEW encoders;
DROP TABLE visit, truth, once, stay, many;
DROP ROLE dpobj_profile_ana, dpobj_profile_eve;

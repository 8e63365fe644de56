-- dpobj.suggest: a declaration from public ranges and lists of levels, the catalog, and private quantiles and counts.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_suggest_ana', 'dpobj_suggest_eve');
CREATE TYPE mood AS ENUM ('glad', 'sad', 'odd');
CREATE TABLE guest (id int, age int, region text, spent float8, won int, member boolean, nothing text, same int, day date, seen timestamptz, ward int, mood mood, income text);
INSERT INTO guest SELECT i % 10, i % 97, CASE WHEN i % 10 = 0 THEN 'Nrth' WHEN i % 2 = 0 THEN 'north' WHEN i % 100 = 1 THEN NULL ELSE 'south' END,
  CASE WHEN i % 20 = 0 THEN i WHEN i % 20 = 1 THEN float8 'NaN' END, CASE WHEN i % 25 = 0 THEN 50 ELSE 0 END, i % 3 = 0, NULL, 7,
  CASE WHEN i % 97 = 96 THEN 'infinity' ELSE date '2024-01-01' + i % 97 END, timestamptz '2024-01-01 18:00 UTC' + i % 97 * interval '1 day',
  1 + i % 3, (ARRAY['glad', 'sad'])[1 + i % 2]::mood, CASE WHEN i % 4 = 0 THEN 'high' ELSE 'low' END
  FROM generate_series(1, 4000) i;
SELECT dpobj.protect('guest', '{"income": {"positive": ["high"], "negative": ["low"]}, "member": {}, "same": {"scale": 7}}');
SELECT dpobj.set_budget('guest', 'dpobj_suggest_ana', 1000000, 0);
REVOKE ALL ON guest FROM PUBLIC;

\c - dpobj_suggest_ana
-- At epsilon 10,000 there is hardly any noise. What is declared stays, and what nothing is known of is left out. Short lists are taken as they are.
SELECT dpobj.suggest('guest', 10000, '{"age": [0, 120], "region": ["north", "south", "west"], "won": [0, 100], "nothing": ["a", "b"], "same": [0, 10],
  "day": ["2024-01-01", "2024-12-31"], "seen": ["2024-01-01", "2024-12-31"], "ward": [1, 2, 3, 4], "mood": ["odd", "sad", "glad"]}') AS suggested \gset
SELECT key, value FROM jsonb_each(:'suggested');
SET client_min_messages = warning;
-- one charge, of all of epsilon
SELECT mechanism, epsilon, adjacency, guarantee, pair, door, parameters FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
SELECT epsilon AS before FROM dpobj.remaining('guest') \gset
SELECT count(s) AS suggestions FROM dpobj.suggest('guest', 1, '{"age": [0, 120], "won": [0, 100], "ward": [1, 2, 3]}') s;
SELECT :before - epsilon AS spent FROM dpobj.remaining('guest');
-- missing values are behind all others; a range that no value is in, and one that most are above
SELECT s -> 'spent' AS mostly_null FROM dpobj.suggest('guest', 10000, '{"spent": [0, 10000]}') s;
SELECT s -> 'spent' AS half_null FROM dpobj.suggest('guest', 10000, '{"spent": [0, 4000]}', filter => '{"id": {"in": [0, 1, 2]}}') s;
SELECT s -> 'age' AS below FROM dpobj.suggest('guest', 10000, '{"age": [200, 300]}') s;
SELECT s -> 'age' AS half_above FROM dpobj.suggest('guest', 10000, '{"age": [0, 48]}') s;
-- with little epsilon there is an answer, too
SELECT s - 'age' - 'region' AS declared FROM dpobj.suggest('guest', 0.01, '{"age": [0, 120], "region": ["north", "south"]}') s;

-- of some rows only
SELECT s -> 'region' -> 'levels' AS levels, s -> 'age' AS age
  FROM dpobj.suggest('guest', 10000, '{"age": [0, 96], "region": ["north", "south"]}', filter => '{"member": {"in": [true]}}') s;
SELECT s ? 'region' AS nobody FROM dpobj.suggest('guest', 10000, (SELECT jsonb_build_object('region', jsonb_agg('x' || i)) FROM generate_series(1, 30) i), '{"same": {">": 7}}') s;
SELECT parameters -> 'filter' AS filter FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
-- Of a list of more than 24 values those that have rows are levels: nobody else's, and none that no row has.
SELECT s -> 'region' AS region FROM dpobj.suggest('guest', 10000, (SELECT jsonb_build_object('region', jsonb_agg(r)) FROM (SELECT 'x' || i AS r FROM generate_series(1, 30) i UNION ALL VALUES ('north'), ('south')) l)) s;
-- A price is of all columns; what a column is off by grows with their number.
SELECT dpobj.price('guest', NULL, 1, method => 'suggest', options => '{"columns": {"age": [0, 120], "won": [0, 100]}}') - 'remaining';
SELECT dpobj.price('guest', NULL, 1, method => 'suggest', options => '{"columns": {"won": [0, 100]}}', filter => '{"member": {"in": [true]}}') -> 'error' AS one_column;

-- what is refused, before a charge
SELECT epsilon AS before FROM dpobj.remaining('guest') \gset
SELECT * FROM answers('SELECT dpobj.suggest(%)', $$NULL, 1, '{}'$$, $$'guest', NULL, '{}'$$, $$'guest', 1, NULL$$, $$'guest', 1, '[]'$$, $$'guest', 1, '{}'$$,
  $$'guest', 1, '{"none": [0, 1]}'$$, $$'guest', 1, '{"ctid": [0, 1]}'$$, $$'guest', 1, '{"age": [1, 0]}'$$, $$'guest', 1, '{"age": [1]}'$$, $$'guest', 1, '{"age": []}'$$,
  $$'guest', 1, '{"age": 7}'$$, $$'guest', 1, '{"age": {"bins": [1]}}'$$, $$'guest', 1, '{"age": ["1", "2", "3"]}'$$, $$'guest', 1, '{"age": [1, 2, 2]}'$$,
  $$'guest', 1, '{"spent": [0, 1, 2]}'$$, $$'guest', 1, '{"spent": [0, 1e308]}'$$, $$'guest', 1, '{"member": [0, 1]}'$$, $$'guest', 1, '{"day": [0, 1]}'$$,
  $$'guest', 1, '{"day": ["2024-01-02", "2024-01-01"]}'$$, $$'guest', 1, '{"day": ["today", "tomorrow"]}'$$, $$'guest', 1, '{"mood": ["glad", "angry"]}'$$,
  $$'guest', 1, '{"region": ["a", null]}'$$, $$'guest', 1, '{"region": ["a", "a"]}'$$,
  $$'guest', 0, '{"age": [0, 1]}'$$, $$'guest', 0.0009, '{"age": [0, 1]}'$$, $$'guest', 1000000, '{"age": [0, 1]}'$$);
SELECT answer_of(format('SELECT dpobj.suggest(%L, 1, %L)', 'guest', (SELECT jsonb_build_object('region', jsonb_agg(i::text)) FROM generate_series(1, 10000) i))) AS long_list;
SELECT * FROM answers('SELECT dpobj.suggest(%)', $$'guest', 1, '{"age": [0, 120]}', '{"none": 1}'$$, $$'guest', 1, '{"age": [0, 120]}', '{"income": {"in": ["higher"]}}'$$);
SELECT * FROM answers($$SELECT dpobj.price('guest', NULL, 1, method => 'suggest', options => %)$$, 'NULL', $$'[]'$$, $$'{"columns": 1}'$$, $$'{"columns": {}}'$$,
  $$'{"columns": {"none": [0, 1]}}'$$, $$'{"columns": {"age": [0, 120]}, "confidence": 0.9}'$$);
SELECT answer_of($$SELECT dpobj.price_aggregate('suggest', 2, 1)$$) AS without_a_table;
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('guest');
\c - dpobj_suggest_eve
SET client_min_messages = warning;
SELECT dpobj.suggest('guest', 1, '{"age": [0, 120]}');

-- What is suggested can be declared, and trained on.
\c - postgres
SET client_min_messages = notice;
SELECT dpobj.protect('guest', :'suggested');
SELECT count(*) AS features FROM dpobj.protected_features('guest');
-- The catalog says the rest: what it says enough of costs nothing, and keys and persons are no features. It goes straight into protect.
CREATE TABLE form (id serial PRIMARY KEY, who int, age int CHECK (age BETWEEN 0 AND 120), share numeric NOT NULL CHECK (share >= 0 AND share <= 1), rooms int CHECK (rooms BETWEEN 1 AND 5),
  kind text CHECK (kind IN ('a', 'b', 'c')), paid text NOT NULL CHECK (paid IN ('yes', 'no')), member boolean, mood mood, opened time, score text, won int, seen text, free text, at date CHECK (at >= '2024-01-01' AND at < '2025-01-01'));
INSERT INTO form (who, age, share, rooms, kind, paid, score, won, seen) SELECT i, CASE WHEN i % 4 > 0 THEN i % 100 END, (i % 47) / 100.0, 1 + i % 5, 'a', 'no', CASE WHEN i % 5 = 0 THEN 'none' ELSE ' ' || i % 97 / 10.0 END, i % 2, to_char(date '2024-01-01' + i % 301, 'YYYY-MM-DD')
  FROM generate_series(1, 1000) i;
SELECT dpobj.protect('form', '{"won": {"as": "boolean"}}', person => 'who', max_rows_per_person => 1);
SELECT dpobj.set_budget('form', 'postgres', 100000);
SELECT dpobj.protect('form', dpobj.suggest('form', 10000, '{"score": [0, 10], "seen": ["2024-01-01", "2024-12-31"], "rooms": {"bins": [3]}}'), person => 'who', max_rows_per_person => 1);
SELECT key, value FROM dpobj.protected, jsonb_each(encoders) WHERE relation = 'form'::regclass;
SELECT dpobj.suggest('form', 1) = encoders AS nothing_more, (SELECT epsilon FROM dpobj.remaining('form')) AS left FROM dpobj.protected WHERE relation = 'form'::regclass;
DROP TABLE form;
-- A range of a CHECK that no edge is in, or that no float8 holds, leaves its column out and ends no call; another range is cut to what the type can hold.
CREATE TABLE far (y boolean, near numeric CHECK (near BETWEEN 0 AND 1e-320), wide numeric CHECK (wide BETWEEN 1e300 AND 1.0000000000000000000001e300), large bigint CHECK (large BETWEEN 18014398509481984 AND 18014398509481992),
  last bigint CHECK (last BETWEEN 9007199254740990 AND 9007199254740991), cut smallint CHECK (cut BETWEEN 32760 AND 40000), codes smallint CHECK (codes IN (1, 2, 100000)));
SELECT dpobj.protect('far', '{"y": {}}');
SELECT dpobj.suggest('far', 1);
SELECT * FROM answers('SELECT dpobj.suggest(''far'', 1, %)', $$'{"large": [18014398509481984, 18014398509481992]}'$$, $$'{"near": [0, 1e-320]}'$$);
DROP TABLE far;
-- a table that is not protected, and one that has no rows
CREATE TABLE nobody (LIKE guest);
SELECT dpobj.suggest('nobody', 1, '{"age": [0, 120]}');
SELECT dpobj.protect('nobody', '{"member": {}}');
SELECT dpobj.set_budget('nobody', 'dpobj_suggest_ana', 1000000, 0);
-- Of each person one row enters: nearly all rows are of person 0.
CREATE TABLE visit AS SELECT CASE WHEN i % 4 > 0 THEN 0 ELSE i END AS person, CASE WHEN i % 4 > 0 THEN 'north' ELSE 'south' END AS region,
  CASE WHEN i % 4 > 0 THEN 5 ELSE i / 4 % 100 END AS age FROM generate_series(1, 4000) i;
SELECT dpobj.protect('visit', '{"region": {"levels": ["north"]}}', person => 'person', max_rows_per_person => 1);
SELECT dpobj.set_budget('visit', 'dpobj_suggest_ana', 1000000, 0);
-- so many numbers that bins would be too many features, which rows are added to or removed from
DO $$ BEGIN EXECUTE (SELECT format('CREATE TABLE many (%s)', string_agg(format('c%s int', i), ', ')) FROM generate_series(1, 129) i); END $$;
INSERT INTO many (c1, c2, c13) SELECT i % 97, i % 97 + 3, i % 97 FROM generate_series(1, 4000) i;
SELECT dpobj.protect('many', '{"c1": {"scale": 1}}', adjacency => 'add_remove');
SELECT dpobj.set_budget('many', 'dpobj_suggest_ana', 1000000, 0);
\c - dpobj_suggest_ana
SET client_min_messages = warning;
SELECT s ? 'region' AS region FROM dpobj.suggest('nobody', 10000, '{"region": ["north", "south"], "age": [0, 120]}') s;
SELECT s -> 'region' -> 'levels' AS levels, (s -> 'age' -> 'bins' -> 0)::int BETWEEN 8 AND 11 AS first, s ? 'person' AS person
  FROM dpobj.suggest('visit', 10000, '{"region": ["north", "south"], "age": [0, 99]}') s;
SELECT s -> 'c1' AS c1, s -> 'c2' AS c2 FROM dpobj.suggest('many', 10000, (SELECT jsonb_object_agg('c' || i, '[0, 100]'::jsonb) FROM generate_series(1, 13) i)) s;
SELECT count(*) AS columns FROM jsonb_object_keys(dpobj.suggest('many', 1, (SELECT jsonb_object_agg('c' || i, '[0, 100]'::jsonb) FROM generate_series(1, 129) i)));
\c - postgres
DROP TABLE guest, nobody, visit, many;
DROP TYPE mood;
DROP ROLE dpobj_suggest_ana, dpobj_suggest_eve;

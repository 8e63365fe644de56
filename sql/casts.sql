-- What a raw table keeps as another type: numbers, booleans and dates as text, booleans as 0 and 1; times of day and intervals.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_casts_ana');
-- No value is refused: what cannot be read is missing.
CREATE TABLE raw (id int, amount text, code char(8), flag text, won int, share numeric, wins real, day text, seen varchar(40), clock time, span interval, out bool);
INSERT INTO raw VALUES
  (1, '29.85', '7', 'Yes', 1, 1.0, 0, '2024-02-29', '2024-02-29 23:59:59.5', '00:00', '1 hour', true),
  (2, ' -1e2 ', ' 7 ', ' fAlSe ', 0, 0, 1, ' 2024-12-31 ', '2024-12-31T00:30', '24:00', '-30 min', false),
  (3, '.5', '+7.', 'of', 1, 0.5, 0.5, '0001-01-01', '2024-03-01', '12:30', '1 mon 1 day', true),
  (4, '', 'x', 'maybe', 2, 'NaN', 'NaN', '2023-02-29', '2024-03-01 24:00', '18:00:00.000001', '300 years', false),
  (5, '1e400', '1 2', '', -1, -1, -1, '0000-01-01', '2024-03-01 1:00', '06:00', '-178000000 years', true),
  (6, 'NaN', '0x1', 'o', NULL, 1e300, 'Infinity', '24-01-01', '2024-03-01 10:00:00.1234567', NULL, NULL, false),
  (7, 'Infinity', E'7\t', 'TRUEE', 0, 1.00, 1, '2024-01-32', 'infinity', '23:59:59.999999', '178000000 years', true),
  (8, '1,000', '--7', 'on', 1, 0, 0, 'now', 'tomorrow', '01:00', '11 mon 29 days 23:59:59', false),
  (9, repeat('1', 101), '7e', 't', 1, 1, 1, repeat(' ', 101) || '2024-01-01', '', '02:00', '0', true),
  (10, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '03:00', '2 days', false),
  (11, NULL, NULL, repeat(' ', 100) || 'yes', NULL, 1.00000000000000000001, NULL, NULL, NULL, NULL, '595999:59:59.999999', true),
  (12, NULL, NULL, NULL, NULL, 1e-400, NULL, NULL, NULL, NULL, '-596000:00:00.000001', false),
  (13, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '1000 years -8765999:00:00.000001', true),
  (14, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '596523:14:07.999999', false);
SELECT dpobj.protect('raw', '{"amount": {"as": "number", "center": 0, "scale": 100, "null_indicator": true}, "code": {"as": "number", "bins": [0, 7], "null_indicator": true},
  "flag": {"as": "boolean", "null_indicator": true}, "won": {"as": "boolean", "null_indicator": true}, "share": {"as": "boolean", "null_indicator": true},
  "wins": {"as": "boolean", "null_indicator": true}, "day": {"as": "date", "epoch_of": "day", "since": "2024-01-01", "scale": 366, "null_indicator": true},
  "seen": {"as": "timestamp", "part": "month", "null_indicator": true}, "clock": {"epoch_of": "hour", "bins": [6, 12, 18], "null_indicator": true},
  "span": {"epoch_of": "hour", "bins": [-596000, -0.5, 0, 1, 48, 730, 596000], "null_indicator": true}, "out": {}}');
SELECT string_agg(feature, ', ' ORDER BY position) AS features FROM dpobj.protected_features('raw') WHERE feature !~ 'seen' \g (tuples_only=off)
SELECT dpobj.set_budget('raw', 'dpobj_casts_ana', 1000000);
SELECT epsilon_limit, delta_limit FROM dpobj.budgets WHERE relation = 'raw'::regclass;

\c - dpobj_casts_ana
-- Values that are missing, and others; epsilon is so large that no number of rows is off.
SELECT "column", bin, rows FROM dpobj.profile('raw', 10000, columns => '{code,flag,won,share,wins,clock,span}') WHERE "column" IS NOT NULL AND rows > 0;
SELECT * FROM dpobj.quantiles('raw', 'amount', '{0.01,0.99}', 10000, options => '{"clip": [-200, 200]}');
-- A label that is 0 and 1, or yes and no, needs no list.
SELECT label, kind FROM unnest('{won,flag,share,wins}'::text[]) label, dpobj.train('raw', label, 10, features => '{out}');
-- A model reads columns as its declaration says, and so does its statement.
SELECT kind FROM dpobj.train('raw', 'out', 10, method => 'logistic', name => 'casts');
\c - postgres
SELECT dpobj.predict_sql('casts', owner => 'dpobj_casts_ana') AS statement \gset
SELECT count(*) AS rows, count(*) FILTER (WHERE dpobj.score('casts', raw, 'dpobj_casts_ana') = s.dp_score) AS same
  FROM raw JOIN (:statement) s USING (id);
-- so it does of columns that are such values already
CREATE TABLE read AS SELECT id, CASE WHEN id < 4 THEN amount::numeric END AS amount, CASE WHEN id < 4 THEN code::int END AS code, flag ~* 'y' AS flag, won = 1 AS won,
  share = 1 AS share, wins = 1 AS wins, CASE WHEN id < 4 THEN day::date END AS day, CASE WHEN id < 4 THEN seen::timestamp END AS seen, clock, span, out FROM raw WHERE id < 3;
SELECT count(*) AS same FROM raw JOIN read USING (id) WHERE dpobj.score('casts', raw, 'dpobj_casts_ana') = dpobj.score('casts', read, 'dpobj_casts_ana');
-- Other programs get numbers, true and false, dates and times.
SELECT e -> 'columns' -> 'amount' -> 'type' AS amount, e -> 'columns' -> 'won' -> 'type' AS won, e -> 'columns' -> 'day' -> 'type' AS day, e -> 'columns' -> 'clock' -> 'type' AS clock
  FROM (SELECT dpobj.show('casts', 'json', 'dpobj_casts_ana')::jsonb AS e) s;
SELECT answer_of($$SELECT dpobj.show('casts', 'pmml', 'dpobj_casts_ana')$$);

-- what is refused
CREATE TABLE strict (a int, b text, c date, d time, e interval, f bool, g uuid);
SELECT * FROM answers('SELECT dpobj.protect(''strict'', %)', $$'{"a": {"as": "integer"}}'$$, $$'{"a": {"as": 1}}'$$, $$'{"a": {"as": "date"}}'$$, $$'{"c": {"as": "number"}}'$$,
  $$'{"g": {"as": "number"}}'$$, $$'{"b": {"as": "number", "levels": ["1"]}}'$$, $$'{"b": {"as": "boolean", "bins": [1]}}'$$, $$'{"b": {"as": "boolean", "positive": ["yes"]}}'$$,
  $$'{"b": {"as": "date"}}'$$, $$'{"b": {"as": "boolean", "null": 1}}'$$, $$'{"d": {}}'$$, $$'{"d": {"epoch_of": "hour", "since": "2024-01-01", "bins": [1]}}'$$,
  $$'{"e": {"part": "month"}}'$$, $$'{"b": {}}'$$, $$'{"b": {"bins": [1]}}'$$);
SELECT dpobj.protect('strict', '{"a": {"as": "number", "bins": [1]}, "c": {"as": "date", "part": "weekday"}, "f": {"as": "boolean"}}');
DROP TABLE raw, read, strict;
DROP ROLE dpobj_casts_ana;

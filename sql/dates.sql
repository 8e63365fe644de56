-- Dates and timestamps as features: days since a declared date, months, weekdays, by the clock of a declared zone and never the session's.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CALL login_roles('dpobj_dates_ana');
SET TimeZone = 'Asia/Tokyo';

-- Since a date: as from 1970, counted from its midnight.
SELECT d, dpobj.features('{"d": {"epoch_of": "day", "since": "2020-01-01", "scale": 10, "clip": [-1000, 1000]}}', t) AS day,
       dpobj.features('{"d": {"epoch_of": "hour", "since": "2020-01-01", "bins": [-24, 0, 24]}}', t) AS hours
FROM (VALUES ('2020-01-01'::date), ('2020-01-11'), ('2019-12-31'), ('0001-01-01'), ('infinity'), ('-infinity'), (NULL)) AS t(d);
SELECT dpobj.features('{"d": {"epoch_of": "second", "since": "2020-02-29", "scale": 60, "clip": [-1000, 1000]}}', t) FROM (VALUES ('2020-02-29 00:01:30'::timestamp), ('2020-02-28 23:59')) AS t(d);
-- Parts: the hot feature is the month, or the day from Monday on; infinity and NULL are missing.
SELECT d, dpobj.features('{"d": {"part": "month"}}', t) AS month, dpobj.features('{"d": {"part": "weekday", "drop_first": true, "null_indicator": true}}', t) AS weekday,
       dpobj.features('{"d": {"part": "weekday", "null": 7}}', t) AS substitute
FROM (VALUES ('2024-02-29'::date), ('2024-12-31'), ('1969-12-31'), ('4713-01-01 BC'), ('5874897-12-31'), ('infinity'), ('-infinity'), (NULL)) AS t(d);
CREATE FUNCTION hot(features float8[]) RETURNS int LANGUAGE sql RETURN array_position(features, 1);
CREATE FUNCTION wrong_parts(zone text, OUT times bigint, OUT wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($q$SELECT count(*), count(*) FILTER (WHERE
      hot(dpobj.features('{"a": {"part": "month", "time_zone": %1$s}}', t)) IS DISTINCT FROM extract(month FROM a AT TIME ZONE %2$L)::int
      OR hot(dpobj.features('{"a": {"part": "weekday", "time_zone": %1$s}}', t)) IS DISTINCT FROM extract(isodow FROM a AT TIME ZONE %2$L)::int
      OR hot(dpobj.features('{"p": {"part": "month"}}', t)) IS DISTINCT FROM extract(month FROM p)::int
      OR hot(dpobj.features('{"p": {"part": "weekday"}}', t)) IS DISTINCT FROM extract(isodow FROM p)::int
      OR hot(dpobj.features('{"d": {"part": "weekday"}}', t)) IS DISTINCT FROM extract(isodow FROM d)::int
      OR dpobj.features('{"a": {"epoch_of": "day", "since": "2001-03-04", "scale": 1024, "clip": [-1000, 1000], "time_zone": %1$s}}', t)
         <> ARRAY[extract(epoch FROM (a AT TIME ZONE %2$L) - timestamp '2001-03-04')::float8 / 86400 / 1024])
    FROM (SELECT u AT TIME ZONE 'UTC' AS a, u AS p, u::date AS d FROM generate_series(timestamp '1890-01-01 00:00:01', '2045-01-01', '47 days 7 hours 3 minutes') u) t$q$, to_json(zone), zone)
  INTO times, wrong;
END $$;
SELECT zone, w.* FROM unnest(ARRAY['UTC', 'Europe/Rome', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Kiritimati', 'Etc/GMT+12']) zone, wrong_parts(zone) w;
SET TimeZone = 'America/New_York';
SELECT zone, w.* FROM unnest(ARRAY['UTC', 'Europe/Rome']) zone, wrong_parts(zone) w;
-- without a zone a timestamptz is read in UTC, also where the session has another day
SELECT hot(dpobj.features('{"a": {"part": "weekday"}}', t)) AS utc, extract(isodow FROM a) AS session FROM (VALUES (timestamptz '2024-01-01 00:30+00')) t(a);
SELECT hot(dpobj.features('{"a": {"part": "month", "null": 12}}', t)) AS substitute FROM (VALUES (timestamptz 'infinity'), (NULL)) t(a);
RESET TimeZone;

-- What is refused.
CREATE TABLE moment (d date, p timestamp, a timestamptz, n numeric, t text, y boolean);
SELECT item, replace(answer_of(format('SELECT dpobj.protect(%L, %L)', 'moment', item)), E'\n', ' | ') AS answer FROM unnest(ARRAY[
  '{"d": {"part": "year"}}', '{"d": {"part": 1}}', '{"d": {"part": ""}}', '{"n": {"part": "month"}}', '{"t": {"part": "month"}}', '{"y": {"part": "month"}}', '{"d": {"part": "month", "scale": 2}}', '{"d": {"part": "month", "epoch_of": "day"}}',
  '{"d": {"part": "month", "levels": ["2024-01-01"]}}', '{"d": {"part": "month", "bins": [1]}}', '{"d": {"part": "month", "null": 13}}', '{"d": {"part": "weekday", "null": "Monday"}}', '{"d": {"part": "month", "null": null}}',
  '{"d": {"part": "month", "time_zone": "UTC"}}', '{"p": {"part": "month", "time_zone": "Europe/Rome"}}', '{"a": {"part": "month", "time_zone": "CET"}}', '{"a": {"part": "month", "time_zone": "Europe/Atlantis"}}',
  '{"a": {"part": "month", "time_zone": 1}}', '{"a": {"part": "month", "time_zone": "../../etc/passwd"}}', '{"a": {"positive": ["2024-01-01"], "time_zone": "UTC"}}', '{"n": {"scale": 2, "time_zone": "UTC"}}',
  '{"d": {"epoch_of": "day", "since": "01.02.2024", "scale": 9}}', '{"d": {"epoch_of": "day", "since": "2023-02-29", "scale": 9}}', '{"d": {"epoch_of": "day", "since": "2024-1-01", "scale": 9}}', '{"d": {"epoch_of": "day", "since": "2024--1-1", "scale": 9}}',
  '{"d": {"epoch_of": "day", "since": "today", "scale": 9}}', '{"d": {"epoch_of": "day", "since": 2024, "scale": 9}}', '{"d": {"epoch_of": "day", "since": "0000-01-01", "scale": 9}}', '{"d": {"since": "2024-01-01", "scale": 9}}',
  '{"n": {"since": "2024-01-01", "scale": 9}}']) item;

-- Both doors, predictions, and the statement for a server without dpobj, in any session's zone.
CREATE TABLE visit_day (id int PRIMARY KEY, opened date, seen timestamptz, left_at timestamp, back boolean);
INSERT INTO visit_day SELECT i, d, timestamp '2024-01-01' + i * interval '5 hours 17 minutes', d - interval '3 hours', extract(isodow FROM d) > 5
  FROM generate_series(1, 2000) i, LATERAL (SELECT date '2023-06-01' + i % 700 AS d) s;
INSERT INTO visit_day VALUES (2001, 'infinity', 'infinity', NULL, true), (2002, NULL, '-infinity', '-infinity', false);
SELECT dpobj.protect('visit_day', '{"back": {}, "opened": {"part": "weekday", "null_indicator": true}, "seen": {"part": "month", "time_zone": "Pacific/Auckland", "drop_first": true, "null": 3},
  "left_at": {"epoch_of": "day", "since": "2024-01-01", "scale": 365, "clip": [-2, 2], "null": 0.5}}', n => 2000);
CREATE TABLE clock AS SELECT timestamptz '2024-01-01 00:00+00' + i * interval '1 hour' AS at, i / 1000.0::float8 AS a, i % 2 = 0 AS back FROM generate_series(0, 999) i;
SELECT dpobj.protect('clock', '{"a": {}, "back": {}}', n => 1000), dpobj.set_budget('clock', NULL, 10000, 0), dpobj.set_budget('clock', 'dpobj_dates_ana', 10000, 0);
SELECT dpobj.set_budget('visit_day', NULL, 10000, 0), dpobj.set_budget('visit_day', 'dpobj_dates_ana', 10000, 0), dpobj.grant_trainer('dpobj_dates_ana');
SELECT * FROM dpobj.protected_features('visit_day') \g (tuples_only=off)
SELECT hot((dp_halfspace(dpobj.features('{"opened": {"part": "weekday"}}', v), back, 100.0, 0, '{"grid": "sign", "groups": [7]}')).weights) AS first_day_off FROM visit_day v;
\c - dpobj_dates_ana
SELECT (dpobj.train('visit_day', label => 'back', epsilon => 1000, method => 'logistic', name => 'weekend')).details -> 'encoders' -> 'seen' AS seen;
SELECT (dpobj.train_groups('visit_day', label => 'back', epsilon => 1, features => '{left_at}', by => '{opened}', method => 'logistic')).key AS weekday;
SELECT dpobj.train('visit_day', label => 'back', epsilon => 1, filter => '{"opened": {"=": "2023-06-04"}}') IS NOT NULL AS dates_are_no_parts;
-- Looks count days from the declared date as features do; a part of a date has no number.
SELECT abs(value - 135.375) < 1 AS middle FROM dpobj.avg('visit_day', 'left_at', 1000, filter => '{"id": {"<=": 700}}', options => '{"clip": [-1000, 1000]}');
SELECT abs(value - 135.375) < 2 AS middle, dpobj.price('visit_day', 'left_at', 1, method => 'quantiles', options => '{"quantiles": [0.5]}') -> 'steps' AS steps FROM dpobj.quantiles('visit_day', 'left_at', '{0.5}', 1000, filter => '{"id": {"<=": 700}}');
SELECT dpobj.avg('visit_day', 'opened', 1, options => '{"clip": [0, 1]}');
-- A filter's time without a zone is in UTC, and a day begins with its year, whatever the session says: 100 hours.
SET TimeZone = 'Asia/Tokyo';
SET DateStyle = 'SQL, DMY';
SELECT (dpobj.train('clock', 'back', 1000, '{a}', options => '{"rate": 0, "coverage_epsilon": 500}', filter => '{"at": {"<": "2024-01-05 04:00"}}')).details -> 'coverage' -> 'usable' AS hours;
SELECT (dpobj.train('clock', 'back', 1000, '{a}', options => '{"rate": 0, "coverage_epsilon": 500}', filter => '{"at": {"<": "24/01/05 04:00"}}')).details -> 'coverage' -> 'usable' AS hours;
RESET TimeZone;
RESET DateStyle;
\c - postgres
SELECT feature, level FROM dpobj.scorecard('weekend', 'dpobj_dates_ana') WHERE level !~ '^([3-9]|1[0-2])$';
SELECT dpobj.predict_sql('weekend', owner => 'dpobj_dates_ana') AS statement \gset
SET TimeZone = 'America/New_York';
SELECT count(*), count(dp_score), count(*) FILTER (WHERE dp_score IS DISTINCT FROM dpobj.score('weekend', t, 'dpobj_dates_ana')) AS different,
       avg((dp_prediction = t.back)::int) > 0.9 AS learnt FROM (:statement) s JOIN visit_day t USING (id);
DROP OWNED BY dpobj_dates_ana;
DROP ROLE dpobj_dates_ana;

-- Schedules on a server without pg_cron: what is refused, and what one run does and records
\i tests/answers.sql
CALL login_roles('dpobj_schedule_ana', 'dpobj_schedule_bob', 'dpobj_schedule_mallory', 'dpobj_schedule_carol', 'dpobj_schedule_otto');
GRANT dpobj_admin TO dpobj_schedule_carol;
GRANT dpobj_auditor TO dpobj_schedule_otto;
GRANT CREATE ON SCHEMA public TO dpobj_schedule_mallory;
CREATE TABLE visit AS SELECT i % 20 AS a, i % 3 = 0 AS b, i % 20 > 10 AS y FROM generate_series(1, 100) i;
CREATE TABLE plain AS TABLE visit;
CREATE VIEW seen AS TABLE visit;
REVOKE ALL ON visit FROM PUBLIC;
SET client_min_messages = warning; -- an earlier test may have protected a table of that name
SELECT dpobj.protect('visit', '{"a": {"scale": 20}, "b": {}, "y": {}}');
RESET client_min_messages;
SELECT dpobj.set_budget('visit', 'dpobj_schedule_ana', 2, 0);

-- Times: the last one so far, the next one.
SELECT cron, dpobj_internal.cron_time(cron, at), dpobj_internal.cron_time(cron, at, true) AS following
  FROM (VALUES ('30 3 * * *', timestamp '2026-11-21 03:29:59.9'), ('30 3 * * *', '2026-11-21 03:30'),
               ('30 3 * * *', '2026-11-21 23:59:59'), ('*/15 9-17 * * mon-fri', '2026-11-21 12:00'),
               ('0 0 29 2 *', '2026-11-21'), ('@monthly', '1969-12-31 23:59:59'), ('0 0 13 * 5', '2026-11-01')) v(cron, at);
SELECT * FROM answers($$SELECT dpobj_internal.cron_time(%, '2026-11-21')$$,
  $$'30 3 * *'$$, $$'30 3 * * * *'$$, $$'0 0 30 2 *'$$, $$'@reboot'$$, $$'30 seconds'$$);
SELECT dpobj_internal.cron_time('* * * * *', 'infinity');
-- where timestamps end
SELECT dpobj_internal.cron_time('* * * * *', '294276-12-31 23:59:59.999999'), dpobj_internal.cron_time('* * * * *', '4714-11-24 00:00 BC');
SELECT dpobj_internal.cron_time('* * * * *', '294276-12-31 23:59:59.999999', true);
SELECT dpobj_internal.cron_time('0 0 29 2 *', '294276-12-31', true);
SELECT dpobj_internal.cron_time('30 3 * * *', '4714-11-24 00:00 BC');
SELECT dpobj_internal.schedule_model('nightly', '2026-11-21 03:30+00'),
       dpobj_internal.schedule_of_model('nightly 2026-11-21 03:30') = ROW('nightly'::text, timestamptz '2026-11-21 03:30+00') AS back;
-- every text is a possible model name, and none is an error
SELECT m, dpobj_internal.schedule_of_model(m) FROM unnest('{nightly,a 2026-13-01 00:00,a 2026-02-30 00:00,a 2026-01-01 24:00,a 9999-99-99 99:99,
  a 0000-00-00 00:00,a 2026-01-01 00:00x, 2026-01-01 00:00}'::text[]) m;

-- The library is not loaded: an error, and nothing is kept.
\c - dpobj_schedule_ana
SELECT dpobj_internal.cron_database() IS NULL AS absent;
SELECT dpobj.schedule('train', 'visit', '{"label": "y", "epsilon": 0.5}', 'nightly', '30 3 * * *');
SELECT count(*) FROM dpobj.schedules;

-- Wrong arguments are refused at once.
SELECT * FROM answers($$SELECT dpobj.schedule('train', 'visit', '{"label": "y", "epsilon": 0.5}', %)$$,
  $$NULL, cron => '30 3 * * *'$$, $$'', cron => '30 3 * * *'$$, $$repeat('x', 201), cron => '30 3 * * *'$$, $$'nightly', cron => NULL$$,
  $$'nightly', cron => 'at night'$$);
SELECT * FROM answers($$SELECT dpobj.schedule('train', %, 'nightly', '30 3 * * *')$$,
  $$NULL, '{"label": "y", "epsilon": 0.5}'$$, $$'plain', '{"label": "y", "epsilon": 0.5}'$$, $$'seen', '{"label": "y", "epsilon": 0.5}'$$,
  $$'visit', '{"label": null, "epsilon": 0.5}'$$, $$'visit', '{"label": "nothing", "epsilon": 0.5}'$$, $$'visit', '{"label": "y", "epsilon": null}'$$,
  $$'visit', '{"label": "y"}'$$, $$'visit', '{"label": "y", "epsilon": 0}'$$, $$'visit', '{"label": "y", "epsilon": "NaN"}'$$);
SELECT * FROM answers($$SELECT dpobj.schedule('train', 'visit', jsonb '{"label": "y", "epsilon": 0.5}' || %, 'nightly', '30 3 * * *')$$,
  $$jsonb '{"delta": null}'$$, $$jsonb '{"delta": 2}'$$, $$jsonb '{"features": ["nothing"]}'$$, $$jsonb '{"method": null}'$$, $$jsonb '{"method": "magic"}'$$, $$jsonb '{"options": {"magic": 1}}'$$,
  $$jsonb '{"options": {"prior": 2}}'$$, $$jsonb_build_object('filter', repeat('x', 70000))$$, $$jsonb '{"filter": {"nothing": {"=": 1}}}'$$);
SELECT * FROM answers($$SELECT dpobj.schedule('train', 'visit', '{"label": "y", "epsilon": 0.5}', 'nightly', '30 3 * * *', allowance => %)$$,
  '0.4', $$'NaN'$$, '1, period => NULL', $$1, period => '0'$$, $$1, period => '-1 day'$$, $$1, period => '1000 years 1 month'$$,
  $$1, period => '100000 years -35999999 days'$$, $$1, period => '-900 years 8765832 hours'$$);
BEGIN READ ONLY;
SELECT dpobj.schedule('train', 'visit', '{"label": "y", "epsilon": 0.5}', 'nightly', '30 3 * * *');
ROLLBACK;
SELECT * FROM answers('SELECT dpobj.unschedule(%)', $$'nightly'$$, $$NULL$$);
CALL dpobj.run_schedule('nightly');
BEGIN;
CALL dpobj.run_schedule('nightly');
ROLLBACK;
SELECT * FROM answers('SELECT dpobj.schedule(%)', $$'train', 'visit', '{"label": "y", "epsilon": 0.5}', 'nightly', '@yearly'$$,
  $$'train', 'visit', '{"label": "y", "epsilon": 0.5, "method": "accuracy"}', 'nightly', '30 3 * * *'$$);
\c - dpobj_schedule_bob
SELECT dpobj.schedule('train', 'visit', '{"label": "y", "epsilon": 0.5}', 'nightly', '30 3 * * *');

-- One run, as pg_cron would start it; the scheduled time is the last one, however late the run is.
\c - dpobj_schedule_ana
SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "y", "epsilon": 0.5, "features": ["a", "b"], "method": "halfspace", "options": {"intercept": false, "grid": "sign"}}', 'yearly', '0 0 1 1 *', NULL, NULL);
SELECT name, owner, cron, relation, relation_name, call, arguments, epsilon, allowance, period, job,
       cron_statement, next_run = timezone('GMT', date_trunc('year', timezone('GMT', now())) + interval '1 year') AS next_year,
       next_model = 'yearly ' || extract(year FROM timezone('GMT', now())) + 1 || '-01-01 00:00' AS named, latest_model
  FROM dpobj.schedules;
BEGIN;
CALL dpobj.run_schedule('yearly');
ROLLBACK;
DO $$ BEGIN CALL dpobj.run_schedule('yearly'); EXCEPTION WHEN active_sql_transaction THEN RAISE WARNING '%', SQLERRM; END $$;
SELECT epsilon AS left FROM dpobj.remaining('visit');
CALL dpobj.run_schedule('yearly');
SELECT epsilon AS left FROM dpobj.remaining('visit');
CALL dpobj.run_schedule('yearly');
SET default_transaction_isolation = 'repeatable read';
CALL dpobj.run_schedule('yearly');
RESET default_transaction_isolation;
SELECT epsilon AS left FROM dpobj.remaining('visit');
SELECT schedule, r.owner, scheduled = timezone('GMT', date_trunc('year', timezone('GMT', now()))) AS this_year, state, epsilon, delta,
       r.release = m.release AS same_release, dpobj.verify(m.model) AS verified, started < finished AS took, sqlstate, message
  FROM dpobj.schedule_runs r JOIN dpobj.models m ON m.name = r.model;
SELECT count(*) FROM dpobj.models m JOIN dpobj.schedules s ON s.latest_model = m.name;
-- a record has the message that the session got, and no more
SELECT count(*) FROM dpobj.schedule_runs WHERE state = 'released' AND (sqlstate IS NOT NULL OR message IS NOT NULL);

-- A change keeps the name and what was run under it.
SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "y", "epsilon": 0.4, "features": ["a", "b"], "method": "halfspace", "options": {"intercept": false, "grid": "sign"}}', 'yearly', '0 0 1 1 *', NULL, NULL);
SELECT s.name, s.epsilon, s.latest_model IS NOT NULL AS has_model, count(r.*) FROM dpobj.schedules s JOIN dpobj.schedule_runs r ON r.schedule = s.name GROUP BY 1, 2, 3;
CALL dpobj.run_schedule('yearly');
SELECT epsilon AS left FROM dpobj.remaining('visit');

-- Allowance: charges of scheduled times in the period count, however the runs were started; one a period ago does not.
SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "y", "epsilon": 0.3, "method": "halfspace", "options": {"intercept": false}}', 'thrifty', '0 0 1 1 *', 0.6, '1000 years 366000 days');
SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "y", "epsilon": 0.3, "method": "halfspace", "options": {"intercept": false}}', 'thrifty', '0 0 1 1 *', 0.6, '1 year 1 day');
SELECT timezone('GMT', date_trunc('year', timezone('GMT', now()))) AS due \gset
SELECT count(dpobj.train('visit', 'y', e, name => dpobj_internal.schedule_model('thrifty', :'due'::timestamptz - age))) AS trained
  FROM (VALUES (0.3, interval '2 years'), (0.2, '1 year'), (0.2, '60 minutes')) v(e, age);
CALL dpobj.run_schedule('thrifty');
SELECT state, model, release, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'thrifty' AND scheduled = :'due';
SELECT epsilon AS left FROM dpobj.remaining('visit');
SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "y", "epsilon": 0.3, "method": "halfspace", "options": {"intercept": false}}', 'thrifty', '0 0 1 1 *', 0.5, '1 year');
CALL dpobj.run_schedule('thrifty');
SELECT state, model IS NOT NULL AS has_model, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'thrifty' AND scheduled = :'due';
SELECT epsilon AS left FROM dpobj.remaining('visit');

-- A used-up budget is no failure.
SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "y", "epsilon": 1, "method": "halfspace", "options": {"intercept": false}}', 'dear', '0 0 1 1 *', NULL, NULL);
CALL dpobj.run_schedule('dear');
SELECT state, release, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'dear';
\c - dpobj_schedule_carol
SELECT dpobj.raise_budget('visit', 'dpobj_schedule_ana', 1, 0, 'for a test');
\c - dpobj_schedule_ana
CALL dpobj.run_schedule('dear');
SELECT state, epsilon, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'dear';

-- Failures are recorded and reported.
SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "nothing", "epsilon": 0.1, "method": "halfspace", "options": {"intercept": false}}', 'wrong', '0 0 1 1 *', NULL, NULL);
CALL dpobj.run_schedule('wrong');
SELECT state, release, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'wrong';
SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "y", "epsilon": 0.1, "method": "halfspace", "options": {"intercept": false, "force": true}, "filter": {"a": {"<": 15}}}', 'wrong', '0 0 1 1 *', NULL, NULL);
CALL dpobj.run_schedule('wrong');
SELECT state, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'wrong';

-- The last thousand are kept.
SELECT count(dpobj_internal.schedule_record('wrong', timestamptz '2000-01-01 00:00+00' + n * interval '24 hours', now(), 'skipped', 'UB001', NULL)) AS recorded
  FROM generate_series(1, 1005) n;
SELECT count(*), min(scheduled) AT TIME ZONE 'GMT' AS first FROM dpobj.schedule_runs WHERE schedule = 'wrong';
-- views read only
BEGIN READ ONLY;
SELECT (SELECT count(*) FROM dpobj.schedules) AS schedules, (SELECT count(*) FROM dpobj.schedule_runs WHERE state <> 'skipped') AS runs;
COMMIT;

-- In somebody's function, or under another role.
\c - dpobj_schedule_mallory
CREATE FUNCTION plan() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  AS $$ SELECT dpobj.schedule('train', 'visit', '{"label": "y", "epsilon": 0.1}', 'mine', '* * * * *') $$;
CREATE FUNCTION put() RETURNS void LANGUAGE sql SECURITY DEFINER
  AS $$ SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "y", "epsilon": 0.1, "method": "halfspace", "options": {"intercept": false}}', 'mine', '* * * * *', NULL, NULL) $$;
CREATE FUNCTION run() RETURNS record LANGUAGE sql SECURITY DEFINER AS $$ SELECT dpobj_internal.schedule_attempt('dear') $$;
CREATE FUNCTION enter() RETURNS void LANGUAGE sql SECURITY DEFINER AS $$ SELECT dpobj_internal.schedule_enter() $$;
CREATE FUNCTION record() RETURNS void LANGUAGE sql SECURITY DEFINER
  AS $$ SELECT dpobj_internal.schedule_record('dear', now(), now(), 'skipped', NULL, NULL) $$;
CREATE FUNCTION remove() RETURNS void LANGUAGE sql SECURITY DEFINER AS $$ SELECT dpobj.unschedule('dear') $$;
CREATE PROCEDURE call() LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN CALL dpobj.run_schedule('dear'); END $$;
\c - dpobj_schedule_ana
SELECT plan();
SELECT put();
SELECT run();
SELECT enter();
SELECT record();
SELECT remove();
CALL call();
SELECT dpobj.unschedule('dear', 'dpobj_schedule_bob');
\c - postgres
SET ROLE dpobj_schedule_ana;
SELECT dpobj.schedule('train', 'visit', '{"label": "y", "epsilon": 0.1}', 'mine', '* * * * *');
CALL dpobj.run_schedule('dear');
RESET ROLE;

-- Who sees and who removes.
\c - dpobj_schedule_bob
SELECT (SELECT count(*) FROM dpobj.schedules) AS schedules, (SELECT count(*) FROM dpobj.schedule_runs) AS runs;
SELECT * FROM answers('SELECT dpobj.unschedule(%)', $$'dear'$$, $$'dear', 'dpobj_schedule_ana'$$);
CALL dpobj.run_schedule('dear');
TABLE dpobj.schedule_rows;
\c - dpobj_schedule_otto
SELECT name, owner FROM dpobj.schedules ORDER BY 1;
SELECT schedule, owner, state FROM dpobj.schedule_runs WHERE schedule <> 'thrifty' AND state <> 'skipped' ORDER BY 1, 3;
SELECT dpobj.unschedule('dear', 'dpobj_schedule_ana');
\c - dpobj_schedule_carol
SELECT name FROM dpobj.schedules ORDER BY 1;
SELECT dpobj.unschedule('daer', 'dpobj_schedule_ana');
SET client_min_messages = notice;
SELECT dpobj.unschedule('dear', 'dpobj_schedule_ana');
SELECT dpobj.unschedule('dear', 'dpobj_schedule_ana');
-- a privilege on every table is not enough
\c - postgres
GRANT pg_write_all_data TO dpobj_schedule_bob;
\c - dpobj_schedule_bob
UPDATE dpobj.schedule_rows SET epsilon = 100;
DELETE FROM dpobj.schedule_run_rows;

-- A role and a table keep their schedules through renames; of a table that is gone they fail.
\c - postgres
ALTER ROLE dpobj_schedule_ana RENAME TO dpobj_schedule_anna;
ALTER TABLE visit RENAME TO stay;
\c - dpobj_schedule_anna
SELECT name, owner, relation_name FROM dpobj.schedules ORDER BY 1;
\c - postgres
DROP VIEW seen;
DROP TABLE stay;
\c - dpobj_schedule_anna
SELECT dpobj_internal.schedule_remove('wrong', NULL);
CALL dpobj.run_schedule('yearly');
\c - postgres
UPDATE dpobj.schedule_rows SET name = 'late' WHERE name = 'thrifty';
\c - dpobj_schedule_anna
CALL dpobj.run_schedule('late');
SELECT state, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'late';
-- a period that dpobj.schedule would refuse is an error of the run, and recorded
\c - postgres
UPDATE dpobj.schedule_rows SET period = '300000 years' WHERE name = 'late';
\c - dpobj_schedule_anna
CALL dpobj.run_schedule('late');
SELECT state, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'late';
-- without pg_cron dpobj cannot know whether a job exists
SET client_min_messages = notice;
SELECT dpobj.unschedule('late');
SELECT count(*) FROM dpobj.schedule_runs WHERE schedule = 'late';
-- a long name of a job is shortened
SELECT octet_length(dpobj_internal.cron_jobname('nightly')), octet_length(dpobj_internal.cron_jobname(repeat('x', 200)));
SELECT dpobj_internal.cron_statement('it''s', '30 3 * * *', 'dpobj_schedule_ana');

\c - postgres
DROP FUNCTION plan, put, run, enter, record, remove;
DROP PROCEDURE call;
-- DROP ROLE drops schedules
DROP ROLE dpobj_schedule_anna;
CREATE ROLE dpobj_schedule_ana LOGIN;
\c - dpobj_schedule_ana
SELECT count(*) FROM dpobj.schedules;
CALL dpobj.run_schedule('yearly');
\c - postgres
SELECT name, owner FROM dpobj.schedules;
DROP TABLE plain;
REVOKE CREATE ON SCHEMA public FROM dpobj_schedule_mallory;
DROP ROLE dpobj_schedule_ana, dpobj_schedule_bob, dpobj_schedule_mallory, dpobj_schedule_carol, dpobj_schedule_otto;

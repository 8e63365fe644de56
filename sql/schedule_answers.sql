-- Schedules of looks and evaluations on a server without pg_cron: what is refused, what a run rates and records
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_rating_ana', 'dpobj_rating_bob');
GRANT CREATE ON SCHEMA public TO dpobj_rating_ana, dpobj_rating_bob;
CREATE TABLE exam AS SELECT i % 20 AS a, i % 3 = 0 AS b, i % 20 > 10 AS y, i % 7 AS grade FROM generate_series(1, 500) i;
SELECT dpobj.protect('exam', '{"a": {"scale": 20}, "b": {}, "y": {}, "grade": {"bins": [2, 4]}}');
SELECT dpobj.set_budget('exam', 'dpobj_rating_ana', 20, 0.001);

-- Wrong arguments are refused at once, and nothing is kept or charged.
\c - dpobj_rating_ana
SELECT count(dpobj.train('exam', 'y', 1, '{a}', name => n)) AS trained FROM unnest('{first,second}'::text[]) n;
SELECT * FROM answers($$SELECT dpobj.schedule(%, name => 'ratings', cron => '0 4 1 * *')$$,
  $$'evaluate', 'exam', '{"model": "first", "epsilon": 0.1}'$$,
  $$NULL, 'exam', '{"model": "first", "epsilon": 0.1}'$$, $$'train', 'exam', '{"label": "y", "epsilon": 0.1}'$$,
  $$'evaluate', NULL, '{"model": "first", "epsilon": 0.1}'$$, $$'evaluate', 'exam', NULL$$, $$'evaluate', 'exam', '[]'$$,
  $$'evaluate', 'exam', '{"model": "first"}'$$, $$'evaluate', 'exam', '{"model": "first", "epsilon": null}'$$,
  $$'evaluate', 'exam', '{"model": "first", "epsilon": true}'$$, $$'evaluate', 'exam', '{"model": "first", "epsilon": 0}'$$,
  $$'evaluate', 'exam', '{"model": "first", "epsilon": 0.1, "name": "x"}'$$, $$'evaluate', 'exam', '{"model": "first", "epsilon": 0.1, "bins": 3}'$$,
  $$'evaluate', 'exam', '{"model": "third", "epsilon": 0.1}'$$, $$'auc', 'exam', '{"model": null, "epsilon": 0.1}'$$,
  $$'select', 'exam', '{"models": ["first", "third", "fourth"], "epsilon": 0.1}'$$, $$'select', 'exam', '{"models": "{third,first}", "epsilon": 0.1}'$$,
  $$'select', 'exam', '{"models": null, "epsilon": 0.1}'$$, $$'select', 'exam', '{"models": ["first", null], "epsilon": 0.1}'$$,
  $$'select', 'exam', '{"models": "first", "epsilon": 0.1}'$$, $$'select', 'exam', '{"models": ["first", "second"], "epsilon": 0.1}'$$,
  $$'evaluate', 'exam', '{"model": "first", "epsilon": 0.1, "relation": "exam"}'$$, $$'quantiles', 'exam', '{"column": "a", "quantiles": ["half"], "epsilon": 0.1}'$$,
  $$'histogram', 'exam', jsonb_build_object('column', repeat('x', 70000))$$,
  $$'histogram', 'pg_class', '{"column": "relname", "epsilon": 0.1}'$$, $$'histogram', 'exam', '{"column": "height", "epsilon": 0.1}'$$,
  $$'histogram', 'exam', '{"column": null, "epsilon": 0.1}'$$, $$'count', 'exam', '{"epsilon": 0.1, "by": ["a"]}'$$, $$'count', 'exam', '{"epsilon": 100000}'$$,
  $$'sum', 'exam', '{"column": "grade", "epsilon": 0.1}'$$, $$'avg', 'exam', '{"column": "a", "epsilon": 0.1, "filter": {"height": {"<": 3}}}'$$,
  $$'avg', 'exam', '{"column": "a", "epsilon": 0.1, "by": ["b"], "filter": null, "options": {"confidence": 0.2}}'$$,
  $$'histogram', 'exam', '{"column": "grade", "epsilon": 0.1, "by": ["b"], "filter": {"a": {"<": 3}}, "options": {"confidence": 0.9}}'$$);
SELECT * FROM answers($$SELECT dpobj.schedule('count', 'exam', '{"epsilon": 0.5}', %)$$,
  $$NULL, '0 4 1 * *'$$, $$'', '0 4 1 * *'$$, $$'n', NULL$$, $$'n', 'at night'$$, $$'n', '0 4 1 * *', 0.4$$, $$'n', '0 4 1 * *', 1, NULL$$);
-- An error names the argument, and shows no statement of the extension's own.
\set SHOW_CONTEXT errors
SELECT dpobj.schedule('count', 'exam', '{"epsilon": "x"}', 'n', '0 4 1 * *');
\set SHOW_CONTEXT never
\c - dpobj_rating_bob
SELECT * FROM answers('SELECT %', $$dpobj.schedule('count', 'exam', '{"epsilon": 0.5}', 'n', '0 4 1 * *')$$);
\c - dpobj_rating_ana
SELECT (SELECT count(*) FROM dpobj.schedules) AS schedules, (SELECT sum(epsilon) FROM dpobj.ledger) AS charged;

-- A rating of a training's schedule: skipped in words without a model, then of the newest model in use; a repeated run changes nothing.
CREATE FUNCTION schedule(call text, arguments jsonb, name text, allowance numeric DEFAULT NULL, period interval DEFAULT '2 years') RETURNS void LANGUAGE sql
  AS $$ SELECT dpobj_internal.schedule_put($1, 'exam', $2, $3, '0 0 1 1 *', $4, $5) $$;
SELECT dpobj_internal.schedule_put('train', 'exam', '{"label": "y", "epsilon": 0.5, "features": ["a"], "method": "logistic", "options": {"intercept": false}}', 'yearly', '0 0 1 1 *', NULL, NULL);
SELECT schedule('evaluate', '{"model": "yearly", "epsilon": "0.25", "options": {"confidence": 0.9}}', 'ratings');
SELECT name, call, arguments, epsilon, next_model = dpobj_internal.schedule_model('ratings', next_run) AS next, latest_model FROM dpobj.schedules ORDER BY 1;
CALL dpobj.run_schedule('ratings');
SELECT state, model, release, epsilon, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'ratings';
CALL dpobj.run_schedule('yearly');
CALL dpobj.run_schedule('ratings');
CALL dpobj.run_schedule('ratings');
SELECT r.state, r.epsilon, r.sqlstate, r.model = s.latest_model AS latest, e.kind, e.confidence, e.models = ARRAY[t.latest_model] AS of_newest
  FROM dpobj.schedule_runs r JOIN dpobj.schedules s ON s.name = r.schedule JOIN dpobj.evaluations e ON e.name = r.model, dpobj.schedules t
 WHERE r.schedule = 'ratings' AND t.name = 'yearly';
SELECT count(*) FROM dpobj.model_history WHERE model LIKE 'yearly %';
-- an answer is found under its new name, and a deleted one is not made again
SELECT dpobj.rename(latest_model, 'rating of the year') FROM dpobj.schedules WHERE name = 'ratings';
SELECT latest_model FROM dpobj.schedules WHERE name = 'ratings';
SELECT dpobj.delete('rating of the year');
CALL dpobj.run_schedule('ratings');
SELECT state, model, epsilon FROM dpobj.schedule_runs WHERE schedule = 'ratings';
-- a model that has the name comes before the schedule; one that is retired is no model in use of the schedule
SELECT schedule('evaluate', '{"model": "first", "epsilon": 0.1}', 'of first');
SELECT dpobj_internal.schedule_put('train', 'exam', '{"label": "y", "epsilon": 0.5, "features": ["b"], "method": "auto", "options": {"intercept": false}}', 'first', '0 0 1 1 *', NULL, NULL);
CALL dpobj.run_schedule('first');
CALL dpobj.run_schedule('of first');
SELECT e.models FROM dpobj.evaluations e JOIN dpobj.schedules s ON s.latest_model = e.name WHERE s.name = 'of first';
SELECT dpobj.retire(latest_model) FROM dpobj.schedules WHERE name = 'yearly';
SELECT schedule('auc', '{"model": "yearly", "epsilon": 0.1}', 'area');
CALL dpobj.run_schedule('area');
SELECT state, release, message FROM dpobj.schedule_runs WHERE schedule = 'area';
-- a model that is gone is an error
SELECT schedule('evaluate', '{"model": "gone", "epsilon": 0.1}', 'of none');
CALL dpobj.run_schedule('of none');
SELECT state, release, message FROM dpobj.schedule_runs WHERE schedule = 'of none';

-- Every call can be scheduled.
SELECT dpobj.retire(m.name, false) FROM dpobj.models m WHERE m.name LIKE 'yearly %';
CREATE TEMPORARY TABLE calls AS SELECT * FROM (VALUES ('count', '{}'::jsonb), ('sum', '{"column": "a"}'), ('avg', '{"column": "a", "by": ["b"]}'),
  ('histogram', '{"column": "grade", "filter": {"a": {">": 3}}}'), ('quantiles', '{"column": "a", "quantiles": [0.25, 0.5]}'), ('profile', '{}'),
  ('suggest', '{"columns": {"a": [0, 20]}}'), ('discover', '{"column": "a", "delta": 1e-6}'), ('confusion', '{"model": "yearly"}'), ('calibration', '{"model": "yearly"}'),
  ('select', '{"models": ["first", "second"]}')) c(call, arguments);
SELECT call, schedule(call, arguments || '{"epsilon": 0.1}', 'each ' || call) FROM calls ORDER BY 1;
SELECT format('CALL dpobj.run_schedule(%L)', 'each ' || call) FROM calls ORDER BY 1 \gexec
SELECT r.schedule, r.state, r.epsilon, r.message, a.kind, jsonb_array_length(a.answer) AS rows FROM dpobj.schedule_runs r LEFT JOIN dpobj.answers a ON a.name = r.model
 WHERE r.schedule LIKE 'each %' ORDER BY 1;

-- The allowance counts the charges of scheduled times in the period, whatever made them.
SELECT dpobj_internal.schedule_time('0 0 1 1 *', statement_timestamp()) AS due \gset
SELECT schedule('count', '{"epsilon": 0.25}', 'thrifty', 0.4);
SELECT count(c.value) FROM dpobj.count('exam', 0.2, name => dpobj_internal.schedule_model('thrifty', :'due'::timestamptz - interval '1 year')) c;
CALL dpobj.run_schedule('thrifty');
SELECT scheduled = :'due' AS due, state, epsilon, sqlstate, message FROM dpobj.schedule_runs WHERE schedule = 'thrifty' ORDER BY scheduled;
SELECT schedule('count', '{"epsilon": 0.25}', 'thrifty', 0.45);
CALL dpobj.run_schedule('thrifty');
SELECT state, epsilon, sqlstate FROM dpobj.schedule_runs WHERE schedule = 'thrifty' AND scheduled = :'due';
-- a second call changes the schedule, also into one of a training
SELECT dpobj_internal.schedule_put('train', 'exam', '{"label": "y", "epsilon": 0.5, "features": ["a"], "method": "auto", "options": {"intercept": false}}', 'thrifty', '0 0 1 1 *', NULL, NULL);
SELECT call, arguments, latest_model FROM dpobj.schedules WHERE name = 'thrifty';

-- Others see nothing, and their functions may not use it.
\c - dpobj_rating_bob
SELECT (SELECT count(*) FROM dpobj.schedules) AS schedules, (SELECT count(*) FROM dpobj.schedule_runs) AS runs;
CALL dpobj.run_schedule('ratings');
CREATE FUNCTION plan() RETURNS bigint LANGUAGE sql SECURITY DEFINER
  AS $$ SELECT dpobj.schedule('count', 'exam', '{"epsilon": 0.1}', 'mine', '* * * * *') $$;
\c - dpobj_rating_ana
SELECT plan();
SELECT name, dpobj_internal.schedule_remove(name, NULL) FROM dpobj.schedules ORDER BY name;

\c - postgres
DROP FUNCTION plan(), schedule(text, jsonb, text, numeric, interval);
REVOKE CREATE ON SCHEMA public FROM dpobj_rating_ana, dpobj_rating_bob;
DROP TABLE exam;
DROP ROLE dpobj_rating_ana, dpobj_rating_bob;

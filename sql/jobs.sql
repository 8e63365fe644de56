-- dpobj.submit, dpobj.cancel, dpobj.wait and the views: what they return and what they refuse
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_jobs_ana', 'dpobj_jobs_bob');
CREATE TABLE visit (id int, age int, ill boolean, outcome text);
INSERT INTO visit SELECT i, 20 + i % 50, i % 50 > 25, CASE WHEN i % 50 > 25 THEN 'bad' ELSE 'good' END
  FROM generate_series(1, 2000) i;
REVOKE ALL ON visit FROM PUBLIC;
SET client_min_messages = warning; -- an earlier test may have protected a table of that name
SELECT dpobj.protect('visit', '{"age": {"bins": [30, 46, 60]}, "ill": {}, "outcome": {"positive": ["bad"], "negative": ["good"]}}');
RESET client_min_messages;
SELECT dpobj.set_budget('visit', 'dpobj_jobs_ana', 10, 0);

-- A job, although the table cannot be read.
\c - dpobj_jobs_ana
SELECT count(*) FROM visit;
SELECT dpobj.submit('train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}', 'first') AS first \gset
SELECT dpobj.wait(:first, '1 min');
SELECT name, state, phase, relation, relation_name, submitter, sqlstate, reason, dpobj.verify(model)
  FROM dpobj.jobs;
SELECT submitted <= started AND started <= finished AS in_order FROM dpobj.jobs;
SELECT j.model = m.model AND j.release = m.release AS the_same FROM dpobj.jobs j JOIN dpobj.models m USING (name);
SELECT count(*) FROM dpobj.progress;
SELECT epsilon FROM dpobj.remaining('visit');

-- It is the same request as that of dpobj.train: whichever comes first pays.
SELECT dpobj.submit('train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}', 'first') = :first AS the_same;
SELECT (j.model) = dpobj.train('visit', 'outcome', 1, '{age}', name => 'first') AS the_same FROM dpobj.jobs j;
SELECT dpobj.submit('train', 'visit', '{"label": "outcome", "epsilon": 2, "features": ["age"]}', 'first');
SELECT release AS trained FROM dpobj.train('visit', 'outcome', 1, '{age}', name => 'second') \gset
SELECT dpobj.submit('train', 'visit', '{"label": "ill", "epsilon": 1, "features": ["age"]}', 'second');
SELECT dpobj.submit('train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}', 'second') AS second \gset
SELECT dpobj.wait(:second);
SELECT state, release = :trained AS the_same FROM dpobj.jobs WHERE id = :second;
SELECT epsilon FROM dpobj.remaining('visit');

-- Every argument arrives.
SELECT dpobj.submit('train', 'visit', '{"label": "ill", "epsilon": 1, "delta": 0.001, "method": "logistic", "options": {"intercept": true}, "filter": {"age": {"<": 40}}}', 'third') AS third \gset
SELECT dpobj.wait(:third, '1 min');
SELECT (model).kind, (model).epsilon, (model).delta, (model).details -> 'filter' AS filter,
       (model).details -> 'features' AS features FROM dpobj.jobs WHERE id = :third;

-- What is refused, as by the call, writes nothing.
SELECT * FROM answers('SELECT dpobj.submit(%)',
  $$'train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}', NULL$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}', ''$$,
  $$'train', NULL, '{"label": "outcome", "epsilon": 1, "features": ["age"]}', 'x'$$,
  $$'train', 'visit', '{"label": null, "epsilon": 1, "features": ["age"]}', 'x'$$,
  $$'train', 'visit', '{"epsilon": 1, "features": ["age"]}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": null, "features": ["age"]}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": -1, "features": ["age"]}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": 0.0001, "features": ["age"]}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"], "delta": null}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"], "method": "tree"}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["id"]}', 'x'$$,
  $$'train', 'visit', '{"label": "none", "epsilon": 1, "features": ["age"]}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"], "options": {"time_limit": 1}}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"], "options": {"prior": {"power": -1}}}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"], "filter": {"none": {"=": 1}}}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": 100, "features": ["age"]}', 'x'$$,
  $$'train', 'pg_class', '{"label": "outcome", "epsilon": 1, "features": ["age"]}', 'x'$$,
  $$'train', 4711::regclass, '{"label": "outcome", "epsilon": 1, "features": ["age"]}', 'x'$$,
  $$'train', 'visit', '{"label": "outcome", "epsilon": 1, "seed": 1}', 'x'$$,
  $$NULL, 'visit', '{}', 'x'$$, $$'rename', 'visit', '{}', 'x'$$, $$'train', 'visit', NULL, 'x'$$);
SELECT dpobj.cancel(NULL);
SELECT dpobj.cancel(0);
SELECT dpobj.cancel(:first);
SELECT * FROM answers('SELECT dpobj.wait(%)', $$NULL$$, $$0, '1 s'$$);
SELECT dpobj.wait(:first, '-1 s');
SELECT dpobj.wait(:first, '0');
BEGIN;
SELECT dpobj.submit('train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}', 'x') AS x \gset
SELECT state, phase FROM dpobj.jobs WHERE id = :x;
SELECT dpobj.cancel(:x);
SELECT dpobj.wait(:x);
DO $$
DECLARE
  message text;
  detail text;
  hint text;
BEGIN
  PERFORM dpobj.wait(dpobj.submit('train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}', 'y'));
EXCEPTION WHEN object_not_in_prerequisite_state THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RAISE WARNING '% / % / %', regexp_replace(message, '\d+', 'N'), detail, hint;
END $$;
ROLLBACK;
-- Who submits and cancels in a loop leaves little behind; a request of any length is none.
DO $$
DECLARE
  list CONSTANT jsonb := (SELECT jsonb_build_object('age', jsonb_build_object('in', jsonb_agg(i))) FROM generate_series(1, 3000) i);
BEGIN
  FOR i IN 1 .. 110 LOOP
    PERFORM dpobj.cancel(dpobj.submit('train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}' || jsonb_build_object('filter', list), 'loop'));
  END LOOP;
END $$;
SELECT dpobj.submit('train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}' || jsonb_build_object('filter', jsonb_build_object('age', jsonb_build_object('in', jsonb_agg(i)))), 'long') FROM generate_series(1, 5455) i;
BEGIN READ ONLY;
SELECT dpobj.submit('train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}', 'x');
ROLLBACK;
UPDATE dpobj.job_rows SET state = 'queued';
SELECT count(*) FROM dpobj.jobs;

-- Others have theirs.
\c - dpobj_jobs_bob
SELECT dpobj.submit('train', 'visit', '{"label": "outcome", "epsilon": 1, "features": ["age"]}', 'first');
SELECT count(*) FROM dpobj.jobs;
SELECT count(*) FROM dpobj_internal.job_list();
\set VERBOSITY sqlstate
SELECT dpobj.cancel(:first);
SELECT dpobj.wait(:first);
\set VERBOSITY default

-- Administrators see all of them and no models; a dead one has failed.
\c - postgres
SELECT count(*) FROM dpobj.jobs WHERE name <> 'loop';
SELECT count(*), count(arguments) FROM dpobj.job_rows WHERE name = 'loop';
DELETE FROM dpobj.job_rows WHERE name = 'loop';
GRANT dpobj_admin TO dpobj_jobs_bob;
UPDATE dpobj.job_rows SET state = 'running', started = 'infinity' WHERE id = :third; -- after its charge: a worker finds no answer of it
\c - dpobj_jobs_bob
SELECT name, state, phase, model IS NULL AS hidden, reason FROM dpobj.jobs ORDER BY id;
SELECT dpobj.cancel(:third);
SELECT dpobj.wait(:third);
\c - postgres
UPDATE dpobj.job_rows SET state = 'released', origin = 'elsewhere' WHERE id = :third;
UPDATE dpobj.job_rows SET state = 'queued', origin = 'elsewhere', release = NULL WHERE id = :second;
\c - dpobj_jobs_ana
SELECT name, state, relation, relation_name, model IS NULL AS hidden, reason FROM dpobj.jobs ORDER BY id;
SELECT dpobj.wait(:second);
SELECT dpobj.cancel(:second);
\c - postgres
ALTER SYSTEM SET dpobj.max_jobs = 33;
DROP TABLE visit;
REVOKE dpobj_admin FROM dpobj_jobs_bob;
DROP ROLE dpobj_jobs_bob;

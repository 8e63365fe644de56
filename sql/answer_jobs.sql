-- dpobj.submit: looks and evaluations in the background.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_answer_ana', 'dpobj_answer_bob');
CREATE TABLE stay (id int, age int, days float8, ill boolean, outcome text);
INSERT INTO stay SELECT i, 20 + i % 50, i % 10, i % 50 > 25, CASE WHEN i % 50 > 25 THEN 'bad' ELSE 'good' END
  FROM generate_series(1, 2000) i;
REVOKE ALL ON stay FROM PUBLIC;
SELECT dpobj.protect('stay', '{"age": {"bins": [30, 46, 60]}, "days": {"clip": [0, 10], "scale": 1}, "ill": {}, "outcome": {"positive": ["bad"], "negative": ["good"]}}');
SELECT dpobj.set_budget('stay', 'dpobj_answer_ana', 100, 0);
\c - dpobj_answer_ana
SELECT (dpobj.train('stay', 'ill', 10, '{age}', method => 'logistic', name => 'm')).kind, (dpobj.train('stay', 'ill', 10, '{days}', method => 'svm', name => 'n')).kind AS n,
       (dpobj.train('stay', 'days', 10, '{age}', method => 'linear', name => 'r')).kind AS r;

-- Every call, although the table cannot be read; each is charged once, and its answer is kept.
SET exit_on_error = on; -- no rehearsal ends the session
CREATE TEMP TABLE asked AS
  SELECT call, dpobj.submit(call, 'stay', arguments, name => call) AS job FROM (VALUES
    ('count', '{"epsilon": 1, "by": ["ill"], "filter": {"age": {"<": 40}}}'::jsonb),
    ('avg', '{"column": "days", "epsilon": 1}'), ('sum', '{"column": "days", "epsilon": 1}'),
    ('histogram', '{"column": "age", "epsilon": 1}'), ('quantiles', '{"column": "days", "epsilon": 1, "quantiles": [0.25, 0.5]}'),
    ('profile', '{"epsilon": 1, "columns": ["age", "ill"]}'), ('evaluate', '{"model": "m", "epsilon": 1}'),
    ('confusion', '{"model": "m", "epsilon": 1}'), ('select', '{"models": ["m", "n"], "epsilon": 1}'), ('residuals', '{"model": "r", "epsilon": 1}'), ('auc', '{"model": "n", "epsilon": 1}'), ('calibration', '{"model": "m", "epsilon": 1, "options": {"bins": 4}}'), ('suggest', '{"epsilon": 1, "columns": {"days": [0, 20]}}')) v(call, arguments);
RESET exit_on_error;
SELECT call, dpobj.wait(job, '1 min') FROM asked ORDER BY call;
SELECT name, sqlstate, reason FROM dpobj.jobs WHERE reason IS NOT NULL;
SELECT a.name, jsonb_array_length(a.answer) > 0 AS rows, a.release = j.release AS the_same, j.submitted <= j.finished AS in_order
  FROM dpobj.answers a JOIN dpobj.jobs j USING (name) ORDER BY 1;
SELECT epsilon FROM dpobj.remaining('stay');
-- The same call in a session gets that answer, and the same submission is the same job.
SELECT (a.answer -> 0 ->> 'value')::float8 = dpobj.evaluate('m', 'stay', 1, name => 'evaluate') AS the_same FROM dpobj.answers a WHERE name = 'evaluate';
SELECT dpobj.submit('evaluate', 'stay', '{"model": "m", "epsilon": 1}', 'evaluate') = job AS the_same FROM asked WHERE call = 'evaluate';
SELECT epsilon FROM dpobj.remaining('stay');

-- What is refused at once.
SELECT * FROM answers('SELECT dpobj.submit(%)',
  $$'train', 'stay', '{}', 'x'$$, $$'count', 'stay', '[]', 'x'$$, $$'count', 'stay', '{"name": "y", "epsilon": 1}', 'x'$$,
  $$'count', 'stay', '{"relation": "stay", "epsilon": 1}', 'x'$$, $$'count', 'stay', '{"none": 1}', 'x'$$, $$'count', 'stay', '{}', 'x'$$, $$'evaluate', 'stay', '{"epsilon": 1}', 'x'$$, $$'histogram', 'stay', '{"epsilon": 1, "low": 1}', 'x'$$,
  $$'count', 'stay', '{"epsilon": "much"}', 'x'$$, $$'count', NULL, '{"epsilon": 1}', 'x'$$, $$'count', 'stay', '{"epsilon": 1}', NULL$$,
  $$'count', 'stay', '{"epsilon": 1}', ''$$, $$NULL, 'stay', '{"epsilon": 1}', 'x'$$, $$'count', 'pg_class', '{"epsilon": 1}', 'x'$$,
  $$'evaluate', 'stay', '{"model": "m", "epsilon": 2}', 'evaluate'$$);
-- An error names the argument, and shows no statement of the extension's own.
\set SHOW_CONTEXT errors
SELECT dpobj.submit('count', 'stay', '{"epsilon": "x"}', 'x');
\set SHOW_CONTEXT never
-- What the call itself would refuse before its charge.
SELECT * FROM answers('SELECT dpobj.submit(%)',
  $$'count', 'stay', '{"epsilon": 1000}', 'x'$$, $$'count', 'stay', '{"epsilon": 0.0001}', 'x'$$, $$'avg', 'stay', '{"column": "none", "epsilon": 1}', 'x'$$,
  $$'evaluate', 'stay', '{"model": "none", "epsilon": 1}', 'x'$$, $$'count', 'stay', '{"epsilon": 1, "filter": {"none": 1}}', 'x'$$);
SELECT count(*) FROM dpobj.jobs WHERE name = 'x';
SELECT epsilon FROM dpobj.remaining('stay');
\c - dpobj_answer_bob
SELECT dpobj.submit('count', 'stay', '{"epsilon": 1}', 'mine');
\c - postgres
SELECT dpobj.unprotect('stay');
DROP OWNED BY dpobj_answer_ana, dpobj_answer_bob;
DROP ROLE dpobj_answer_ana, dpobj_answer_bob;

-- The life of a model: dpobj.rename, dpobj.comment, dpobj.retire, dpobj.delete and dpobj.show. They change no
-- charge, and what was deleted never comes back.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_registry_ana', 'dpobj_registry_bob');
CREATE TABLE stay (id int, age int, sex text, ill boolean, cost float8);
INSERT INTO stay SELECT i, 20 + i % 50, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 50 > 25, i % 10 FROM generate_series(1, 2000) i;
REVOKE ALL ON stay FROM PUBLIC;
SET client_min_messages = warning; -- an earlier test may have protected a table of that name
SELECT dpobj.protect('stay', '{"age": {"bins": [30, 46]}, "sex": {"levels": ["f", "m"]}, "ill": {}, "cost": {"scale": 10, "clip": [0, 1]}}', n => 2000);
RESET client_min_messages;
SELECT dpobj.set_budget('stay', 'dpobj_registry_ana', 1000, 0), dpobj.set_budget('stay', 'dpobj_registry_bob', 1000, 0);
-- Copies that somebody keeps.
CREATE TABLE kept (name text, model dp_model);
GRANT SELECT, INSERT ON kept TO dpobj_registry_ana;
-- What a statement has cost.
CREATE FUNCTION cost_of(statement text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE budget constant numeric := (SELECT epsilon FROM dpobj.remaining('stay'));
BEGIN
  EXECUTE statement;
  RETURN budget - (SELECT epsilon FROM dpobj.remaining('stay'));
END $$;
-- A text without what differs from run to run.
CREATE FUNCTION masked(shown text) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(regexp_replace(regexp_replace($1, '\d{4}-\d\d-\d\d', 'YYYY-MM-DD', 'g'), 'release \d+', 'release N'), '[0-9a-f]{16}', 'hash') $$;
-- The same without weights.
CREATE FUNCTION shape(shown text) RETURNS text LANGUAGE sql AS $$ SELECT regexp_replace(masked($1), '  learned .*(?=\n  from)', '  learned    #') $$;

\c - dpobj_registry_ana
\set first 'dpobj.train(''stay'', ''ill'', 1, ''{age}'', method => ''halfspace'', options => ''{"grid": {"levels": [[-4], [3], [2]]}, "intercept": false, "rate": 0}'', name => '
SELECT (:first 'first')).weights;
SELECT (dpobj.train('stay', 'ill', 1, '{sex}', filter => '{"age": {"<": 40}}', method => 'logistic', options => '{"rate": 0}', name => 'second')).kind;
SELECT (dpobj.train('stay', 'cost', 1, '{age}', method => 'linear', name => 'third')).kind;
SELECT count(*) FROM dpobj.train_groups('stay', 'ill', 1, '{age}', method => 'halfspace', by => '{sex}', name => 'by sex');
SELECT dpobj.evaluate('first', 'stay', 100, name => 'rating') IS NOT NULL AS rated;
SELECT value > 0 AS counted FROM dpobj.count('stay', 1, name => 'rows');
SELECT dpobj.share('first', 'dpobj_registry_bob');
INSERT INTO kept SELECT name, model FROM dpobj.models;
SELECT to_jsonb(array_agg(l ORDER BY id)) AS ledger FROM dpobj.ledger l \gset

-- rename: the new name finds what the old one found, for free; the old one is free.
SELECT dpobj.rename('first', 'renamed');
SELECT name, (model).weights, shared_with FROM dpobj.models WHERE name IN ('first', 'renamed');
SELECT name, models FROM dpobj.evaluations;
SELECT dpobj.predict('renamed', r) FROM (SELECT 50 AS age) r;
SELECT dpobj.predict('first', r) FROM (SELECT 50 AS age) r;
SELECT cost_of($$SELECT $$ || :'first' || $$'renamed')$$) AS again, cost_of($$SELECT $$ || :'first' || $$'first')$$) AS anew;
SELECT dpobj.train('stay', 'ill', 2, '{age}', name => 'renamed');
-- an answer as well
SELECT dpobj.rename('rows', 'number of rows');
SELECT cost_of($$SELECT * FROM dpobj.count('stay', 1, name => 'number of rows')$$) AS again, cost_of($$SELECT * FROM dpobj.count('stay', 1, name => 'rows')$$) AS anew;
-- what is taken, missing or wrong
SELECT * FROM answers('SELECT dpobj.rename(%)',
  $$'renamed', 'first'$$, $$'renamed', 'rating'$$, $$'renamed', 'renamed'$$, $$'missing', 'free'$$, $$'by sex', 'free'$$, $$'renamed', NULL$$, $$NULL, 'free'$$,
  $$'renamed', ''$$, $$'renamed', repeat('n', 257)$$, $$repeat('n', 10000), 'free'$$);
-- any name
SELECT dpobj.rename('first', n.name), dpobj.rename(n.name, 'first')
  FROM unnest(ARRAY['%s %I', E'tab\tand\nline', '"; DROP TABLE x; --', $$it's$$, repeat('ä', 128), E'\u202e', '{f}', 'by sex{f}x', ' ']) n(name);
SELECT name FROM dpobj.models WHERE name = 'first';

-- comment
SELECT dpobj.comment('renamed', E'kept for the "audit" of 100 %;\n''quoted''\tand \\ slashed'), dpobj.comment('rating', 'with much epsilon');
SELECT name, comment FROM dpobj.models WHERE comment IS NOT NULL;
SELECT name, comment FROM dpobj.answers WHERE comment IS NOT NULL;
SELECT dpobj.comment('rating', NULL), dpobj.comment('rows', '');
SELECT count(comment) FROM dpobj.answers;
SELECT * FROM answers('SELECT dpobj.comment(%)', $$'missing', 'x'$$, $$NULL, 'x'$$, $$'renamed', repeat('x', 4097)$$);

-- show: a name of one's own, of a group's model, a value, a name that breaks lines.
SELECT masked(dpobj.show('renamed'));
SELECT shape(dpobj.show('second'));
SELECT shape(dpobj.show('third'));
SELECT shape(dpobj.show('by sex{f}'));
-- the ratings of a group's model are those of its key; a table is kept under its name
SELECT dpobj.evaluate('by sex{f}', 'stay', 100, name => 'of women') IS NULL, (SELECT count(*) FROM dpobj.confusion('by sex{f}', 'stay', 100, name => 'table of women')) = 0,
       dpobj.evaluate('by sex{m}', 'stay', 100, '{"age": {"<": 40}}') IS NULL, dpobj.select(ARRAY['by sex{m}', 'first'], 'stay', 100) IS NULL;
SELECT regexp_replace(line, '\d\.\d{3}', 'x', 'g') FROM regexp_split_to_table(masked(dpobj.show('by sex{f}')) || masked(dpobj.show('by sex{m}')), E'\n') line WHERE line ~ 'rated|filter|groups';
SELECT kind, models FROM dpobj.evaluations WHERE 'rating' IS DISTINCT FROM name ORDER BY release;
SELECT dpobj.delete('of women'), dpobj.delete('table of women');
SELECT masked(dpobj.show(jsonb_set(model::jsonb, '{weights}', '[0, 0, 0]')::dp_model)) FROM kept WHERE name = 'first';
SELECT dpobj.rename('first', repeat('W', 200) || E'\n\r\x1b[31m' || repeat('ä', 20));
SELECT count(*) AS lines, max(length(line)) AS longest, bool_or(line ~ '[[:cntrl:]]') AS control
  FROM dpobj.models m, regexp_split_to_table(dpobj.show(m.name), E'\n') line WHERE m.name ~ '^W';
SELECT replace(dpobj.show(m.name), E'\n', '') ~ 'W{20}' AS shown FROM dpobj.models m WHERE m.name ~ '^W';
SELECT dpobj.rename(m.name, 'first') FROM dpobj.models m WHERE m.name ~ '^W';
-- An interval that is narrower than the digits shown is rounded outwards.
SELECT dpobj_internal.rating_words('{"kind": "accuracy", "value": 0.333618, "low": 0.333617, "high": 0.333619, "confidence": 0.95}'),
       dpobj_internal.rating_words('{"kind": "residuals", "value": -0.0004, "low": -0.0006, "high": 0, "confidence": 0.9, "relation_name": "public.visit"}');
SELECT dpobj.show(NULL::text) IS NULL AS none, dpobj.show(NULL::dp_model) IS NULL AS nor_here;
SELECT * FROM answers('SELECT dpobj.show(%)', $$'missing'$$, $$'rating'$$, $$'first', 'text', 'dpobj_registry_bob'$$, $$'renamed', 'html'$$);
SELECT name, kind, label, relation_name, epsilon, created BETWEEN current_date - 1 AND current_date + 1 AS created, retired FROM dpobj.model_list ORDER BY name;

-- retire: read and verified, but not applied or rated by its name.
SELECT dpobj.retire('renamed');
SELECT dpobj.retire('renamed');
SELECT name, retired IS NOT NULL AS retired, dpobj.verify(model) FROM dpobj.models WHERE name = 'renamed';
SELECT masked(dpobj.show('renamed')) ~ '\n  retired    YYYY-MM-DD\n' AS shown, (SELECT count(*) FROM dpobj.scorecard('renamed')) AS points;
SELECT * FROM answers('SELECT dpobj.% FROM (SELECT 50 AS age) r', $$predict('renamed', r)$$, $$score('renamed', r)$$, $$predict_sql('renamed')$$, $$show('renamed', 'json')$$,
  $$evaluate('renamed', 'stay', 1)$$, $$confusion('renamed', 'stay', 1)$$, $$select('{first,renamed}', 'stay', 1)$$);
SELECT dpobj.predict(model, r) FROM dpobj.models, (SELECT 50 AS age) r WHERE name = 'renamed';
SELECT cost_of($$SELECT $$ || :'first' || $$'renamed')$$) AS read_again, cost_of($$SELECT dpobj.evaluate('first', 'stay', 100, name => 'second rating')$$) AS another;
SELECT * FROM answers('SELECT dpobj.retire(%)', $$'missing'$$, $$'rating'$$, $$NULL$$, $$'renamed', NULL$$);
\c - dpobj_registry_bob
SELECT name, retired IS NOT NULL AS retired FROM dpobj.models;
SELECT dpobj.predict('renamed', r) FROM (SELECT 50 AS age) r;
\c - dpobj_registry_ana
SELECT dpobj.retire('renamed', false);
SELECT dpobj.predict('renamed', r) FROM (SELECT 50 AS age) r;

-- Others: who reads a model cannot change it, nor can a superuser in its place.
\c - dpobj_registry_bob
SELECT masked(dpobj.show('renamed')) ~ '^Model "renamed" of dpobj_registry_ana, .* comment .* has$' AS shown, masked(dpobj.show('renamed')) ~ 'rated' AS rated;
SELECT * FROM answers('SELECT dpobj.%', $$rename('renamed', 'mine')$$, $$comment('renamed', 'mine')$$, $$retire('renamed')$$, $$delete('renamed')$$, $$delete('rating')$$);
SELECT cost_of($$SELECT * FROM dpobj.train('stay', 'ill', 1, '{age}', name => 'first')$$) AS own;
SELECT dpobj.delete('first');
\c - postgres
SELECT * FROM answers('SELECT dpobj.%', $$rename('renamed', 'mine')$$, $$delete('renamed')$$);
SET ROLE dpobj_registry_ana;
BEGIN;
SELECT dpobj.delete('renamed');
ROLLBACK;
SET ROLE dpobj_registry_bob;
UPDATE dpobj.model_rows SET name = 'mine';
RESET ROLE;
SELECT count(*) FROM dpobj.models WHERE name IN ('first', 'renamed');

-- ROLLBACK takes all of it back; nothing with a name is charged while a transaction may do so.
\c - dpobj_registry_ana
BEGIN;
SELECT dpobj.rename('renamed', 'passing'), dpobj.comment('passing', 'passing'), dpobj.retire('passing'), dpobj.delete('passing'), dpobj.delete('rating');
SELECT count(*) FROM dpobj.models WHERE name IN ('renamed', 'passing');
SELECT * FROM answers('SELECT dpobj.%', $$train('stay', 'ill', 1, '{age}', name => 'renamed')$$, $$evaluate('first', 'stay', 1, name => 'rating')$$);
SELECT cost_of($$SELECT dpobj.evaluate('first', 'stay', 1)$$) AS without_a_name;
ROLLBACK;
SELECT name, comment LIKE 'kept%' AS comment, retired, shared_with FROM dpobj.models WHERE name IN ('renamed', 'passing');
SELECT count(*) FROM dpobj.answers WHERE name = 'rating';
BEGIN;
SAVEPOINT s;
SELECT dpobj.delete('renamed');
ROLLBACK TO s;
SELECT cost_of($$SELECT $$ || :'first' || $$'renamed')$$) AS again, cost_of($$SELECT dpobj.evaluate('first', 'stay', 1, name => 'after a savepoint')$$) AS anew;
COMMIT;
BEGIN READ ONLY;
SELECT * FROM answers('SELECT dpobj.%', $$rename('renamed', 'x')$$, $$comment('renamed', 'x')$$, $$retire('renamed')$$, $$delete('renamed')$$);
ROLLBACK;

-- delete: the name is free, and the same request is a new release.
SELECT epsilon AS before FROM dpobj.remaining('stay') \gset
SELECT release AS renamed FROM dpobj.models WHERE name = 'renamed' \gset
SELECT dpobj.delete('renamed'), dpobj.delete('second rating'), dpobj.delete('number of rows');
SELECT epsilon = :before AS nothing_given_back FROM dpobj.remaining('stay');
SELECT (SELECT count(*) FROM dpobj.models WHERE name = 'renamed' OR release = :renamed) AS models, (SELECT count(*) FROM dpobj.answers WHERE name IN ('second rating', 'number of rows')) AS answers;
SELECT * FROM answers('SELECT dpobj.% FROM (SELECT 50 AS age) r', $$predict('renamed', r)$$, $$show('renamed')$$, $$delete('renamed')$$, $$share('renamed', 'dpobj_registry_bob')$$);
SELECT dpobj.verify(model) FROM kept WHERE name = 'first';
SELECT cost_of($$SELECT $$ || :'first' || $$'renamed')$$) AS anew, cost_of($$SELECT dpobj.evaluate('first', 'stay', 100, name => 'second rating')$$) AS rated_anew;
SELECT release > :renamed AS another, comment, shared_with FROM dpobj.models WHERE name = 'renamed';
SELECT name, models FROM dpobj.evaluations WHERE name IS NOT NULL ORDER BY release;
\c - dpobj_registry_bob
SELECT count(*) FROM dpobj.models;
\c - postgres
SELECT count(*) FILTER (WHERE deleted IS NOT NULL) AS deleted, count(*) FILTER (WHERE deleted IS NOT NULL AND (name, model, answer) IS NOT NULL) AS with_anything
  FROM dpobj.model_rows m JOIN dpobj.ledger e ON e.id = m.release AND e.relation = 'stay'::regclass;

-- Models of groups: each by itself; what is left of a deleted one keeps the others verifiable.
\c - dpobj_registry_ana
SELECT dpobj.rename('by sex{f}', 'women');
SELECT name, key FROM dpobj.models WHERE key IS NOT NULL ORDER BY release, key;
SELECT cost_of($$SELECT * FROM dpobj.train_groups('stay', 'ill', 1, '{age}', method => 'halfspace', by => '{sex}', name => 'by sex')$$) AS again;
SELECT dpobj.delete('women');
SELECT name, dpobj.verify(model) FROM kept WHERE (model).details ? 'group' ORDER BY 1;
SELECT dpobj.train_groups('stay', 'ill', 1, '{age}', method => 'halfspace', by => '{sex}', name => 'by sex');
SELECT dpobj.delete('by sex{m}');
SELECT cost_of($$SELECT * FROM dpobj.train_groups('stay', 'ill', 1, '{age}', method => 'halfspace', by => '{sex}', name => 'by sex')$$) AS anew;
SELECT name, dpobj.verify(model) FROM kept WHERE (model).details ? 'group' ORDER BY 1;
SELECT name, key, dpobj.verify(model) FROM dpobj.models WHERE key IS NOT NULL ORDER BY key;

-- Jobs: the name of a job is free with that of its model or answer.
SELECT dpobj.submit('train', 'stay', '{"label": "ill", "epsilon": 1, "features": ["age"]}', 'in the background') AS job \gset
SELECT dpobj.wait(:job, '1 min');
SELECT dpobj.submit('train', 'stay', '{"label": "ill", "epsilon": 1, "features": ["age"]}', 'in the background') = :job AS the_same;
SELECT dpobj.rename('in the background', 'done');
SELECT name, dpobj.verify(model), release = (SELECT m.release FROM dpobj.models m WHERE m.name = 'done') AS the_same FROM dpobj.jobs WHERE id = :job;
SELECT dpobj.submit('train', 'stay', '{"label": "ill", "epsilon": 1, "features": ["age"]}', 'in the background') AS again \gset
SELECT :again > :job AS another, dpobj.wait(:again, '1 min');
SELECT dpobj.delete('in the background'), dpobj.delete('done');
SELECT state, model IS NULL AS no_model, release IS NOT NULL AS charged FROM dpobj.jobs ORDER BY id;
SELECT dpobj.submit('count', 'stay', '{"epsilon": 1}', 'in the background') AS answer \gset
SELECT :answer > :again AS another, dpobj.wait(:answer, '1 min');
SELECT dpobj.delete('in the background');
SELECT dpobj.submit('count', 'stay', '{"epsilon": 1}', 'in the background') AS another \gset
SELECT :another > :answer AS another, dpobj.wait(:another, '1 min');

-- Schedules: a run is paid for once and counts for the allowance, whatever became of its model.
SELECT dpobj_internal.schedule_put('train', 'stay', '{"label": "ill", "epsilon": 0.5, "features": ["age"], "method": "halfspace", "options": {"intercept": false}}', 'yearly', '0 0 1 1 *', 0.75, '1 year');
CALL dpobj.run_schedule('yearly');
SELECT latest_model AS run FROM dpobj.schedules \gset
SELECT :'run' ~ '^yearly \d{4}-01-01 00:00$' AS named;
SELECT dpobj.retire(:'run');
SELECT latest_model FROM dpobj.schedules;
SELECT dpobj.retire(:'run', false), dpobj.rename(:'run', 'of this year');
SELECT latest_model FROM dpobj.schedules;
SELECT epsilon AS before FROM dpobj.remaining('stay') \gset
CALL dpobj.run_schedule('yearly');
SELECT state, model, epsilon FROM dpobj.schedule_runs;
SELECT dpobj.delete('of this year');
CALL dpobj.run_schedule('yearly');
SELECT state, model, epsilon, release IS NOT NULL AS charged FROM dpobj.schedule_runs;
SELECT latest_model FROM dpobj.schedules;
-- the next run, which the deleted one leaves too little for
SELECT dpobj_internal.schedule_put('train', 'stay', '{"label": "ill", "epsilon": 0.5, "features": ["age"], "method": "halfspace", "options": {"intercept": false}}', 'yearly', '* * * * *', 0.75, '2 years');
CALL dpobj.run_schedule('yearly');
SELECT state, sqlstate FROM dpobj.schedule_runs ORDER BY scheduled;
SELECT epsilon = :before AS free FROM dpobj.remaining('stay');
SELECT dpobj_internal.schedule_remove('yearly', NULL);

-- A name that a failed release has left can be given.
\c - postgres
UPDATE dpobj.model_rows SET name = 'left', released = NULL, answer = NULL WHERE name = 'after a savepoint';
\c - dpobj_registry_ana
SELECT * FROM answers('SELECT dpobj.%', $$delete('left')$$, $$rename('left', 'x')$$, $$comment('left', 'x')$$);
SELECT dpobj.rename('first', 'left');
SELECT name FROM dpobj.models WHERE name IN ('first', 'left');

-- The ledger has every event of the beginning as it was.
SELECT to_jsonb(array_agg(l ORDER BY id)) = :'ledger' AS unchanged FROM dpobj.ledger l WHERE id <= (:'ledger'::jsonb -> -1 ->> 'id')::bigint;
\c - postgres
DROP FUNCTION cost_of, masked, shape;
DROP TABLE stay, kept;
DROP ROLE dpobj_registry_ana, dpobj_registry_bob;

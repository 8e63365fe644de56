-- What is kept of looks and evaluations at the analyst's door: read again by name without a charge, by
-- the same role only.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_kept_ana', 'dpobj_kept_bob', 'dpobj_kept_otto');
GRANT dpobj_auditor TO dpobj_kept_otto;
CREATE TABLE guest (age int, region text, cost float8, kind text, ill boolean);
INSERT INTO guest SELECT i % 100, CASE WHEN i % 2 = 0 THEN 'north' ELSE 'south' END, i % 100 + i % 7, (ARRAY['a', 'b', 'c'])[1 + i % 100 / 34], i % 100 >= 50
  FROM generate_series(1, 1000) i;
SELECT dpobj.protect('guest', '{"age": {"bins": [25, 50, 75]}, "region": {"levels": ["north", "south"]}, "cost": {"scale": 106, "clip": [0, 1]},
  "kind": {"levels": ["a", "b", "c"]}, "ill": {}}');
SELECT dpobj.set_budget('guest', r, 100000, 0) FROM unnest('{dpobj_kept_ana,dpobj_kept_bob}'::regrole[]) r;
-- What a statement returns twice, and what it costs each time.
CREATE FUNCTION twice(statement text, OUT same boolean, OUT spent numeric, OUT again numeric) LANGUAGE plpgsql AS $$
DECLARE
  budget numeric := (SELECT epsilon FROM dpobj.remaining('guest'));
  first text;
  second text;
BEGIN
  EXECUTE 'SELECT jsonb_agg(to_jsonb(t)) FROM (' || statement || ') t' INTO first;
  spent := budget - (SELECT epsilon FROM dpobj.remaining('guest'));
  EXECUTE 'SELECT jsonb_agg(to_jsonb(t)) FROM (' || statement || ') t' INTO second;
  again := budget - spent - (SELECT epsilon FROM dpobj.remaining('guest'));
  same := first = second;
END $$;

\c - dpobj_kept_ana
SELECT count(*) FROM unnest('{ill,sick}'::text[]) n, LATERAL dpobj.train('guest', 'ill', 10, '{age}', method => 'halfspace', name => n);
SELECT (dpobj.train('guest', 'kind', 10, '{age}', name => 'kinds')).kind, (dpobj.train('guest', 'ill', 10, '{age}', method => 'logistic', name => 'risk')).kind AS risk;
SELECT (dpobj.train('guest', 'cost', 10, '{age}', method => 'linear', name => 'costs')).kind;
SELECT s AS statement, t.* FROM unnest(ARRAY[
  $$SELECT * FROM dpobj.count('guest', 0.5, by => '{region}', name => 'rows')$$,
  $$SELECT * FROM dpobj.sum('guest', 'cost', 0.5, name => 'sum')$$,
  $$SELECT * FROM dpobj.avg('guest', 'cost', 0.5, by => '{ill}', filter => '{"age": {">": 20}}', name => 'avg')$$,
  $$SELECT * FROM dpobj.histogram('guest', 'age', 0.5, options => '{"confidence": 0.9}', name => 'ages')$$,
  $$SELECT * FROM dpobj.quantiles('guest', 'cost', '{0.1,0.333333,0.9}', 0.5, name => 'costs by rank')$$,
  $$SELECT * FROM dpobj.profile('guest', 0.5, name => 'all columns')$$,
  $$SELECT dpobj.suggest('guest', 0.5, '{"cost": [0, 106]}', name => 'declaration')$$,
  $$SELECT * FROM dpobj.residuals('costs', 'guest', 0.5, name => 'residuals')$$,
  $$SELECT * FROM dpobj.residuals('costs', 'guest', 0.001, options => '{"holdout": false, "confidence": 0.999999}', name => 'much noise')$$,
  $$SELECT dpobj.evaluate('costs', 'guest', 0.5, name => 'R-squared')$$,
  $$SELECT dpobj.evaluate('ill', 'guest', 0.5, name => 'accuracy')$$,
  $$SELECT dpobj.evaluate('kinds', 'guest', 0.5, name => 'accuracy of kinds')$$,
  $$SELECT * FROM dpobj.confusion('ill', 'guest', 0.5, name => 'confusion')$$,
  $$SELECT (dpobj.confusion('ill', 'guest', 0.5, name => 'each number')).*$$,
  $$SELECT dpobj.confusion('kinds', 'guest', 0.5, name => 'classes')$$,
  $$SELECT dpobj.select('{ill,sick}', 'guest', 0.5, name => 'choice')$$,
  $$SELECT * FROM dpobj.auc('ill', 'guest', 0.5, name => 'AUC')$$,
  $$SELECT * FROM dpobj.calibration('risk', 'guest', 0.5, name => 'calibration')$$,
  -- without a name every call is a release, and equal calls of one statement are one
  $$SELECT dpobj.evaluate('ill', 'guest', 0.5) IS NULL, dpobj.evaluate('ill', 'guest', 0.5) IS NULL$$,
  $$SELECT (c).confidence FROM (SELECT dpobj.count('guest', 0.5) AS c) s$$]) WITH ORDINALITY u(s, i), LATERAL twice(s) t ORDER BY i \g (tuples_only=off)
-- The views: what was returned, and the ratings with their intervals.
SELECT name, kind, relation, relation_name, jsonb_array_length(answer) AS rows, owner, created <= now() + interval '1 hour' AS created,
       release = (SELECT l.id FROM dpobj.ledger l WHERE l.id = a.release AND l.event = 'charged') AS charged
  FROM dpobj.answers a ORDER BY release;
SELECT name, kind, models, coalesce(value BETWEEN low AND high, name = 'much noise') AS around, confidence FROM dpobj.evaluations ORDER BY release;
SELECT answer -> 0 -> 'low' AS low FROM dpobj.evaluations WHERE name = 'much noise';
SELECT (SELECT jsonb_agg(to_jsonb(c)) FROM dpobj.count('guest', 0.5, by => '{region}', name => 'rows') c) = answer AS same FROM dpobj.answers WHERE name = 'rows';
-- The interval of an accuracy is that of two counts, each off by at most what the price says.
SELECT count(*) FROM generate_series(1, 20) i, LATERAL dpobj.evaluate('ill', 'guest', 0.1, name => 'rating ' || i);
SELECT count(*), bool_and(value BETWEEN low AND high) AS around, bool_and(high - low < 0.25) AS narrow
  FROM dpobj.evaluations WHERE name LIKE 'rating %';
SELECT dpobj.evaluate('ill', 'guest', 1000, name => 'no noise') AS accuracy;
SELECT value, low, high FROM dpobj.evaluations WHERE name = 'no noise';

-- The history of a model: its ratings in order, and what each cost.
SELECT kind, relation_name, value BETWEEN low AND high AS around, confidence, epsilon, count(*) FROM dpobj.model_history WHERE model = 'ill' GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 3, 5;
SELECT model, kind, e.release = h.release AS the_same, h.created = e.created AS then, h.owner FROM dpobj.model_history h JOIN dpobj.evaluations e USING (release, kind)
  WHERE e.name IN ('choice', 'much noise') ORDER BY 1;

-- The same request is the same under all settings, and with other spellings of its numbers.
SELECT epsilon AS before FROM dpobj.remaining('guest') \gset
SELECT string_agg(value::text, ',') AS quantiles FROM dpobj.quantiles('guest', 'cost', '{0.1,0.333333,0.9}', 0.5, name => 'costs by rank') \gset
SET extra_float_digits = -15;
SET search_path = pg_catalog;
SELECT string_agg(value::text, ',') IS NOT NULL AS again FROM dpobj.quantiles('public.guest', 'cost', '{0.1,0.333333,0.9}', 0.500, name => 'costs by rank');
RESET ALL;
SELECT string_agg(value::text, ',') = :'quantiles' AS same FROM dpobj.quantiles('guest', 'cost', '{0.1,0.333333,0.9}', 0.5, name => 'costs by rank');
SELECT epsilon = :before AS free FROM dpobj.remaining('guest');
-- Another request under the name is refused, before the charge.
SELECT * FROM answers('SELECT dpobj.count(''guest'', %)',
  $$0.6, by => '{region}', name => 'rows'$$, $$0.5, name => 'rows'$$, $$0.5, by => '{region}', filter => '{"age": {">": 20}}', name => 'rows'$$,
  $$0.5, by => '{region}', options => '{}', name => 'rows'$$, $$0.5, by => '{region}', name => 'sum'$$, $$0.5, name => 'ill'$$, $$0.5, name => ''$$,
  $$0.5, name => repeat('n', 257)$$);
SELECT * FROM answers('SELECT dpobj.%',
  $$evaluate('sick', 'guest', 0.5, name => 'accuracy')$$, $$evaluate('ill', 'guest', 0.5, name => 'confusion')$$, $$select('{sick,ill}', 'guest', 0.5, name => 'choice')$$,
  $$quantiles('guest', 'cost', '{0.1,0.333334,0.9}', 0.5, name => 'costs by rank')$$, $$train('guest', 'ill', 10, '{age}', name => 'accuracy')$$,
  $$submit('train', 'guest', '{"label": "ill", "epsilon": 10, "features": ["age"]}', 'accuracy')$$);
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('guest');
-- A name that one of a group's models would have.
SELECT count(*) FROM dpobj.count('guest', 0.5, name => 'grouped{north}');
SELECT count(*) FROM dpobj.train_groups('guest', 'ill', 10, '{age}', by => '{region}', name => 'grouped');
-- What was released stays, charged and kept, after a ROLLBACK.
BEGIN;
SELECT value AS value FROM dpobj.count('guest', 0.5, name => 'rolled back') \gset
ROLLBACK;
SELECT epsilon AS before FROM dpobj.remaining('guest') \gset
SELECT value = :value AS same FROM dpobj.count('guest', 0.5, name => 'rolled back');
SELECT epsilon = :before AS free FROM dpobj.remaining('guest');

-- Another role has names of its own, and sees no answer of others.
\c - dpobj_kept_bob
SELECT count(*) AS answers, (SELECT count(*) FROM dpobj.evaluations) AS evaluations, (SELECT count(*) FROM dpobj.model_history) AS history FROM dpobj.answers;
SELECT * FROM twice($$SELECT * FROM dpobj.count('guest', 0.5, by => '{region}', name => 'rows')$$);
SELECT * FROM answers('SELECT dpobj.%', $$evaluate('ill', 'guest', 0.5, name => 'accuracy')$$, $$share('rows', 'dpobj_kept_ana')$$);
SELECT name, owner FROM dpobj.answers;

-- An auditor sees ratings and the list of models of others, but no other answer and no model.
\c - dpobj_kept_otto
SELECT name, models, value BETWEEN low AND high AS around, owner FROM dpobj.evaluations WHERE name = 'accuracy';
SELECT model, count(*), sum(epsilon) FROM dpobj.model_history WHERE kind = 'accuracy' GROUP BY 1 ORDER BY 1;
SELECT name, kind, label, owner, release IN (SELECT id FROM dpobj.ledger) AS in_ledger FROM dpobj.model_list WHERE owner ~ '^dpobj_kept' ORDER BY name;
SELECT (SELECT count(*) FROM dpobj.answers) AS answers, (SELECT count(*) FROM dpobj.models) AS models, (SELECT count(*) FROM dpobj.scorecards) AS points;
SELECT * FROM answers('SELECT %', $$dpobj.show('ill', owner => 'dpobj_kept_ana')$$, $$dpobj.evaluate('ill', 'guest', 0.5, name => 'accuracy')$$, '* FROM dpobj.kept_answers');

\c - postgres
-- The hash of a request is that of 0.3.0, where the option "confidence" was "level".
SELECT name, request_hash = sha256((SELECT string_agg(convert_to(s, 'UTF8') || '\x00', '' ORDER BY i) FROM unnest(hashed) WITH ORDINALITY u(s, i))) AS same
  FROM dpobj.model_rows JOIN (VALUES
    ('ages', ARRAY['histogram', '0', 'public', 'guest', '1', 'age', '2', '0.5', '5', '{"level": 0.9}']),
    ('much noise', ARRAY['residuals', '0', 'costs', '1', 'public', 'guest', '2', '0.001', '4', '{"level": 0.999999, "holdout": false}'])) v(name, hashed) USING (name);
-- A superuser sees all; what is kept stays as it is when the declaration changes, and needs no budget.
SELECT owner, count(*) FROM dpobj.answers GROUP BY 1 ORDER BY 1;
SELECT dpobj.protect('guest', '{"age": {"bins": [40]}, "ill": {}}');
\c - dpobj_kept_ana
SELECT epsilon AS before FROM dpobj.remaining('guest') \gset
SELECT key FROM dpobj.count('guest', 0.5, by => '{region}', name => 'rows');
SELECT dpobj.evaluate('ill', 'guest', 1000, name => 'no noise') AS accuracy;
SELECT dpobj.evaluate('ill', 'guest', 1000, name => 'now');
SELECT epsilon = :before AS free FROM dpobj.remaining('guest');
\c - postgres
SELECT dpobj.drop_budget('guest', 'dpobj_kept_ana');
\c - dpobj_kept_ana
SELECT key FROM dpobj.count('guest', 0.5, by => '{region}', name => 'rows');
SELECT count(*) FROM dpobj.answers WHERE name = 'rows';
\c - postgres
DROP FUNCTION twice;
DROP TABLE guest;
DROP ROLE dpobj_kept_ana, dpobj_kept_bob, dpobj_kept_otto;

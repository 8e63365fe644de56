-- limits: what the owner of a table allows, whatever administrators give
\i tests/answers.sql
CREATE TABLE diary (features float8[], rich boolean);
INSERT INTO diary SELECT ARRAY[i % 2, 1 - i % 2], i % 2 = 1 FROM generate_series(1, 20) i;
CALL login_roles('limits_owner', 'limits_admin', 'limits_ann');
GRANT dpobj_admin TO limits_admin;
SELECT dpobj.grant_trainer('limits_ann'), dpobj.grant_trainer('limits_admin') \g /dev/null
ALTER TABLE diary OWNER TO limits_owner;
GRANT SELECT ON diary TO limits_ann, limits_admin;
CREATE FUNCTION spend(epsilon numeric, source text DEFAULT 'diary') RETURNS text LANGUAGE sql AS
  $$ SELECT answer_of(format('SELECT (dp_halfspace(features, rich, %s, 0)).kind FROM %I', epsilon, source)) $$;
-- set by the owner alone
SET SESSION AUTHORIZATION limits_admin;
SELECT dpobj.limit_budget('diary', 10000, 0);
SET SESSION AUTHORIZATION limits_owner;
SELECT dpobj.limit_budget('diary', NULL, 0), 1;
SELECT dpobj.limit_budget('diary', 2, 0);
SELECT relation, role_name, epsilon_limit, epsilon_spent, of_owner FROM dpobj.budgets;
SELECT * FROM dpobj.remaining('diary');
SELECT dpobj.set_budget('diary', 'limits_ann', 1, 0);
-- administrators cannot exceed the limit, neither in one budget nor in all together
SET SESSION AUTHORIZATION limits_admin;
SELECT * FROM answers('SELECT dpobj.set_budget(%)', $$'diary', 'limits_admin', 10000, 0$$, $$'diary', 'limits_admin', 2, 0.1$$);
SELECT dpobj.set_budget('diary', 'limits_admin', 2, 0), dpobj.set_budget('diary', 'limits_ann', 1.5, 0);
SELECT dpobj.raise_budget('diary', 'limits_ann', 1, 0, 'more');
SELECT spend(1.25);
SET SESSION AUTHORIZATION limits_ann;
SELECT epsilon FROM dpobj.remaining('diary');
SELECT spend(0.75), spend(0.25);
SET SESSION AUTHORIZATION limits_admin;
SELECT * FROM answers('SELECT %', $$dpobj.limit_budget('diary', 10000, 0, 'I may')$$, $$dpobj.drop_budget('diary', NULL)$$,
  $$dpobj.protect('diary', '{"rich": {}}', adjacency => 'add_remove')$$);
SELECT dpobj.protect('diary', '{"rich": {}}');
SELECT dpobj.unprotect('diary');
SELECT dpobj.set_budget('diary', NULL, 2, 0);
SELECT spend(0.25);
SET SESSION AUTHORIZATION limits_ann;
SELECT role_name, of_owner, epsilon_left FROM dpobj.budgets WHERE relation = 'diary'::regclass ORDER BY role_name, of_owner;
-- the owner raises it for a reason, lowers it without, and removes it for one
SET SESSION AUTHORIZATION limits_owner;
SELECT dpobj.limit_budget('diary', 2.25, 0);
SELECT dpobj.limit_budget('diary', 2, 0, max_releases => 5), dpobj.limit_budget('diary', 1, 0, max_releases => 4);
SELECT * FROM answers('SELECT dpobj.limit_budget(%)', $$'diary', 1, 0$$, $$'diary', 2.25, 0, '  '$$, $$'diary', 3, 0, 'zCDP', accountant => 'zcdp'$$);
SELECT dpobj.limit_budget('diary', 2.25, 0, 'the board agreed');
RESET SESSION AUTHORIZATION;
SELECT dpobj.drop_budget('diary', NULL);
SET SESSION AUTHORIZATION limits_admin;
SELECT spend(0.25);
RESET SESSION AUTHORIZATION;
SELECT event, parameters - 'role' FROM dpobj.ledger_events WHERE event = 'limit_budget' ORDER BY id;
SELECT b ->> 'of_owner', b ->> 'all_roles', b ->> 'releases', b ->> 'releases_before', b ->> 'sums_equal'
  FROM jsonb_array_elements(dpobj.report('diary', 'json')::jsonb -> 'budgets') b;
SELECT regexp_replace(line, '^  \d{4}.{12}', '  ...') FROM string_to_table(dpobj.report('diary'), E'\n') line WHERE line ~ 'owner|to none';
SET SESSION AUTHORIZATION limits_owner;
SELECT dpobj.limit_budget('diary', NULL, NULL);
SELECT dpobj.limit_budget('diary', NULL, NULL, 'anonymised'), dpobj.limit_budget('diary', NULL, NULL, 'again');
SELECT dpobj.limit_budget('diary', NULL, NULL, 'anonymised');
SELECT count(*) FROM dpobj.budgets;
RESET SESSION AUTHORIZATION;
-- a limit alone gives nobody a budget
SELECT dpobj.drop_budget('diary', 'limits_ann');
ALTER TABLE diary OWNER TO CURRENT_USER;
SELECT dpobj.limit_budget('diary', 5, 0.001, accountant => 'zcdp');
ALTER ROLE limits_ann SET dpobj.require_budget = on;
SET SESSION AUTHORIZATION limits_ann;
SELECT spend(0.25);
RESET SESSION AUTHORIZATION;
SELECT dpobj.limit_budget('diary', NULL, NULL, 'the end'), dpobj.drop_budget('diary', 'limits_admin');
SELECT regexp_replace(line, '^  \d{4}.{12}', '  ...') FROM string_to_table(dpobj.report('diary'), E'\n') line WHERE line ~ 'to none';
-- the limit is set on the topmost parent, and holds for a partition, a later parent and another parent
CREATE TABLE annals (LIKE diary) PARTITION BY LIST (rich);
CREATE TABLE annals_rest PARTITION OF annals DEFAULT;
INSERT INTO annals TABLE diary;
SELECT dpobj.limit_budget('annals_rest', 1, 0);
SELECT dpobj.limit_budget('annals', 1, 0) \g /dev/null
SELECT spend(0.75, 'annals_rest'), spend(0.5, 'annals_rest');
SELECT spend(0.5, 'annals'), spend(0.125, 'annals');
CREATE TABLE archive (LIKE diary) PARTITION BY LIST (rich);
ALTER TABLE archive ATTACH PARTITION annals DEFAULT;
SELECT spend(0.125, 'archive'), spend(0.125, 'archive');
-- under a later parent the limit can be changed and removed, but not set
SELECT dpobj.limit_budget('annals', 1.5, 0, 'more for the archive') \g /dev/null
SELECT spend(0.125, 'archive');
SELECT dpobj.limit_budget('annals', 1.125, 0) \g /dev/null
SELECT spend(0.125, 'archive');
SELECT dpobj.limit_budget('annals', NULL, NULL, 'anonymised') \g /dev/null
SELECT spend(0.125, 'archive');
SELECT * FROM answers('SELECT dpobj.limit_budget(%)', $$'annals', NULL, NULL, 'again'$$, $$'annals', 1, 0$$);
-- tables that cannot be trained on have no limit
SELECT * FROM answers('SELECT %', $$dpobj.limit_budget('pg_class', 1, 0)$$, $$dpobj.limit_budget('dpobj.ledger_events', 1, 0)$$,
  $$dpobj.set_budget('information_schema.sql_features', NULL, 1, 0)$$, $$dpobj.set_budget('dpobj.ledger_events', 'limits_ann', 1, 0)$$);
CREATE TABLE sire (LIKE diary);
CREATE TABLE dame (LIKE diary);
CREATE TABLE heir () INHERITS (sire);
ALTER TABLE heir INHERIT dame;
INSERT INTO heir TABLE diary;
SELECT dpobj.limit_budget('dame', 1, 0) \g /dev/null
SELECT spend(0.75, 'sire'), spend(0.5, 'sire');
SELECT spend(0.5, 'heir'), spend(0.125, 'dame');
SELECT relation, epsilon_left FROM dpobj.budgets WHERE relation IN ('annals'::regclass, 'dame'::regclass, 'pg_class'::regclass, 'dpobj.ledger_events'::regclass) ORDER BY relation_name;
DROP TABLE diary, archive, sire, dame, heir;
DROP FUNCTION spend(numeric, text);
DROP OWNED BY limits_owner, limits_admin, limits_ann;
DROP ROLE limits_owner, limits_admin, limits_ann;

-- budgets: caps per role, group and over all roles, at the owner's door
\i tests/answers.sql
CREATE TABLE survey (features float8[], rich boolean);
INSERT INTO survey SELECT ARRAY[i % 2, 1 - i % 2], i % 2 = 1 FROM generate_series(1, 20) i;
CALL login_roles('budgets_eve', 'budgets_bob', 'budgets_curator');
CREATE ROLE budgets_team;
GRANT budgets_team TO budgets_eve, budgets_bob;
GRANT SELECT ON survey TO budgets_eve, budgets_bob;
SELECT dpobj.grant_trainer(r) FROM (VALUES ('budgets_eve'::regrole), ('budgets_bob')) v(r);
CREATE FUNCTION train(epsilon numeric) RETURNS text LANGUAGE sql AS
  $$ SELECT answer_of(format('SELECT (dp_halfspace(features, rich, %s, 0.0)).kind FROM survey', epsilon)) $$;

-- a cap of a role: what fits is released, what does not writes nothing
SELECT dpobj.set_budget('survey', 'budgets_eve', 2, 0);
SET SESSION AUTHORIZATION budgets_eve;
SELECT train(0.5);
SELECT train(1.500000001);
SELECT train(1.5);
SELECT train(0.000000001);
SELECT event, epsilon FROM dpobj.ledger ORDER BY id;
TABLE dpobj.budgets;
SELECT * FROM dpobj.remaining('survey');
-- the budget does not concern another role
SET SESSION AUTHORIZATION budgets_bob;
SELECT train(3);
TABLE dpobj.budgets;
SELECT * FROM dpobj.remaining('survey');
SELECT * FROM dpobj.remaining('survey', 'budgets_eve');
RESET SESSION AUTHORIZATION;

-- a budget that is dropped and set again has spent what it had
SELECT dpobj.drop_budget('survey', 'budgets_eve');
SELECT dpobj.drop_budget('survey', 'budgets_eve');
SELECT dpobj.set_budget('survey', 'budgets_eve', 2.25, 0);
SELECT * FROM dpobj.remaining('survey', 'budgets_eve');
SET SESSION AUTHORIZATION budgets_eve;
SELECT train(0.26);
SELECT train(0.25);
RESET SESSION AUTHORIZATION;

-- a budget is changed, with a cap of releases
SELECT dpobj.set_budget('survey', 'budgets_eve', 100, 0, 'basic', 4);
SET SESSION AUTHORIZATION budgets_eve;
SELECT train(1);
SELECT train(0.001);
SELECT * FROM dpobj.remaining('survey');
RESET SESSION AUTHORIZATION;
SELECT dpobj.drop_budget('survey', 'budgets_eve');

-- a group caps its members together
SELECT dpobj.set_budget('survey', 'budgets_team', 7, 0);
SELECT role, epsilon_limit, epsilon_spent, epsilon_left, releases FROM dpobj.budgets;
SET SESSION AUTHORIZATION budgets_bob;
SELECT train(0.75);
SELECT train(0.5);
SELECT role, epsilon_limit, epsilon_spent, epsilon_left, releases FROM dpobj.budgets;
RESET SESSION AUTHORIZATION;
-- the budget of a group does not concern a superuser
SELECT train(5);

-- a budget of all roles: the tighter budget decides
SELECT dpobj.set_budget('survey', NULL, 12, 0);
SET SESSION AUTHORIZATION budgets_eve;
SELECT train(0.75);
SELECT role, epsilon_limit, epsilon_spent, epsilon_left FROM dpobj.budgets ORDER BY role;
SELECT * FROM dpobj.remaining('survey');
RESET SESSION AUTHORIZATION;
SELECT train(0.75);
SELECT train(0.25);
SELECT role, epsilon_limit, epsilon_spent, epsilon_left FROM dpobj.budgets ORDER BY role;

-- sums are exact: ten times 0.1 is 1, and a cap rounds down where a charge rounds up
CREATE TABLE other AS TABLE survey;
SELECT dpobj.set_budget('other', NULL, 1, 0);
SELECT (dp_halfspace(features, rich, 0.1, 0)).kind FROM other \g /dev/null
DO $$ BEGIN
  FOR i IN 2..10 LOOP PERFORM dp_halfspace(features, rich, 0.1, 0) FROM other; END LOOP;
END $$;
SELECT epsilon_spent, epsilon_left, releases FROM dpobj.budgets WHERE relation = 'other'::regclass;
SELECT (dp_halfspace(features, rich, 0.000000001, 0)).kind FROM other;
SELECT dpobj.set_budget('other', NULL, 1.0000000019, 1);
SELECT epsilon_left, delta_limit FROM dpobj.budgets WHERE relation = 'other'::regclass;
SELECT (dp_halfspace(features, rich, 0.0000000011, 0)).kind FROM other;
CREATE TABLE third AS TABLE survey;
SELECT dpobj.set_budget('third', NULL, 0.3, 0);
SELECT (dp_halfspace(features, rich, 0.1, 0)).kind FROM third;
SELECT (dp_halfspace(features, rich, 0.2, 0)).kind FROM third;

-- no budget
SET dpobj.require_budget = on;
SELECT dpobj.drop_budget('other', NULL);
SELECT (dp_halfspace(features, rich, 0.1, 0)).kind FROM other;
RESET dpobj.require_budget;
SET SESSION AUTHORIZATION budgets_eve;
SET dpobj.require_budget = off;
RESET SESSION AUTHORIZATION;

-- a charge of the same session waits in vain for a budget that is not committed
BEGIN;
SELECT dpobj.set_budget('other', NULL, 5, 0);
SELECT (dp_halfspace(features, rich, 0.1, 0)).kind FROM other;
ROLLBACK;
SELECT count(*) FROM dpobj.budgets WHERE relation = 'other'::regclass;
BEGIN;
CREATE ROLE budgets_new;
SELECT dpobj.set_budget('other', 'budgets_new', 5, 0);
ROLLBACK;

-- arguments
SELECT * FROM answers('SELECT dpobj.set_budget(%)',
  $$'other', NULL, -1, 0$$, $$'other', NULL, 'NaN', 0$$, $$'other', NULL, 'Infinity', 0$$, $$'other', NULL, 1, 1.1$$, $$'other', NULL, NULL, 0$$,
  $$'other', NULL, 1, NULL$$, 'NULL, NULL, 1, 0', '0, NULL, 1, 0', $$'other', 0, 1, 0$$, $$'other', NULL, 1, 0, 'zcdp'$$,
  $$'other', NULL, 1, 0, NULL$$, $$'other', NULL, 1, 0, 'basic', -1$$, $$'dpobj.ledger', NULL, 1, 0$$);
CREATE TEMP TABLE passing (a int);
SELECT dpobj.set_budget('passing', NULL, 1, 0);
CREATE VIEW seen AS TABLE other;
SELECT dpobj.set_budget('seen', NULL, 1, 0);
CREATE MATERIALIZED VIEW kept AS TABLE other;
SELECT dpobj.limit_budget('kept', 1, 0);
DROP VIEW seen;
DROP MATERIALIZED VIEW kept;
CREATE TEMP TABLE copied AS TABLE other;
SET dpobj.require_budget = on;
SELECT (dp_halfspace(features, rich, 0.1, 0, '{"dimension": 2}')).kind FROM copied;
RESET dpobj.require_budget;
DROP TABLE copied;
BEGIN READ ONLY;
SELECT dpobj.set_budget('other', NULL, 1, 0);
ROLLBACK;
SELECT dpobj.confirm_epoch();

-- who may administer: by a superuser's grant only
SET SESSION AUTHORIZATION budgets_curator;
SELECT dpobj.set_budget('other', NULL, 1, 0);
RESET SESSION AUTHORIZATION;
GRANT dpobj_admin TO budgets_curator;
SET SESSION AUTHORIZATION budgets_curator;
SELECT dpobj.set_budget('other', NULL, 1, 0);
SELECT dpobj.drop_budget('other', NULL);
SELECT relation_name, event, parameters FROM dpobj.ledger ORDER BY id;
SET ROLE dpobj_admin;
SELECT dpobj.set_budget('other', NULL, 1, 0);
RESET ROLE;
TABLE dpobj.budgets;
RESET SESSION AUTHORIZATION;
GRANT dpobj_auditor TO budgets_curator;
SET SESSION AUTHORIZATION budgets_curator;
SELECT relation, role, epsilon_left FROM dpobj.budgets ORDER BY relation_name, role;
SELECT count(DISTINCT role) FROM dpobj.ledger WHERE role LIKE 'budgets_%';
SELECT epsilon FROM dpobj.remaining('survey', 'budgets_bob');
RESET SESSION AUTHORIZATION;
-- a superuser that acts as another role has the rights of that role
SET ROLE budgets_eve;
SELECT dpobj.drop_budget('other', NULL);
RESET ROLE;
-- no role writes the tables directly
GRANT pg_write_all_data, pg_read_all_data TO budgets_eve;
SET SESSION AUTHORIZATION budgets_eve;
UPDATE dpobj.budget_rows SET epsilon_nano = 1000000000000;
INSERT INTO dpobj.identities (kind, origin, object, name) VALUES ('role', '', 0, 'eve');
DELETE FROM dpobj.lineage;
RESET SESSION AUTHORIZATION;

-- renamed tables and roles keep what they spent
ALTER TABLE survey RENAME TO renamed;
ALTER ROLE budgets_eve RENAME TO budgets_eva;
SELECT role, epsilon_limit, epsilon_spent FROM dpobj.budgets WHERE relation = 'renamed'::regclass ORDER BY role;
SELECT dpobj.set_budget('renamed', 'budgets_eva', 1, 0);
SELECT role, epsilon_spent FROM dpobj.budgets WHERE role = 'budgets_eva';
-- a new role with an old name has spent nothing, and sees nothing
CREATE ROLE budgets_eve LOGIN;
GRANT SELECT ON other TO budgets_eve;
SELECT dpobj.set_budget('renamed', 'budgets_eve', 1, 0);
SELECT role, epsilon_spent FROM dpobj.budgets WHERE role = 'budgets_eve';
SET SESSION AUTHORIZATION budgets_eve;
SELECT count(*) FROM dpobj.ledger;
SET SESSION AUTHORIZATION budgets_eva;
SELECT count(*) > 0 FROM dpobj.ledger;
RESET SESSION AUTHORIZATION;
-- a new table with an old name has spent nothing while the old one exists, and all of it afterwards
CREATE TABLE survey AS TABLE renamed;
SELECT dpobj.set_budget('survey', NULL, 20, 0);
SELECT relation, epsilon_spent FROM dpobj.budgets WHERE role IS NULL ORDER BY relation_name;
DROP TABLE renamed;
CREATE TABLE renamed AS TABLE survey;
SELECT relation, role, epsilon_limit, epsilon_spent FROM dpobj.budgets ORDER BY relation_name, role;
SELECT (dp_halfspace(features, rich, 0.25, 0)).kind FROM renamed;

-- partitions: the whole is charged; what a table spent alone moves to its parent
CREATE TABLE leaf (LIKE other);
INSERT INTO leaf SELECT * FROM other;
SELECT (dp_halfspace(features, rich, 2.0, 0)).kind FROM leaf;
CREATE TABLE whole (LIKE other) PARTITION BY LIST (rich);
CREATE TABLE rest PARTITION OF whole DEFAULT;
SELECT dpobj.set_budget('rest', NULL, 1, 0);
SELECT dpobj.set_budget('whole', NULL, 2.5, 0);
SELECT epsilon_spent FROM dpobj.budgets WHERE relation = 'whole'::regclass;
ALTER TABLE whole DETACH PARTITION rest;
ALTER TABLE whole ATTACH PARTITION leaf DEFAULT;
SELECT (dp_halfspace(features, rich, 1.0, 0, '{"dimension": 2}')).kind FROM whole;
SELECT (dp_halfspace(features, rich, 0.5, 0, '{"dimension": 2}')).kind FROM leaf;
SELECT epsilon_spent FROM dpobj.budgets WHERE relation = 'whole'::regclass;
ALTER TABLE whole DETACH PARTITION leaf;
SELECT dpobj.set_budget('leaf', NULL, 2.5, 0);
SELECT epsilon_spent FROM dpobj.budgets WHERE relation = 'leaf'::regclass;
SELECT (dp_halfspace(features, rich, 0.5, 0, '{"dimension": 2}')).kind FROM whole;
-- the same within the transaction that attaches the partition
CREATE TABLE again (LIKE other) PARTITION BY LIST (rich);
SELECT dpobj.set_budget('again', NULL, 2.75, 0);
SELECT dpobj.drop_budget('leaf', NULL);
BEGIN;
ALTER TABLE again ATTACH PARTITION leaf DEFAULT;
SELECT (dp_halfspace(features, rich, 0.5, 0, '{"dimension": 2}')).kind FROM again;
ROLLBACK;
BEGIN;
ALTER TABLE again ATTACH PARTITION leaf DEFAULT;
SELECT (dp_halfspace(features, rich, 0.25, 0, '{"dimension": 2}')).kind FROM again;
ROLLBACK;
SELECT dpobj.set_budget('leaf', NULL, 3, 0);
SELECT epsilon_spent FROM dpobj.budgets WHERE relation IN ('leaf'::regclass, 'again'::regclass);
-- another parent of a child: its rows are charged, so its cap holds, but it gives nobody a budget
CREATE TABLE mother (LIKE other);
CREATE TABLE father (LIKE other);
CREATE TABLE both_parents () INHERITS (father);
INSERT INTO both_parents SELECT * FROM other;
SELECT dpobj.set_budget('mother', NULL, 2, 0);
ALTER TABLE both_parents INHERIT mother;
SELECT (dp_halfspace(features, rich, 5.0, 0, '{"dimension": 2}')).kind FROM father;
SELECT (dp_halfspace(features, rich, 1.5, 0, '{"dimension": 2}')).kind FROM father;
SELECT epsilon_spent FROM dpobj.budgets WHERE relation = 'mother'::regclass;
SELECT (dp_halfspace(features, rich, 1.0, 0, '{"dimension": 2}')).kind FROM mother;
SET dpobj.require_budget = on;
SELECT (dp_halfspace(features, rich, 0.1, 0, '{"dimension": 2}')).kind FROM father;
RESET dpobj.require_budget;
DROP TABLE both_parents, mother, father;

-- inheritance: training on a child is training on the parent
CREATE TABLE parent (LIKE other);
CREATE TABLE child () INHERITS (parent);
INSERT INTO child SELECT * FROM other;
SELECT dpobj.set_budget('parent', NULL, 1, 0);
SELECT (dp_halfspace(features, rich, 0.75, 0)).kind FROM child;
SELECT (dp_halfspace(features, rich, 0.75, 0, '{"dimension": 2}')).kind FROM parent;
SELECT (dp_halfspace(features, rich, 0.75, 0)).kind FROM child;
SELECT epsilon FROM dpobj.remaining('child');

DROP TABLE survey, renamed, other, third, leaf, whole, rest, again, parent, child, passing;
DROP FUNCTION train(numeric);
DROP OWNED BY budgets_eva, budgets_eve, budgets_bob, budgets_curator;
DROP ROLE budgets_eva, budgets_eve, budgets_bob, budgets_team, budgets_curator;

-- Populations: one person's rows in several tables, and one budget for them
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('populations_ana', 'populations_bob', 'populations_owner', 'populations_other', 'populations_admin', 'populations_rho', 'populations_renyi');
GRANT populations_rho, populations_renyi TO populations_ana;
GRANT dpobj_admin TO populations_admin;
GRANT CREATE ON SCHEMA public TO populations_owner;

-- A hospital. Foreign keys in a circle, orphans and rows of nobody are no obstacle.
CREATE TABLE patient (id int PRIMARY KEY, last_visit int, age int, ill boolean);
CREATE TABLE visit (id int PRIMARY KEY, patient_id bigint, cost int, urgent boolean) PARTITION BY RANGE (id);
CREATE TABLE visit_1 PARTITION OF visit FOR VALUES FROM (1) TO (1000);
CREATE TABLE visit_2 PARTITION OF visit FOR VALUES FROM (1000) TO (10000);
CREATE TABLE lab (who smallint, value int, high boolean);
INSERT INTO patient SELECT i, i, i % 90, i % 3 = 0 FROM generate_series(1, 500) i;
INSERT INTO visit SELECT i, CASE WHEN i % 10 > 0 THEN i % 600 END, i % 100, i % 4 = 0 FROM generate_series(1, 2000) i;
INSERT INTO lab SELECT i % 500, i % 10, i % 2 = 0 FROM generate_series(1, 1500) i;
ALTER TABLE patient ADD FOREIGN KEY (last_visit) REFERENCES visit;
ALTER TABLE visit_1 ADD FOREIGN KEY (id) REFERENCES patient (id) NOT VALID;
CREATE FUNCTION joined(name text, column_name text, rest text DEFAULT '', k int DEFAULT 2) RETURNS text LANGUAGE sql AS $$
  SELECT answer_of(format('SELECT dpobj.protect(%L, %L, person => %L, max_rows_per_person => %s%s)', name,
    CASE name WHEN 'patient' THEN '{"age": {"clip": [0, 100]}, "ill": {}}' WHEN 'lab' THEN '{"value": {"clip": [0, 10]}, "high": {}}'
         ELSE '{"cost": {"clip": [0, 100]}, "urgent": {}}' END, column_name, k, rest)) $$;
CREATE VIEW spent AS SELECT relation, role, of_owner, epsilon_spent, releases, epsilon_left FROM dpobj.budgets ORDER BY relation_name, role, of_owner;
GRANT SELECT ON spent TO PUBLIC;

-- A population is named by the key of a table, by its owner.
ALTER TABLE patient OWNER TO populations_owner;
ALTER TABLE visit OWNER TO populations_owner;
CREATE TABLE keys (a int UNIQUE, b int NOT NULL, c int NOT NULL UNIQUE DEFERRABLE, d int NOT NULL, e numeric NOT NULL UNIQUE, f text COLLATE "C" NOT NULL UNIQUE,
  g char(3) NOT NULL UNIQUE, h int NOT NULL, i int NOT NULL, j uuid NOT NULL UNIQUE, UNIQUE (h, i));
CREATE UNIQUE INDEX ON keys (d) WHERE d > 0;
CREATE UNIQUE INDEX ON keys ((b + 1));
CREATE COLLATION dull (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE folded (name text COLLATE dull PRIMARY KEY);
CREATE VIEW seen AS SELECT * FROM patient;
CREATE TEMP TABLE passing (id int PRIMARY KEY);
SELECT * FROM answers('SELECT dpobj.population(%)', $$'people', 'keys', 'a'$$, $$'people', 'keys', 'b'$$, $$'people', 'keys', 'c'$$, $$'people', 'keys', 'd'$$,
  $$'people', 'keys', 'e'$$, $$'people', 'keys', 'g'$$, $$'people', 'keys', 'h'$$, $$'people', 'keys', 'z'$$, $$'people', 'folded', 'name'$$, $$'people', 'seen', 'id'$$,
  $$'people', 'passing', 'id'$$, $$'people', 'visit_1', 'id'$$, $$'people', 'keys', 'f', 'both'$$, $$'keys', 'keys', 'f'$$, $$'a.b.c', 'keys', 'f'$$,
  $$'nowhere.people', 'keys', 'f'$$, $$'people', 'keys', NULL$$, $$NULL, 'keys', 'f'$$, $$'people', 0::regclass, 'f'$$);
SET SESSION AUTHORIZATION populations_admin;
SELECT answer_of($$SELECT dpobj.population('patients', 'patient', 'id')$$);
SET SESSION AUTHORIZATION populations_owner;
SELECT answer_of($$SELECT dpobj.population('patients', 'patient', 'id')$$);
SELECT * FROM answers('SELECT dpobj.population(%)', $$'patients', 'patient', 'id'$$, $$'persons', 'patient', 'id'$$, $$'persons', 'patients', 'id'$$);
RESET SESSION AUTHORIZATION;
SELECT dpobj.population('public."Letters"', 'keys', 'f', 'add_remove'), dpobj.population('numbers', 'keys', 'j');
-- Its relation belongs to the owner of the table, and never has a row.
SELECT c.relname, c.relkind, r.rolname, format_type(a.atttypid, -1), o.collname, obj_description(c.oid) FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = 1 LEFT JOIN pg_collation o ON o.oid = a.attcollation
 WHERE c.relname IN ('patients', 'Letters', 'numbers') ORDER BY 1;
SELECT answer_of('INSERT INTO patients VALUES (1)');
SELECT event, relation, parameters FROM dpobj.ledger WHERE event = 'population' ORDER BY id;

-- Tables join it when they are protected; a table of another owner needs the consent of both.
SELECT * FROM answers('SELECT joined(%)', $$'patients', 'id', ', population => ''patients'''$$, $$'patient', 'id', ', population => ''visit'''$$, $$'patient', 'ill', ', population => ''patients'''$$,
  $$'patient', 'id', ', adjacency => ''add_remove'', population => ''patients'''$$, $$'lab', 'who', ', population => ''public."Letters"'', adjacency => ''add_remove'''$$,
  $$'lab', 'who', ', population => ''numbers'''$$);
SELECT answer_of($$SELECT dpobj.protect('lab', '{"value": {"clip": [0, 10]}, "high": {}}', population => 'patients')$$);
SELECT joined('patient', 'id', ', population => ''patients''', 1), joined('visit', 'patient_id', ', population => ''patients''');
SET SESSION AUTHORIZATION populations_admin;
SELECT joined('lab', 'who', ', population => ''patients''');
RESET SESSION AUTHORIZATION;
ALTER TABLE lab OWNER TO populations_other;
GRANT dpobj_admin TO populations_other;
SET SESSION AUTHORIZATION populations_other;
SELECT joined('lab', 'who', ', population => ''patients''');
SET SESSION AUTHORIZATION populations_owner;
GRANT REFERENCES ON patients TO populations_other;
SET SESSION AUTHORIZATION populations_admin;
SELECT joined('lab', 'who', ', population => ''patients''');
RESET SESSION AUTHORIZATION;

-- A table that was charged for rows moves in with the number of rows of a person: each charge counts for so many.
SELECT dpobj.protect('lab', '{"value": {"clip": [0, 10]}, "high": {}}');
SELECT dpobj.set_budget('lab', 'populations_ana', 10);
SET SESSION AUTHORIZATION populations_ana;
SELECT (dpobj.count('lab', 0.25)).confidence;
SELECT (dpobj.sum('lab', 'value', 0.5)).confidence;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION populations_other;
SELECT joined('lab', 'who', ', population => ''patients''');
SELECT joined('lab', 'who', ', population => ''patients'', earlier_rows_per_person => 4');
RESET SESSION AUTHORIZATION;
SELECT relation, adjacency, person, max_rows_per_person, earlier_rows_per_person, population FROM dpobj.protected ORDER BY relation_name;
SELECT * FROM answers($$SELECT dpobj.set_budget(%)$$, $$'patients', 'populations_ana', 6$$, $$'patients', NULL, 20$$, $$'visit', 'populations_ana', 100$$,
  $$'patient', 'populations_ana', 100$$, $$'visit', 'populations_bob', 100$$, $$'patient', 'populations_bob', 100$$, $$'patients', 'populations_bob', 1, 0.001, 'zcdp'$$);
SELECT * FROM spent;
-- By rho a charge counts for as many rows squared, and by a Renyi divergence for as many as its proof says.
SELECT dpobj.set_budget('patients', 'populations_rho', 50, 0.001, 'zcdp'), dpobj.set_budget('patients', 'populations_renyi', 50, 0.001, 'rdp', rdp_order => 8);
SELECT b.accountant, b.cost_spent, CASE b.accountant WHEN 'zcdp' THEN round((4 * 0.25)^2 / 2 + (4 * 0.5)^2 / 2, 6) END AS pure FROM dpobj.budgets b WHERE role IN ('populations_rho', 'populations_renyi') ORDER BY 1 DESC;

-- A charge of one table counts for it, for its population, and for no other table.
SET SESSION AUTHORIZATION populations_ana;
SELECT * FROM dpobj.remaining('visit');
SELECT * FROM dpobj.remaining('patients');
SELECT answer_of($$SELECT (dpobj.count('visit', 1)).confidence$$), answer_of($$SELECT (dpobj.count('patient', 0.5)).confidence$$);
SELECT * FROM spent;
SELECT * FROM dpobj.remaining('visit');
SELECT relation, role, more FROM dpobj.odometer ORDER BY 1, 2;
SELECT dpobj.price('patient', 'ill', 0.5) -> 'calls' AS calls;
-- So does one in the background.
SELECT dpobj.submit('count', 'visit', '{"epsilon": 0.125}', 'in the background') AS job \gset
SELECT dpobj.wait(:job, '1 min');
SELECT relation, epsilon_spent FROM spent WHERE role = 'populations_ana' AND relation IN ('visit'::regclass, 'patients'::regclass);
SELECT answer_of($$SELECT (dpobj.count('patient', 2)).confidence$$);
SELECT answer_of($$SELECT (dpobj.count('patients', 0.1)).confidence$$);
SET SESSION AUTHORIZATION populations_bob;
SELECT answer_of($$SELECT (dpobj.count('lab', 0.1)).confidence$$);
SELECT answer_of($$SELECT (dpobj.count('visit', 0.1)).confidence$$);
SELECT * FROM spent;
-- The owner of the population limits it; an analyst without a budget on the table has no access by the population's.
SET SESSION AUTHORIZATION populations_owner;
SELECT dpobj.limit_budget('patients', 6, 0.1);
SELECT * FROM spent;
SET SESSION AUTHORIZATION populations_bob;
SELECT answer_of($$SELECT (dpobj.count('patient', 1)).confidence$$);
RESET SESSION AUTHORIZATION;

-- All or nothing: what is refused is charged nowhere.
SELECT * FROM spent;
SELECT what, differences FROM dpobj.check_ledger();
-- What is composed is about persons in all tables.
SELECT releases, epsilon, assumes FROM dpobj.recompute('patients', NULL, 'basic');
SELECT split_part(dpobj.report('patients'), E'\n', 1);
SELECT line FROM regexp_split_to_table(dpobj.report('patients'), E'\n') WITH ORDINALITY l(line, place) WHERE line ~ '^  It is a pop|one person|spent: ' ORDER BY place;
SELECT what, checked, differences, first_difference FROM dpobj.verify_report(dpobj.report('patients', 'registry')) WHERE differences > 0 OR what = 'populations';
SELECT what, first_difference FROM dpobj.verify_report(jsonb_set(dpobj.report('patients', 'registry')::jsonb, '{ledger,tables}',
  (SELECT jsonb_agg(CASE WHEN t ? 'population' THEN jsonb_set(t, '{population,rows}', '{}') ELSE t END ORDER BY t -> 'id') FROM jsonb_array_elements(dpobj.report('patients', 'registry')::jsonb #> '{ledger,tables}') t)))
  WHERE differences > 0 AND what <> 'digest of the ledger';
SELECT what, checked, differences FROM dpobj.verify_report(dpobj.report('visit', 'registry')) WHERE differences > 0 OR what = 'populations';

-- A charged table stays, with its column of persons and at least its number of rows; without a protection it is closed.
SELECT joined('lab', 'who'), joined('lab', 'who', ', population => ''numbers''');
SELECT joined('lab', 'who', ', population => ''patients''');
SELECT joined('lab', 'who', ', population => ''patients'', earlier_rows_per_person => 3');
SELECT joined('lab', 'value', ', population => ''patients'', earlier_rows_per_person => 4');
SELECT joined('lab', 'who', ', population => ''patients'', earlier_rows_per_person => 5', 1);
SELECT * FROM spent WHERE relation = 'patients'::regclass;
SELECT dpobj.unprotect('lab');
SELECT relation, role, epsilon_spent FROM spent WHERE relation IN ('lab'::regclass, 'patients'::regclass);
SELECT dpobj.grant_trainer('populations_other');
SET SESSION AUTHORIZATION populations_other;
SELECT answer_of($$SELECT (dp_halfspace(ARRAY[value]::float8[], high, 0.1, 0)).kind FROM lab$$);
SELECT answer_of($$SELECT dpobj.mark_part('lab', 'a.b.c', 'populations_other')$$);
RESET SESSION AUTHORIZATION;
SELECT joined('lab', 'who', ', population => ''patients'', earlier_rows_per_person => 5');
-- One that was not charged may go, and what it spends then is its own.
CREATE TABLE bill (who int, cost int, urgent boolean);
INSERT INTO bill SELECT i, i % 100, i % 2 = 0 FROM generate_series(1, 500) i;
ALTER TABLE bill OWNER TO populations_owner;
SELECT joined('bill', 'who', ', population => ''patients'''), joined('bill', 'who');
SELECT dpobj.set_budget('bill', 'populations_ana', 100);
BEGIN;
SELECT joined('bill', 'who', ', population => ''patients''');
ROLLBACK;
SET SESSION AUTHORIZATION populations_ana;
SELECT (dpobj.count('bill', 3)).confidence;
RESET SESSION AUTHORIZATION;
SELECT relation, epsilon_spent FROM spent WHERE role = 'populations_ana' AND relation IN ('bill'::regclass, 'patients'::regclass);
SELECT relation, population FROM dpobj.protected WHERE relation = 'bill'::regclass;
-- It may come back with its charges for persons of the same column, and add_remove counts twice; others are refused.
SELECT joined('bill', 'cost', ', population => ''patients''');
SELECT joined('bill', 'who', ', population => ''patients''');
SELECT relation, epsilon_spent, epsilon_left FROM spent WHERE role = 'populations_ana' AND relation IN ('bill'::regclass, 'patients'::regclass);
CREATE TABLE stay (who int, cost int, urgent boolean);
INSERT INTO stay SELECT i, i % 100, i % 2 = 0 FROM generate_series(1, 500) i;
ALTER TABLE stay OWNER TO populations_owner;
SELECT joined('stay', 'who', ', adjacency => ''add_remove''');
SELECT dpobj.set_budget('stay', 'populations_ana', 100);
SET SESSION AUTHORIZATION populations_ana;
SELECT (dpobj.count('stay', 0.25)).confidence;
RESET SESSION AUTHORIZATION;
SELECT joined('stay', 'who', ', population => ''patients''');
SELECT relation, role, epsilon_spent FROM spent WHERE role = 'populations_ana' AND relation IN ('stay'::regclass, 'patients'::regclass);
CREATE TABLE note (who text, cost int, urgent boolean);
INSERT INTO note SELECT i, i % 100, i % 2 = 0 FROM generate_series(1, 100) i;
SELECT joined('note', 'who');
SELECT dpobj.set_budget('note', 'populations_ana', 100);
SET SESSION AUTHORIZATION populations_ana;
SELECT (dpobj.count('note', 0.25)).confidence;
RESET SESSION AUTHORIZATION;
SELECT joined('note', 'who', ', population => ''public."Letters"'', adjacency => ''add_remove''');
-- All tables deal their people by the key of the population; a model from before is not rated on rows that it may have seen.
CREATE TABLE people (id int PRIMARY KEY);
ALTER TABLE people OWNER TO populations_owner;
SELECT dpobj.population('everybody', 'people', 'id');
CREATE TABLE spots_1 (spot int, a float8);
INSERT INTO spots_1 SELECT i, i / 50.0 FROM generate_series(1, 50) i;
CREATE TABLE spots_2 AS SELECT spot::bigint, a FROM spots_1 ORDER BY random();
ALTER TABLE spots_1 OWNER TO populations_owner;
ALTER TABLE spots_2 OWNER TO populations_owner;
CREATE PROCEDURE join_spots(name text, rest text) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('SELECT dpobj.protect(%L, %L, person => ''spot'', max_rows_per_person => 1%s)', name,
    jsonb_build_object('a', '{}'::jsonb, 'spot', jsonb_build_object('levels', (SELECT jsonb_agg(i) FROM generate_series(1, 50) i))), rest);
END $$;
CREATE FUNCTION held(model text, relation text, options jsonb DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(spot, ' ' ORDER BY spot::int)
    FROM (SELECT label AS spot, sum(rows) AS rows FROM dpobj.confusion(model, relation::regclass, 1000, NULL, options) GROUP BY label) s WHERE rows > 0 $$;
CALL join_spots('spots_1', '');
SELECT dpobj.set_budget(t, 'populations_ana', 1000000) FROM unnest('{spots_1,spots_2}'::regclass[]) t \g /dev/null
SET SESSION AUTHORIZATION populations_ana;
SELECT count(*) FROM dpobj.train('spots_1', 'spot', 1000, '{a}', method => 'softmax', options => '{"holdout": 0.5}', name => 'before');
SELECT held('before', 'spots_1') <> '' AS rated;
RESET SESSION AUTHORIZATION;
CALL join_spots('spots_1', ', population => ''everybody''');
CALL join_spots('spots_2', ', population => ''everybody''');
SET SESSION AUTHORIZATION populations_ana;
SELECT count(*) FROM dpobj.train('spots_1', 'spot', 1000, '{a}', method => 'softmax', options => '{"holdout": 0.5}', name => 'after');
SELECT held('after', 'spots_1', '{"holdout": 0.5}') = held('after', 'spots_2', '{"holdout": 0.5}') AS one_side, held('after', 'spots_1', '{"holdout": 0.5}') = held('after', 'spots_1') AS the_same;
SELECT answer_of($$SELECT held('before', 'spots_1')$$);
RESET SESSION AUTHORIZATION;

-- Rows that its owner puts below the relation of a population are not read.
CREATE TABLE everybody_1 PARTITION OF everybody DEFAULT;
INSERT INTO everybody VALUES (1), (2);
SELECT answer_of($$SELECT (dp_halfspace(ARRAY[id]::float8[], id > 1, 0.1, 0)).kind FROM everybody$$);
DROP TABLE everybody_1;

-- Charges for single rows under add_remove count for twice as many rows under replace.
CREATE TABLE meal (who int, cost int, urgent boolean);
INSERT INTO meal SELECT i % 50, i % 100, i % 2 = 0 FROM generate_series(1, 500) i;
ALTER TABLE meal OWNER TO populations_owner;
SELECT dpobj.protect('meal', '{"cost": {"clip": [0, 100]}}', adjacency => 'add_remove');
SELECT dpobj.set_budget('meal', 'populations_bob', 10);
SET SESSION AUTHORIZATION populations_bob;
SELECT (dpobj.count('meal', 0.25)).confidence;
RESET SESSION AUTHORIZATION;
SELECT joined('meal', 'who', ', population => ''everybody'', earlier_rows_per_person => 3');
SELECT dpobj.set_budget('everybody', 'populations_bob', 10);
SELECT relation, epsilon_spent FROM spent WHERE role = 'populations_bob' AND relation IN ('meal'::regclass, 'everybody'::regclass);

-- Row-level security is as for other tables; a child shares the population of its parent.
ALTER TABLE bill ENABLE ROW LEVEL SECURITY;
SELECT joined('bill', 'who', ', population => ''patients''');
ALTER TABLE bill DISABLE ROW LEVEL SECURITY;
SELECT joined('visit_1', 'patient_id', ', population => ''patients''');
CREATE TABLE base (who int, cost int, urgent boolean);
CREATE TABLE derived () INHERITS (base);
ALTER TABLE base OWNER TO populations_owner;
ALTER TABLE derived OWNER TO populations_owner;
SELECT joined('base', 'who', ', population => ''patients''');
SELECT dpobj.set_budget('base', 'populations_ana', 100);
SET SESSION AUTHORIZATION populations_ana;
SELECT answer_of($$SELECT (dpobj.count('base', 2)).confidence$$);
RESET SESSION AUTHORIZATION;

-- Dropping the table of the key, or a table, ends nothing; nor does dropping what names the population.
SELECT dpobj.limit_budget('patients', 100, 0.1, 'more questions');
SELECT dpobj.raise_budget('patients', 'populations_ana', 10, 0, 'more questions');
ALTER TABLE patient DROP CONSTRAINT patient_last_visit_fkey;
DROP TABLE patient CASCADE;
DROP TABLE lab;
SELECT relation, role, of_owner, epsilon_spent FROM spent WHERE relation = 'patients'::regclass;
SET SESSION AUTHORIZATION populations_ana;
SELECT answer_of($$SELECT (dpobj.count('visit', 12)).confidence$$);
RESET SESSION AUTHORIZATION;
DROP TABLE patients;
SELECT relation, population FROM dpobj.protected ORDER BY relation_name;
SET SESSION AUTHORIZATION populations_ana;
SELECT answer_of($$SELECT (dpobj.count('visit', 12)).confidence$$);
RESET SESSION AUTHORIZATION;
CREATE TABLE patient (id bigint PRIMARY KEY, name text NOT NULL UNIQUE);
SELECT * FROM answers('SELECT dpobj.population(%)', $$'patients', 'patient', 'name'$$, $$'patients', 'patient', 'id', 'add_remove'$$, $$'patients', 'patient', 'id'$$);
SELECT relation, role, of_owner, epsilon_spent FROM spent WHERE relation = 'patients'::regclass;

-- Nobody changes it by hand.
SET SESSION AUTHORIZATION populations_admin;
SELECT * FROM answers('%', 'DELETE FROM dpobj.population_tables', 'SELECT FROM dpobj.populations');
RESET SESSION AUTHORIZATION;
GRANT pg_write_all_data, pg_read_all_data TO populations_admin;
SET SESSION AUTHORIZATION populations_admin;
SELECT * FROM answers('%', 'DELETE FROM dpobj.population_tables', 'DELETE FROM dpobj.populations');
RESET SESSION AUTHORIZATION;
REVOKE pg_write_all_data, pg_read_all_data FROM populations_admin;

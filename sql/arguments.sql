-- dp_halfspace: every form of the call, and what its privacy parameters refuse
\i tests/answers.sql
CREATE TABLE person (features float8[], rich boolean, rich01 integer, rich11 bigint, eps float8);
INSERT INTO person
SELECT ARRAY[(i % 2)::float8, (i % 2 = 0)::int::float8], i % 2 = 1, i % 2, 2 * (i % 2) - 1, 1.0
FROM generate_series(1, 100) i;

-- The optimum of {-1,1}^2 is unique, and at epsilon = 10000 nothing else can come out.
SELECT * FROM answers($$SELECT (dp_halfspace(features, %, '{"grid": "sign"}')).weights FROM person$$,
  'rich, 10000.0, 0', 'rich, 10000.0, 0.0', 'rich, 10000.0::float8, 0::float8', 'rich01, 10000.0, 0', 'rich01, 10000.0, 0.0',
  'rich01, 10000.0::float8, 0::float8', 'rich11, 10000.0, 0', 'rich11, 10000.0, 0.0', 'rich11, 10000.0::float8, 0::float8');
SELECT * FROM answers('SELECT cardinality((dp_halfspace(features, %)).weights) FROM person',
  'rich, 1.0, 0', 'rich01, 1.0, 0', 'rich11, 1.0::float8, 0::float8', 'rich, 1, 0');

-- The charge is the decimal of the statement; a pure mechanism charges no delta.
SELECT (m).epsilon, (m).delta, (m).adjacency, (m).guarantee, (m).kind, (m).mechanism
FROM (SELECT dp_halfspace(features, rich, 0.1, 1e-6) AS m FROM person) s;
SELECT (m).epsilon FROM (SELECT dp_halfspace(features, rich, 0.1::float8, 0::float8) AS m FROM person) s;
SELECT epsilon, delta FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 2;
SELECT (m).epsilon FROM (SELECT dp_halfspace(features, rich, 0.12345678901, 0) AS m FROM person) s;

-- A float8 stands for the shortest decimal that reads back as it, which is the number that was written:
-- the charge is that number, rounded up to 1e-9 of epsilon and 1e-18 of delta.
SELECT max(id) AS latest FROM dpobj.ledger \gset
SELECT (dp_logistic(features, rich, 0.1, 1e-6, '{"noise": "gaussian"}')).epsilon FROM person;
SELECT (dp_logistic(features, rich, 0.30000000000000004, 0.00001, '{"noise": "gaussian"}')).epsilon FROM person;
SELECT (dp_logistic(features, rich, 0.3, 1e-18, '{"noise": "gaussian"}')).epsilon FROM person;
SELECT (dp_logistic(features, rich, 1, 0.000000123456789012, '{"noise": "gaussian"}')).epsilon FROM person;
SELECT (dp_logistic(features, rich, 1/3.0, 1/3000000.0, '{"noise": "gaussian"}')).epsilon FROM person;
SELECT (dp_logistic(features, rich, 9999.999999999, 1e-300)).epsilon FROM person;
PREPARE with_numeric(numeric, numeric) AS SELECT (dp_logistic(features, rich, $1, $2, '{"noise": "gaussian"}')).epsilon FROM person;
SET plan_cache_mode = force_generic_plan;
EXECUTE with_numeric(0.2, 1e-7);
RESET plan_cache_mode;
DEALLOCATE with_numeric;
SELECT epsilon, delta FROM dpobj.ledger WHERE event = 'charged' AND id > :latest ORDER BY id;

-- Labels: booleans and integers, and domains over them; other types are refused before a row is looked at.
CREATE DOMAIN flag AS smallint;
CREATE DOMAIN flag_of_flag AS flag CHECK (VALUE < 2);
CREATE TYPE mood AS ENUM ('sad', 'happy');
SELECT (dp_halfspace(features, rich01::smallint, 10000, 0, '{"grid": "sign"}')).weights FROM person;
CREATE TABLE flagged AS SELECT features, rich01::flag_of_flag AS rich FROM person;
SELECT (dp_halfspace(features, rich, 10000, 0, '{"grid": "sign"}')).weights FROM flagged;
DROP TABLE flagged;
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT dp_halfspace(features, eps, 1, 0) FROM person;
SELECT dp_logistic(features, 1.0, 1, 0) FROM person;
SELECT dp_svm(features, rich::text, 1, 0) FROM person WHERE false;
SELECT dp_classifier(features, ARRAY[rich], 1, 0, '{}') FROM person;
SELECT dp_halfspace(features, 'happy'::mood, 1, 0) FROM person;
SELECT dp_halfspace(features, person, 1, 0) FROM person;
SELECT dp_halfspace(features, '1', 1, 0) FROM person;
SELECT dp_groups('a'::text, features, eps, 1, 0, '{"keys": ["a"], "dimension": 2}') FROM person;
SELECT dp_accuracy('nobody''s', features, eps, 1) FROM person;
SELECT count(*) - :before AS events FROM dpobj.ledger;
DROP TYPE mood;
DROP DOMAIN flag_of_flag, flag;

-- Refused before any row is looked at, and nothing is charged.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT * FROM answers('SELECT dp_halfspace(features, rich, %) FROM person',
  '0, 0', '-1.0, 0', $$'NaN'::numeric, 0$$, $$'NaN'::float8, 0::float8$$, $$'Infinity'::float8, 0::float8$$, '10001, 0', '0.0000000001, 0',
  'NULL::numeric, 0', '1.0, 1', '1.0, -0.1', $$1.0::float8, 'NaN'::float8$$, '1.0, NULL::integer', 'eps, 0::float8', '1.0::float8, eps - 1',
  'random(), 0::float8', '(SELECT 1.0::float8), 0::float8', $$1.0, 0, jsonb_build_object('dimension', cardinality(features))$$);
SELECT dp_halfspace(features, rich, eps, 0::float8) FROM person WHERE false;
SELECT count(*) - :before AS events FROM dpobj.ledger;

-- Parameters of a statement are constants of it.
PREPARE train(float8, jsonb) AS
  SELECT (dp_halfspace(features, rich, $1, 0::float8, $2)).epsilon FROM person;
EXECUTE train(0.25, '{}');
SET plan_cache_mode = force_generic_plan;
EXECUTE train(0.125, '{"grid": "sign"}');
EXECUTE train(-1, '{}');
RESET plan_cache_mode;
SELECT (dp_halfspace(features, rich, 1.0, 0, jsonb_build_object('grid', 'sign'))).epsilon FROM person;
CREATE FUNCTION train(e numeric) RETURNS float8 LANGUAGE plpgsql AS
$$ BEGIN RETURN (SELECT (dp_halfspace(features, rich, e, 0)).epsilon FROM person); END $$;
SELECT train(0.5);

-- The same call twice in one statement is one release.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT (dp_halfspace(features, rich, 1.0, 0)).release = (dp_halfspace(features, rich, 1.0, 0)).release AS same
FROM person;
SELECT count(*) - :before AS events FROM dpobj.ledger;
DROP FUNCTION train(numeric);
DROP TABLE person;

-- The dimension is public if the statement or a constraint has it; else the model names what the guarantee depends on.
CREATE TABLE measured (id integer, features float8[] CHECK (cardinality(features) = 3), y boolean);
INSERT INTO measured SELECT i, CASE WHEN i > 3 THEN ARRAY[i % 2, i % 3 - 1, 1] END, i % 2 = 0 FROM generate_series(1, 60) i;
UPDATE measured SET features = '{{1,1,1}}' WHERE id = 1;
CREATE TABLE unmeasured AS SELECT id, CASE id WHEN 1 THEN ARRAY[1, 1]::float8[] ELSE features END AS features, y FROM measured ORDER BY id;
CREATE FUNCTION says(call text, source text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m dp_model;
BEGIN
  EXECUTE format('SELECT (%s).* FROM %s', call, source) INTO m;
  RETURN cardinality(m.weights) || ' ' || m.guarantee || coalesce(' ' || (m.details -> 'conditional')::text, '');
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT call, source, says(call, source) FROM
  unnest(ARRAY['dp_halfspace(features, y, 1.0, 0)', 'dp_logistic(features, y, 1.0, 0)', 'dp_svm(features, y, 1.0, 0)',
    'dp_classifier(features, y, 1.0, 0)', 'dp_simplex(features, id / 60.0::float8, 1.0, 0, ''{"n": 60}'')']) call,
  unnest(ARRAY['measured', 'measured WHERE id < 0', 'measured WHERE id < 3', '(SELECT * FROM measured OFFSET 0) m',
    'unmeasured', 'unmeasured WHERE id < 0']) source;
SELECT array_agg((g).key ORDER BY g) FROM (SELECT unnest(dp_groups(y::text, features, y, 1.0, 0, '{"keys": ["true", "false"]}')) AS g FROM measured) s;
SELECT dp_groups(y::text, features, y, 1.0, 0, '{"keys": ["true", "false"]}') FROM unmeasured;
SELECT says('dp_halfspace(features, y, 1.0, 0, ''{"dimension": 3}'')', 'unmeasured'), says('dp_halfspace(features, y, 1.0, 0, ''{"groups": [1, 2]}'')', 'unmeasured'),
  says('dp_halfspace(ARRAY[features[1], features[2]], y, 1.0, 0)', 'unmeasured'),
  says('dp_halfspace(dpobj.features(''{"id": {"bins": [10, 20]}, "y": {}}'', u), y, 1.0, 0)', 'unmeasured u');
SELECT says('dp_halfspace(features, y, 1.0, 0, ''{"adjacency": "add_remove"}'')', 'measured'),
  says('dp_halfspace(features, y, 1.0, 0, ''{"clip": [[0, 1], [-1, 1], [0, 1]]}'')', 'measured');
SELECT says('dp_halfspace(features, y, 1.0, 0, ''{"dimension": 3, "time_limit": 99, "memory_limit": 999}'')', 'unmeasured');

-- Constraints that fix the dimension, and constraints that do not.
CREATE TABLE tape (id integer, features float8[], coarse numeric[], y boolean);
INSERT INTO tape SELECT id, features, features, y FROM measured WHERE id > 3;
CREATE TABLE shorter (CHECK (false) NO INHERIT) INHERITS (tape);
CREATE TABLE trunk (LIKE tape) PARTITION BY RANGE (id);
CREATE TABLE trunk_1 PARTITION OF trunk FOR VALUES FROM (0) TO (30);
CREATE TABLE trunk_2 (y boolean, coarse numeric[], features float8[], id integer);
ALTER TABLE trunk ATTACH PARTITION trunk_2 DEFAULT;
INSERT INTO trunk SELECT * FROM tape;
CREATE FUNCTION with_check(relation regclass, condition text, how text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
  EXECUTE format('ALTER TABLE %s ADD CONSTRAINT tried CHECK (%s) %s', relation, condition, how);
  answer := says('dp_halfspace(features, y, 1.0, 0)', CASE relation WHEN 'trunk_1'::regclass THEN 'trunk' ELSE relation::text END);
  EXECUTE format('ALTER TABLE %s DROP CONSTRAINT tried', relation);
  RETURN answer;
END $$;
SELECT condition, with_check('tape', condition) FROM unnest(ARRAY['array_length(features, 1) = 3', '3 = cardinality(features)',
  'features IS NOT NULL AND (cardinality(features) = 3 AND id > 0)', 'cardinality(features) = 3 OR id > 70', 'cardinality(features) <= 3',
  'array_length(features, 2) = 3', 'cardinality(features) = id - id + 3', 'cardinality(coarse) = 3', 'array_ndims(features) = 1',
  '(cardinality(features) = 3) IS TRUE', 'cardinality(features) = 3 AND array_length(features, 1) > 2']) condition;
SELECT with_check('tape', 'cardinality(features) = 3', 'NOT VALID') AS unchecked, with_check('tape', 'cardinality(features) = 3', 'NO INHERIT') AS own_rows;
SELECT with_check('trunk', 'cardinality(features) = 3') AS of_all, with_check('trunk_1', 'cardinality(features) = 3') AS of_one;
ALTER TABLE trunk ADD CHECK (cardinality(features) = 3);
SELECT says('dp_halfspace(features, y, 1.0, 0)', 'trunk_2'), says('dp_halfspace(features, y, 1.0, 0)', 'trunk WHERE id > 40'),
  says('dp_halfspace(features, y, 1.0, 0)', '(SELECT * FROM trunk ORDER BY id) t WHERE false');
ALTER TABLE tape ADD CHECK (cardinality(coarse) = 3);
SELECT says('dp_halfspace(coarse, y, 1.0, 0, ''{"clip": [-1, 1]}'')', 'tape');
ALTER TABLE tape ADD CHECK (array_length(coarse, 1) > 0), ADD CHECK (array_length(coarse, 1) = 3);
SELECT says('dp_halfspace(coarse, y, 1.0, 0, ''{"clip": [-1, 1]}'')', 'tape');
DELETE FROM tape;
ALTER TABLE tape ADD CHECK (array_length(coarse, 1) = 2);
SELECT says('dp_halfspace(coarse, y, 1.0, 0, ''{"clip": [-1, 1]}'')', 'tape');
DROP TABLE measured, unmeasured, tape, shorter, trunk;
DROP FUNCTION says, with_check;
-- every function that takes a table or a role has its own error for an OID that does not exist
CREATE FUNCTION dangling(routine regprocedure, place integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  call text;
BEGIN
  SELECT format(CASE WHEN p.prokind = 'p' THEN 'CALL %s(%s)' ELSE 'SELECT %s(%s)' END, p.oid::regproc,
           string_agg(format(CASE WHEN a.place = $2 THEN '%1$I => %2$s::oid::%3$s' ELSE '%1$I => %2$L::%3$s' END, p.proargnames[a.place],
             CASE WHEN a.place = $2 THEN '4294967000'
                  WHEN a.type = 'regclass'::regtype THEN 'pg_class'
                  WHEN a.type IN ('regrole'::regtype, 'oid'::regtype) THEN '10'
                  WHEN p.proargnames[a.place] = 'accountant' THEN 'basic'
                  WHEN p.proargnames[a.place] = 'method' THEN 'logistic'
                  WHEN p.proargnames[a.place] = 'call' THEN 'count'
                  WHEN p.proargnames[a.place] = 'arguments' THEN '{"epsilon": 1}'
                  WHEN p.proargnames[a.place] IN ('schedule', 'cron') THEN '0 0 1 1 *'
                  WHEN p.proargnames[a.place] = 'delta' THEN '0'
                  WHEN a.type = 'jsonb'::regtype THEN '{}'
                  WHEN a.type = 'interval'::regtype THEN '1 day'
                  WHEN a.type = 'text[]'::regtype THEN '{a,b}'
                  WHEN a.type = 'text'::regtype THEN 'x'
                  WHEN a.type IN ('integer'::regtype, 'bigint'::regtype, 'numeric'::regtype) THEN '1'
                  END, a.type::regtype), ', ' ORDER BY a.place))
    INTO call
    FROM pg_proc p, unnest(p.proargtypes) WITH ORDINALITY a(type, place)
   WHERE p.oid = routine AND (a.place <= p.pronargs - p.pronargdefaults OR a.place = $2)
   GROUP BY p.oid, p.prokind;
  EXECUTE call;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
SELECT count(*) > 30 AS many, string_agg(format('%s %s: %s', t.routine, t.place, t.answer), E'\n') FILTER (WHERE t.answer ~ '^(XX|42601|0A000)') AS unclear
FROM (SELECT p.oid::regprocedure AS routine, a.place, dangling(p.oid, a.place::integer) AS answer
      FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
      JOIN pg_extension x ON x.oid = d.refobjid AND x.extname = 'dpobj'
      CROSS JOIN unnest(p.proargtypes) WITH ORDINALITY a(type, place)
      WHERE a.type IN ('regclass'::regtype, 'regrole'::regtype, 'oid'::regtype)) t;
DROP FUNCTION dangling(regprocedure, integer);

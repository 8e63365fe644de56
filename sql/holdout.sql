-- Holdout: rows dealt between training and rating by a keyed hash
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CALL login_roles('dpobj_holdout_ana');

-- Fifty rows of which each has a spot of its own, which is the label: a confusion table at epsilon 1000 has no noise
-- and tells which rows were read.
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE TABLE visit (id int, a float8, n numeric, r float4, d date, tz timestamptz, t text, e mood, free text, spot int, y boolean);
INSERT INTO visit SELECT i, i / 50.0, i / 4::numeric, i / 3.0, date '2026-01-01' + i, timestamptz '2026-01-01 00:00+00' + i * interval '1 hour',
  repeat('t', i % 5), (ARRAY['low', 'high'])[1 + i % 2]::mood, 'free', i, i % 50 > 25 FROM generate_series(1, 50) i;
SELECT $${"a": {}, "n": {"scale": 10}, "r": {"scale": 20}, "d": {"part": "month"}, "tz": {"part": "weekday"}, "t": {"levels": ["", "t", "tt", "ttt", "tttt"]},
  "e": {"levels": ["low", "high"]}, "y": {}}$$::jsonb || jsonb_build_object('spot', jsonb_build_object('levels', (SELECT jsonb_agg(i) FROM generate_series(1, 50) i))) AS encoders \gset
SELECT dpobj.protect('visit', :'encoders');
SELECT dpobj.set_budget('visit', 'dpobj_holdout_ana', 1000000, 0);
-- The key is random and secret; a fixed one makes this test repeatable.
SELECT count(DISTINCT holdout_key) = count(*) AS different, bool_and(uuid_send(holdout_key) <> '\x00000000000000000000000000000000') AS random FROM dpobj.identities;
SELECT has_table_privilege('dpobj_holdout_ana', 'dpobj.identities', 'SELECT') OR has_table_privilege('dpobj_admin', 'dpobj.identities', 'SELECT') AS readable;
CREATE PROCEDURE fix_key(relation text) LANGUAGE sql AS $$
  UPDATE dpobj.identities SET holdout_key = '00010203-0405-0607-0809-0a0b0c0d0e0f' WHERE kind = 'table' AND name = relation $$;
CALL fix_key('public.visit');
CREATE FUNCTION held(options jsonb, relation text DEFAULT 'visit', model text DEFAULT 'spots') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(spot::text || CASE WHEN rows > 1 THEN 'x' || rows ELSE '' END, ' ' ORDER BY spot)
    FROM (SELECT label::int AS spot, sum(rows) AS rows FROM dpobj.confusion(model, relation::regclass, 1000, NULL, options) GROUP BY label) s WHERE rows > 0
$$;

-- A training, its price, charge and details.
\c - dpobj_holdout_ana
SELECT (model).details -> 'holdout' AS holdout, (model).details -> 'holdout_by' AS by, (model).details -> 'options' AS options, (model).details -> 'coverage' AS coverage, (model).epsilon
  FROM (SELECT dpobj.train('visit', 'spot', 1000, '{a}', method => 'softmax', options => '{"holdout": 0.3, "coverage_epsilon": 500}', name => 'spots') AS model) m;
SELECT p -> 'holdout' AS holdout, p -> 'epsilon' AS epsilon, p -> 'coverage_epsilon' AS coverage
  FROM dpobj.price('visit', 'y', 1, '{a}', options => '{"holdout": 0.25, "coverage_epsilon": 0.1}') p;
SELECT method, p -> 'holdout' AS holdout, p -> 'epsilon' AS epsilon
  FROM unnest('{accuracy,confusion,select,auc,calibration,residuals}'::text[]) method,
       LATERAL dpobj.price('visit', CASE method WHEN 'residuals' THEN 'a' ELSE 'y' END, 1, method => method,
         options => '{"holdout": 0.25}'::jsonb || CASE method WHEN 'select' THEN '{"models": 2}'::jsonb ELSE '{}' END) p;

-- The rows that are held out, and the others, are all rows; so many as usable rows were counted; shares are nested.
SELECT held(NULL) AS held_out, held('{"holdout": 0.3}') = held(NULL) AS the_same;
SELECT held('{"holdout": false}') AS all_rows;
SELECT h, held(format('{"holdout": %s}', h)::jsonb) FROM unnest('{0.001,0.1,0.2,0.5,0.999}'::numeric[]) h;
SELECT parameters -> 'evaluation' AS kind, parameters -> 'holdout' AS holdout, count(*), min(epsilon) AS epsilon FROM dpobj.ledger
  WHERE event = 'charged' AND parameters ? 'evaluation' GROUP BY 1, 2 ORDER BY 2 NULLS LAST;

-- The side depends on values alone: not on settings, on the columns that a request names, on the place of a row or of
-- a column, nor on columns that are not declared.
SELECT held('{"holdout": 0.5}') AS before \gset
SET DateStyle = 'German, DMY';
SET TimeZone = 'Asia/Tokyo';
SET extra_float_digits = -3;
SET bytea_output = 'escape';
SELECT held('{"holdout": 0.5}') = :'before' AS the_same;
SELECT count(*) FROM dpobj.train('visit', 'spot', 1000, '{r}', method => 'softmax', options => '{"holdout": 0.5}', name => 'other columns');
SELECT held(NULL, model => 'other columns') = :'before' AS the_same;
\c - postgres
ALTER TABLE visit RENAME free TO spare;
UPDATE visit SET spare = 'changed', id = id + 1000 WHERE id % 2 = 0;
CREATE TABLE copied AS SELECT * FROM visit ORDER BY random();
TRUNCATE visit;
ALTER TABLE visit DROP spare, ADD late int DEFAULT 7;
INSERT INTO visit (y, spot, e, t, tz, d, r, n, a, id) SELECT y, spot, e, t, tz, d, r, (n::text || '000')::numeric, a, id FROM copied ORDER BY a DESC;
VACUUM FULL visit;
ALTER TABLE visit RENAME TO stay;
ALTER TYPE mood RENAME TO temper;
\c - dpobj_holdout_ana
SELECT held('{"holdout": 0.5}', 'stay') = :'before' AS the_same;
\c - postgres
ALTER TABLE stay RENAME TO visit;
-- the declaration goes and comes back, and so does the table: its identity has the key
SELECT dpobj.drop_budget('visit', 'dpobj_holdout_ana');
SELECT dpobj.unprotect('visit');
CREATE TABLE another AS SELECT * FROM visit;
DROP TABLE visit;
ALTER TABLE another RENAME TO visit;
SELECT dpobj.protect('visit', :'encoders');
SELECT dpobj.set_budget('visit', 'dpobj_holdout_ana', 1000000, 0);
\c - dpobj_holdout_ana
SELECT held('{"holdout": 0.5}') = :'before' AS the_same, held(NULL) = held('{"holdout": 0.3}') AS left_out;
-- partitions, whose columns have another order
\c - postgres
CREATE TABLE parts (LIKE visit) PARTITION BY LIST (y);
CREATE TABLE parts_true PARTITION OF parts FOR VALUES IN (true);
CREATE TABLE parts_false (junk int, late int, y boolean, spot int, e temper, t text, tz timestamptz, d date, r float4, n numeric, a float8, id int);
ALTER TABLE parts_false DROP junk;
ALTER TABLE parts ATTACH PARTITION parts_false FOR VALUES IN (false);
INSERT INTO parts SELECT * FROM visit;
SELECT dpobj.protect('parts', :'encoders');
CALL fix_key('public.parts');
SELECT dpobj.set_budget('parts', 'dpobj_holdout_ana', 1000000, 0);
\c - dpobj_holdout_ana
SELECT held('{"holdout": 0.5}', 'parts') = :'before' AS the_same;

-- A value of each type, at the least share where it is held out and below; computed by another program.
\c - postgres
CREATE TYPE word AS ENUM ('ok');
CREATE TABLE value (name text, type text, value text, share numeric);
INSERT INTO value VALUES ('k1', 'boolean', 'true', 0.759), ('k2', 'smallint', '1', 0.759), ('k3', 'integer', '1', 0.759), ('k4', 'bigint', '1', 0.759),
  ('k5', 'bigint', '-1', 0.808), ('k6', 'date', '2000-01-02', 0.759), ('k7', 'timestamp', '2000-01-01 00:00:00.000001', 0.759),
  ('k8', 'timestamptz', '2000-01-01 00:00:00.000001+00', 0.759), ('k9', 'real', '0.5', 0.155), ('k10', 'double precision', '0.5', 0.155), ('k11', 'double precision', '-0', 0.284),
  ('k12', 'double precision', 'NaN', 0.050), ('k13', 'real', '-NaN', 0.050), ('k14', 'numeric', '2.500', 0.513), ('k15', 'numeric', 'NaN', 0.023), ('k25', 'numeric', '-2.5', 0.113), ('k26', 'numeric(60, 30)', '1.00000000000000000001', 0.075), ('k16', 'text', 'straße', 0.320),
  ('k17', 'varchar(20)', 'straße', 0.320), ('k18', 'char(20)', 'straße', 0.320), ('k19', 'text', 'ok', 0.900), ('k20', 'word', 'ok', 0.900),
  ('k21', 'uuid', '5b1dd4a2-0d8c-4c0c-9d3a-4b4f1f6a7c11', 0.622), ('k22', 'bytea', '\x00ff', 0.012), ('k23', 'text', '', 0.331), ('k24', 'text', NULL, 0.118);
DO $$
DECLARE v value;
BEGIN
  FOR v IN SELECT * FROM value LOOP
    EXECUTE format('CREATE TABLE %I AS SELECT %L::%s AS key, true AS y, 1::float8 AS a', v.name, v.value, v.type);
    PERFORM dpobj.protect(v.name::regclass, '{"a": {}, "y": {}}', holdout_by => 'key');
    CALL fix_key('public.' || v.name);
    PERFORM dpobj.set_budget(v.name::regclass, 'dpobj_holdout_ana', 1000000, 0);
    COMMIT;
  END LOOP;
END $$;
GRANT SELECT ON value TO PUBLIC;
SELECT relation, holdout_by FROM dpobj.protected WHERE relation = 'k1'::regclass;
SELECT parameters -> 'holdout_by' AS holdout_by FROM dpobj.ledger WHERE event = 'protect' AND relation_name = 'public.k1';
\c - dpobj_holdout_ana
SELECT (dpobj.train('k1', 'y', 1000, '{a}', method => 'halfspace', options => '{"holdout": 0.77}', name => 'k')).details -> 'holdout_by' AS by;
CREATE FUNCTION pg_temp.rows_at(relation text, share numeric) RETURNS bigint LANGUAGE sql AS $$
  SELECT sum(rows)::bigint FROM dpobj.confusion('k', relation::regclass, 1000, options => jsonb_build_object('holdout', share)) $$;
SELECT type, coalesce(value, '(null)') AS value, share, pg_temp.rows_at(name, share) AS at, pg_temp.rows_at(name, share - 0.001) AS below FROM value ORDER BY substr(name, 2)::int;

-- On the table of its training a model is rated on what it left out, on another on all rows.
SELECT dpobj.train('k2', 'y', 1000, '{a}', method => 'halfspace', options => '{"holdout": 0.77}', name => 'k two') IS NOT NULL AS trained;
SELECT n, pg_temp.rows_at(n, 0.759) AS held_out, (SELECT sum(rows)
  FROM dpobj.confusion('k two', n::regclass, 1000, name => 'default ' || n)) AS by_default FROM unnest('{k2,k5}'::text[]) n;
SELECT name, holdout FROM dpobj.evaluations WHERE name ~ 'default' ORDER BY 1;

-- Persons are on one side with all their rows.
\c - postgres
CREATE TABLE stay AS SELECT p.spot AS who, p.spot, i / 5.0 AS a FROM visit p, generate_series(1, 5) i;
SELECT dpobj.protect('stay', jsonb_build_object('a', '{"clip": [0, 1]}'::jsonb, 'spot', jsonb_build_object('levels', (SELECT jsonb_agg(i) FROM generate_series(1, 50) i))),
  person => 'who', max_rows_per_person => 5);
CALL fix_key('public.stay');
SELECT dpobj.set_budget('stay', 'dpobj_holdout_ana', 1000000, 0);
\c - dpobj_holdout_ana
SELECT details -> 'holdout' AS holdout, details -> 'holdout_by' AS by, details -> 'person' AS person
  FROM dpobj.train('stay', 'spot', 5000, '{a}', method => 'softmax', options => '{"holdout": 0.3}', name => 'persons');
CREATE FUNCTION pg_temp.persons(options jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(spot || 'x' || rows, ' ' ORDER BY spot)
    FROM (SELECT label::int AS spot, sum(rows) AS rows FROM dpobj.confusion('persons', 'stay', 5000, NULL, options) GROUP BY label) s WHERE rows <> 0 $$;
SELECT pg_temp.persons(NULL) AS held_out;

-- Of several models the least share counts.
SELECT count(*) FROM (SELECT dpobj.train('visit', 'y', 1000, '{a}', method => 'logistic', options => o, name => n)
  FROM (VALUES ('half', '{"holdout": 0.5}'::jsonb), ('fifth', '{"holdout": 0.2}'), ('whole', '{}')) v(n, o)) t;
SELECT dpobj.train('visit', 'a', 1000, '{y}', method => 'linear', options => '{"holdout": 0.5}', name => 'line') IS NOT NULL AS trained;
SELECT dpobj.evaluate('half', 'visit', 1000) > 0.7 AS evaluate, dpobj.select('{half,fifth,whole}', 'visit', 1000) IS NOT NULL AS "select",
       dpobj.select('{half,whole}', 'visit', 1000, options => '{"holdout": 0.9}') IS NOT NULL AS at_share, dpobj.select('{half,whole}', 'visit', 1000, options => '{"holdout": false}') IS NOT NULL AS "all",
       dpobj.evaluate('whole', 'visit', 1000) > 0.7 AS whole, dpobj.evaluate('line', 'visit', 1000) > 0.3 AS r_squared;
SELECT count(*) > 0 AS auc FROM dpobj.auc('half', 'visit', 1000);
SELECT count(*) > 0 AS auc FROM dpobj.auc('half', 'visit', 1000, options => '{"holdout": false}');
SELECT sum(rows) AS rows FROM dpobj.calibration('half', 'visit', 1000);
SELECT sum(rows) AS rows FROM dpobj.calibration('half', 'visit', 1000, options => '{"holdout": 0.2, "bins": 2}');
SELECT count(*) > 0 AS residuals FROM dpobj.residuals('line', 'visit', 1000, options => '{"holdout": 0.1}');
SELECT models, kind, holdout FROM dpobj.evaluations WHERE NOT models && '{spots,other columns,persons,k,k two}' ORDER BY release;
SELECT model, kind, holdout FROM dpobj.model_history WHERE model = 'half' ORDER BY release;
SELECT t ~ 'from +public.visit, [-0-9]+, 0.5 of the rows held out' AS trained, t ~ 'rated +auc [^r]*rows held out at\s+0.5\n' AS rated_by_default FROM dpobj.show('half') t;
-- Groups, jobs and schedules.
SELECT key, (model).details -> 'holdout' AS holdout, (model).details -> 'holdout_by' IS NOT NULL AS by
  FROM dpobj.train_groups('visit', 'y', 1000, '{a}', method => 'halfspace', options => '{"holdout": 0.3}', name => 'group', by => '{e}');
SELECT sum(rows) AS held_out FROM dpobj.confusion('group{low}', 'visit', 1000, '{"e": {"=": "low"}}');
SELECT dpobj.submit('train', 'visit', '{"label": "y", "epsilon": 1000, "features": ["a"], "method": "halfspace", "options": {"holdout": 0.3}}', 'job') AS job \gset
SELECT dpobj.wait(:job, '1 min');
SELECT (model).details -> 'holdout' AS holdout FROM dpobj.models WHERE name = 'job';
SELECT dpobj.submit('evaluate', 'visit', '{"model": "job", "epsilon": 1000, "options": {"holdout": 0.1}}', 'rating') AS job \gset
SELECT dpobj.wait(:job, '1 min');
SELECT holdout FROM dpobj.evaluations WHERE name = 'rating';
SELECT dpobj_internal.schedule_put('train', 'visit', '{"label": "y", "epsilon": 1000, "features": ["a"], "method": "halfspace", "options": {"intercept": false, "holdout": 0.3}}', 'yearly', '0 0 1 1 *', NULL, NULL);
CALL dpobj.run_schedule('yearly');
SELECT (model).details -> 'holdout' AS holdout FROM dpobj.models WHERE name ~ '^yearly';

-- Usable rows are counted among those that train: no WARNING; by default where their expected number suits.
\c - postgres
SELECT dpobj.protect('visit', :'encoders', n => 3000);
\c - dpobj_holdout_ana
SELECT h, p -> 'coverage_epsilon' AS coverage FROM unnest('{0.001,0.5,0.9,0.999}'::numeric[]) h, dpobj.price('visit', 'y', 5, '{a}', options => jsonb_build_object('holdout', h, 'rate', 0, 'force', true)) p;
SELECT details -> 'coverage' ->> 'usable' AS usable FROM dpobj.train('visit', 'y', 1000, '{a}', options => '{"rate": 0, "holdout": 0.9, "coverage_epsilon": 500}');

-- What is refused.
SELECT * FROM answers($$SELECT dpobj.train('visit', 'y', 1, '{a}', options => '{"holdout": %}')$$, '0', '1', '-0.1', '0.0001', '0.2505', '1.5', '"0.2"', 'null', 'true', '[0.2]', '1e400');
SELECT * FROM answers($$SELECT dpobj.evaluate('half', 'visit', 1, options => '{"holdout": %}')$$, '0', '1', '0.0001', 'true', 'null', '"all"');
SELECT * FROM answers($$SELECT dpobj.%$$, $q$select('{half,fifth}', 'visit', 1, options => '{"confidence": 0.9}')$q$, $q$auc('half', 'visit', 1, options => '{"holdout": 2}')$q$,
  $q$count('visit', 1, options => '{"holdout": 0.2}')$q$, $q$price('visit', 'y', 1, method => 'accuracy', options => '{"holdout": 0}')$q$,
  $q$price_aggregate('halfspace', 3, 1, 0, '{"holdout": 0.2}')$q$, $q$price_aggregate('accuracy', 1, 1, 0, '{"holdout": 0.2}')$q$);
SELECT sum(epsilon) - 1000 * count(*) FILTER (WHERE epsilon = 1000) - 5000 * count(*) FILTER (WHERE epsilon = 5000) AS other_charges FROM dpobj.ledger WHERE event = 'charged';
\c - postgres
SELECT dp_halfspace(ARRAY[a], y, 1, 0, '{"holdout": 0.2}') FROM visit;
SELECT * FROM answers($$SELECT dpobj.protect('k1', '{"a": {}, "y": {}}', %)$$, $$holdout_by => 'nothing'$$, $$holdout_by => ''$$,
  $$person => 'key', max_rows_per_person => 1, holdout_by => 'a'$$);
ALTER TABLE k1 ADD note json;
SELECT dpobj.protect('k1', '{"a": {}, "y": {}}', holdout_by => 'note');

-- A declaration that deals rows by other columns, or whose columns are gone.
SELECT dpobj.protect('k1', '{"a": {}, "y": {}}', holdout_by => 'a');
SELECT dpobj.protect('visit', :'encoders'::jsonb - 'tz');
\c - dpobj_holdout_ana
SELECT * FROM answers('SELECT %', $$dpobj.evaluate('k', 'k1', 1000)$$, $$dpobj.evaluate('half', 'visit', 1000)$$,
  $$dpobj.select('{half,whole}', 'visit', 1000)$$, $$auc FROM dpobj.auc('half', 'visit', 1000)$$);
SELECT dpobj.evaluate('half', 'visit', 1000, options => '{"holdout": false}') > 0.7 AS all_rows, dpobj.evaluate('half', 'visit', 1000, options => '{"holdout": 0.5}') > 0.7 AS held_out_now;
\c - postgres
ALTER TABLE visit DROP d;
ALTER TABLE k1 RENAME a TO b;
\c - dpobj_holdout_ana
SELECT * FROM answers($$SELECT dpobj.%$$, $q$train('visit', 'y', 1, '{a}', options => '{"holdout": 0.2}')$q$, $q$price('visit', 'y', 1, '{a}', options => '{"holdout": 0.2}')$q$,
  $q$price('visit', NULL, 1, method => 'accuracy', options => '{"holdout": 0.2}')$q$, $q$evaluate('half', 'visit', 1, options => '{"holdout": 0.2}')$q$);
SELECT dpobj.train('visit', 'y', 1000, '{a}', method => 'halfspace') IS NOT NULL AS without_it;
\c - postgres
ALTER TABLE stay RENAME who TO person;
\c - dpobj_holdout_ana
SELECT dpobj.train('stay', 'spot', 1, '{a}', method => 'softmax', options => '{"holdout": 0.2}');
\c - postgres
DROP OWNED BY dpobj_holdout_ana;
DROP ROLE dpobj_holdout_ana;

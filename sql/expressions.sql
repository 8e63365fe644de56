-- Which expressions are allowed on the rows of a training set, and which on those of a protected table
\i tests/answers.sql
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN positive AS float8 CHECK (VALUE > 0);
CREATE DOMAIN plain AS float8;
CREATE TYPE pair AS (x integer, y integer);
CREATE TYPE span AS RANGE (subtype = float8, subtype_diff = float8mi);
CREATE SEQUENCE specimen_counter;
CREATE TABLE specimen (id integer PRIMARY KEY, age integer, pay numeric, score float8, city text, code char(4), feeling mood,
  seen date, at timestamptz, marks float8[], ill boolean, both_of pair, during span, weight plain, note jsonb);
INSERT INTO specimen SELECT i, i % 90, i * 10, i / 100.0, 'c' || i % 3, 'x', CASE WHEN i % 2 = 0 THEN 'sad' ELSE 'happy' END::mood,
  date '2020-01-01' + i, timestamptz '2020-01-01 00:00+00' + i * interval '1 day', ARRAY[i / 200.0, 0.5], i % 2 = 0, ROW(i, i)::pair,
  span(0, i), i, '{"a": 1}'
FROM generate_series(1, 200) i;
ANALYZE specimen;
CREATE FUNCTION mine(float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN $1; END $$;
CREATE FUNCTION mine_inlined(float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT $1 / 2 $$;
CREATE FUNCTION mine_sure(float8) RETURNS boolean LANGUAGE plpgsql IMMUTABLE LEAKPROOF AS $$ BEGIN RETURN true; END $$;
CREATE FUNCTION mine_settled() RETURNS numeric LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN 1; END $$;
CREATE FUNCTION is_mine(pair, pair) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN true; END $$;
CREATE OPERATOR ~~~ (LEFTARG = pair, RIGHTARG = pair, FUNCTION = is_mine);

-- Trains on the features and the label of the rows that a condition lets through,
-- and prints what came out: kind and adjacency of the model, or the rule and the hint.
CREATE FUNCTION train(features text, label text DEFAULT 'ill', condition text DEFAULT 'true',
  options text DEFAULT '{"dimension": 1, "clip": [-1, 1]}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE m dp_model; message text; rule text; hint text;
BEGIN
  EXECUTE format('SELECT (dp_halfspace(%s, %s, 0.01, 0, %L)).* FROM specimen v WHERE %s', features, label, options, condition) INTO m;
  RETURN m.kind || ' ' || m.adjacency;
EXCEPTION WHEN SQLSTATE 'UB003' OR SQLSTATE '22023' THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, rule = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN concat_ws(' | ', CASE WHEN SQLSTATE = '22023' THEN message END, rule, hint);
END $$;

-- Allowed.
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'released' \gset
SELECT features, train(features) FROM unnest(ARRAY[
  'ARRAY[score]', 'ARRAY[score / 2 - 1]', 'ARRAY[age::float8 / 100]', 'ARRAY[pay::float8 / 2000]', 'ARRAY[(pay / 2000)::float8]',
  'ARRAY[CASE WHEN age > 30 THEN 1 WHEN age IS NULL THEN 0 ELSE -1 END]', $$ARRAY[CASE city WHEN 'c1' THEN 1.0 ELSE 0.0 END::float8]$$,
  'ARRAY[coalesce(score, 0)]', 'ARRAY[greatest(least(score, 1), 0)]', $$ARRAY[(city = 'c1')::integer]$$, 'ARRAY[nullif(score, 1)]']) features;
SELECT train('ARRAY[ln(score + 1), sqrt(abs(score))]', options => '{"dimension": 2}');
SELECT train($$ARRAY[(feeling = 'happy')::int, (feeling > 'sad')::int]$$, options => '{"dimension": 2, "clip": [0, 1]}');
SELECT train('ARRAY[marks[1]]');
SELECT train('marks', options => '{}');
SELECT train('marks[1:1]');
SELECT train('ARRAY[marks, marks]');
SELECT train('array_append(marks, score)', options => '{"dimension": 3}');
SELECT train('ARRAY[(both_of).x]');
SELECT train('ARRAY[weight]');
SELECT train('ARRAY[extract(year FROM seen)]', options => '{"scale": 100, "center": 2000, "dimension": 1}');
SELECT train('ARRAY[length(city)]');
SELECT train('ARRAY[age::text::float8 / 100]');
SELECT train('ARRAY[score]', 'age::bigint % 2');
SELECT train('ARRAY[score]', 'v IS NOT NULL');
SELECT condition, train('ARRAY[score]', condition => condition) FROM unnest(ARRAY[
  $$upper(city) LIKE 'C1%' OR 'x'::bpchar = code$$, $$ill AND NOT age > 3 OR city ~ '^c' IS TRUE$$,
  'age = ANY (ARRAY[1, 2, 3]) OR age IS DISTINCT FROM 4', $$seen > current_date - 30 OR seen BETWEEN '2020-01-01' AND '2020-02-01'$$,
  $$at > now() - interval '1 year' OR at > '2020-03-01'::date$$, $$note @> '{"a": 1}' AND note['a'] = '1' AND during IS NOT NULL$$]) condition;
SELECT train($$dpobj.features('{"age": {"scale": 100}}', v)$$);
SELECT train('ARRAY[score]', $$dp_score(ROW('halfspace', 'x', ARRAY[1], 0, 0, '', '', 0, '{}')::dp_model, ARRAY[score]) > 0.5$$);
SELECT count(*) - :before AS released FROM dpobj.ledger WHERE event = 'released';

-- Refused: whatever is of the user's own, volatile, or could read a table.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT train('ARRAY[mine(score)]');
-- also if the planner would compute or inline it
SELECT train('ARRAY[mine_inlined(score)]');
SELECT train('ARRAY[score]', condition => 'id > 7 AND mine(3) > 2');
SELECT train('ARRAY[score]', 'mine_sure(score)');
SELECT train('ARRAY[score]', condition => 'mine(score) > 1');
SELECT train('ARRAY[score]', condition => 'mine_sure(score) AND id = 3');
SELECT train('ARRAY[random()]');
SELECT condition, train('ARRAY[score]', condition => condition) FROM unnest(ARRAY[
  'random() < 2', 'pg_sleep(0) IS NOT NULL', 'pg_notify(city, city) IS NOT NULL', 'clock_timestamp() > at', $$nextval('specimen_counter') > 0$$]) condition;
SELECT train($$ARRAY[length(table_to_xml('specimen', true, true, '')::text)]$$);
SELECT condition, train('ARRAY[score]', condition => condition) FROM unnest(ARRAY[
  $$to_regclass(city) IS NULL$$, $$at::text > '2'$$, $$to_char(at, 'YYYY') = '2020'$$, $$city <> current_setting('search_path')$$]) condition;
SELECT label, train('ARRAY[score]', label) FROM unnest(ARRAY[
  'both_of ~~~ both_of', 'both_of = ROW(1, 2)::pair', 'ROW(age, id) < ROW(3, 4)', 'v = v', 'ARRAY[both_of] = ARRAY[both_of]', 'during && span(1, 2)',
  'greatest(both_of, both_of) IS NULL', $$both_of::text = '(1,1)'$$]) label;
SELECT train('ARRAY[score::positive]');
SELECT train('ARRAY[(SELECT max(score) FROM specimen)]');
SELECT train('ARRAY[score]', condition => 'score IN (SELECT score FROM specimen WHERE ill)');
SELECT train('ARRAY[score]', condition => 'score > (SELECT avg(score) FROM specimen)');
SELECT train('(SELECT array_agg(m) FROM unnest(marks) AS m)');
SELECT train('dpobj.features(note, v)');
SELECT train('ARRAY[score]', 'dpobj_internal.sees_all()');
SELECT train('ARRAY[score]', condition => 'xmlelement(name a, city) IS NOT NULL');
-- arguments that must be constant
SELECT * FROM answers('SELECT dp_halfspace(ARRAY[score], ill, %) FROM specimen',
  'mine_settled(), 0', $$current_setting('server_version_num')::numeric, 0$$, $$length(table_to_xml('specimen', true, true, '')::text), 0$$,
  $$1.0, 0, (SELECT '{}'::jsonb)$$, '1.0, 0, note');

-- An index changes nothing: its expressions are checked, too.
CREATE INDEX specimen_mine ON specimen (mine(score));
CREATE INDEX specimen_part ON specimen (age) WHERE mine_sure(score);
SET enable_seqscan = off;
SELECT train('ARRAY[score]', condition => 'mine(score) > 1');
SELECT train('ARRAY[score]', condition => 'age = 3 AND mine_sure(score)');
SET enable_bitmapscan = off;
SELECT train('ARRAY[score]', condition => 'mine(score) > 1');
SELECT train('ARRAY[score]', condition => 'age = 3 AND mine_sure(score)');
SELECT count(*) - :before AS events FROM dpobj.ledger;
CREATE INDEX specimen_age ON specimen (age) WHERE id > 0;
SELECT train('ARRAY[score]', condition => 'age = 3 AND id > 0');
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP INDEX specimen_mine, specimen_part;

-- A protected table: plain columns, comparisons, and what is proved silent.
-- A second table, because rows that were charged under replace cannot be protected under add_remove.
ALTER TABLE specimen RENAME TO specimen_plain;
CREATE TABLE specimen AS TABLE specimen_plain;
SELECT dpobj.protect('specimen', '{"age": {"scale": 100}, "ill": {}}', 'add_remove');
SELECT train('ARRAY[score]');
SELECT train('ARRAY[score, age, abs(-score)]', options => '{"dimension": 3, "clip": [0, 1]}');
SELECT train($$ARRAY[(city = 'c1')::int, (pay > 30)::int, (feeling = 'happy')::int]$$, options => '{"dimension": 3, "clip": [0, 1]}');
SELECT train('ARRAY[CASE WHEN age > 30 THEN 1 ELSE 0 END]', $$code = 'x'$$);
SELECT train('ARRAY[marks[1]]', condition => $$seen > '2020-02-01' AND age IN (1, 2, 3) OR ill IS NULL$$);
SELECT train($$dpobj.features('{"age": {"scale": 100}, "pay": {"scale": 1000}}', v)$$, options => '{"dimension": 2}');
SELECT train('marks', options => '{}');
SELECT train('marks', options => '{"dimension": 2, "adjacency": "add_remove"}');
SELECT train('ARRAY[score]', condition => 'greatest(age, 3) > 2 AND tableoid > 0::oid');
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT train('marks', options => '{"dimension": 2, "adjacency": "replace"}');
SELECT train('ARRAY[score / 2]');
SELECT train('ARRAY[pay::float8]');
SELECT train('ARRAY[score]', 'age + 1 > 3');
SELECT train('ARRAY[score]', condition => '10 / (age + 1) >= 0');
SELECT train('ARRAY[score]', condition => 'sqrt(score) > 0');
SELECT train('ARRAY[score]', $$city LIKE 'c%'$$);
SELECT train('ARRAY[score]', $$upper(city) = 'C1'$$);
SELECT train('ARRAY[score]', 'mine_sure(score)');
SELECT train('ARRAY[score]', condition => $$NOT ill OR city::integer > 3$$, options => '{"dimension": 1}');
SELECT train('ARRAY[score]', $$least(feeling, 'sad') = 'sad'$$);
SELECT train('ARRAY[score]', 'at > seen');
SELECT train('ARRAY[marks, marks]');
SELECT train('ARRAY[score]', condition => $$ctid < '(1,1)'$$);
SELECT train('ARRAY[score]', $$xmin = '700'$$);
SELECT train('dpobj.features(note, v)');
SELECT train('ARRAY[score]', $$dp_score(ROW('halfspace', 'x', ARRAY[1], 0, 0, '', '', 0, '{}')::dp_model, ARRAY[score]) > 0.5$$);
SELECT dp_halfspace(ARRAY[score], ill, 1.0, 0, '{"dimension": 1}') FROM (SELECT * FROM specimen ORDER BY feeling OFFSET 0) AS v;
SELECT dp_halfspace(ARRAY[score], ill, 1.0, 0, '{"dimension": 1}') FROM (SELECT * FROM specimen ORDER BY both_of OFFSET 0) AS v;
SELECT count(*) - :before AS events FROM dpobj.ledger;
SELECT (dp_halfspace(ARRAY[score], ill, 1.0, 0, '{"dimension": 1}')).kind FROM (SELECT * FROM specimen ORDER BY age, city OFFSET 0) AS v;

-- Protected through an ancestor, or as a child.
CREATE TABLE specimen_child () INHERITS (specimen);
CREATE TABLE elder (ill boolean, score float8);
ALTER TABLE specimen INHERIT elder;
CREATE FUNCTION train_on(tables text, features text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m dp_model; rule text; hint text;
BEGIN
  EXECUTE format('SELECT (dp_halfspace(%s, ill, 0.01, 0, ''{"dimension": 1}'')).* FROM %s', features, tables) INTO m;
  RETURN m.kind || ' ' || m.adjacency || ' ' || (SELECT relation_name FROM dpobj.ledger WHERE id = m.release);
EXCEPTION WHEN SQLSTATE 'UB003' THEN
  GET STACKED DIAGNOSTICS rule = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN rule || ' | ' || hint;
END $$;
SELECT train_on('specimen_child', 'ARRAY[score]');
SELECT train_on('specimen_child', 'ARRAY[score / 2]');
SELECT train_on('elder', 'ARRAY[score]');
SELECT train_on('elder', 'ARRAY[score / 2]');
SELECT train_on('ONLY elder', 'ARRAY[score / 2]');
SELECT dpobj.protect('elder', '{"ill": {}}');
SELECT train_on('specimen', 'ARRAY[score]');
SELECT train_on('elder', 'ARRAY[score]');
SELECT train_on('ONLY elder', 'ARRAY[score]');
SELECT train_on('ONLY elder', 'ARRAY[score / 2]');
-- A table that is protected per person is refused.
CREATE TABLE tissue (LIKE specimen);
CREATE TABLE tissue_child () INHERITS (tissue);
SELECT dpobj.protect('tissue', '{"ill": {}}', person => 'id', max_rows_per_person => 2);
SELECT train_on('tissue', 'ARRAY[score]');
SELECT train_on('tissue_child', 'ARRAY[score]');
SELECT train_on('tissue WHERE false', 'ARRAY[score]');

SELECT dpobj.unprotect(t) FROM unnest('{specimen,elder,tissue}'::regclass[]) t;
DROP FUNCTION train(text, text, text, text), train_on(text, text);
SET client_min_messages = warning;
DROP TABLE specimen, specimen_plain, specimen_child, elder, tissue, tissue_child CASCADE;
DROP FUNCTION mine(float8), mine_inlined(float8), mine_sure(float8), mine_settled();
DROP TYPE pair, mood, span CASCADE;
DROP DOMAIN positive, plain;
DROP SEQUENCE specimen_counter;

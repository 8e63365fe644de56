-- parsers.sql - fuzzes what reads SQL's values: options, plans, encoders, filters, keys, models,
-- schedules, submissions, reports; and checks that the plain SQL of a model computes what the model computes.
--
--   psql -v inputs=2000 -v seed=0.5 -f tests/fuzz/parsers.sql
--
-- Each parser gets so many valid inputs, or fewer if it is slow, that have been changed a little.  An input may be refused,
-- with a SQLSTATE that is documented for it, or taken.  Anything else is a fault: another SQLSTATE
-- (XX000 above all), an answer that takes longer than a minute, the end of the session.  The seed
-- says which inputs are tried, whatever else goes on: check.sh tries the same ones each time.
\set QUIET 1
\set ON_ERROR_STOP 1
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
DROP EXTENSION IF EXISTS dpobj CASCADE;
CREATE EXTENSION dpobj;
\i tests/scan/functions.sql

-- statement: $1 is the input.  states: what refuses it, beside 22023 (invalid parameter value).
CREATE TEMP TABLE parser (name text PRIMARY KEY, statement text, states text[]);
CREATE TEMP TABLE seed (parser text, input text);
CREATE TEMP TABLE word (text text);
CREATE TEMP TABLE tried (parser text, taken boolean, state text, count bigint, PRIMARY KEY (parser, taken, state));
CREATE TEMP TABLE fault (parser text, state text, message text, input text);

-- ---- what is fuzzed ----

CREATE TYPE fuzz_mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE fuzz_visit (age integer, weight float8, cost numeric, day date, at timestamptz, sex text, mood fuzz_mood,
                         ill boolean, code char(3), hidden json);
INSERT INTO fuzz_visit
  SELECT 20 + i, i / 7.0, 10::numeric ^ (i - 15), date '2020-01-01' + i, timestamptz '2020-01-01' + i * interval '1 h',
         CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, 'ok', i % 3 = 0, 'x' || i, '{}' FROM generate_series(1, 30) i;
INSERT INTO fuzz_visit DEFAULT VALUES;
INSERT INTO fuzz_visit VALUES ('-2147483648', 'NaN', 'Infinity', '-infinity', 'infinity', '', NULL, NULL, NULL, NULL);
INSERT INTO fuzz_visit (weight, cost, ill) SELECT x, x::numeric, true FROM unnest('{0,-0,5e-324,-5e-324,1e-310,1e-300,-1e-290,0.0000076,1e18,1e290,
  -1e300,1.7976931348623157e308,-1.7976931348623157e308}'::float8[]) x;
INSERT INTO fuzz_visit (weight, cost, ill) VALUES ('Infinity', '4e-324', false), ('-Infinity', '-4e-324', false), (1, '2e-324', true), (0.5, '-1e400', true);
SELECT dpobj.set_budget('fuzz_visit', NULL, 1000, 0.001), dpobj.set_budget('fuzz_visit', session_user::regrole, 1000, 0.001) \gset ignored_
SELECT dpobj.protect('fuzz_visit', '{"age": {"bins": [30, 40]}, "weight": {"clip": [0, 5]}, "cost": {"scale": 100}, "day": {"epoch_of": "day", "scale": 20000},
  "at": {"epoch_of": "hour", "scale": 500000}, "sex": {"levels": ["f", "m"]}, "mood": {"levels": ["sad", "ok"]}, "ill": {}}') \gset ignored_
CREATE TABLE fuzz_row (features float8[], label boolean, target float8, key text);
INSERT INTO fuzz_row SELECT ARRAY[i % 2, 1 - i % 2], i % 3 = 0, 0.5, chr(97 + i % 3) FROM generate_series(1, 12) i;
CREATE TABLE fuzz_array AS SELECT ARRAY[a, b] AS features FROM fuzz_visit v(x, a), LATERAL (VALUES (a), (-a), (0.25)) w(b);
INSERT INTO fuzz_array VALUES (NULL), ('{}'), ('{1,2,3}');

-- Does a model name the types that the columns of fuzz_visit have?
CREATE FUNCTION pg_temp.same_types(model dp_model) RETURNS boolean LANGUAGE sql AS $$
  SELECT coalesce(bool_and(format_type(a.atttypid, NULL) = t.type), true)
    FROM jsonb_each_text(model.details -> 'types') t(name, type) JOIN pg_attribute a ON a.attrelid = 'fuzz_visit'::regclass AND a.attname = t.name
$$;

-- The statement of a model is the model to the last bit, on columns of the same types: what raises an error in one only, or differs,
-- is a fault.
CREATE FUNCTION pg_temp.same_score(model dp_model, relation text, score text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  statement text := dpobj.predict_sql(model, relation);
  different bigint;
BEGIN
  EXECUTE format('SELECT count(%s) FROM %s s', score, relation) USING model;
  BEGIN
    EXECUTE format('SELECT count(*) FROM (%s) s WHERE dp_score::text IS DISTINCT FROM (%s)::text', statement, score) INTO different USING model;
  EXCEPTION WHEN OTHERS THEN
    RAISE EXCEPTION '%: %', SQLERRM, statement USING ERRCODE = 'XX000';
  END;
  IF different > 0 THEN
    RAISE EXCEPTION '% rows have another score: %', different, statement USING ERRCODE = 'XX000';
  END IF;
END $$;

INSERT INTO parser VALUES
  ('features', 'SELECT dpobj.features($1::jsonb, v) FROM fuzz_visit v', '{}'),
  ('filter', 'SELECT scan_digest(''fuzz_visit'', ''ill'', NULL, $1::jsonb)', '{}'),
  ('protect', 'SELECT dpobj.protect(''fuzz_visit'', $1::jsonb)', '{UB003}'),
  ('price_plan', 'SELECT dpobj.price_plan($1::jsonb, 1e-6)', '{}'),
  ('model', 'SELECT dp_score($1::dp_model, ''{1,0.5}''), dp_predict($1::dp_model, ''{1,0.5}''),
                    dpobj_internal.model_hash($1::dp_model), dpobj.verify($1::dp_model)', '{2202E}'),
  ('model of details', 'SELECT dp_score(m, ''{1,0.5}''), dp_predict(m, ''{1,0.5}''), dpobj_internal.model_hash(m), dp_predict_proba(m, ''{1,0.5}'')
      FROM (SELECT ROW(''logistic'', ''objective'', ''{1,-2}'', 1, 0, ''replace'', ''exact'', 7, $1::jsonb)::dp_model AS m) s', '{}'),
  ('model as JSON', 'SELECT m::jsonb::dp_model, dpobj.verify(m), (SELECT count(*) FROM dpobj.scorecard(m)),
      pg_temp.same_score(m, ''fuzz_array'', ''CASE WHEN cardinality(features) = 2 THEN dp_score($1, features) END''),
      dpobj.show(m, ''json'')::jsonb, dpobj.show(m, ''pmml'')
      FROM (SELECT $1::jsonb::dp_model AS m) s', '{}'),
  ('model of columns', 'SELECT dpobj.predict(m, v), (SELECT count(*) FROM dpobj.scorecard(m)),
      dpobj.predict_sql(m, ''fuzz_visit''), CASE WHEN pg_temp.same_types(m) THEN pg_temp.same_score(m, ''fuzz_visit'',
        ''dpobj.score($1, ROW(s.age, s.weight, s.cost, s.day, s.at, s.sex, s.mood, s.ill, s.code, s.hidden)::fuzz_visit)'') END,
      dpobj.show(m, ''json'')::jsonb, dpobj.show(m, ''pmml'')
      FROM (SELECT $1::jsonb::dp_model AS m) s, fuzz_visit v', '{}'),
  ('schedule times', 'SELECT dpobj_internal.cron_time(cron, at), dpobj_internal.cron_time(cron, at, true), dpobj_internal.schedule_time(cron, at AT TIME ZONE ''GMT'')
      FROM (SELECT ($1::jsonb ->> ''at'')::timestamp AS at, (SELECT string_agg(f, '' '') FROM jsonb_array_elements_text($1::jsonb -> ''cron'') f) AS cron) s', '{22009}'),
  ('schedule', 'SELECT dpobj_internal.schedule_put(''train'', ''fuzz_visit'', jsonb ''{"label": "ill", "method": "halfspace"}'' || jsonb_strip_nulls(jsonb_build_object(''epsilon'', j -> ''epsilon'', ''delta'', j -> ''delta'', ''options'', j -> ''options'', ''filter'', j -> ''filter'')), ''fuzz'', ''30 3 * * *'', (j ->> ''allowance'')::numeric, (j ->> ''period'')::interval)
      FROM (SELECT $1::jsonb AS j) s', '{22009,22015}'),
  ('submission', 'SELECT dpobj.submit(''train'', ''fuzz_visit'', jsonb ''{"label": "ill"}'' || jsonb_strip_nulls(jsonb_build_object(''epsilon'', j -> ''epsilon'', ''delta'', j -> ''delta'', ''method'', j -> ''method'', ''options'', j -> ''options'', ''filter'', j -> ''filter'')), ''fuzz'') FROM (SELECT $1::jsonb AS j) s', '{UB001,54000}'),
  ('report', 'SELECT dpobj.verify_report($1::jsonb), dpobj.verify_report(report, $1::jsonb) FROM fuzz_report', '{}'),
  ('keys', 'SELECT dp_groups(key, features, label, 1.0, 0.0, $1::jsonb) FROM fuzz_row', '{UB003}');
INSERT INTO parser
  SELECT 'options of ' || method, format('SELECT dpobj.price_aggregate(%L, %s, 1.0, 1e-6, $1::jsonb)', method, d), '{}'
  FROM unnest('{halfspace,logistic,svm,classifier,simplex,linear,ftrl,select,accuracy,confusion,count,quantiles}'::text[], '{2,2,2,2,2,2,2,2,1,1,3,2}'::int[]) s(method, d);

INSERT INTO seed VALUES
  ('features', '{"age": {"bins": [25, 35, 45.5], "drop_first": true, "null": 30}}'),
  ('features', '{"weight": {"center": 1, "scale": 2.5, "clip": [-3, 3], "null": 0.5, "null_indicator": true}, "cost": {"clip": [0, 9]}}'),
  ('features', '{"day": {"epoch_of": "day", "scale": 365, "clip": [-1000, 1000]}, "at": {"epoch_of": "second", "bins": [0, 1e9]}}'),
  ('features', '{"sex": {"levels": ["f", "m", ""], "drop_first": false}, "mood": {"levels": ["sad"]}, "code": {"levels": ["x1 ", "x2"]}}'),
  ('features', '{"ill": {"null": true}, "age": {"positive": [21, 22]}, "sex": {"positive": ["f"], "negative": ["m"]}}'),
  ('filter', '{"age": {">=": 18, "<": 65}}'), ('filter', '{"sex": {"in": ["f", "m"]}, "mood": {"=": "ok"}}'),
  ('filter', '{"weight": {"<>": 1.5, "is null": false}, "cost": {">": 1e300}}'),
  ('filter', '{"day": {">": "2020-01-05"}, "at": {"<=": "2020-01-02 12:00+00"}, "ill": {"=": true}}'),
  ('filter', '{"code": {"in": ["x1", "x2"]}, "age": {"is null": true}}'),
  ('price_plan', '[{"method": "halfspace", "d": 3, "epsilon": 0.5, "delta": 0, "options": {"grid": "sign"}, "count": 100}]'),
  ('price_plan', '[{"method": "svm", "d": 2, "epsilon": 1, "delta": 1e-8, "options": {"noise": "gaussian"}, "count": 3}, {"method": "accuracy", "d": 1, "epsilon": 0.1, "count": 2}]'),
  ('model', '(halfspace,exponential,"{1,-1}",1,0,replace,exact,5,"{""center"": [0, 0], ""scale"": [1, 1], ""clip"": [[-1, 1], [-1, 1]]}")'),
  ('model', '(svm,sgd,"{0.5,0.5}",1,0.000001,add_remove,exact,9223372036854775807,"{""intercept"": false}")'),
  ('model', '(svm,output,"{NaN,-Infinity}",NaN,Infinity,"","",-1,{})'),
  ('model as JSON', '{"kind": "halfspace", "mechanism": "x", "weights": [1, -0.5], "epsilon": 1, "delta": 0, "adjacency": "replace", "guarantee": "exact",
    "release": 1, "details": {"encoding": {"center": [0, 1], "scale": [1, 2.5], "low": [-1, 0], "high": [1, 9], "intercept": false}}}'),
  ('model as JSON', '{"kind": "svm", "mechanism": "x", "weights": [1e-300, 2, 3], "epsilon": 1, "delta": 1e-8, "adjacency": "add_remove", "guarantee": "unproven",
    "release": 9223372036854775807, "details": {"encoding": {"center": [1e-300, -1e290], "scale": [1e290, 1e-300], "low": [-1024, -0.5], "high": [0, 1024], "intercept": true}}}'),
  ('model of columns', '{"kind": "halfspace", "mechanism": "x", "weights": [1, -2, 3, 0.25, 0.3, 7, -1e290, 1e-300], "epsilon": 1, "delta": 0, "adjacency": "replace",
    "guarantee": "exact", "release": 1, "details": {"features": ["age", "cost", "sex", "weight"], "relation": "fuzz_visit", "label": "ill",
    "types": {"age": "integer", "cost": "numeric", "sex": "text", "weight": "double precision"},
    "encoding": {"intercept": true, "low": [0, 0, -3, 0, 0, 0, -1], "high": [1, 1, 3, 1, 1, 1, 1]},
    "encoders": {"age": {"bins": [25, 45.5], "drop_first": true, "null": 30}, "cost": {"center": 1, "scale": 100, "clip": [-3, 3], "null_indicator": true},
      "sex": {"levels": ["f", "m"], "null": "m"}, "weight": {"scale": 2.5, "null": 0}}}}'),
  ('schedule times', '{"cron": ["30", "3", "*", "*", "mon-fri"], "at": "2026-11-21 03:30"}'),
  ('schedule times', '{"cron": ["*/15", "9-17/2", "1,13,31", "feb,dec", "*"], "at": "294276-12-31 08:00"}'),
  ('schedule times', '{"cron": ["0", "0", "*/2", "1,12", "7"], "at": "1969-12-31 23:59:59.9"}'), ('schedule times', '{"cron": ["@weekly"], "at": "4700-01-01 BC"}'),
  ('schedule', '{"epsilon": 0.5, "delta": 0, "options": {}, "filter": {"age": {">": 40}}, "allowance": 1, "period": "1 month"}'),
  ('schedule', '{"epsilon": 1e-3, "delta": 1e-9, "options": {"grid": "sign"}, "allowance": 0.5, "period": "1000 years -30 days 1 minute"}'),
  ('submission', '{"epsilon": 0.5, "delta": 0, "method": "halfspace", "options": {"grid": "sign"}, "filter": {"sex": {"=": "f"}}}'),
  ('submission', '{"epsilon": 50, "delta": 1e-9, "method": "logistic", "options": {"intercept": true, "noise": "gaussian"}}'),
  ('keys', '{"keys": ["a", "b"], "grid": "sign", "adjacency": "add_remove", "dimension": 2}'),
  ('keys', '{"keys": [["a"], ["c"]], "method": "logistic", "dimension": 2, "intercept": true}'),
  ('options of halfspace', '{"mechanism": "opdisc", "noise": "gaussian", "grid": {"ball": 4}, "solver": "native"}'),
  ('options of halfspace', '{"grid": {"levels": [[-1, 0, 2], [0, 1]]}, "groups": [2], "reference": true, "mechanism": "permute_flip"}'),
  ('options of halfspace', '{"grid": "sign", "modulus": 2, "mechanism": "rspm", "noise": "laplace", "adjacency": "add_remove", "dimension": 2}'),
  ('options of halfspace', '{"grid": {"sparse": 1}, "mechanism": "sample_aggregate", "parts": 10, "part_nodes": 100, "n": 1000, "time_limit": 60}'),
  ('options of halfspace', '{"grid": "auto", "n": 15000, "numeric": [2], "center": [0, 1], "scale": [1, 2.5], "clip": [[-1, 1], [0, 3]], "memory_limit": 100, "mechanism": "auto"}'),
  ('options of logistic', '{"mechanism": "objective", "noise": "gamma", "regularization": 10, "radius": 2, "intercept": true, "clip": [-1, 1]}'),
  ('options of logistic', '{"mechanism": "sgd", "sampling": "poisson", "batch": 16, "n": 1000, "iterations": 5, "step": 1, "norm": 8}'),
  ('options of logistic', '{"mechanism": "localized", "net": 200, "norm": 2, "n": 100}'),
  ('options of svm', '{"mechanism": "exponential", "net": 100, "radius": 1, "norm": 4}'),
  ('options of svm', '{"mechanism": "opsamp", "n": 100000, "calls": 300, "norm": 0.5, "noise": "laplace", "regularization": 2}'),
  ('options of svm', '{"mechanism": "sgd", "sampling": "fixed", "batch": 16, "n": 1000, "iterations": 5}'),
  ('options of classifier', '{"n": 15000, "groups": [1, 1], "intercept": false, "adjacency": "replace"}'),
  ('options of linear', '{"n": 4000, "target": [-3, 40], "noise": "gaussian", "regularization": 4000, "intercept": false}'),
  ('options of simplex', '{"n": 4000, "clip": [0, 1], "target": [-3, 3], "regularization": 4000}'),
  ('options of ftrl', '{"n": 300, "dimension": 2, "clip": [0, 2], "mechanism": "tree", "noise": "gaussian"}'),
  ('options of count', '{"adjacency": "add_remove"}'), ('options of quantiles', '{"quantiles": [0.25, 0.5, 0.75], "clip": [0, 100]}'),
  ('options of accuracy', '{"adjacency": "add_remove"}'), ('options of confusion', '{}'), ('options of select', '{"adjacency": "replace"}');
INSERT INTO seed SELECT 'protect', input FROM seed WHERE parser = 'features';
INSERT INTO seed SELECT 'model of details', unnest(ARRAY[
  '{"center": [0, 1], "scale": [1, 2], "clip": [[-1, 1], [0, 9]], "intercept": false, "encoders": {"age": {}}}', '{}', '{"intercept": true, "center": 0.5}']);

-- What a value may become: the edges of every type, and every word of the seeds.
INSERT INTO word VALUES
  ('null'), ('true'), ('false'), ('0'), ('-1'), ('1'), ('2'), ('0.5'), ('-0.0'), ('1e-9'), ('1e-400'), ('1e300'), ('-1e308'), ('1e400'),
  ('127'), ('128'), ('129'), ('65536'), ('65537'), ('2147483647'), ('2147483648'), ('-2147483649'), ('9223372036854775807'),
  ('9223372036854775808'), ('-9223372036854775808'), ('1000000000000001'), ('0.000000000000000001'), ('1e-19'), (repeat('9', 200)),
  ('""'), ('" "'), ('"NaN"'), ('"infinity"'), ('"\u00e9"'), ('"' || repeat('x', 70000) || '"'), ('[]'), ('{}'), ('[[]]'), ('[null]'), ('[1]'),
  ('[1, 2, 3]'), ('{"a": 1}'), ('[[1, 2], [3, 4]]'), (repeat('[', 200) || repeat(']', 200)), ('[' || repeat('1, ', 2000) || '1]'),
  ('"2020-01-01"'), ('"25:00"'), ('"10000000-01-01"'), ('"none"'), ('"auto"'),
  ('1e-310'), ('5e-324'), ('1e-300'), ('9.9e-301'), ('1e290'), ('1.1e290'), ('-1.7976931348623157e308'), ('1.3e-5'), ('40'), ('1024');
INSERT INTO word SELECT DISTINCT found[1] FROM seed, regexp_matches(input, '"[^"]*"|-?[0-9][0-9.eE+-]*', 'g') found WHERE parser <> 'model';
-- Its words are none of the words above: they have times.
SELECT count(*) FROM dpobj.count('fuzz_visit', 1) \gset ignored_
CREATE TABLE fuzz_report AS SELECT dpobj.report('fuzz_visit', 'registry') AS report;
INSERT INTO seed SELECT 'report', report FROM fuzz_report;

-- ---- changing an input ----

CREATE FUNCTION pg_temp.below(n bigint) RETURNS bigint LANGUAGE sql AS 'SELECT floor(random() * n)::bigint';
CREATE FUNCTION pg_temp.a_word() RETURNS text LANGUAGE sql AS 'SELECT text FROM word OFFSET pg_temp.below((SELECT count(*) FROM word)) LIMIT 1';

-- A value becomes another one or is wrapped, or a key becomes another one: what was JSON stays JSON.
CREATE FUNCTION pg_temp.change_word(input text, is_key boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  pattern text := CASE WHEN is_key THEN '(?<=\{|, )"[^"]*"(?=:)'
                    ELSE '(?<=: |\[|, )("[^"]*"(?!:)|-?[0-9][0-9.eE+-]*|true|false|null|\[[^][]*\])' END;
  place int := 1 + pg_temp.below(greatest(regexp_count(input, pattern), 1));
  found text := regexp_substr(input, pattern, 1, place);
  becomes text := pg_temp.a_word();
BEGIN
  IF is_key THEN
    SELECT text INTO becomes FROM word WHERE text ~ '^"' ORDER BY random() LIMIT 1;
  ELSE
    becomes := CASE pg_temp.below(8) WHEN 0 THEN '[' || found || ']' WHEN 1 THEN '{"a": ' || found || '}'
                 WHEN 2 THEN '[' || found || ', ' || becomes || ']' ELSE becomes END;
  END IF;
  RETURN coalesce(regexp_replace(input, pattern, replace(becomes, '\', '\\'), 1, place), input);
END $$;

-- A piece of text is left out, doubled, or becomes another character.
CREATE FUNCTION pg_temp.change_text(input text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  place int := 1 + pg_temp.below(length(input) + 1);
  long int := 1 + pg_temp.below(CASE pg_temp.below(4) WHEN 0 THEN 20 ELSE 2 END);
  piece text := substr(input, place, long);
BEGIN
  RETURN overlay(input PLACING CASE pg_temp.below(3) WHEN 0 THEN '' WHEN 1 THEN piece || piece ELSE chr(1 + pg_temp.below(300)::int) END
                 FROM place FOR long);
END $$;

CREATE FUNCTION pg_temp.an_input(parser text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  input text;
BEGIN
  SELECT s.input INTO input FROM seed s WHERE s.parser = an_input.parser ORDER BY random() LIMIT 1;
  FOR i IN 1 .. 1 + pg_temp.below(3) LOOP
    input := CASE pg_temp.below(8) WHEN 0 THEN pg_temp.change_text(input) ELSE pg_temp.change_word(input, pg_temp.below(5) = 0) END;
  END LOOP;
  RETURN input;
END $$;

-- ---- trying it ----

-- Each input in a transaction of its own that is undone, so that no fault hides behind another's trace.
CREATE FUNCTION pg_temp.try_input(which parser, input text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  state text := '00000';
  message text := '';
  began timestamptz := clock_timestamp();
BEGIN
  BEGIN
    EXECUTE which.statement USING input;
    RAISE EXCEPTION USING errcode = 'FZ000';
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
  END;
  IF clock_timestamp() > began + interval '1 min' THEN
    state := 'SLOW';
  END IF;
  -- 22P02, 22P05, 22003, 22007, 22008: no value of the type that the statement casts it to
  IF state <> ALL (which.states || '{FZ000,22023,22P02,22P05,22003,22007,22008}'::text[]) THEN
    INSERT INTO fault VALUES (which.name, state, message, input);
  END IF;
  RETURN state;
END $$;

CREATE FUNCTION pg_temp.fuzz(which parser, inputs bigint, seed float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  state text;
BEGIN
  PERFORM setseed(sin(seed + hashtext(which.name)));
  FOR i IN 1 .. inputs LOOP
    state := pg_temp.try_input(which, pg_temp.an_input(which.name));
    INSERT INTO tried VALUES (which.name, state = 'FZ000', state, 1)
      ON CONFLICT ON CONSTRAINT tried_pkey DO UPDATE SET count = tried.count + 1;
  END LOOP;
END $$;

-- The seeds must be taken, otherwise inputs made from them test little.  Then come the inputs that showed a fault before.
INSERT INTO fault SELECT p.name, state, 'a seed is refused', s.input
  FROM parser p JOIN seed s ON s.parser = p.name, pg_temp.try_input(p, s.input) state WHERE state NOT IN ('FZ000', 'SLOW');
\ir found.sql
\echo seed :seed
-- A report takes as long as 20 others.
SELECT pg_temp.fuzz(p, CASE p.name WHEN 'report' THEN :inputs / 20 ELSE :inputs END, :seed) FROM parser p ORDER BY name \g /dev/null

SELECT format('%s: %s inputs, %s taken, %s', parser, sum(count), coalesce(sum(count) FILTER (WHERE taken), 0),
              string_agg(state || ' ' || count, ', ' ORDER BY state) FILTER (WHERE NOT taken))
  FROM tried GROUP BY parser ORDER BY parser;
SELECT format('FAULT: %s, %s: %s%sby %s', parser, state, message, chr(10) || '  ', left(input, 500)) FROM fault ORDER BY parser LIMIT 20;
SELECT count(*) = 0 AS sound FROM fault \gset
SELECT sum(count) AS inputs FROM tried \gset
\if :sound
\echo fuzz of parsers: :inputs inputs, no fault
\else
DO $$ BEGIN RAISE 'the fuzz of parsers found faults'; END $$;
\endif

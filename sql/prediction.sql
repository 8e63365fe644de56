-- Predictions from raw columns, JSON, SQL, points and shares are free.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_use_ana', 'dpobj_use_bea', 'dpobj_use_bob', 'dpobj_use_carl');
CREATE ROLE dpobj_use_team;
GRANT dpobj_use_team TO dpobj_use_carl;

CREATE TYPE wing AS ENUM ('north', 'south', 'west');
CREATE TABLE lodging (id int, age int, sex text, days numeric, place wing, emergency boolean, "since Day" date, ill boolean, cost float8);
INSERT INTO lodging SELECT i, i % 60, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 7, 'north', i % 5 = 0, date '2020-01-01' + i, i % 3 = 0, i % 9
  FROM generate_series(1, 500) i;
SELECT dpobj.protect('lodging', '{"age": {"bins": [30, 45.5]}, "sex": {"levels": ["f", "it''s"], "drop_first": true, "null_indicator": true},
  "days": {"center": 3, "scale": 2, "clip": [-1, 2]}, "place": {"levels": ["north", "south"], "null": "south"},
  "emergency": {"null": true, "null_indicator": true}, "since Day": {"epoch_of": "day", "bins": [18262, 18500]},
  "ill": {}, "cost": {"clip": [0, 10]}}', n => 500);
SELECT dpobj.set_budget('lodging', 'dpobj_use_ana', 100, 0);
SELECT dpobj.set_budget('lodging', 'dpobj_use_bea', 100, 0);

-- Weights that are fixed by the grid: each coordinate has one level.
\c - dpobj_use_ana
SELECT weights FROM dpobj.train('lodging', 'ill', 1, '{age,sex,days,place,emergency}', name => 'card',
  options => '{"mechanism": "exponential", "grid": {"levels": [[3], [-1], [0], [2], [-2], [2], [1], [-3], [2], [-1], [-1]]}, "intercept": true}');
SELECT (dpobj.train('lodging', 'ill', 1, '{"since Day",days}', method => 'logistic', name => 'proba')).kind;
SELECT (dpobj.train('lodging', 'cost', 1, '{age,days}', method => 'simplex', name => 'number')).kind;
SELECT count(*) FROM dpobj.train_groups('lodging', 'ill', 1, features => '{age,days}', method => 'halfspace', name => 'by emergency', by => '{emergency}');
SELECT count(*) AS before FROM dpobj.ledger \gset

-- A model as points, and as SQL.
SELECT "position", feature, level, points, weight FROM dpobj.scorecard('card');
SELECT count(*), count(points), bool_and(points = weight OR points IS NULL) FROM dpobj.scorecard('proba');
SELECT feature, level, points IS NULL AS no_points, weight IS NULL AS no_weight FROM dpobj.scorecard('number');
SELECT name, owner, count(*), sum(points) FROM dpobj.scorecards WHERE name = 'card' GROUP BY 1, 2;
SELECT regexp_replace(dpobj.predict_sql('card'), 'release \d+', 'release N');
SELECT dpobj.predict_sql('card', '"Other Place"."T"') ~ 'FROM "Other Place"."T" AS t\n' AS elsewhere;
SELECT dpobj.predict_sql('card', 'a.b; DROP TABLE c');
SELECT dpobj.predict_sql('card', '');
SELECT dpobj.predict_sql(NULL) IS NULL AS none;
-- the statement and dpobj.score agree
\c - postgres
SELECT dpobj.predict_sql('card', owner => 'dpobj_use_ana') AS statement \gset
SELECT count(*), count(dp_score), count(*) FILTER (WHERE (dp_score, dp_prediction) IS DISTINCT FROM
  (dpobj.score('card', t, 'dpobj_use_ana'), dpobj.predict('card', t, 'dpobj_use_ana'))) AS different
  FROM (:statement) s JOIN lodging t USING (id);

-- Rows: columns by name, in any order, with others beside them.
\c - dpobj_use_ana
CREATE TEMP TABLE newcomer (emergency boolean, days numeric, sex text, age int, place wing, note text);
INSERT INTO newcomer VALUES (true, 3, 'f', 20, 'north', 'x'), (false, 100, 'it''s', 40, 'south', 'x'), (NULL, -100, NULL, 60, 'west', 'x'),
  (true, 3, 'unheard of', 45, NULL, 'x'), (true, NULL, 'f', 20, 'north', 'x'), (true, 'NaN', 'f', 20, 'north', 'x'),
  (true, 10::numeric ^ 1000, 'f', NULL, 'north', 'x'), (true, 10::numeric ^ 1000, 'f', 46, 'north', 'x');
SELECT dpobj.score('card', n), dpobj.predict('card', n), n.sex, n.age FROM newcomer n;
SELECT dpobj.predict_proba('proba', p) BETWEEN 0 AND 1 AS probability,
       dpobj.predict_proba('proba', p) = 1 / (1 + exp(-(coalesce((r ->> 'intercept')::float8, 0) + coalesce((r ->> 'slope')::float8, 1) * dpobj.score('proba', p)))) AS of_the_score,
       dpobj.predict('proba', p) = (dpobj.predict_proba('proba', p) > 0.5) AS prediction
  FROM (VALUES (date '2020-06-01', 1.5), ('infinity', 7), (NULL, 1)) p("since Day", days),
       LATERAL (SELECT (model).details #> '{rating,calibration}' FROM dpobj.models WHERE name = 'proba') m(r);
SELECT dpobj.score('number', n) IS NULL AS none FROM newcomer n;
-- a model of a group has its key in its name
SELECT m.name, m.key, count(dpobj.score(m.name, n)) FROM dpobj.models m, newcomer n WHERE m.key IS NOT NULL GROUP BY 1, 2 ORDER BY 1;
SELECT s.name, s.key, count(*) FROM dpobj.scorecards s WHERE s.name LIKE 'by%' GROUP BY 1, 2 ORDER BY 1;
SELECT dpobj.score('by emergency', n) FROM newcomer n;
-- by the value of a model, of any owner
SELECT dpobj.score(model, n) = dpobj.score('card', n) AS the_same FROM newcomer n, dpobj.models WHERE name = 'card' AND n.days = 3;
-- other types that mean the same; a domain; a text for an enum and an enum for a text
CREATE TYPE pg_temp.sexes AS ENUM ('f', 'm', 'it''s');
CREATE DOMAIN pg_temp.years AS real CHECK (VALUE < 200);
SELECT dpobj.score('card', r) FROM (SELECT true AS emergency, 3::int2 AS days, 'it''s'::pg_temp.sexes AS sex, 20::pg_temp.years AS age, 'south' AS place) r;
SELECT dpobj.score('card', r) FROM (SELECT true AS emergency, 3::float8 AS days, 'm'::pg_temp.sexes AS sex, 45.5::numeric AS age, 'east'::varchar AS place) r;
SELECT dpobj.score('proba', r) = dpobj.score('proba', s) AS the_same
  FROM (SELECT timestamp '2020-05-05' AS "since Day", 3 AS days) r, (SELECT date '2020-05-05' AS "since Day", 3.0 AS days) s;
-- NULL instead of a row or a name
SELECT dpobj.predict('card', NULL::newcomer), dpobj.score(NULL, n), dpobj.predict_proba(NULL::dp_model, n) FROM newcomer n LIMIT 1;
SELECT dpobj.predict('card', n) FROM (SELECT 1) one LEFT JOIN newcomer n ON false;
-- a name of any type, and a model from wherever it comes
CREATE TEMP VIEW named AS SELECT n.days, dpobj.score('card', n) AS score, dpobj.show(m.name, owner => m.owner::regrole) = dpobj.show(m.model) AS shown
  FROM newcomer n, dpobj.models m WHERE n.days = 3 AND m.name = 'card';
SELECT score, shown FROM named;
SELECT pg_get_viewdef('named') ~ $$score\('card'::dpobj.model_argument, n.\*\)$$ AS by_name;
SELECT dpobj.score('card'::text, n), dpobj.score('card'::varchar, n), dpobj.score('card'::name, n), dpobj.score(model => 'card', "row" => n, owner => current_user::regrole),
       dpobj.score((SELECT model FROM dpobj.models WHERE name = 'card'), n) FROM newcomer n WHERE n.days = 3;
PREPARE of_a_driver AS SELECT dpobj.score($1, n) FROM newcomer n WHERE n.days = 3;
EXECUTE of_a_driver('card');
SELECT regexp_replace(unnest(parameter_types)::text, '^.*\.', '') FROM pg_prepared_statements WHERE name = 'of_a_driver';
DO $$
DECLARE m dp_model; found float8;
BEGIN
  FOR m IN SELECT (model).* FROM dpobj.models WHERE name IN ('card', 'number') ORDER BY name LOOP
    SELECT dpobj.score(m, n) INTO found FROM newcomer n WHERE n.days = 3 AND n.age = 20 AND m.kind = 'halfspace';
    RAISE WARNING '% %', m.kind, found;
  END LOOP;
END $$;
SELECT model::dpobj.model_argument::text = model::text AS the_same, 'card'::dpobj.model_argument FROM dpobj.models WHERE name = 'card';
CREATE TEMP TABLE argument AS SELECT false AS odd, m.model::dpobj.model_argument AS model FROM dpobj.models m WHERE name = 'card';
SELECT dpobj.score(a.model, n) FROM argument a, newcomer n WHERE n.days = 3;
SELECT dpobj.score(model, n, 'dpobj_use_ana') FROM dpobj.models, newcomer n WHERE name = 'card';
SELECT dpobj.show(model, owner => 'dpobj_use_ana') FROM dpobj.models WHERE name = 'card';
SELECT dpobj.show(NULL) IS NULL AND dpobj.show(NULL::dp_model, 'markdown') IS NULL AND dpobj.show(NULL::text, 'json')::jsonb IS NULL AS none, (SELECT count(*) FROM dpobj.scorecard(NULL));
DROP VIEW named;
-- a row type that does not fit is refused before any value is read
SELECT dpobj.predict('card', ROW(1, 2));
SELECT * FROM answers($$SELECT dpobj.predict('card', n) FROM (%) n$$,
  'SELECT age, sex, days, place FROM newcomer', 'SELECT *, 1 AS age FROM newcomer', 'SELECT emergency, days, sex, age::text, place FROM newcomer',
  'SELECT emergency::int, days, sex, age, place FROM newcomer', 'SELECT emergency, days, age AS sex, age, place FROM newcomer',
  $$SELECT emergency, days, sex, age, '{}'::json AS place FROM newcomer$$);
SELECT dpobj.predict('proba', n) FROM (SELECT 1 AS "since Day", 2 AS days) n;
SELECT dpobj.predict('card', 1);
SELECT dpobj.predict('card', 'x');
SELECT * FROM answers('SELECT %', $$dpobj.predict('number', n) FROM newcomer n$$, $$dpobj.predict_proba('card', n) FROM newcomer n$$);
ALTER TABLE newcomer DROP COLUMN days;
SELECT dpobj.predict('card', n) FROM newcomer n;
ALTER TABLE newcomer ADD COLUMN days real DEFAULT 3;
SELECT dpobj.score('card', n) FROM newcomer n LIMIT 1;
-- a prepared statement sees changed columns
PREPARE scores AS SELECT dpobj.score('card', n) FROM newcomer n LIMIT 1;
EXECUTE scores;
ALTER TABLE newcomer RENAME age TO years;
EXECUTE scores;
ALTER TABLE newcomer RENAME years TO age;
EXECUTE scores;

-- JSON: out, and back the same to the hash, whatever the settings are.
SET extra_float_digits = -15;
SELECT name, model::jsonb::dp_model = model AS the_same, dpobj_internal.model_hash(model::jsonb::dp_model) = dpobj_internal.model_hash(model) AS hash,
       dpobj.verify(model::jsonb::dp_model) FROM dpobj.models ORDER BY name;
RESET extra_float_digits;
SELECT model::jsonb - 'details' - 'release' FROM dpobj.models WHERE name = 'card';
CREATE TEMP TABLE archive (document jsonb, model dp_model);
INSERT INTO archive SELECT model, model::jsonb FROM dpobj.models;
SELECT count(*), bool_and(dpobj.verify(document::dp_model) AND dpobj.verify(model)) FROM archive;
SELECT dpobj.verify((document || '{"weights": [1, 2]}')::dp_model) FROM archive LIMIT 1;
SELECT (model::jsonb::dp_model).weights, model::jsonb::dp_model = model AS the_same, (model::jsonb ->> 'release')::bigint AS release FROM
  (SELECT ROW('svm', 'hand', '{0.1, 1e-320, -1.7976931348623157e308, 9007199254740993, 0.30000000000000004}', 0.1, 1e-18, 'replace', 'unproven',
              9223372036854775807, '{}')::dp_model AS model) m;
SELECT (SELECT model FROM dpobj.models WHERE name = 'card')::jsonb AS document \gset
SELECT '[]'::jsonb::dp_model;
SELECT '1'::jsonb::dp_model;
SELECT '{}'::jsonb::dp_model;
SELECT 'null'::jsonb::dp_model;
SELECT NULL::jsonb::dp_model IS NULL AS none;
SELECT (:'document'::jsonb - 'release')::dp_model;
SELECT (:'document'::jsonb || jsonb_build_object('weights', array_fill(1, ARRAY[10001])))::dp_model;
SELECT * FROM answers(format('SELECT (%L::jsonb || ''%%'')::dp_model', :'document'),
  '{"more": 1}', '{"kind": "forest"}', '{"kind": 1}', '{"mechanism": null}', '{"weights": []}', '{"weights": 1}', '{"weights": [1, "2"]}',
  '{"weights": [1e400]}', '{"epsilon": -1}', '{"epsilon": "1"}', '{"delta": 1.5}', '{"adjacency": "some"}', '{"guarantee": true}',
  '{"release": 1.5}', '{"release": 9223372036854775808}', '{"release": -1}', '{"details": []}');
SELECT ROW('halfspace', 'hand', '{NaN}', 0, 0, 'replace', 'unproven', 0, '{}')::dp_model::jsonb;
SELECT ROW('halfspace', NULL, '{1}', 0, 0, 'replace', 'unproven', 0, '{}')::dp_model::jsonb;

-- Models of arrays, and forged models.
\c - postgres
CREATE TABLE lodging_model AS SELECT dp_halfspace(ARRAY[age], ill, 1.0, 0,
  '{"center": 30, "scale": 10, "clip": [-2, 2], "intercept": true, "grid": {"levels": [[2], [-1]]}}') AS model FROM lodging;
SELECT s.* FROM lodging_model, dpobj.scorecard(model) s \g (tuples_only=off)
SELECT regexp_replace(dpobj.predict_sql(model), 'release \d+', 'release N') FROM lodging_model;
SELECT dpobj.predict(model, lodging) FROM lodging_model, lodging LIMIT 1;
CREATE FUNCTION forged(details jsonb, weights float8[] DEFAULT '{1,2}') RETURNS dp_model LANGUAGE sql AS
  $$ SELECT ROW('halfspace', 'x', weights, 1, 0, 'replace', 'exact', 1, details)::dp_model $$;
SELECT * FROM answers('SELECT dpobj.predict_sql(%)', $$forged('{}')$$, $$forged('[]')$$, $$forged('{"encoding": {}}', '{1,NaN}')$$);
SELECT s.* FROM dpobj.scorecard(forged('{}')) s;
SELECT s.points, s.weight FROM dpobj.scorecard(forged('{}', '{-0,1}')) s;
-- without types the features are those of an array
SELECT dpobj.predict(forged('{"features": ["a"]}'), ROW(1));
SELECT string_agg(s.feature, ' ' ORDER BY s."position") AS features
  FROM dpobj.scorecard(forged('{"features": ["a"], "relation": "t", "label": "y", "encoding": {}, "encoders": {"a": {}}}')) s;
SELECT dpobj.predict(forged(jsonb_build_object('features', '["a"]'::jsonb, 'relation', 't', 'label', 'y', 'encoding', '{}'::jsonb,
  'encoders', jsonb_build_object(repeat('a', 63), '{}'::jsonb),
  'types', (SELECT jsonb_object_agg(repeat('a', 63) || i, 'boolean'::text) FROM generate_series(1, 1600) i))), ROW(1));
SELECT dpobj.predict_sql(forged('{"encoding": {"center": [-1e290], "scale": [2e289], "low": [-1], "high": [-0.2]}}', '{1}')) IS NOT NULL AS ends;
SELECT * FROM answers('SELECT dpobj.predict(%)',
  $$forged('{"features": ["a"], "relation": "t", "label": "y", "encoding": {}, "encoders": {"a": {}}, "types": {"a": "box"}}'), ROW(1)$$,
  $$forged('{"features": ["a"], "relation": "t", "label": "y", "encoding": {}, "encoders": {"a": {}}, "types": {}}'), ROW(1)$$,
  $$forged('{"features": [1], "relation": "t", "label": "y", "encoding": {}, "encoders": {"a": {}}, "types": {"a": "boolean"}}'), ROW(1)$$,
  $$forged('{"features": ["a"], "relation": "t", "label": "y", "encoding": {}, "encoders": {"a": {}}, "types": {"a": "boolean"}}'), ROW(1)$$,
  $$forged('{"features": ["a"], "relation": "t", "label": "y", "encoding": {}, "encoders": [], "types": {"a": "boolean"}}'), ROW(1)$$);
SELECT dpobj.predict_sql(forged('{"features": ["a;--"], "relation": "t", "label": "y", "encoding": {"low": [0]}, "encoders": {"a;--": {"levels": ["''; DROP", "\n\\"]}}, "types": {"a;--": "text"}}'));
SELECT dpobj.predict_sql(forged('{"features": ["a"], "relation": "t; DROP TABLE t", "label": "y", "encoding": {"low": [0]}, "encoders": {"a": {"levels": ["a", "b"]}}, "types": {"a": "text"}}'));

-- what stands in for a missing number is rounded as in training
SELECT s.points, s.weight, s.weight - 3 = dpobj.score(model, r) AS the_same, dpobj.predict(model, r)
  FROM forged('{"features": ["x"], "relation": "t", "label": "y", "encoding": {"intercept": true}, "encoders": {"x": {"null": 0.3}},
    "types": {"x": "double precision", "y": "boolean"}}', '{10,-3}') model, dpobj.scorecard(model) s, (SELECT NULL::float8 AS x) r WHERE s.level = 'missing';

-- the DateStyle of the session does not matter
SELECT dpobj.score(forged('{"features": ["x"], "relation": "t", "label": "d", "encoding": {}, "encoders": {"x": {}, "d": {"positive": ["31/12/2024"]}},
  "types": {"x": "double precision", "d": "date"}}', '{2}'), r) FROM (SELECT 0.5::float8 AS x) r;

-- the sign of a zero is the same, too
CREATE TEMP TABLE some_table AS SELECT ARRAY[x] AS features FROM unnest('{0, -0, 0.5, -0.5, 7, -7, 1e-320}'::float8[]) x;
SELECT forged('{"encoding": {"scale": [3]}}', '{-0.3}') AS model, dpobj.predict_sql(forged('{"encoding": {"scale": [3]}}', '{-0.3}')) AS statement \gset
SELECT features, dp_score, dp_score::text = dp_score(:'model'::dp_model, features)::text AS the_same FROM (:statement) s;
-- numbers of any type, as dp_score takes them
CREATE TEMP TABLE whole_table AS SELECT ARRAY[7, 100000] AS features;
SELECT forged('{"encoding": {"scale": [9, 300000]}}') AS model,
  dpobj.predict_sql(forged('{"encoding": {"scale": [9, 300000]}}'), 'whole_table') AS statement \gset
SELECT features, dp_score = dp_score(:'model'::dp_model, features) AS the_same FROM (:statement) s;
-- the same at the extremes of models that have a statement, on any row
CREATE TEMP TABLE extreme AS SELECT ARRAY[a, b] AS features FROM
  unnest('{0, -0, 5e-324, -1e-310, 1e-300, 2e-300, -1e-300, 1, 1e18, 7e284, 1e290, -1e290, 1.7e308, -1.7e308, Infinity, -Infinity, NaN, NULL}'::float8[]) a,
  unnest('{0, 1e-300, -1e290, -9.9999e289, 1e-305, 1.7e308, -1.7e308}'::float8[]) b;
CREATE TEMP TABLE extreme_model AS SELECT forged(jsonb_build_object('encoding', e::jsonb || '{"intercept": true}'), w::float8[]) AS model FROM
  unnest(ARRAY['{"center": [1e-300, -1e290], "scale": [1e290, 1e-300], "low": [-1024, -0.5], "high": [0, 1024]}', '{"scale": [1e290, 2e-300]}',
    '{"center": [0, 3], "scale": [1e-300, 1e290], "low": [-1e-310, -1], "high": [1024, 1e-310]}', '{"center": [1e290, 1e-300], "scale": [0.1, 1e17]}']) e,
  unnest('{"{1e290,1e-300,1}", "{-1e290,1e290,1e290}", "{1e-300,-1e-300,0}", "{3,0.1,-1e-300}"}'::text[]) w;
SELECT count(*) AS models, sum(cardinality(xpath('//different', x))) AS rows_that_differ, sum(cardinality(xpath('//row', x))) AS rows FROM
  (SELECT query_to_xml(format('SELECT CASE WHEN p.dp_score::text IS DISTINCT FROM dp_score(%L::dp_model, p.features)::text THEN 1 END AS different FROM (%s) p',
    model, dpobj.predict_sql(model, 'extreme')), false, false, '') AS x FROM extreme_model) s;
-- models beyond these extremes have no statement
SELECT * FROM answers('SELECT dpobj.predict_sql(%)', $$forged('{"encoding": {}}', '{1e291}')$$, $$forged('{"encoding": {}}', '{9.9e-301}')$$,
  $$forged('{"encoding": {"center": [-1e291]}}', '{1}')$$, $$forged('{"encoding": {"scale": [1e-301]}}', '{1}')$$);
SELECT dpobj.predict_sql(forged('{"features": ["a"], "relation": "t", "label": "y", "encoding": {}, "encoders": {"a": {"bins": [1e-301]}}, "types": {"a": "numeric"}}'));
SELECT dpobj.predict_sql(forged('{"features": ["a"], "relation": "t", "label": "y", "encoding": {"high": [0.5]}, "encoders": {"a": {"bins": [1]}}, "types": {"a": "numeric"}}'));

-- A role may use its own models and shared ones.
\c - dpobj_use_bob
SELECT count(*) FROM dpobj.models;
SELECT count(*) FROM dpobj.scorecards;
SELECT * FROM answers('SELECT %', $$dpobj.predict('card', ROW(1))$$, $$dpobj.predict('no such model', ROW(1))$$,
  $$dpobj.predict('card', ROW(1), 'dpobj_use_ana')$$, $$dpobj.predict('no such model', ROW(1), 'dpobj_use_ana')$$,
  $$dpobj.predict_sql('card', owner => 'dpobj_use_ana')$$, $$* FROM dpobj.scorecard('card', 'dpobj_use_ana')$$,
  $$dpobj.share('card', 'dpobj_use_bob')$$, $$dpobj.share('card', 'dpobj_use_bob', false)$$);
\c - dpobj_use_ana
SELECT dpobj.share('card', 'dpobj_use_bob');
SELECT dpobj.share('card', 'dpobj_use_bob');
SELECT dpobj.share('number', 'dpobj_use_team');
SELECT name, shared_with FROM dpobj.models ORDER BY 1;
SELECT * FROM answers('SELECT dpobj.share(%)',
  $$'card', 'nobody'$$, $$'card', 1234567890$$, $$'no such model', 'dpobj_use_bob'$$, $$NULL, 'dpobj_use_bob'$$, $$'card', NULL$$);
SELECT dpobj.share('card', 'dpobj_use_carl', false);
BEGIN READ ONLY;
SELECT dpobj.share('card', 'dpobj_use_carl');
ROLLBACK;
\c - dpobj_use_bob
SELECT name, owner, relation_name, shared_with, dpobj.verify(model) FROM dpobj.models;
SELECT dpobj.score('card', n), dpobj.score('card', n, 'dpobj_use_ana') FROM (SELECT true AS emergency, 3 AS days, 'f' AS sex, 20 AS age, 'north' AS place) n;
SELECT dpobj.predict_sql('card') = dpobj.predict_sql('card', owner => 'dpobj_use_ana') AS the_same;
SELECT count(*) FROM dpobj.scorecard('card');
SELECT count(DISTINCT name) FROM dpobj.scorecards;
-- a role may not share or evaluate a model that is shared with it
SELECT * FROM answers('SELECT %', $$dpobj.share('card', 'dpobj_use_carl')$$, $$dpobj.share('card', 'dpobj_use_bob', false)$$,
  $$dpobj.evaluate('card', 'lodging', 1)$$, $$count(*) FROM dpobj.model_shares$$, $$count(*) FROM dpobj.model_readers$$);
\c - dpobj_use_carl
SELECT name FROM dpobj.models;
SELECT dpobj.score('number', n) IS NOT NULL AS scored FROM (SELECT 20 AS age, 6 AS days) n;
-- two owners of one name
\c - dpobj_use_bea
SELECT (dpobj.train('lodging', 'ill', 1, '{age}', method => 'halfspace', name => 'card')).kind;
SELECT dpobj.share('card', 'dpobj_use_bob');
SELECT cardinality((model).weights) FROM dpobj.models WHERE name = 'card';
SELECT count(*) FROM dpobj.scorecard('card');
\c - dpobj_use_bob
SELECT dpobj.predict('card', ROW(1));
SELECT count(*) FROM dpobj.scorecard('card', 'dpobj_use_bea');
SELECT count(*) FROM dpobj.scorecard('card', 'dpobj_use_ana');
-- a share that is taken back ends at the next statement of the same session
\c - dpobj_use_ana
BEGIN;
SELECT dpobj.share('card', 'dpobj_use_bob', false);
ROLLBACK;
SELECT name, shared_with FROM dpobj.models WHERE name = 'card';
SELECT dpobj.share('card', 'dpobj_use_bob', false);
SELECT dpobj.share('card', 'dpobj_use_bob', false);
\c - dpobj_use_bob
SELECT count(*) FROM dpobj.scorecard('card');
SELECT dpobj.predict('card', ROW(1), 'dpobj_use_ana');
-- the current user decides, so that a function can lend its owner's model
\c - dpobj_use_ana
CREATE FUNCTION pg_temp.own() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM dpobj.scorecard('card') $$;
SELECT pg_temp.own();
\c - postgres
GRANT CREATE ON SCHEMA public TO dpobj_use_bob, dpobj_use_ana;
\c - dpobj_use_bob
CREATE FUNCTION spy() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$ SELECT count(*) FROM dpobj.scorecard('number') $$;
\c - dpobj_use_ana
CREATE FUNCTION lend(r record) RETURNS float8 LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN RETURN dpobj.score('card', r); END $$;
SELECT spy();
\c - dpobj_use_bob
SELECT lend(n) FROM (SELECT true AS emergency, 3 AS days, 'f' AS sex, 20 AS age, 'north' AS place) n;
-- the search_path of the caller does not matter
CREATE TEMP TABLE model_rows (name text, model text);
CREATE FUNCTION public.text_is(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = public.text_is);
SET search_path = public, pg_temp, pg_catalog;
SELECT dpobj.predict('number', ROW(1));
RESET search_path;
DROP OPERATOR public.= (text, text);
DROP FUNCTION public.text_is;

-- Nothing of this is charged; a superuser sees and uses all models.
\c - postgres
SELECT count(*) FROM dpobj.models WHERE name = 'card';
SELECT cardinality(shared_with) FROM dpobj.models WHERE name = 'card' ORDER BY 1;
SELECT dpobj.score('card', n, 'dpobj_use_ana') FROM (SELECT true AS emergency, 3 AS days, 'f' AS sex, 20 AS age, 'north' AS place) n;
SELECT dpobj.predict('card', ROW(1), 'dpobj_use_carl');
SELECT count(*) FROM dpobj.ledger WHERE role LIKE 'dpobj_use%' AND event = 'charged';
\c - dpobj_use_ana
SELECT count(*) = :before AS free FROM dpobj.ledger;

\c - postgres
DROP TABLE lodging, lodging_model;
DROP TYPE wing;
DROP FUNCTION forged, spy, lend;
REVOKE CREATE ON SCHEMA public FROM dpobj_use_bob, dpobj_use_ana;
DROP ROLE dpobj_use_ana, dpobj_use_bea, dpobj_use_bob, dpobj_use_carl, dpobj_use_team;

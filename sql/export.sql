-- dpobj.show: what JSON and PMML say of each encoder, and what PMML cannot say. tests/t/037_export.pl predicts from them.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CALL login_roles('dpobj_export_ana', 'dpobj_export_bob');
CREATE TABLE stay (age int, n numeric, sex text, "a<b" text, vip boolean, born date, due date, met timestamp, ill boolean);
INSERT INTO stay SELECT i % 90, i % 7, 'f', 'x', i % 5 = 0, date '1970-01-01' + i, date '2024-01-01' + i % 90, timestamp '2024-01-01' + i * interval '1 hour', i % 90 > 40 FROM generate_series(1, 2000) i;
SELECT dpobj.protect('stay', '{"age": {"bins": [25, 45.5], "null_indicator": true}, "n": {"center": 3, "scale": 2, "clip": [-1, 2], "null": 0.3}, "sex": {"levels": ["f", "m"], "null": "m"},
  "a<b": {"levels": ["\"&''>", "two\nlines", "ä"], "drop_first": true}, "vip": {}, "born": {"epoch_of": "day", "since": "1999-12-31", "scale": 9000}, "due": {"part": "weekday"}, "met": {"part": "month"}, "ill": {}}', n => 2000) \gset no_
SELECT dpobj.set_budget('stay', 'dpobj_export_ana', 100, 0) \gset no_
\c - dpobj_export_ana
SELECT FROM dpobj.train('stay', 'ill', 1, ARRAY['age', 'n', 'sex', 'a<b', 'vip', 'born'], method => 'svm', options => '{"intercept": true, "rate": 0}', name => 'stay') \gset no_
SELECT FROM dpobj.train('stay', 'ill', 1, ARRAY['due', 'met'], method => 'svm', options => '{"rate": 0}', name => 'times') \gset no_

-- The features of a column have the same weights in any form.
SELECT key, value FROM jsonb_each(dpobj.show('stay', 'json')::jsonb - 'weights' - 'intercept' - 'features');
SELECT f AS feature FROM jsonb_array_elements(dpobj.show('stay', 'json')::jsonb -> 'features') f;
SELECT dpobj.show('stay', 'json')::jsonb -> 'weights' -> 0 || (dpobj.show('stay', 'json')::jsonb -> 'intercept') = to_jsonb((model).weights) AS same FROM dpobj.models WHERE name = 'stay';
SELECT dpobj.show('times', 'json')::jsonb -> 'columns' AS columns;

-- The same in PMML, without the numbers that noise decides.
CREATE FUNCTION pg_temp.without_noise(pmml text) RETURNS text LANGUAGE sql AS
  $$ SELECT regexp_replace(regexp_replace(pmml, '(coefficient|intercept)="[^"]*"', '\1="?"', 'g'), 'release \d+', 'release ?') $$;
SELECT pg_temp.without_noise(dpobj.show('stay', 'pmml'));
SELECT line FROM regexp_split_to_table(dpobj.show('times', 'pmml'), E'\n') line WHERE line ~ '"dp_(source_.|8)" d|<DataField';

-- By name, by owner, by value; nothing is charged.
SELECT count(*) AS charges FROM dpobj.ledger WHERE event = 'charged' \gset before_
SELECT dpobj.show('stay', 'pmml') = dpobj.show('stay', 'pmml', 'dpobj_export_ana') AND dpobj.show('stay', 'pmml') = dpobj.show(model, 'pmml') AS same_pmml,
       dpobj.show('stay', 'json')::jsonb = dpobj.show('stay', 'json', 'dpobj_export_ana')::jsonb AND dpobj.show('stay', 'json')::jsonb = dpobj.show(model, 'json')::jsonb AS same_json FROM dpobj.models WHERE name = 'stay';
SELECT dpobj.show(NULL::text, 'pmml') IS NULL AND dpobj.show(NULL::text, 'json')::jsonb IS NULL AND dpobj.show(NULL::dp_model, 'pmml') IS NULL AND dpobj.show(NULL::dp_model, 'json')::jsonb IS NULL AS none;
SELECT count(*) = :before_charges AS nothing FROM dpobj.ledger WHERE event = 'charged';
\c - dpobj_export_bob
SELECT * FROM answers('SELECT dpobj.show(%', $$'stay', 'pmml')$$, $$'stay', 'json', 'dpobj_export_ana')::jsonb$$, $$'stay', 'xml')$$);
\c - postgres

-- Forged models, which need no training: the kind, the types and the declaration of column "c", two weights unless said.
CREATE FUNCTION forged(kind text, type text, encoder jsonb, weights float8[] DEFAULT '{1,-2}', name text DEFAULT 'c') RETURNS dp_model LANGUAGE sql AS $$
  SELECT ROW(kind, 'x', weights, 1, 0, 'replace', 'exact', 1, jsonb_build_object('features', jsonb_build_array(name), 'relation', 't', 'label', 'y',
    'encoding', '{"low": [0, 0], "high": [1, 1]}'::jsonb, 'types', jsonb_build_object(name, type), 'encoders', jsonb_build_object(name, encoder)))::dp_model $$;
-- What PMML cannot say.
SELECT * FROM answers('SELECT length(dpobj.show(forged(''svm'', %), ''pmml''))',
  '''timestamp with time zone'', ''{"epoch_of": "day", "bins": [1]}''', '''timestamp with time zone'', ''{"part": "month", "time_zone": "Europe/Rome"}'', array_fill(1, ARRAY[12])',
  '''timestamp without time zone'', ''{"epoch_of": "day", "clip": [0, 1]}'', ''{1}''', '''timestamp without time zone'', ''{"epoch_of": "second", "bins": [0.5]}''',
  '''text'', ''{"levels": ["a", "\u0001"]}''', '''text'', ''{"levels": ["\uffff", "a"]}''', '''boolean'', ''{}'', ''{1}'', E''bell\x07''');
SELECT dpobj.show(forged('svm', 'timestamp with time zone', '{"part": "month", "time_zone": "Europe/Rome"}', array_fill(1, ARRAY[12])), 'json')::jsonb #> '{columns,c}' AS zone,
       dpobj.show(forged('svm', 'text', '{"levels": ["a", "\u0001"]}'), 'json')::jsonb #> '{features,1}' AS control;
SELECT regexp_count.n FROM (SELECT dpobj.show(forged('svm', 'timestamp without time zone', '{"epoch_of": "second", "bins": [7]}'), 'pmml')) p(text),
  LATERAL (SELECT count(*) AS n FROM regexp_matches(p.text, 'dateSecondsSinceYear', 'g')) regexp_count;
-- Names of columns are no names of other fields, and integers may have more than 32 bits.
SELECT substring(dpobj.show(forged('svm', 'bigint', '{"levels": [1, 2]}', name => n), 'pmml') FROM '<RegressionTable.*(<Num[^>]*>)') AS last, substring(dpobj.show(forged('svm', 'bigint', '{"levels": [1, 2]}', name => n), 'pmml') FROM '<DataField[^>]*>') AS field
  FROM unnest(ARRAY['c', 'dp_', 'dp__2', 'DP_']) n;
-- Each kind, and arrays.
CREATE FUNCTION of_array(kind text, weights float8[], details jsonb) RETURNS dp_model LANGUAGE sql AS $$ SELECT ROW(kind, 'x', weights, 1, 0, 'replace', 'exact', 1, details)::dp_model $$;
SELECT kinds.kind, j - 'features' - 'kind' AS json, substring(dpobj.show(m, 'pmml') FROM '<RegressionModel[^>]*>') AS pmml FROM unnest(ARRAY['halfspace', 'logistic', 'svm', 'linear', 'simplex', 'softmax', 'one_vs_rest']) kinds(kind),
  of_array(kinds.kind, '{1,2,3,4}', CASE WHEN kinds.kind IN ('softmax', 'one_vs_rest') THEN '{"encoding": {"intercept": true}, "classes": ["a", "<b>"]}' ELSE '{"encoding": {"levels": [0, 2], "high": [1, 2], "low": [-1, 0], "intercept": true}}' END::jsonb) m,
  CAST(dpobj.show(m, 'json') AS jsonb) j;
SELECT * FROM answers('SELECT dpobj.show(%', $$of_array('halfspace', '{1,2}', '{}'), 'pmml')$$,
  $$of_array('halfspace', '{1,NaN}', '{"encoding": {}}'), 'json')::jsonb$$, $$forged('halfspace', 'boolean', '{}', '{1,2,3}'), 'json')::jsonb$$,
  $$forged('softmax', 'boolean', '{}'), 'json')::jsonb$$);
DROP OWNED BY dpobj_export_ana, dpobj_export_bob;
DROP ROLE dpobj_export_ana, dpobj_export_bob;

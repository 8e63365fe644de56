-- dpobj.auc and dpobj.calibration: what is released, what is refused, what it costs; and the confidence of evaluations.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_auc_ana', 'dpobj_auc_eve');
-- older people recover less often; sex says nothing; some ages and answers are missing
CREATE TABLE patient (id int, person int, age int, sex text, ward text, well boolean);
INSERT INTO patient SELECT i, i / 2, CASE WHEN i % 97 > 0 THEN 20 + i % 60 END, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, (ARRAY['a', 'b', 'c'])[1 + i % 3],
  CASE WHEN i % 89 > 0 THEN i / 60 * 37 % 100 < 90 - i % 60 * 4 / 3 END FROM generate_series(1, 6000) i;
CREATE TABLE patient_by_person AS SELECT * FROM patient;
CREATE TABLE no_patient AS SELECT * FROM patient LIMIT 0;
REVOKE ALL ON patient, patient_by_person, no_patient FROM PUBLIC;
SELECT dpobj.protect(t, '{"age": {"center": 50, "scale": 30}, "sex": {"levels": ["f", "m"]}, "ward": {"levels": ["a", "b", "c"]}, "well": {}}', n => 6000)
  FROM unnest('{patient,no_patient}'::regclass[]) t;
SELECT dpobj.protect('patient_by_person', '{"age": {"center": 50, "scale": 30}, "sex": {"levels": ["f", "m"]}, "ward": {"levels": ["a", "b", "c"]}, "well": {}}',
  adjacency => 'add_remove', person => 'person', max_rows_per_person => 2);
SELECT dpobj.set_budget(t, 'dpobj_auc_ana', 100000, 0) FROM unnest('{patient,patient_by_person,no_patient}'::regclass[]) t;

\c - dpobj_auc_ana
SELECT (dpobj.train('patient', 'well', 1000, '{age,sex}', method => 'logistic', options => '{"regularization": 1, "rate": 0}', name => 'chance')).kind,
       (dpobj.train('patient', 'well', 1000, '{age,sex}', method => 'halfspace', options => '{"rate": 0}', name => 'points')).kind AS points,
       (dpobj.train('patient', 'age', 1000, '{sex}', method => 'linear', name => 'number')).kind AS number,
       (dpobj.train('patient', 'ward', 1000, '{age}', method => 'softmax', name => 'classes')).kind AS classes;
-- With much epsilon both are the truth, by the scores of the rows.
\c - postgres
CREATE TABLE scored AS SELECT m AS model, id, sex, well, dpobj.score(m, p, 'dpobj_auc_ana') AS score, CASE WHEN m = 'chance' THEN dpobj.predict_proba(m, p, 'dpobj_auc_ana') END AS p
  FROM patient p, unnest('{chance,points}'::text[]) m WHERE age IS NOT NULL AND well IS NOT NULL;
-- the mean rank of positive scores among all, less that among themselves
CREATE TABLE truth AS SELECT model, (sum(r) FILTER (WHERE well) - positive * (positive + 1) / 2) / (positive * (total - positive)) AS auc
  FROM (SELECT model, well, rank() OVER w + (count(*) OVER (w RANGE CURRENT ROW) - 1) / 2.0 AS r, count(*) FILTER (WHERE well) OVER (PARTITION BY model) AS positive,
               count(*) OVER (PARTITION BY model) AS total FROM scored WINDOW w AS (PARTITION BY model ORDER BY score)) s GROUP BY model, positive, total;
GRANT SELECT ON truth TO dpobj_auc_ana;
CREATE TABLE shares AS SELECT least(floor(p * 10), 9) / 10 AS bin_low, count(*) AS rows, avg(well::int) AS share FROM scored WHERE model = 'chance' GROUP BY 1;
GRANT SELECT ON shares TO dpobj_auc_ana;
SELECT model, auc BETWEEN 0.7 AND 0.9 AS good FROM truth ORDER BY 1;
\c - dpobj_auc_ana
SELECT t.model, abs(a.value - t.auc) <= a.ties + 1e-6 AS near, a.ties < 0.02 AS few_ties, a.low <= a.value AND a.value <= a.high AND a.high - a.low < 0.0001 AS narrow,
       a.sample_high - a.sample_low BETWEEN 0.01 AND 0.05 AS sample, a.confidence
  FROM truth t, LATERAL dpobj.auc(t.model, 'patient', 1000, options => '{"bins": 200, "confidence": 0.9}') a ORDER BY 1;
SELECT abs(c.rows - s.rows) <= 1 AS rows, abs(c.share - s.share) < 0.001 AS share, c.low <= c.share AND c.share <= c.high AND c.high - c.low < 0.001 AS narrow,
       c.sample_low < c.low AND c.high < c.sample_high AS sample, c.confidence, count(*) > 5 AS several
  FROM shares s JOIN dpobj.calibration('chance', 'patient', 1000) c ON abs(c.bin_low - s.bin_low) < 1e-9 WHERE s.rows > 100 GROUP BY 1, 2, 3, 4, 5;
SELECT count(*), min(bin_low), max(bin_high), count(share) < 20 AS some_are_empty FROM dpobj.calibration('chance', 'patient', 1000, options => '{"bins": 20}');
SELECT a.value > 0.7 AS persons FROM dpobj.auc('chance', 'patient_by_person', 100) a;
SELECT (SELECT sum(rows) FROM dpobj.calibration('chance', 'patient', 1000, filter => '{"sex": {"=": "f"}}')) BETWEEN 2900 AND 3000 AS filtered;
-- with noise, digits that it allows; no rows are answered, too
SELECT value = round(value::numeric, 3)::float8 AS digits, low < value AND value < high AS around FROM dpobj.auc('chance', 'patient', 0.2);
SELECT count(*) AS answers, bool_and(value IS NULL AND ties IS NULL AND low = 0 AND high = 1) AS nothing FROM dpobj.auc('chance', 'no_patient', 0.1);
SELECT count(*) AS answers, bool_and(low <= high) AS ordered FROM dpobj.calibration('chance', 'no_patient', 0.1);
SELECT v = round(v::numeric, 4)::float8 AS digits FROM dpobj.evaluate('chance', 'patient', 0.2) v;
-- a histogram is one charge, with noise on both labels of each bin
SELECT epsilon AS before FROM dpobj.remaining('patient') \gset
SELECT count(*) FROM dpobj.auc('points', 'patient', 0.5);
SELECT :before - epsilon AS spent FROM dpobj.remaining('patient');
\c - postgres
SELECT mechanism, epsilon, delta, pair, guarantee, adjacency, person, parameters - 'encoders' - 'types' - 'model' - 'scores' AS parameters, parameters ? 'scores' AS scores
  FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;

-- The confidence of other evaluations; each answer is kept with it.
\c - dpobj_auc_ana
SELECT count(*) FROM dpobj.auc('points', 'patient', 0.5, name => 'auc'), dpobj.calibration('chance', 'patient', 0.5, name => 'calibration'),
  dpobj.evaluate('points', 'patient', 0.5, name => 'accuracy') a, dpobj.evaluate('points', 'patient', 0.5, options => '{"confidence": 0.5}', name => 'accuracy at 0.5') b,
  dpobj.evaluate('number', 'patient', 0.5, options => '{"confidence": 0.6}', name => 'r squared') c,
  LATERAL (SELECT count(*) FROM dpobj.confusion('points', 'patient', 0.5, options => '{"confidence": 0.7}', name => 'confusion')) d,
  LATERAL (SELECT count(*) FROM dpobj.confusion('classes', 'patient', 0.5, options => '{"confidence": 0.8}', name => 'confusion of classes')) e;
SELECT name, kind, models, value BETWEEN low AND high AS around, sample_low < low AND high < sample_high AS sample, confidence FROM dpobj.evaluations WHERE name IS NOT NULL ORDER BY name;
SELECT name, (answer -> 0 ->> 'error')::float8 AS error, jsonb_array_length(answer) AS rows FROM dpobj.evaluations WHERE name LIKE 'confusion%' ORDER BY name;
SELECT epsilon AS before FROM dpobj.remaining('patient') \gset
SELECT (SELECT jsonb_agg(to_jsonb(a)) FROM dpobj.auc('points', 'patient', 0.5, name => 'auc') a) = answer AS same FROM dpobj.answers WHERE name = 'auc';
SELECT (SELECT jsonb_agg(to_jsonb(a)) FROM dpobj.calibration('chance', 'patient', 0.5, name => 'calibration') a) = answer AS same FROM dpobj.answers WHERE name = 'calibration';
SELECT epsilon = :before AS free FROM dpobj.remaining('patient');
SELECT * FROM answers('SELECT dpobj.%', $$auc('points', 'patient', 0.5, options => '{"bins": 9}', name => 'auc')$$, $$calibration('chance', 'patient', 0.5, name => 'auc')$$,
  $$evaluate('points', 'patient', 0.5, options => '{"confidence": 0.9}', name => 'accuracy')$$);

-- Refused before anything is charged.
SELECT * FROM answers('SELECT * FROM dpobj.auc(%)', '''number'', ''patient'', 1', '''classes'', ''patient'', 1', '''none'', ''patient'', 1', 'NULL, ''patient'', 1',
  '''chance'', ''patient'', 0', '''chance'', ''patient'', NULL', '''chance'', ''patient'', 1, options => ''{"bins": 1}''', '''chance'', ''patient'', 1, options => ''{"bins": 501}''',
  '''chance'', ''patient'', 1, options => ''{"confidence": 0.4}''', '''chance'', ''patient'', 1, options => ''{"clip": [0, 1]}''', '''chance'', ''patient'', 1, filter => ''{"ward": {"=": "d"}}''');
SELECT * FROM answers('SELECT * FROM dpobj.calibration(%)', '''points'', ''patient'', 1', '''number'', ''patient'', 1', '''classes'', ''patient'', 1');
SELECT * FROM answers('SELECT dpobj.%', $$evaluate('points', 'patient', 1, options => '{"confidence": 1}')$$, $$evaluate('points', 'patient', 1, options => '{"bins": 9}')$$,
  $$confusion('points', 'patient', 1, options => '[]')$$);
\c - dpobj_auc_eve
SELECT * FROM dpobj.auc('chance', 'patient', 1);
\c - dpobj_auc_ana
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('patient');
-- What it would cost.
SELECT dpobj.price('patient', 'well', 1, method => 'auc') - 'remaining' - 'calls' AS price;
SELECT dpobj.price('patient_by_person', 'well', 1, method => 'calibration', options => '{"bins": 5, "confidence": 0.9}') - 'remaining' - 'calls' AS price;
SELECT dpobj.price_aggregate('auc', 40, 1) -> 'cells' AS cells, dpobj.price_aggregate('calibration', 10, 1) -> 'error' AS error;
SELECT * FROM answers('SELECT dpobj.price%', $$_aggregate('auc', 1, 1)$$, $$('patient', NULL, 1, method => 'auc')$$, $$('patient', 'none', 1, method => 'auc')$$);
\c - postgres
DROP OWNED BY dpobj_auc_ana, dpobj_auc_eve;
DROP ROLE dpobj_auc_ana, dpobj_auc_eve;

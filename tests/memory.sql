-- memory.sql - each way into the module once, for valgrind (scripts/memory.sh); what comes out is
-- tested elsewhere.
\set ON_ERROR_STOP 1
\o /dev/null
SET client_min_messages = error;
CREATE EXTENSION dpobj;
CREATE TABLE stay (id int PRIMARY KEY, age int, weight float8, cost numeric, sex text, day date, ill boolean, person text);
INSERT INTO stay SELECT i, 20 + i, i / 10.0, i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, date '2020-01-01' + i, i % 3 = 0, 'p' || i / 2
  FROM generate_series(1, 40) i;
INSERT INTO stay (id) VALUES (0);
INSERT INTO stay VALUES (-1, 3, 'NaN', 'Infinity', '', 'infinity', NULL, '');
CREATE VIEW x AS SELECT ARRAY[weight / 4 - 0.5, (sex = 'f')::int] AS f, ill AS y, weight / 4 AS t, sex, id FROM stay;

-- the owner's door
CREATE TABLE kept AS SELECT dp_halfspace(f, y, 1.0, 0, '{"dimension": 2}') AS model FROM x;
INSERT INTO kept SELECT dp_halfspace(f, y, 1.0, 0.01, '{"mechanism": "opdisc", "noise": "gaussian"}') FROM x;
INSERT INTO kept SELECT dp_logistic(f, y, 1.0, 0, '{"regularization": 10}') FROM x;
INSERT INTO kept SELECT dp_svm(f, y, 1.0, 0.01, '{"mechanism": "sgd", "iterations": 3}') FROM x;
SELECT dp_classifier(f, y, 1.0, 0, '{"n": 1000}') FROM x;
SELECT dp_simplex(f, t, 1.0, 0, '{"n": 40, "target": [0, 1]}') FROM x;
SELECT dp_linear(f, t, 1.0, 0, '{"n": 40, "target": [0, 1]}') FROM x;
SELECT dp_groups(sex, f, y, 1.0, 0, '{"keys": ["f", "m"], "dimension": 2}') FROM x;
SELECT dp_ftrl(f, 1.0, 0, '{"n": 42, "dimension": 2}') OVER (ORDER BY id) FROM x;
SELECT dp_accuracy((SELECT model FROM kept LIMIT 1), f, y, 1.0) FROM x;
SELECT dp_confusion((SELECT model FROM kept LIMIT 1), f, y, 1.0) FROM x;
SELECT dp_select(ARRAY(SELECT model FROM kept), f, y, 1.0) FROM x;
SELECT dp_score(model, '{1,0}'), dp_predict(model, '{1,0}'), dpobj_internal.model_hash(model), dpobj.verify(model) FROM kept;
SELECT dp_predict_proba(model, '{1,0}') FROM kept WHERE (model).kind = 'logistic';

-- the analyst's
CREATE TABLE visit AS TABLE stay;
SELECT dpobj.features('{"age": {"bins": [30, 40]}, "sex": {"levels": ["f"]}, "day": {"epoch_of": "day", "scale": 20000}}', s) FROM visit s;
SELECT dpobj.protect('visit', '{"age": {"bins": [30, 40]}, "weight": {"null_indicator": true}, "cost": {"scale": 50}, "sex": {"levels": ["f", "m"]}, "ill": {}}',
                     person => 'person', max_rows_per_person => 1);
SELECT dpobj.set_budget('visit', 'postgres', 1000, 0.5, 'zcdp'), dpobj.set_budget('visit', NULL, 1000, 0.5);
SET dpobj.release_tick = 0;
SELECT dpobj.train('visit', 'ill', 1.0, '{age,weight,cost}', filter => '{"sex": {"in": ["f"]}, "age": {">": 21}}', name => 'one');
SELECT dpobj.train('visit', 'ill', 1.0, '{age,weight,cost}', method => 'svm', options => '{"regularization": 10}', name => 'two');
SELECT dpobj.train_groups('visit', 'ill', 1.0, features => '{age}', name => 'three', by => '{sex}');
SELECT dpobj.train('visit', 'ill', 1.0, '{age}', options => '{"holdout": 0.3}', name => 'four');
SELECT dpobj.evaluate('one', 'visit', 1.0), dpobj.evaluate('four', 'visit', 1.0), dpobj.confusion('two', 'visit', 1.0), dpobj.select('{one,two}', 'visit', 1.0);
SELECT dpobj.train('visit', 'ill', 1.0, '{age}', method => 'logistic', name => 'five');
SELECT dpobj.auc('four', 'visit', 1.0), dpobj.calibration('five', 'visit', 1.0);
SELECT dpobj.histogram('visit', 'age', 1.0, name => 'first'), dpobj.histogram('visit', 'age', 1.0, name => 'second');
SELECT dpobj.drift('first', 'second') UNION ALL SELECT dpobj.drift('second', 'first', 0.9);
SELECT * FROM dpobj.drifts, dpobj.model_history;
SELECT dpobj.show('one'), dpobj.show('one', 'markdown'), dpobj.predict_sql('one'), dpobj.show('one', 'pmml'), dpobj.show('one', 'json');
SELECT dpobj.price('visit', NULL, 1.0), dpobj.price_aggregate('svm', 3, 1.0), dpobj.price_aggregate('ftrl', 3, 1.0, 0, '{"n": 100}');
SELECT dpobj.price_plan('[{"method": "svm", "d": 2, "epsilon": 1, "count": 2}, {"method": "halfspace", "d": 3, "epsilon": 0.5}]', 1e-6);
SELECT dpobj.report('visit'), length(dpobj.report('visit', 'html')), dpobj.recompute('visit', NULL, 'zcdp', 1e-6);
SELECT * FROM dpobj.ledger, dpobj.budgets LIMIT 1;

-- what is refused
DO $$
DECLARE
  statement text;
BEGIN
  FOREACH statement IN ARRAY ARRAY[
    'SELECT dp_halfspace(f, y, 1.0, 0, ''{"grid": {"levels": [[1, 0]]}}'') FROM x', 'SELECT dp_svm(f, y, 1.0, 0, ''{"noise": "none"}'') FROM x',
    'SELECT dp_halfspace(f, y, 1.0, 0) FROM x, stay', 'SELECT dpobj.train(''visit'', ''ill'', 1.0, filter => ''{"sex": {"~": 1}}'')',
    'SELECT dpobj.train(''visit'', ''ill'', 1e6)', 'SELECT dpobj.protect(''visit'', ''{"age": {"bins": [2, 1]}}'')',
    'SELECT dp_score(''(a,b,{},1,1,a,b,1,{})''::dp_model, ''{1}'')', 'SELECT dp_groups(sex, f, y, 1.0, 0, ''{"keys": ["f", "f"], "dimension": 2}'') FROM x'] LOOP
    BEGIN
      EXECUTE statement;
      RAISE SQLSTATE 'MM000';
    EXCEPTION
      WHEN SQLSTATE 'MM000' THEN
        RAISE 'not refused: %', statement;
      WHEN OTHERS THEN
        NULL;
    END;
  END LOOP;
END $$;

-- SQLSTATEs of refusals that sql shows without them, and that a refusal writes nothing to the ledger.
\set QUIET 1
\set ON_ERROR_STOP 1
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpobj;
DROP TABLE IF EXISTS person;
CREATE TABLE person (features float8[], rich boolean, age integer, eps float8);
INSERT INTO person SELECT ARRAY[i % 2, 1 - i % 2], i % 2 = 1, i, 1 FROM generate_series(1, 20) i;
SELECT count(*) AS before FROM dpobj.ledger \gset

CREATE TEMP TABLE refusal (call text, tail text, state text);
INSERT INTO refusal VALUES
  ('features, rich, 1.0, 0', 'GROUP BY age', 'UB003'),
  ('features, rich, 1.0, 0', 'HAVING count(*) > 0', 'UB003'),
  ('features, rich, 1.0, 0', ', generate_series(1, 2)', 'UB003'),
  ('features, rich, 1.0, 0, ''{"prior": {"power": 17}}''', '', '22023'),
  ('features, rich, 1.0, 0, ''{"prior": "uniform", "mechanism": "opdisc"}''', '', '22023'),
  ('features, rich, 1.0, 0, ''{"intercept": 1}''', '', '22023'),
  ('DISTINCT features, rich, 1.0, 0', '', 'UB003'),
  ('features, rich, 1.0, 0', 'TABLESAMPLE SYSTEM (50)', 'UB003');

SELECT plan((SELECT count(*) FROM refusal)::int + 9);
SELECT throws_ok(format('SELECT dp_halfspace(%s) FROM person %s', call, tail), state, NULL,
                 format('%s %s -> %s', call, tail, state))
FROM refusal;
SELECT throws_ok('SELECT dpobj_internal.train_final(NULL)', 'UB003');
SELECT throws_ok('SELECT dp_predict(ROW(''halfspace'', ''hand'', ARRAY[1], 0, 0, '''', '''', 0, ''{}'')::dp_model, ARRAY[1, 2])', '22023');
SELECT throws_ok('UPDATE dpobj.ledger_events SET epsilon_nano = 0', '42501');
SELECT throws_ok('SELECT dpobj.protect(''person'', ''{"age": {}}'')', '22023');
SELECT throws_ok('SELECT dpobj.protect(''pg_stats'', ''{"correlation": {}}'')', 'UB003');
SELECT throws_ok('SELECT dpobj.features(''{"age": {}}'', person) FROM person', '22023');
SELECT throws_ok('SELECT dpobj.protected_features(''person'')', 'UB003');
SELECT is(count(*)::int, 0, 'a refused declaration is not kept') FROM dpobj.protections;
SELECT is(count(*)::int, :before, 'a refusal writes nothing') FROM dpobj.ledger;
SELECT * FROM finish();
DROP TABLE person;

-- Quantiles: dp_quantiles at the owner's door, dpobj.quantiles at the analyst's.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_quantiles_ana', 'dpobj_quantiles_eve');

CREATE TABLE visit (id int, age int, region text, weight float8, ill boolean);
INSERT INTO visit SELECT i, i % 100, CASE WHEN i % 20 = 0 THEN NULL WHEN i % 2 = 0 THEN 'north' ELSE 'south' END,
  CASE WHEN i % 10 = 0 THEN NULL WHEN i % 10 = 1 THEN 'NaN' WHEN i % 10 = 2 THEN 1e300 WHEN i % 10 = 3 THEN '-Infinity' ELSE 50 + i % 7 END,
  i % 4 = 0 FROM generate_series(1, 2000) i;

-- At epsilon 10,000 hardly any noise is left.
SELECT quantile, round(value) AS value, confidence FROM (SELECT (unnest(dp_quantiles(age, '{0.005,0.255,0.505,0.755,0.995}', 0, 100, 10000))).* FROM visit) s;
SELECT percentile_disc(ARRAY[0.005, 0.255, 0.505, 0.755, 0.995]) WITHIN GROUP (ORDER BY age) FROM visit;
SELECT quantile, value FROM (SELECT (unnest(dp_quantiles(age, '{0.255,0.505,0.755}', 0, 100, 10000, '{"steps": 100}'))).* FROM visit WHERE age < 50) s;
SELECT percentile_disc(ARRAY[0.255, 0.505, 0.755]) WITHIN GROUP (ORDER BY age) FROM visit WHERE age < 50;
-- NULL and NaN are no values; what is outside is clipped
SELECT quantile, value FROM (SELECT (unnest(dp_quantiles(weight, '{0.1,0.5,0.95}', 0, 60, 10000, '{"steps": 60}'))).* FROM visit) s;
SELECT percentile_disc(ARRAY[0.1, 0.5, 0.95]) WITHIN GROUP (ORDER BY greatest(0, least(weight, 60))) FROM visit WHERE weight <> 'NaN';
-- no row, one row, all values outside, one and a hundred quantiles: an answer within the bounds
SELECT (q[1]).value BETWEEN 0 AND 1 AS inside FROM (SELECT dp_quantiles(age, '{0.5}', 0, 1, 1.0) AS q FROM visit WHERE id < 0) s;
SELECT (q[1]).value BETWEEN 0 AND 1 AS inside FROM (SELECT dp_quantiles(age, '{0.5}', 0, 1, 1.0) AS q FROM visit WHERE id = 1) s;
SELECT (q[1]).value AS below, (q[2]).value AS above FROM (SELECT dp_quantiles(age, '{0.25,0.75}', 200.25, 300.75, 10000, '{"steps": 100}') AS q FROM visit) s;
SELECT array_agg(i / 101.0) AS hundred, array_agg(i / 102.0) || 0.999 AS more FROM generate_series(1, 100) i \gset
SELECT cardinality(dp_quantiles(age, :'hundred', 0, 100, 1.0)) FROM visit;
SELECT dp_quantiles(age, :'more', 0, 100, 1.0) FROM visit;
-- by default whole numbers have a grid of whole numbers
SELECT (q).value FROM (SELECT unnest(dp_quantiles(age, '{0.255,0.505}', 0, 100, 10000)) AS q FROM visit) s;
SELECT parameters -> 'steps' AS steps FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
-- others have a round step between the bounds
SELECT (q).value FROM (SELECT unnest(dp_quantiles(id / 7.0, '{0.00025,0.25025,0.50025,0.99975}', 2.125, 270.125, 10000)) AS q FROM visit) s;
SELECT parameters -> 'clip' AS clip, parameters -> 'steps' AS steps, parameters -> 'step' AS step FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
SELECT (q).value = trunc((q).value) AS whole FROM (SELECT unnest(dp_quantiles(age::numeric / 7, '{0.255,0.505}', 0, 100, 10000)) AS q FROM visit) s;
-- the bound of the error is public: it does not depend on rows
SELECT (q).quantile, (q).rank_error, (q).confidence FROM (SELECT unnest(dp_quantiles(age, '{0.25,0.5,0.75}', 0, 100, 1.0)) AS q FROM visit WHERE id < 0) s;
SELECT (q).rank_error, (q).confidence FROM (SELECT unnest(dp_quantiles(age, '{0.5}', 0, 100, 1.0, '{"confidence": 0.5, "steps": 100}')) AS q FROM visit) s;
-- partial states are added up
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT (q[1]).value FROM (SELECT dp_quantiles(age, '{0.505}', 0, 100, 10000) AS q FROM visit) s;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- what is refused
SELECT * FROM answers('SELECT dp_quantiles(age, %) FROM visit',
  $$'{}', 0, 1, 1.0$$, $$NULL, 0, 1, 1.0$$, $$'{0}', 0, 1, 1.0$$, $$'{1}', 0, 1, 1.0$$, $$'{-0.5}', 0, 1, 1.0$$, $$'{NaN}', 0, 1, 1.0$$, $$'{0.5,NULL}', 0, 1, 1.0$$,
  $$'{0.5,0.5}', 0, 1, 1.0$$, $$'{0.5,0.25}', 0, 1, 1.0$$,
  $$ARRAY[age / 1000.0], 0, 1, 1.0$$, $$'{0.5}', 1, 1, 1.0$$, $$'{0.5}', 1, 0, 1.0$$, $$'{0.5}', 'NaN', 0, 1.0$$, $$'{0.5}', '-1e308', '1e308', 1.0$$, $$'{0.5}', age, 1, 1.0$$,
  $$'{0.5}', NULL, 1, 1.0$$, $$'{0.5}', 0, 1, 0.0$$, $$'{0.5}', 0, 1, 1.0, '{"steps": 0}'$$, $$'{0.5}', 0, 1, 1.0, '{"steps": 1048577}'$$, $$'{0.5}', 0, 1, 1.0, '{"step": 1}'$$,
  $$'{0.5}', 0, 1, 1.0, '{"clip": [0, 1]}'$$);

-- The analyst's door.
CREATE TABLE ward AS SELECT * FROM visit;
SELECT dpobj.protect('ward', '{"age": {"clip": [0, 100]}, "region": {"levels": ["north", "south", "west"]}, "weight": {"bins": [50]}, "ill": {}}');
SELECT dpobj.set_budget('ward', 'dpobj_quantiles_ana', 1000000, 0);
\c - dpobj_quantiles_ana
SELECT quantile, value FROM dpobj.quantiles('ward', 'age', '{0.255,0.505,0.755}', 10000, options => '{"steps": 100}');
SELECT key, quantile, value FROM dpobj.quantiles('ward', 'age', '{0.251,0.499}', 10000, '{ill}', options => '{"steps": 100}');
SELECT ill, percentile_disc(ARRAY[0.251, 0.499]) WITHIN GROUP (ORDER BY i % 100) FROM (SELECT i, i % 4 = 0 AS ill FROM generate_series(1, 2000) i) s GROUP BY 1 ORDER BY 1;
SELECT quantile, value FROM dpobj.quantiles('ward', 'age', '{0.5}', 10000, filter => '{"age": {">": 60}}', options => '{"steps": 50, "clip": [50, 100]}');
SELECT value FROM dpobj.quantiles('ward', 'weight', '{0.5}', 10000, options => '{"steps": 60, "clip": [0, 60]}');
SELECT p.steps, p.column FROM unnest('{age,ill,weight}'::text[]) c, LATERAL (SELECT c AS column, dpobj.price('ward', c, 1, method => 'quantiles', options => '{"quantiles": [0.5], "clip": [0, 10]}') -> 'steps' AS steps) p;
SELECT dpobj.price('ward', 'age', 1, method => 'quantiles', options => '{"quantiles": [0.5], "clip": [0.5, 10]}') -> 'steps' AS no_whole_bounds;
-- a group without rows has an answer
SELECT count(*) AS answers, bool_and(value BETWEEN 0 AND 100) AS inside FROM dpobj.quantiles('ward', 'age', '{0.2,0.8}', 1, '{region,ill}');
-- two copies of a call are one release
SELECT epsilon AS before FROM dpobj.remaining('ward') \gset
SELECT (a).value = (a).value AS same FROM (SELECT dpobj.quantiles('ward', 'age', '{0.5}', 0.5) AS a OFFSET 0) s;
SELECT :before - epsilon AS spent FROM dpobj.remaining('ward');
-- what is refused, before the charge
SELECT epsilon AS before FROM dpobj.remaining('ward') \gset
SELECT * FROM answers('SELECT dpobj.quantiles(%)',
  $$'ward', 'age', NULL, 1$$, $$'ward', 'age', '{}', 1$$, $$'ward', 'age', '{0.5,0.1}', 1$$, $$'ward', 'age', '{2}', 1$$, $$'ward', 'region', '{0.5}', 1$$, $$'ward', 'weight', '{0.5}', 1$$,
  $$'ward', 'nothing', '{0.5}', 1$$, $$'ward', 'age', '{0.5}', 1, '{ill}', NULL, '{"steps": 1048576}'$$, $$'ward', 'age', '{0.5}', 1, NULL, NULL, '{"bins": 3}'$$,
  $$'ward', 'age', '{0.5}', 0$$);
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('ward');
SELECT mechanism, epsilon, adjacency, guarantee, pair, door, parameters FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
\c - dpobj_quantiles_eve
SELECT dpobj.quantiles('ward', 'age', '{0.5}', 1);

-- Prices: the bounds of the errors in ranks are those of a call with as many groups; 5 rows of a person count five times.
SELECT options, p - 'method' - 'epsilon' - 'delta' - 'guarantee' - 'quantiles' - 'unit' AS price
  FROM (VALUES (1, '{}'), (1, '{"adjacency": "add_remove", "max_rows_per_person": 5}'), (2, '{"steps": 100, "confidence": 0.5}')) v(d, options),
       LATERAL dpobj.price_aggregate('quantiles', d, 1, 0, options::jsonb || '{"clip": [0, 100], "quantiles": [0.25, 0.5, 0.75]}') p;
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)',
  $$'quantiles', 1, 1$$, $$'quantiles', 1, 1, 0, '{"clip": [0, 1]}'$$, $$'quantiles', 1, 1, 0, '{"quantiles": [0.5]}'$$, $$'quantiles', 1, 1, 0, '{"quantiles": [], "clip": [0, 1]}'$$,
  $$'quantiles', 1, 1, 0, '{"quantiles": 0.5}'$$, $$'quantiles', 1, 1, 0, '{"quantiles": [0.5, "1"]}'$$, $$'quantiles', 1, 1, 0, '{"quantiles": [0.5, 0.5]}'$$,
  $$'quantiles', 1, 1, 0, '{"quantiles": [0.5], "clip": [1, 1]}'$$, $$'quantiles', 1, 1, 0, '{"quantiles": [0.5], "clip": [0, 1], "steps": 0}'$$,
  $$'quantiles', 3, 1, 0, '{"quantiles": [0.5], "clip": [0, 1], "steps": 1048576}'$$, $$'quantiles', 0, 1, 0, '{"quantiles": [0.5], "clip": [0, 1]}'$$,
  $$'quantiles', 1, 1, 0, '{"bins": 3}'$$, $$'count', 1, 1, 0, '{"quantiles": [0.5]}'$$, $$'count', 1, 1, 0, '{"steps": 5}'$$);
SELECT p -> 'basic' -> 'epsilon' AS epsilon FROM dpobj.price_plan('[{"method": "quantiles", "d": 4, "epsilon": 0.1, "count": 3, "options": {"clip": [0, 1], "quantiles": [0.5]}}]', 0) p;
SELECT dpobj.price_plan('[{"method": "quantiles", "d": 4, "epsilon": 0.1, "options": {"clip": [0, 1]}}]', 0);

-- Persons: the bound of the error grows with the rows of a person.
\c - postgres
CREATE TABLE bed (patient int, cost float8);
INSERT INTO bed SELECT i / 4, i % 10 FROM generate_series(1, 4000) i;
SELECT dpobj.protect('bed', '{"cost": {"clip": [0, 10]}}', person => 'patient', max_rows_per_person => 2);
SELECT dpobj.set_budget('bed', 'dpobj_quantiles_ana', 100000, 0);
\c - dpobj_quantiles_ana
SELECT value, rank_error FROM dpobj.quantiles('bed', 'cost', '{0.55}', 10000, options => '{"steps": 10}');
SELECT rank_error FROM dpobj.quantiles('bed', 'cost', '{0.55}', 1, options => '{"steps": 10}');
\c - postgres
DROP TABLE visit, ward, bed;
DROP ROLE dpobj_quantiles_ana, dpobj_quantiles_eve;

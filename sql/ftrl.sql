-- dp_ftrl: one index for each step, one charge for a run, and which windows are let through
\i tests/answers.sql
CREATE TABLE expert (t integer PRIMARY KEY, costs float8[], a float8, b float8, city text);
INSERT INTO expert SELECT i, ARRAY[0, 1, 1], 0, 1, 'c' || i % 3 FROM generate_series(1, 300) i;
ANALYZE expert;
CREATE VIEW few_experts AS SELECT t, costs FROM expert WHERE t <= 100;
CREATE TABLE season (t integer, costs float8[]) PARTITION BY RANGE (t);
CREATE TABLE season_low PARTITION OF season FOR VALUES FROM (0) TO (100);
CREATE TABLE season_high PARTITION OF season FOR VALUES FROM (100) TO (1000);
INSERT INTO season SELECT t, costs FROM expert;
CREATE TABLE chosen (t integer, choice integer);
CREATE TABLE upper (t integer, costs float8[]);
CREATE TABLE lower () INHERITS (upper);
CREATE TABLE echoed (a float8, b float8, t float8 GENERATED ALWAYS AS (a) STORED);
INSERT INTO echoed VALUES (1, 0), (0, 1);
INSERT INTO upper SELECT t, costs FROM expert WHERE t <= 5;
INSERT INTO lower SELECT t, costs FROM expert WHERE t > 5;

-- A run: released events, their costs, and what is said of it.
SELECT coalesce(max(id), 0) AS before FROM dpobj.ledger \gset
INSERT INTO chosen SELECT t, dp_ftrl(costs, 1000, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY t) FROM expert;
SELECT count(*), min(t), max(t), count(*) FILTER (WHERE choice BETWEEN 1 AND 3) AS choices,
  count(*) FILTER (WHERE choice = 1) > 250 AS learns FROM chosen;
SELECT event, mechanism, adjacency, epsilon, delta, guarantee, pair, relation_name,
  parameters - 'rate' AS parameters FROM dpobj.ledger WHERE id > :before ORDER BY id;
-- The last row's costs enter no choice; rows beyond n get null; fewer rows are no error.
SELECT count(choice), count(*) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 250, "dimension": 3}') OVER (ORDER BY t) AS choice FROM expert) s;
SELECT count(choice) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 100000, "dimension": 3}') OVER (ORDER BY t) AS choice FROM expert) s;
SELECT count(choice) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 5, "dimension": 3}') OVER (ORDER BY t) AS choice FROM expert WHERE t < 0) s;
-- Costs as columns, the other ways to write epsilon, an allowed condition, a view, partitions, two keys.
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(ARRAY[a, b], 1.5::float8, 0::float8, '{"n": 300}') OVER (ORDER BY t) FROM expert) s;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(ARRAY[a, b], 1.5, 1e-6, '{"n": 300, "noise": "gaussian"}') OVER (ORDER BY t DESC) FROM expert) s;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY t) FROM expert WHERE t BETWEEN 10 AND 19) s;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY t) FROM few_experts) s;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY t) FROM season) s;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY t) FROM upper) s;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY city, t) FROM expert WHERE city <> 'c1') s;
SET enable_sort = off; SET enable_seqscan = off;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY t) FROM expert WHERE t > 290) s;
RESET enable_sort; RESET enable_seqscan;
-- An index-only scan; a partial index on the order, and one on another column.
CREATE TABLE narrow (t integer, u integer, a float8);
INSERT INTO narrow SELECT i, i % 7, 0.5 FROM generate_series(1, 300) i;
CREATE INDEX ON narrow (t, u, a);
VACUUM ANALYZE narrow;
SET enable_sort = off; SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(ARRAY[a, 1 - a], 1, 0, '{"n": 300}') OVER (ORDER BY t) FROM narrow WHERE t < 50) s;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(ARRAY[a, 1 - a], 1, 0, '{"n": 300}') OVER (ORDER BY t) FROM narrow WHERE t < 50 AND u = 1) s;
CREATE INDEX ON narrow (t) WHERE u = 1;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(ARRAY[a, 1 - a], 1, 0, '{"n": 300}') OVER (ORDER BY t) FROM narrow WHERE u = 1) s;
RESET enable_sort; RESET enable_seqscan; RESET enable_bitmapscan;
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(ARRAY[a, u], 1, 0, '{"n": 300, "clip": [0, 6]}') OVER (ORDER BY t) FROM narrow) s;
-- Rows that cannot be used are neutral.
CREATE TABLE odd (t integer, costs float8[]);
INSERT INTO odd VALUES (1, NULL), (2, '{1,2,3}'), (3, '{NaN,0}'), (4, '{NULL,0}'), (5, '{Infinity,-Infinity}'), (6, '{{0,1}}'), (7, '{}');
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 7, "dimension": 2}') OVER (ORDER BY t) FROM odd) s;
-- Choices together with their rows.
SELECT bool_and(costs[choice] IN (0, 1)) FROM (SELECT costs, dp_ftrl(costs, 1, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY t) AS choice FROM expert) s;
-- A window that is executed again is another run and another charge.
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'charged' \gset
SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT count(*) > 0 AS answered FROM generate_series(1, 3) g LEFT JOIN (SELECT t, dp_ftrl(costs, 1, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY t) AS choice FROM expert) s ON s.choice > g;
SELECT count(*) - :before AS charges FROM dpobj.ledger WHERE event = 'charged';
RESET enable_material; RESET enable_hashjoin; RESET enable_mergejoin;

-- Refused shapes: nothing is written.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT * FROM answers($$SELECT dp_ftrl(costs, 1, 0, '{"n": 9, "dimension": 3}') OVER %$$,
  '() FROM expert', '(PARTITION BY city ORDER BY t) FROM expert', '(ORDER BY t ROWS 3 PRECEDING) FROM expert',
  'w, row_number() OVER w FROM expert WINDOW w AS (ORDER BY t)',
  $$w, dp_ftrl(costs, 1, 0, '{"n": 9, "dimension": 3}') OVER w FROM expert WINDOW w AS (ORDER BY t)$$,
  '(ORDER BY t), r FROM (SELECT t, costs, rank() OVER (ORDER BY city) AS r FROM expert) s', '(ORDER BY t + 1) FROM expert',
  '(ORDER BY costs) FROM expert');
SELECT dp_ftrl(ARRAY[a, b], 1, 0, '{"n": 9}') OVER (ORDER BY a) FROM expert;
SELECT dp_ftrl(x, 1, 0, '{"n": 9}') OVER (ORDER BY t) FROM (SELECT t, ARRAY[a, t] AS x FROM expert) s;
SELECT dp_ftrl(costs, 1, 0, '{"n": 9, "dimension": 3}') OVER (ORDER BY ctid) FROM expert;
SELECT dp_ftrl(ARRAY[a, b], 1, 0, '{"n": 9}') OVER (ORDER BY t) FROM echoed;
SELECT * FROM answers($$SELECT dp_ftrl(costs, 1, 0, '{"n": 9, "dimension": 3}') OVER (ORDER BY t) FROM %$$,
  'expert WHERE a >= 0', 'expert WHERE costs[1] > 0 OR t > 3', $$expert WHERE ctid = '(0,1)'$$, 'season_low', 'ONLY upper',
  '(SELECT * FROM expert LIMIT 5) s', 'expert JOIN chosen USING (t)', '(SELECT t, costs FROM expert UNION ALL SELECT t, costs FROM season) s');
SELECT dp_ftrl(array_agg(a), 1, 0, '{"n": 9, "dimension": 3}') OVER (ORDER BY t) FROM expert GROUP BY t;
SELECT dp_ftrl(ARRAY[g, 1.0], 1, 0, '{"n": 9}') OVER (ORDER BY g) FROM generate_series(1, 3) g;
SELECT dp_ftrl(ARRAY[random(), a], 1, 0, '{"n": 9}') OVER (ORDER BY t) FROM expert;
SELECT (SELECT sum(c) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 9, "dimension": 3}') OVER (ORDER BY t) + g AS c FROM expert) s) FROM generate_series(1, 2) g;
SELECT g, x FROM generate_series(1, 2) g, LATERAL (SELECT dp_ftrl(costs, 1, 0, '{"n": 9, "dimension": 3}') OVER (ORDER BY t) AS x FROM expert WHERE t > g) s;
SELECT dp_ftrl(costs, 1, 0, '{"n": 9, "dimension": 3}') FROM expert;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT dp_ftrl(costs, 1, 0, '{"n": 9, "dimension": 3}') OVER (ORDER BY t) FROM expert;
SELECT dp_ftrl(costs, 1, 0, '{"n": 9, "dimension": 3}') OVER (ORDER BY city) FROM expert;
INSERT INTO odd VALUES (NULL, '{0,1}'), (NULL, '{1,0}');
SELECT dp_ftrl(costs, 1, 0, '{"n": 8, "dimension": 2}') OVER (ORDER BY t) FROM odd;
SELECT dp_ftrl(costs, 1, 0, '{"n": 8, "dimension": 2}') OVER (ORDER BY odd) FROM odd;
-- Refused parameters.
SELECT * FROM answers('SELECT dp_ftrl(%) OVER (ORDER BY t) FROM expert',
  'costs, 1, 0', $$costs, 1, 0, '{"n": 9}'$$, 'costs, 1, 0, NULL', $$costs, NULL::numeric, 0, '{"n": 9, "dimension": 3}'$$,
  $$costs, a, b, '{"n": 9, "dimension": 3}'$$, $$costs, -1, 0, '{"n": 9, "dimension": 3}'$$, $$costs, 1, 1, '{"n": 9, "dimension": 3}'$$,
  $$ARRAY[a], 1, 0, '{"n": 9}'$$);
SELECT dp_ftrl(ARRAY[a, u], 1, 0, '{"n": 9}') OVER (ORDER BY t) FROM narrow;
DO $$
DECLARE
  o text;
BEGIN
  FOREACH o IN ARRAY ARRAY['{"n": 0}', '{"n": 10000001}', '{"n": 2.5}', '{"n": 9, "dimension": 1}', '{"n": 9, "dimension": 129}',
      '{"n": 9, "clip": [1, 1]}', '{"n": 9, "clip": [0, "x"]}', '{"n": 9, "clip": [0, 1e16]}', '{"n": 9, "adjacency": "add_remove"}',
      '{"n": 9, "mechanism": "gauge"}', '{"n": 9, "noise": "laplace"}', '{"n": 9, "noise": "gaussian"}',
      '{"n": 9, "noise": "gauge", "mechanism": "exponential"}', '{"n": 9, "solver": "auto"}', '[]', '9'] LOOP
    BEGIN
      EXECUTE format('SELECT count(c) FROM (SELECT dp_ftrl(ARRAY[a, b], 1, 0, %L) OVER (ORDER BY t) AS c FROM expert) s', o);
      RAISE NOTICE '%: not refused', o;
    EXCEPTION WHEN invalid_parameter_value THEN
      RAISE NOTICE '%: %', o, SQLERRM;
    END;
  END LOOP;
END $$;
SELECT count(*) - :before AS written FROM dpobj.ledger;

-- Protected tables, budgets and privileges.
CREATE TABLE guest (t integer, a float8, b float8);
INSERT INTO guest SELECT t, a, b FROM expert;
SELECT dpobj.protect('guest', '{"a": {}, "b": {}}', adjacency => 'add_remove');
SELECT dp_ftrl(ARRAY[a, b], 1, 0, '{"n": 9}') OVER (ORDER BY t) FROM guest;
SELECT dpobj.protect('season', '{"t": {"scale": 300}}');
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(costs, 1, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY t) FROM season) s;
SELECT dpobj.set_budget('season', NULL, 100, 0);
SELECT count(dp_ftrl) FROM (SELECT dp_ftrl(costs, 1000, 0, '{"n": 300, "dimension": 3}') OVER (ORDER BY t) FROM season) s;
CREATE ROLE dpobj_ftrl_bob;
GRANT SELECT ON chosen, odd TO dpobj_ftrl_bob;
SET ROLE dpobj_ftrl_bob;
SELECT dp_ftrl(costs, 1, 0, '{"n": 7, "dimension": 2}') OVER (ORDER BY t) FROM odd;
RESET ROLE;
SELECT dpobj.grant_trainer('dpobj_ftrl_bob');
SELECT has_function_privilege('dpobj_ftrl_bob', 'dp_ftrl(float8[], float8, float8, jsonb)', 'EXECUTE');
REVOKE ALL ON FUNCTION dp_ftrl(float8[], float8, float8, jsonb) FROM dpobj_ftrl_bob;

-- What it would cost, and the bound on the regret.
SELECT dpobj.price_aggregate('ftrl', 10, 1, 0, '{"n": 10000}') - 'rate';
SELECT dpobj.price_aggregate('ftrl', 100, 1, 1e-6, '{"n": 10000}') - 'rate' - 'rho';
SELECT dpobj.price_aggregate('ftrl', 100, 1, 1e-6, '{"n": 1000, "clip": [-1, 1]}') - 'rate' - 'rho';
SELECT k, round((p -> 'rho')::numeric, 8) AS rho, (p -> 'delta')::numeric BETWEEN 1e-6 AND 1.0000001e-6 AS charged
  FROM unnest('{exponential,tree}'::text[]) k, dpobj.price_aggregate('ftrl', 100, 1, 1e-6, jsonb_build_object('n', 10000, 'mechanism', k)) p;
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)', $$'ftrl', 1, 1, 0, '{"n": 9}'$$, $$'ftrl', 3, 1, 0, '{"n": 9, "dimension": 4}'$$,
  $$'ftrl', 3, 1$$);
DROP OWNED BY dpobj_ftrl_bob;
DROP ROLE dpobj_ftrl_bob;

-- Looks: dp_count, dp_sum, dp_avg and dp_histogram at the owner's door, dpobj.count, dpobj.sum,
-- dpobj.avg and dpobj.histogram at the analyst's.
\i tests/answers.sql
\set SHOW_CONTEXT never
CALL login_roles('dpobj_looks_ana', 'dpobj_looks_eve');

-- 2000 persons' rows; every tenth weight and every twentieth region is NULL, and there are outliers.
CREATE TABLE stay (id int, age int, region text, weight float8, ill boolean, day date, k bigint, e float8);
INSERT INTO stay SELECT i, i % 100, CASE WHEN i % 20 = 0 THEN NULL WHEN i % 20 = 1 THEN 'Nrth' WHEN i % 2 = 0 THEN 'north' ELSE 'south' END,
  CASE WHEN i % 10 = 0 THEN NULL WHEN i % 10 = 1 THEN 'NaN' WHEN i % 10 = 2 THEN 1e300 WHEN i % 10 = 3 THEN '-Infinity' ELSE 50 + i % 7 END,
  i % 4 = 0, '2024-01-01'::date + i % 10, i, 1 FROM generate_series(1, 2000) i;

-- At epsilon 1000 a count has no noise; at 10,000 a sum hardly any.
SELECT * FROM (SELECT (dp_count(1000.0)).* FROM stay) s \g (tuples_only=off)
SELECT dp_count(1000.0) FROM stay WHERE age < 50;
SELECT dp_count(1000) FILTER (WHERE age < 50), dp_count(1000, '{"confidence": 0.5}') AS half FROM stay;
SELECT round((dp_sum(age, 0, 100, 10000)).value::numeric) AS sum, round((dp_sum(age, 0, 50, 10000)).value::numeric) AS clipped,
       round((dp_sum(k, -5, 5, 10000)).value::numeric) AS narrow FROM stay;
SELECT sum(age) AS sum, sum(least(age, 50)) AS clipped, sum(least(k, 5)) AS narrow FROM stay;
SELECT round(value::numeric, 2) AS value, rows, confidence FROM (SELECT (dp_avg(age, 0, 100, 1000)).* FROM stay) s;
-- NULL and NaN are in no sum; what is outside is clipped
SELECT round((dp_sum(weight, 0, 60, 10000)).value::numeric) AS sum FROM stay;
SELECT sum(CASE WHEN weight = 'NaN' THEN 0 ELSE greatest(least(weight, 60), 0) END) FROM stay WHERE weight IS NOT NULL;
SELECT round(value::numeric, 2) AS value, rows FROM (SELECT (dp_avg(weight, 0, 60, 1000)).* FROM stay) s;
SELECT (b).* FROM (SELECT unnest(dp_histogram(age, '{25, 50, 75}', 1000)) AS b FROM stay) s \g (tuples_only=off)
SELECT (b).bin, (b).value FROM (SELECT unnest(dp_histogram(weight, '{0, 53}', 1000)) AS b FROM stay) s;
SELECT (b).bin, (b).value FROM (SELECT unnest(dp_histogram(region, '{north,south,west}', 1000)) AS b FROM stay) s;
-- the truth is in the interval, the width follows from epsilon
SELECT (c).high - (c).low AS width, (c).value BETWEEN (c).low AND (c).high AS around, (c).value = trunc((c).value) AS whole
  FROM (SELECT dp_count(0.5) AS c FROM stay) s;
SELECT (a).high - (a).low BETWEEN 4 AND 14 AS width, (a).low >= 0 AND (a).high <= 100 AS inside FROM (SELECT dp_avg(age, 0, 100, 0.05) AS a FROM stay) s;

-- Tables of one row, of none, of NULLs and of values outside are answered, too.
SELECT dp_count(1000) FROM stay WHERE id = 1;
SELECT dp_count(1000) FROM stay WHERE id < 0;
SELECT (a).value BETWEEN 0 AND 100 AS one, (a).rows FROM (SELECT dp_avg(age, 0, 100, 1000) AS a FROM stay WHERE id = 1) s;
SELECT dp_avg(age, 0, 100, 1000) FROM stay WHERE id < 0;
SELECT dp_avg(NULL::float8, 0, 100, 1000) AS nothing, round((dp_sum(NULL::float8, 0, 100, 10000)).value::numeric) AS sum FROM stay;
SELECT round(((dp_avg(k, -3, -1, 1000)).value)::numeric, 2) AS all_above, round(((dp_avg(-k, -3, -1, 1000)).value)::numeric, 2) AS all_below FROM stay WHERE k > 5;
SELECT (b).bin, (b).value FROM (SELECT unnest(dp_histogram(NULL::float8, '{1}', 1000)) AS b FROM stay) s;
SELECT array_agg(i::text) AS levels FROM generate_series(1, 998) i \gset
SELECT count(*), sum((b).value), sum((b).value) FILTER (WHERE (b).bin = '7') AS seven
  FROM (SELECT unnest(dp_histogram(age::text, :'levels'::text[], 1000)) AS b FROM stay) s;
SELECT array_agg(i::text) AS levels, array_agg(i) AS bins FROM generate_series(1, 999) i \gset
SELECT dp_histogram(age::text, :'levels'::text[], 1000) FROM stay;
SELECT dp_histogram(age, :'bins', 1000) FROM stay;
DO $$
DECLARE c dp_look; negative boolean := false;
BEGIN
  FOR i IN 1..40 LOOP
    SELECT (dp_count(0.01)).* INTO c FROM stay WHERE id < 0;
    ASSERT c.low >= 0;
    negative := negative OR c.value < 0;
  END LOOP;
  RAISE NOTICE 'negative counts: %', negative;
END $$;

-- Equal calls of one SELECT are one charge; the ledger has the hash of the value, and nothing else of it.
SELECT count(*) AS before FROM dpobj.ledger WHERE event = 'charged' \gset
SELECT (dp_count(0.5)).value IS NOT NULL AS counted, (dp_count(0.5)).low IS NOT NULL AS again FROM stay;
SELECT (dp_count(0.5)).value AS value FROM stay \gset
SELECT output_hash = sha256(float8send(:value)) AS hash_of_the_answer FROM dpobj.ledger_events WHERE event = 'released' ORDER BY id DESC LIMIT 1;
SELECT dp_sum(age, 0, 100, 0.25) IS NOT NULL AS s, dp_avg(age, -0.5, 100, 0.25, '{"confidence": 0.9}') IS NOT NULL AS a,
       dp_histogram(age, '{50}', 0.125) IS NOT NULL AS h FROM stay;
SELECT mechanism, epsilon, delta, adjacency, guarantee, pair, door, parameters FROM dpobj.ledger WHERE event = 'charged' ORDER BY id OFFSET :before;

-- Arguments; a refusal charges nothing.
SELECT count(*) AS before FROM dpobj.ledger \gset
SELECT * FROM answers('SELECT dp_count(%) FROM stay',
  'NULL::numeric', '0', '-1.0', $$'NaN'::float8$$, '10000.1', '0.0000000001', 'e', '(SELECT max(e) FROM stay)', 'age',
  $$1, '{"level": 0.9}'$$, $$1, '{"confidence": 1}'$$, $$1, '{"confidence": "high"}'$$, $$1, '{"confidence": 0.4}'$$, $$1, '[]'$$, $$1, to_jsonb(age)$$);
SELECT * FROM answers('SELECT dp_sum(age, %) FROM stay',
  '0, 0, 1', '1, 0, 1', 'NULL, 1, 1', $$0, 'Infinity', 1$$, $$'NaN', 1, 1$$, '0, k, 1', '1e20, 1e20 + 1e5, 1', '-1e308, 1e308, 1', '0, 100, -1', '0, 100, 1, ''{"clip": [0, 1]}''');
SELECT * FROM answers('SELECT dp_avg(age, %) FROM stay', '1e12, 1e12 + 0.0002, 1', '5, 5, 1');
SELECT * FROM answers('SELECT dp_histogram(age, %, 1) FROM stay',
  $$'{}'$$, $$'{1,1}'$$, $$'{2,1}'$$, $$'{1,NULL}'$$, $$'{1,NaN}'$$, $$'{1,Infinity}'$$, 'NULL', 'ARRAY[age]');
SELECT * FROM answers('SELECT dp_histogram(region, %, 1) FROM stay',
  $$'{}'::text[]$$, $$'{a,a}'::text[]$$, $$'{a,NULL}'::text[]$$, 'NULL::text[]', 'ARRAY[region]',
  '(SELECT array_agg(DISTINCT region) FROM stay)');
SELECT dp_count(1.0) FROM stay GROUP BY ill;
SELECT dp_count(1.0), count(*) FROM stay;
SELECT dp_sum(DISTINCT age, 0, 1, 1.0) FROM stay;
SELECT dp_count(1.0) OVER () FROM stay;
SELECT dp_count(1.0) FROM stay a, stay b;
SELECT dp_count(1.0) FROM generate_series(1, 3);
SELECT dp_sum(random(), 0, 1, 1.0) FROM stay;
SELECT dpobj_internal.look_final(NULL);
SELECT count(*) - :before AS events FROM dpobj.ledger;

-- In parallel the numbers are the same.
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT dp_count(1000) FROM stay;
SELECT round((dp_sum(age, 0, 100, 10000)).value::numeric) AS sum, (dp_avg(age, 0, 100, 1000)).rows FROM stay;
SELECT (b).bin, (b).value FROM (SELECT unnest(dp_histogram(region, '{north,south}', 1000)) AS b FROM stay) s;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;

-- The analyst's door: declared bounds, bins and levels.
CREATE TABLE ward AS TABLE stay;
SELECT dpobj.protect('ward', '{"age": {"bins": [25, 50, 75]}, "region": {"levels": ["north", "south", "west"]},
  "weight": {"center": 50, "scale": 10, "clip": [-5, 1]}, "ill": {}, "day": {"epoch_of": "day", "center": 19723, "scale": 365}, "k": {"levels": [1, 2]}}',
  adjacency => 'add_remove');
SELECT dpobj.set_budget('ward', 'dpobj_looks_ana', 1000000, 0);
REVOKE ALL ON ward FROM PUBLIC;
SELECT dp_sum(weight + 1, 0, 1, 1.0) FROM ward;
SELECT (dp_count(1000)).value FROM ward;
SELECT adjacency FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
\c - dpobj_looks_ana
SELECT * FROM dpobj.count('ward', 1000);
SELECT * FROM dpobj.count('ward', 1000, '{region}') \g (tuples_only=off)
SELECT * FROM dpobj.count('ward', 1000, '{ill,region}', '{"age": {"<": 50}}', '{"confidence": 0.9}');
SELECT * FROM dpobj.histogram('ward', 'age', 1000) \g (tuples_only=off)
SELECT * FROM dpobj.histogram('ward', 'region', 1000, '{ill}');
SELECT * FROM dpobj.histogram('ward', 'ill', 1000, filter => '{"age": {"=": 1000}}');
-- a number without bins has equal parts of its bounds; options name others, of any column of numbers or times
SELECT bin, value FROM dpobj.histogram('ward', 'weight', 1000);
SELECT bin, sum(value) FROM dpobj.histogram('ward', 'weight', 1000, '{ill}', options => '{"bins": [0.25, 53]}') GROUP BY bin ORDER BY bin;
SELECT bin FROM dpobj.histogram('ward', 'age', 1000, options => '{"bins": [40]}');
SELECT bin FROM dpobj.histogram('ward', 'day', 1000, options => '{"bins": [19723, 20089]}');
SELECT count(*) FROM dpobj.histogram('ward', 'day', 1000);
SELECT p -> 'cells' AS cells FROM dpobj.price('ward', 'weight', 1, method => 'histogram', options => '{"bins": [1, 2, 3]}') p;
SELECT * FROM answers($$SELECT dpobj.histogram('ward', 'weight', 1, options => '{"bins": %}')$$, '[2, 1]', '[]', '10', '["a"]');
SELECT * FROM answers($$SELECT dpobj.histogram('ward', 'region', 1, options => '{"bins": %}')$$, '[1]');
SELECT key, round(value::numeric, 1) AS value, rows, confidence FROM dpobj.avg('ward', 'weight', 1000);
SELECT key, round(value::numeric, 1) AS value, rows FROM dpobj.avg('ward', 'weight', 1000, '{region}');
SELECT round(value::numeric) AS value FROM dpobj.sum('ward', 'weight', 10000, options => '{"clip": [-0.5, 60]}');
SELECT round(value::numeric) AS value FROM dpobj.sum('ward', 'age', 10000, options => '{"clip": [0, 100]}');
SELECT key, round(value::numeric) AS ill FROM dpobj.sum('ward', 'ill', 10000, '{region}');
SELECT round(value::numeric, 1) AS day, rows FROM dpobj.avg('ward', 'day', 1000);
-- a named column, and the first rows of the answer
SELECT pg_typeof(key), pg_typeof(value) FROM dpobj.count('ward', 1, '{region}') LIMIT 1;
-- one charge where the attributes are asked for one by one, one for each call in a loop
SELECT epsilon AS before FROM dpobj.remaining('ward') \gset
SELECT (dpobj.count('ward', 1000, '{ill}')).*;
SELECT (dpobj.avg('ward', 'weight', 1)).rows IS NOT NULL AS rows;
SELECT :before - epsilon AS spent FROM dpobj.remaining('ward');
SELECT count(DISTINCT value) > 1 AS fresh FROM generate_series(1, 20) i, LATERAL dpobj.count('ward', 0.01 + 0 * i);
SELECT :before - epsilon AS spent FROM dpobj.remaining('ward');
-- what is refused, before the charge
SELECT epsilon AS before FROM dpobj.remaining('ward') \gset
SELECT * FROM answers('SELECT dpobj.count(%)',
  $$NULL, 1$$, $$'ward', NULL$$, $$'ward', 0$$, $$'ward', -1$$, $$'ward', 0.0009$$, $$'ward', 1, '{}'$$, $$'ward', 1, '{weight}'$$, $$'ward', 1, '{region,region}'$$,
  $$'ward', 1, '{nothing}'$$, $$'ward', 1, NULL, '[]'$$, $$'ward', 1, NULL, NULL, '{"clip": [0, 1]}'$$, $$'ward', 1, NULL, NULL, '{"confidence": 2}'$$, $$'ward', 1000000$$);
SELECT * FROM answers('SELECT dpobj.sum(%)',
  $$'ward', NULL, 1$$, $$'ward', 'age', 1$$, $$'ward', 'region', 1$$, $$'ward', 'nothing', 1$$, $$'ward', 'weight', 1, '{weight}'$$,
  $$'ward', 'weight', 1, NULL, NULL, '{"clip": [1, 1]}'$$, $$'ward', 'weight', 1, NULL, NULL, '{"clip": [1]}'$$, $$'ward', 'weight', 1, NULL, NULL, '{"clip": [1, "2"]}'$$);
SELECT * FROM answers('SELECT dpobj.histogram(%)',
  $$'ward', 'weight', 1, NULL, NULL, '{"bins": 3}'$$, $$'ward', 'age', 1, '{age}'$$, $$'ward', 'age', 1, NULL, NULL, '{"clip": [0, 1]}'$$);
BEGIN READ ONLY;
SELECT dpobj.count('ward', 1);
ROLLBACK;
SELECT epsilon = :before AS nothing_charged FROM dpobj.remaining('ward');
-- one charge for all cells
SELECT count(*) AS cells FROM dpobj.histogram('ward', 'age', 0.5, '{region,ill}');
SELECT :before - epsilon AS spent FROM dpobj.remaining('ward');
SELECT mechanism, epsilon, adjacency, guarantee, pair, door, parameters FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;
\c - dpobj_looks_eve
SELECT dpobj.count('ward', 1);

-- Prices: half the length of the interval, which 1 - confidence of all answers miss.
SELECT method, d, options, p - 'method' - 'mechanism' - 'epsilon' - 'delta' - 'guarantee' AS price
  FROM (VALUES ('count', 1, '{}'), ('count', 3, '{"adjacency": "add_remove", "max_rows_per_person": 5}'), ('histogram', 12, '{"confidence": 0.9}'),
               ('sum', 1, '{"clip": [0, 100]}'), ('sum', 1, '{"clip": [-5, 100], "adjacency": "add_remove"}'), ('avg', 1, '{"clip": [0, 100]}')) v(method, d, options),
       LATERAL dpobj.price_aggregate(method, d, 0.5, 0, options::jsonb) p;
SELECT * FROM answers('SELECT dpobj.price_aggregate(%)',
  $$'count', 0, 1$$, $$'histogram', 1001, 1$$, $$'sum', 1, 1$$, $$'count', 1, 0$$, $$'count', 1, 1, 1$$, $$'count', 1, 1, 0, '{"n": 1}'$$,
  $$'count', 1, 1, 0, '{"clip": [0, 1]}'$$, $$'count', 1, 1, 0, '{"adjacency": "both"}'$$, $$'count', 1, 1, 0, '{"max_rows_per_person": 0}'$$);
SELECT p -> 'basic' AS basic FROM dpobj.price_plan('[{"method": "count", "d": 1, "epsilon": 0.1, "count": 3},
  {"method": "avg", "d": 5, "epsilon": 0.2, "options": {"clip": [0, 1], "adjacency": "add_remove"}}]', 0) p;

-- Persons: at most so many rows of each enter, and the noise is for all of them.
\c - postgres
CREATE TABLE bed (patient int, cost float8, ill boolean);
INSERT INTO bed SELECT i / 4, i % 10, i % 2 = 0 FROM generate_series(1, 4000) i;
SELECT dpobj.protect('bed', '{"ill": {}, "cost": {"clip": [0, 10]}}', person => 'patient', max_rows_per_person => 2);
SELECT dpobj.set_budget('bed', 'dpobj_looks_ana', 10000, 0);
SELECT dp_count(1.0) FROM bed;
\c - dpobj_looks_ana
SELECT value FROM dpobj.count('bed', 1000);
SELECT count(*) AS groups, sum(value) AS rows FROM dpobj.count('bed', 1000, '{ill}');
SELECT (SELECT high - low FROM dpobj.count('bed', 1)) AS of_two_rows;
SELECT round(value / 1000) AS value FROM dpobj.sum('bed', 'cost', 1000);
SELECT rows FROM dpobj.avg('bed', 'cost', 1000);
SELECT person, epsilon, mechanism, parameters FROM dpobj.ledger WHERE event = 'charged' ORDER BY id DESC LIMIT 1;

-- Noise beyond 64 bits is added before the sum is clamped: the truth, 1, is never beside an end of the range, 2^63 units.
\c - postgres
SET dpobj.min_epsilon = 0;
SET dpobj.release_tick = 0;
CREATE TABLE pay (who int, amount float8);
INSERT INTO pay SELECT i, 0.125 FROM generate_series(1, 8) i;
SELECT dpobj.protect('pay', '{"amount": {"clip": [0, 1]}}', person => 'who', max_rows_per_person => 2147483647, adjacency => 'add_remove');
SELECT dpobj.set_budget('pay', quote_ident(session_user)::regrole, 100, 0);
SELECT count(*) AS releases, count(*) FILTER (WHERE abs(value) = 1099511627776) > 0 AS some_at_the_ends,
       count(*) FILTER (WHERE abs(1099511627776 - abs(value)) BETWEEN 0.01 AND 1000) AS beside_an_end
  FROM generate_series(1, 40) i, LATERAL dpobj.sum('pay', 'amount', 1e-9 + 0 * i);

\c - postgres
DROP TABLE stay, ward, bed, pay;
DROP ROLE dpobj_looks_ana, dpobj_looks_eve;

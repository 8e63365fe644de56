-- dp_simplex: what is refused, what is released, what it costs.
\i tests/answers.sql
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE TABLE blend (id int, x float8[] CHECK (cardinality(x) = 4), y float8);
INSERT INTO blend SELECT i, f, 0.9 * f[1] + 0.1 * f[2]
  FROM generate_series(1, 4000) i, LATERAL (SELECT ARRAY[(i % 7) / 6.0, (i % 11) / 10.0, (i % 2)::float8, (i % 5) / 4.0]) v(f);

-- A model: shares of the draws, and it has learnt.
CREATE TABLE mixture AS
  SELECT dp_simplex(x, y, 2000.0, 0, '{"n": 4000, "clip": [0, 1], "target": [0, 1]}') AS model FROM blend;
SELECT (model).kind, (model).mechanism, array_length((model).weights, 1) AS weights, (model).epsilon, (model).delta,
       (model).adjacency, (model).guarantee, dpobj.verify(model) AS verified,
       (model).details - 'regularization' - 'epsilon_per_draw' - 'draws' AS details
  FROM mixture;
SELECT abs(sum(w) - 1) < 1e-9 AS adds_up, bool_and(w >= 0) AS positive, bool_and(abs(w * d - round(w * d)) < 1e-6) AS shares
  FROM mixture, unnest((model).weights) w, LATERAL (SELECT ((model).details ->> 'draws')::float8) s(d);
SELECT avg(abs(dp_score(model, x) - y)) < 0.15 AS near, min((model).weights[1]) > 0.5 AS learnt FROM mixture, blend;
SELECT mechanism, epsilon, delta, pair, guarantee FROM dpobj.ledger WHERE event = 'charged' AND relation_name = 'public.blend' ORDER BY id;
SELECT dp_predict(model, ARRAY[0, 0, 0, 0]) FROM mixture;
SELECT dp_predict_proba(model, ARRAY[0, 0, 0, 0]) FROM mixture;

-- Numbers computed by hand for theorem S3: their loss is a quarter of ours.
SELECT l, m.details ->> 'draws' AS draws, round((m.details ->> 'epsilon_per_draw')::numeric, 6) AS epsilon_per_draw, m.delta > 0 AS delta
  FROM (VALUES (0::numeric, 4000), (1e-6, 4000), (0, 12000), (1e-6, 12000)) v(d, l),
       LATERAL (SELECT (dpobj.price_aggregate('simplex', 4, 1, d, format('{"n": 10000, "target": [-3, 3], "regularization": %s}', l)::jsonb)) AS p) s,
       LATERAL (SELECT p AS details, (p ->> 'delta')::numeric AS delta) m;

-- delta: spent only where it allows more draws.
SELECT m.delta > 0 AS spent, m.delta <= 1e-6 * (1 + 1e-12) AS within, (m.details ->> 'draws')::int > 0 AS drawn FROM
  (SELECT (m).* FROM (SELECT dp_simplex(x, y, 1.0, 1e-6, '{"n": 4000}') AS m FROM blend) s
   UNION ALL SELECT (m).* FROM (SELECT dp_simplex(x, y, 1::float8, 0::float8, '{"n": 4000}') AS m FROM blend) s
   UNION ALL SELECT (m).* FROM (SELECT dp_simplex(x, y, 20.0, 1e-17, '{"n": 1, "regularization": 10}') AS m FROM blend) s) m;

-- Everything else of the aggregate; more rows than n are no error.
SELECT array_length((dp_simplex(x, y, 1.0, 0, '{"n": 10, "adjacency": "add_remove", "dimension": 4}')).weights, 1) FROM blend WHERE id > 5;
SELECT array_length((dp_simplex(ARRAY[1.0::float8, id % 2], y, 1.0, 0, '{"n": 4000, "scale": 1}')).weights, 1) FROM blend;
SELECT (m).guarantee FROM (SELECT dp_simplex(x, y, 1.0, 0, '{"n": 4000, "time_limit": 60}') AS m FROM blend) s;
SELECT (dp_simplex(ARRAY[x[1]], y, 1.0, 0, '{"n": 4000}')).weights FROM blend;
SELECT array_length((dp_simplex(x[1:3], id, 1.0, 0, '{"n": 4000, "target": [0, 1000], "groups": [1, 1, 1]}')).weights, 1) FROM blend;
-- no row, one row, features that are all alike, targets out of range, rows that are not numbers
SELECT array_length((dp_simplex(x, y, 1.0, 0, '{"n": 100, "dimension": 3}')).weights, 1) FROM blend WHERE id < 0;
SELECT array_length((dp_simplex(x, y, 1.0, 0, '{"n": 1}')).weights, 1) FROM blend WHERE id = 1;
SELECT array_length((dp_simplex(ARRAY[0.0::float8, 0], y, 1.0, 0, '{"n": 4000}')).weights, 1) FROM blend;
SELECT array_length((dp_simplex(x, y, 1.0, 0, '{"n": 4000, "clip": [1, 1]}')).weights, 1) FROM blend;
SELECT array_length((dp_simplex(x, CASE id % 4 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN NULL ELSE -1e300 END, 1.0, 0, '{"n": 4000}')).weights, 1) FROM blend;
SELECT array_length((dp_simplex(ARRAY['NaN'::float8, 'Infinity', 1e300], y, 1.0, 0, '{"n": 4000}')).weights, 1) FROM blend;
SELECT array_length((dp_simplex(CASE WHEN id % 3 = 0 THEN ARRAY[1, NULL]::float8[] WHEN id % 3 = 1 THEN x END, y, 1.0, 0, '{"n": 4000, "dimension": 4}')).weights, 1) FROM blend;
-- the dimension comes with the first row, whatever was neutral before
SELECT array_length((dp_simplex(CASE WHEN id > 10 THEN x END, y, 1.0, 0, '{"n": 4000}')).weights, 1) FROM blend;

-- Workers add up, too; the first rows may be neutral.
CREATE FUNCTION is_parallel(query text) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE line text; found boolean := false;
  BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP found := found OR line LIKE '%Partial Aggregate%'; END LOOP;
    RETURN found;
  END $$;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT is_parallel($$SELECT dp_simplex(x, y, 2000.0, 0, '{"n": 4000, "clip": [0, 1], "target": [0, 1]}') FROM blend$$);
SELECT (model).weights[1] > 0.5 AS learnt
  FROM (SELECT dp_simplex(x, y, 2000.0, 0, '{"n": 4000, "clip": [0, 1], "target": [0, 1]}') AS model FROM blend) s;
SELECT (model).weights[1] > 0.5 AS learnt
  FROM (SELECT dp_simplex(CASE WHEN id > 2000 THEN x END, y, 2000.0, 0, '{"n": 4000, "clip": [0, 1], "target": [0, 1]}') AS model FROM blend) s;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;

-- Refused before anything is charged.
SELECT count(*) AS charged FROM dpobj.ledger WHERE event = 'charged' \gset before_
SELECT dp_simplex(x, y, 1.0, 0) FROM blend;
SELECT * FROM answers($$SELECT dp_simplex(x, y, 1.0, 0, '{%}') FROM blend$$,
  '"adjacency": "add_remove", "dimension": 4', '"n": 10000, "target": [-3, 3], "regularization": 100', '"n": 4000, "regularization": 1e300',
  '"n": 4000, "regularization": 0', '"n": 0', '"n": 4000, "target": 3', '"n": 4000, "target": [1, -1]', '"n": 4000, "target": [0, 1e9]');
SELECT dp_simplex(x, id, 1.0, 0, '{"n": 4000}') FROM blend;
SELECT dp_simplex(x, id::numeric, 1.0, 0, '{"n": 4000}') FROM blend;
SELECT * FROM answers($$SELECT dp_simplex(x, y, 1.0, 0, '{%}') FROM blend$$,
  '"n": 4000, "mechanism": "objective"', '"n": 4000, "noise": "gamma"', '"n": 4000, "intercept": true', '"n": 4000, "dimension": 1025',
  '"n": 4000, "dimension": 4, "groups": [3, 2]');
SELECT dp_simplex(x, y, y, 0, '{"n": 4000}') FROM blend;
SELECT count(*) - :before_charged AS charged FROM dpobj.ledger WHERE event = 'charged';
-- the least that is told is enough
SELECT (dp_simplex(x, y, 1.0, 0, '{"n": 10000, "target": [-3, 3], "regularization": 408.085}')).mechanism FROM blend;

-- Prices are settled alike, without a charge.
SELECT p ->> 'mechanism' AS mechanism, p -> 'delta' AS delta, p -> 'sure_to_finish' AS sure, p ->> 'guarantee' AS guarantee,
       (p -> 'error' ->> 'mean')::float8 <= (p -> 'error' ->> 'mean_squared')::float8 AS bounds
  FROM dpobj.price_aggregate('simplex', 10, 1, 0, '{"n": 100000}') p;
SELECT bool_and(b) AS better FROM (SELECT (p -> 'error' ->> 'mean')::numeric < lag((p -> 'error' ->> 'mean')::numeric) OVER (ORDER BY n) AS b
  FROM unnest(ARRAY[10000, 100000, 1000000]) n, dpobj.price_aggregate('simplex', 5, 1, 0, jsonb_build_object('n', n)) p) s;
SELECT dpobj.price_aggregate('simplex', 5, 1);

-- The analyst's door: the label is a number, n is declared.
CALL login_roles('dpobj_simplex_ana');
CREATE TABLE house (area int, rooms int, garden boolean, kind text, price numeric);
INSERT INTO house SELECT 50 + i % 100, 1 + i % 5, i % 2 = 0, CASE WHEN i % 3 = 0 THEN 'flat' END, CASE WHEN i % 10 > 0 THEN 1000 * (i % 100) END FROM generate_series(1, 3000) i;
REVOKE ALL ON house FROM PUBLIC;
CREATE TABLE shed (area int, price int);
SELECT dpobj.protect('house', '{"area": {"center": 100, "scale": 50}, "rooms": {"scale": 5}, "garden": {}, "kind": {"levels": ["flat", "hut"], "null": "hut"}, "price": {"scale": 100000, "clip": [0, 1], "null": 0.5}}', n => 3000);
SELECT dpobj.protect('shed', '{"area": {"scale": 50}, "price": {"scale": 100}}');
SELECT dpobj.set_budget(t, 'dpobj_simplex_ana', 10, 0.00001) FROM unnest(ARRAY['house', 'shed']::regclass[]) t;
\c - dpobj_simplex_ana
SELECT (m).kind, (m).mechanism, (m).delta, array_length((m).weights, 1) AS weights, (m).details -> 'target' AS target, (m).details -> 'n' AS n
  FROM dpobj.train('house', label => 'price', epsilon => 2, method => 'simplex', name => 'a') m;
SELECT (m).delta > 0 AS delta, array_length((m).weights, 1) AS weights
  FROM dpobj.train('house', label => 'garden', features => ARRAY['area', 'rooms'], epsilon => 1, delta => 0.000009, method => 'simplex', filter => '{"kind": {"in": ["flat"]}}') m;
SELECT * FROM answers('SELECT dpobj.train(%)', $$'house', label => 'kind', epsilon => 1, method => 'simplex'$$,
  $$'shed', label => 'price', epsilon => 1, method => 'simplex'$$,
  $$'house', label => 'price', epsilon => 1, method => 'simplex', options => '{"n": 5}'$$,
  $$'house', label => 'price', epsilon => 1, method => 'simplex', options => '{"target": [0, 1]}'$$);
SELECT p -> 'target' AS target, p ->> 'mechanism' AS mechanism, p -> 'dimension' AS dimension FROM dpobj.price('house', 'price', 1, method => 'simplex') p;
SELECT dpobj.price('house', NULL, 1, method => 'simplex');
SELECT epsilon FROM dpobj.remaining('house');
\c - postgres
DROP OWNED BY dpobj_simplex_ana;
DROP ROLE dpobj_simplex_ana;

-- The tables of bench/scan.sh; wide_rows and mixed_rows are their sizes.
CREATE EXTENSION dpobj;
\i tests/scan/functions.sql
SELECT setseed(0.5);

-- 23 columns of float8, no two rows equal.
SELECT 'CREATE TABLE wide AS SELECT '
       || string_agg(format('random()::float8 AS x%s', j), ', ' ORDER BY j)
       || ', random() < 0.4 AS label FROM generate_series(1, ' || :'wide_rows' || ')'
FROM generate_series(1, 23) j \gexec
SELECT dpobj.protect('wide', jsonb_object_agg('x' || j, '{}'::jsonb) || '{"label": {}}')
FROM generate_series(1, 23) j;

/*
 * 40 columns: 10 integers, 6 numerics, 6 reals, 8 texts with declared levels, 4 dates,
 * 2 timestamps, 2 booleans, a label, and the person, who has five rows on average;
 * one value in 50 is NULL.  All of them are read: 38 columns give 62 features.
 */
SELECT 'CREATE TABLE mixed AS SELECT '
       || string_agg(CASE
            WHEN j <= 10 THEN format('CASE WHEN random() > 0.02 THEN (random() * 1000)::int END AS i%s', j)
            WHEN j <= 16 THEN format('CASE WHEN random() > 0.02 THEN (random() * 10000)::numeric(10, 2) END AS n%s', j)
            WHEN j <= 22 THEN format('CASE WHEN random() > 0.02 THEN random() END AS f%s', j)
            WHEN j <= 30 THEN format($c$CASE WHEN random() > 0.02 THEN (ARRAY['alpha', 'beta', 'gamma', 'delta'])[1 + floor(random() * 4)] END AS t%s$c$, j)
            WHEN j <= 34 THEN format($c$CASE WHEN random() > 0.02 THEN date '2000-01-01' + (random() * 9000)::int END AS d%s$c$, j)
            WHEN j <= 36 THEN format($c$timestamptz '2000-01-01' + random() * interval '9000 days' AS s%s$c$, j)
            ELSE format('random() < 0.5 AS b%s', j) END, ', ' ORDER BY j)
       || ', random() < 0.4 AS label, ceil(random() * ' || :'mixed_rows' || ' / 5)::bigint AS person'
       || ' FROM generate_series(1, ' || :'mixed_rows' || ')'
FROM generate_series(1, 38) j \gexec
SELECT jsonb_object_agg(a.attname, CASE left(a.attname, 1)
         WHEN 'i' THEN '{"scale": 1000, "null": 0.5}'::jsonb
         WHEN 'n' THEN '{"scale": 10000, "null": 0.5}'
         WHEN 'f' THEN '{"null": 0.5}'
         WHEN 't' THEN '{"levels": ["alpha", "beta", "gamma", "delta"], "null": "alpha"}'
         WHEN 'd' THEN '{"epoch_of": "day", "center": 10957, "scale": 9000, "null": 0.5}'
         WHEN 's' THEN '{"epoch_of": "hour", "center": 262968, "scale": 216000}'
         ELSE '{}' END) AS encoders
FROM pg_attribute a WHERE a.attrelid = 'mixed'::regclass AND a.attnum > 0 AND a.attname <> 'person' \gset
SELECT dpobj.protect('mixed', :'encoders');
SELECT dpobj.set_budget(t, 'postgres', 1000, 0) FROM unnest('{wide,mixed}'::regclass[]) t;
VACUUM ANALYZE wide, mixed;
-- Models to be rated: of no row, which is enough.
SELECT (dpobj.train(t, 'label', 1, method => 'logistic', filter => '{"label": {"is null": true}}', name => t::text)).release
FROM unnest('{wide,mixed}'::regclass[]) t;

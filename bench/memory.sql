-- The table of bench/memory.sh; rows is its size.
CREATE EXTENSION dpobj;
SELECT setseed(0.5);

-- 23 columns of float8, no two rows equal, and a label that depends on half of them.
SELECT 'CREATE TABLE wide AS SELECT *, x1 + x2 + x3 + x4 + x5 + x6 - x7 - x8 - x9 - x10 - x11 - x12 + random() > 0.4 AS label'
       || ' FROM (SELECT ' || string_agg(format('random()::float8 AS x%s', j), ', ' ORDER BY j)
       || ' FROM generate_series(1, ' || :'rows' || ')) AS t'
FROM generate_series(1, 23) j \gexec
SELECT dpobj.protect('wide', jsonb_object_agg('x' || j, '{}'::jsonb) || '{"label": {}}')
FROM generate_series(1, 23) j;
SELECT dpobj.set_budget('wide', 'postgres', 1000, 0);
VACUUM ANALYZE wide;

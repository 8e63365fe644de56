-- Two tables of 1M rows: 10,000 distinct feature vectors, and 1,000,000.
CREATE EXTENSION dpobj;
SELECT setseed(0.5) \g /dev/null

CREATE TABLE few AS
WITH pattern AS MATERIALIZED (
  SELECT k, ARRAY(SELECT (random() < 0.3)::int::float8 FROM generate_series(1, 20) WHERE k > 0)
            || ARRAY[random(), random(), random()] AS features
  FROM generate_series(1, 10000) k)
SELECT features, random() < 0.5 AS label
FROM generate_series(1, 1000000) i JOIN pattern ON k = 1 + (i::bigint * 7919) % 10000;

CREATE TABLE many AS
SELECT features[1:20] || ARRAY[random(), random(), random()] AS features, label FROM few;
VACUUM ANALYZE few, many;

-- Memory of the state, seen from inside the final call.
CREATE FUNCTION state_megabytes(dp_rows) RETURNS float8 LANGUAGE sql VOLATILE AS
$$ SELECT sum(total_bytes) / 1048576.0 FROM pg_backend_memory_contexts WHERE name = 'dpobj rows' $$;
CREATE AGGREGATE ingest(float8[], boolean, float8, float8, jsonb) (
  SFUNC = dpobj_internal.train_accumulate, STYPE = dp_rows, FINALFUNC = state_megabytes);

CREATE TABLE timing (what text, place text, seconds float8, megabytes float8);
DO $$
DECLARE
  place text;
  started timestamptz;
  megabytes float8;
BEGIN
  FOR round IN 0..5 LOOP
    FOREACH place IN ARRAY ARRAY['few', 'many'] LOOP
      started := clock_timestamp();
      EXECUTE format('SELECT count(features) FROM %I', place);
      INSERT INTO timing SELECT 'count', place, extract(epoch FROM clock_timestamp() - started)
      WHERE round > 0; -- round 0 warms the caches
      started := clock_timestamp();
      EXECUTE format('SELECT ingest(features, label, 1.0, 0, ''{"dimension": 23}'') FROM %I', place)
        INTO megabytes;
      INSERT INTO timing
      SELECT 'ingest', place, extract(epoch FROM clock_timestamp() - started), megabytes
      WHERE round > 0;
    END LOOP;
  END LOOP;
END
$$;

\pset footer off
SELECT CASE place WHEN 'few' THEN '10,000' ELSE '1,000,000' END AS "distinct rows",
       round(c::numeric, 3) AS "count(features) s", round(i::numeric, 3) AS "aggregate s",
       round((i / c)::numeric, 2) AS ratio, CASE place WHEN 'few' THEN 5 ELSE 8 END AS "at most",
       round(m::numeric, 1) AS "state MiB",
       round((m * 1048576 / CASE place WHEN 'few' THEN 1e4 ELSE 1e6 END)::numeric) AS "bytes per row"
FROM (SELECT place,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE what = 'count') AS c,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE what = 'ingest') AS i,
             max(megabytes) AS m
      FROM timing GROUP BY place) AS t
ORDER BY place;

-- The tables of ingest_tables.sql. The grid of 47 vectors takes no time, so that a call is the reading of rows, a
-- solver's process and a charge.
CREATE EXTENSION dpobj;
\ir ingest_tables.sql

CREATE TABLE timing (workers int, what text, place text, seconds float8);
CREATE FUNCTION time_call(workers int, what text, place text, statement text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz;
BEGIN
  PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
  started := clock_timestamp();
  EXECUTE format(statement, place);
  INSERT INTO timing VALUES (workers, what, place, extract(epoch FROM clock_timestamp() - started));
END
$$;
SET client_min_messages = warning;
DO $$
BEGIN
  FOR round IN 0..5 LOOP
    PERFORM time_call(w, 'count', p, 'SELECT count(features) FROM %I'),
            time_call(w, 'read', p, 'SELECT dp_halfspace(features, label, 1.0, 0, ''{"dimension": 23, "grid": {"sparse": 1}}'') FROM %I'),
            time_call(w, 'logistic', p, 'SELECT dp_logistic(features, label, 1.0, 1e-6, ''{"dimension": 23}'') FROM %I')
    FROM unnest('{0,2}'::int[]) w, unnest('{few,many}'::text[]) p;
    IF round = 0 THEN -- it warms the caches
      TRUNCATE timing;
    END IF;
  END LOOP;
  PERFORM time_call(2, 'default', p, 'SELECT dp_halfspace(features, label, 1.0, 0) FROM %I') FROM unnest('{few,many}'::text[]) p;
END
$$;

\pset footer off
SELECT CASE place WHEN 'few' THEN '10,000' ELSE 'all' END AS "distinct rows", workers,
       round(c::numeric, 3) AS "count(features) s", round(r::numeric, 3) AS "dp_halfspace, 47 vectors s", round((r / c)::numeric, 2) AS ratio,
       round(l::numeric, 3) AS "dp_logistic s", round((l / c)::numeric, 1) AS "its ratio",
       round(d::numeric, 1) AS "dp_halfspace, default s"
FROM (SELECT place, workers,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE what = 'count') AS c,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE what = 'read') AS r,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE what = 'logistic') AS l,
             max(seconds) FILTER (WHERE what = 'default') AS d
      FROM timing GROUP BY place, workers) AS t
ORDER BY place, workers;

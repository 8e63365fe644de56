#!/usr/bin/env bash
# predict.sh - how fast dp_predict is: a plain SQL dot product over the same rows, in the same run.
#
#   bench/predict.sh [ROWS] [RUNS]      1,000,000 rows of 23 numbers and 5 runs, if not told
#
# Counts the rows that a logistic model with 23 real weights predicts positive, once by dp_predict
# and once by the weights written out, w1 * x1 + ... > 0; of arrays and of columns, and with
# dpobj.predict on rows with raw columns. The runs take turns, one process, no parallel plan, no
# JIT. Prints the median of each, in milliseconds, and the ratio.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
rows=${1:-1000000}
runs=${2:-5}

need_packages build
workplace_make
workplace_build
cluster_start "fsync = off" "shared_buffers = '1GB'" "max_parallel_workers_per_gather = 0" "jit = off" \
  "dpobj.release_tick = 0"

unprivileged "psql -X -q -v ON_ERROR_STOP=1 -v rows=$rows" <<'SQL'
SET client_min_messages = warning;
CREATE EXTENSION dpobj;
CREATE TABLE arrays AS
  SELECT array_agg(random() * 2 - 1) AS features FROM generate_series(1, 23) j, generate_series(1, :rows) i GROUP BY i;
SELECT format('CREATE TABLE columns AS SELECT %s, features[1] > 0.1 AS y FROM arrays',
              string_agg(format('features[%s] AS c%1$s', j), ', ')) FROM generate_series(1, 23) j \gexec
VACUUM (ANALYZE, FREEZE) arrays;
VACUUM (ANALYZE, FREEZE) columns;
DO $$ BEGIN
  PERFORM dpobj.protect('columns', jsonb_object_agg('c' || j, '{}'::jsonb) || '{"y": {}}') FROM generate_series(1, 23) j;
END $$;
DO $$ BEGIN PERFORM dpobj.set_budget('columns', 'postgres', 10, 0); END $$;
DO $$ BEGIN PERFORM dpobj.train('columns', 'y', 1, method => 'logistic', options => '{"intercept": false}', name => 'model'); END $$;
CREATE FUNCTION weighted(term text) RETURNS text LANGUAGE sql
  AS $$ SELECT string_agg(format('float8 %L * ' || term, w, j), ' + ' ORDER BY j)
        FROM dpobj.models, unnest((model).weights) WITH ORDINALITY u(w, j) $$;
CREATE TABLE statement (id int, name text, query text);
INSERT INTO statement
  SELECT 1, 'arrays, dot product', format('SELECT count(*) FROM arrays WHERE %s > 0', weighted('features[%s]')) UNION ALL
  SELECT 2, 'arrays, dp_predict', format('SELECT count(*) FROM arrays WHERE dp_predict(%L::dp_model, features)', model) FROM dpobj.models UNION ALL
  SELECT 3, 'columns, dot product', format('SELECT count(*) FROM columns WHERE %s > 0', weighted('c%s')) UNION ALL
  SELECT 4, 'columns, dp_predict', format('SELECT count(*) FROM columns WHERE dp_predict(%L::dp_model, ARRAY[%s])', model,
    (SELECT string_agg('c' || j, ', ') FROM generate_series(1, 23) j)) FROM dpobj.models UNION ALL
  SELECT 5, 'columns, dpobj.predict', $$SELECT count(*) FROM columns t WHERE dpobj.predict('model', t)$$;
SQL

unprivileged "psql -X -q -v ON_ERROR_STOP=1 -v runs=$runs -At -F '  '" <<'SQL'
SET client_min_messages = warning;
CREATE TEMP TABLE run (id int, milliseconds float8, counted bigint);
SELECT set_config('bench.runs', :'runs', false) \g /dev/null
DO $$
DECLARE
  s record;
  began timestamptz;
  counted bigint;
BEGIN
  FOR i IN 0..current_setting('bench.runs')::int LOOP -- the first one warms up
    FOR s IN SELECT * FROM statement ORDER BY id LOOP
      began := clock_timestamp();
      EXECUTE s.query INTO counted;
      IF i > 0 THEN
        INSERT INTO run VALUES (s.id, extract(epoch FROM clock_timestamp() - began) * 1000, counted);
      END IF;
    END LOOP;
  END LOOP;
END $$;
WITH m AS (SELECT id, percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds) AS median, max(counted) AS positive FROM run GROUP BY id)
SELECT format('%-24s %8s ms  %8s rows positive  %s', s.name, round(m.median), m.positive,
              'x ' || round((m.median / d.median)::numeric, 2))
  FROM m JOIN statement s USING (id) JOIN m d ON d.id = CASE WHEN m.id < 3 THEN 1 ELSE 3 END ORDER BY s.id;
SQL

#!/usr/bin/env bash
# profile.sh - how long dpobj.profile takes beside count(*) and the scan of dpobj.train.
#
#   bench/profile.sh [ROWS]      1,000,000 rows of 20 columns: texts, integers, numbers, dates, booleans
#
# Prints the median of three calls after one that warms the caches, and the time of the profile as a
# share of its goal: three times count(*) and the scan.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
. "$here/peak.sh"
rows=${1:-1000000}

need_packages build
workplace_make
workplace_build
cluster_start "shared_buffers = '1GB'" "max_parallel_workers_per_gather = 0" "jit = off" "autovacuum = off" \
  "max_wal_size = '16GB'" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "dpobj.release_tick = 0"
unprivileged "psql -X -q -v ON_ERROR_STOP=1 -v rows=$rows" >/dev/null <<'SQL'
CREATE EXTENSION dpobj;
\i tests/scan/functions.sql
SELECT setseed(0.5);
-- six texts with levels, four integers with bins, six numbers, two dates, two booleans; one value in 50 is NULL
SELECT 'CREATE TABLE customer AS SELECT '
       || string_agg(format('CASE WHEN random() > 0.02 THEN %s END AS c%s', CASE
            WHEN j <= 6 THEN $c$(ARRAY['alpha', 'beta', 'gamma', 'delta', 'Delta'])[1 + floor(random() * 5)]$c$
            WHEN j <= 10 THEN '(random() * 1000)::int'
            WHEN j <= 16 THEN 'random() * 2'
            WHEN j <= 18 THEN $c$date '2000-01-01' + (random() * 9000)::int$c$
            ELSE 'random() < 0.5' END, j), ', ' ORDER BY j)
       || ' FROM generate_series(1, ' || :'rows' || ')'
FROM generate_series(1, 20) j \gexec
SELECT dpobj.protect('customer', jsonb_object_agg('c' || j, CASE
         WHEN j <= 6 THEN '{"levels": ["alpha", "beta", "gamma", "delta"], "null": "alpha"}'::jsonb
         WHEN j <= 10 THEN '{"bins": [100, 200, 400, 600, 800], "null": 0}'
         WHEN j <= 16 THEN '{"null": 0}'
         WHEN j <= 18 THEN '{"part": "month", "null": 1}'
         ELSE '{}' END))
FROM generate_series(1, 20) j;
SELECT dpobj.set_budget('customer', 'postgres', 10000, 0);
VACUUM ANALYZE customer;
SQL

measure() { # NAME STATEMENT: one line of the table
  peak_of "" "$2" 4 || exit 1
  printf '%-48s %8.3f s %8d MiB\n' "$1" "$seconds" "$backend"
}

measure "$rows x 20, count(*)" "SELECT count(*) FROM customer;"
goal=$seconds
measure "$rows x 20, scan of dpobj.train" \
  "SELECT rows FROM scan_digest('customer', 'c20', with_digest => false);"
goal=$(awk "BEGIN { print 3 * $goal + $seconds }")
measure "$rows x 20, dpobj.profile" "SELECT count(*) FROM dpobj.profile('customer', 1);"
awk "BEGIN { printf \"%.2f of three times count(*) and the scan\n\", $seconds / $goal }"

#!/usr/bin/env bash
# scan.sh - how long scan, training and quantiles at the analyst's door take, and how much memory, beside
# count(*), percentile_disc and the aggregates.
#
#   bench/scan.sh [ROWS [MIXED_ROWS]]      1,000,000 of 23 float8 and 5,000,000 of 40 columns
#
# The second table has integers, numerics, reals, texts with levels, dates, timestamps, booleans and
# NULLs; it is scanned without a person and with one who has five rows on average, of whom at most
# three enter. Prints the median of three scans after one that warms the caches, and the largest
# private memory that the backend had (its part of the shared buffers does not count).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
. "$here/peak.sh"
wide_rows=${1:-1000000}
mixed_rows=${2:-5000000}

need_packages build
workplace_make
workplace_build
cluster_start "shared_buffers = '1GB'" "max_parallel_workers_per_gather = 0" "jit = off" "autovacuum = off" \
  "max_wal_size = '16GB'" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "dpobj.release_tick = 0"
unprivileged "psql -X -q -v ON_ERROR_STOP=1 -v wide_rows=$wide_rows -v mixed_rows=$mixed_rows -f bench/scan.sql >/dev/null"

measure() { # NAME STATEMENT: one line of the table
  peak_of "" "$2" 4 || exit 1
  printf '%-48s %8.3f s %8d MiB' "$1" "$seconds" "$backend"
  [ "$solver" = 0 ] || printf ', solver %d MiB' "$solver"
  echo
}

scan() { # TABLE: the statement that scans it
  echo "SELECT rows FROM scan_digest('$1', 'label', with_digest => false);"
}

train() { # TABLE: all features, two of them with a weight
  echo "SELECT release FROM dpobj.train('$1', 'label', 1, options => '{\"grid\": {\"sparse\": 2}, \"intercept\": false}');"
}

rate() { # TABLE HOLDOUT: false for all rows, else the share of them that is read
  echo "SELECT dpobj.evaluate('$1', '$1', 1, options => '{\"holdout\": $2}');"
}

columns=$(seq -s, -f 'x%g' 23)
measure "$wide_rows x 23 float8, count(*)" "SELECT count(*) FROM wide;"
measure "$wide_rows x 23 float8, scan and state" "$(scan wide)"
measure "$wide_rows x 23 float8, dpobj.train" "$(train wide)"
measure "$wide_rows x 23 float8, dp_halfspace" "SELECT dp_halfspace(ARRAY[$columns], label, 1.0, 0, '{\"grid\": {\"sparse\": 2}}') FROM wide;"
quantiles='{0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9}'
measure "$wide_rows x 23 float8, dpobj.evaluate" "$(rate wide false)"
measure "$wide_rows x 23 float8, the same of 0.999 held out" "$(rate wide 0.999)"
measure "$wide_rows rows, nine by percentile_disc" "SELECT percentile_disc('$quantiles'::float8[]) WITHIN GROUP (ORDER BY x1) FROM wide;"
measure "$wide_rows rows, nine by dp_quantiles" "SELECT dp_quantiles(x1, '$quantiles', 0, 1, 1.0) FROM wide;"
measure "$wide_rows rows, nine by dpobj.quantiles" "SELECT value FROM dpobj.quantiles('wide', 'x1', '$quantiles', 1, options => '{\"clip\": [0, 1]}');"
measure "$mixed_rows x 40 mixed, count(*)" "SELECT count(*) FROM mixed;"
measure "$mixed_rows x 40 mixed, scan and state" "$(scan mixed)"
measure "$mixed_rows x 40 mixed, dpobj.evaluate" "$(rate mixed false)"
measure "$mixed_rows x 40 mixed, the same of 0.999 held out" "$(rate mixed 0.999)"
unprivileged "psql -X -q -v ON_ERROR_STOP=1" >/dev/null <<'SQL'
SELECT dpobj.protect('mixed', encoders, person => 'person', max_rows_per_person => 3, earlier_rows_per_person => 3)
FROM dpobj.protected WHERE relation = 'mixed'::regclass;
SQL
measure "$mixed_rows x 40 mixed, person with k = 3, scan" "$(scan mixed)"
measure "$mixed_rows x 40 mixed, person with k = 3, train" "$(train mixed)"
unprivileged "psql -X -At -c \"SELECT format('%s rows, %s entered, %s distinct', rows, rows - neutral, distinct_rows)
  FROM scan_digest('mixed', 'label', with_digest => false)\""

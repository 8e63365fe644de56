#!/usr/bin/env bash
# convex_scale.sh - how long convex models take on many continuous rows, and how much memory.
#
#   bench/convex_scale.sh [ROWS]      1,000,000 rows of 23 float8; 10,000,000 take 5 GB of disk
#
# Beside count(*) and a plain sum: dp_logistic at the owner's door with rows on disk (work_mem is
# 4 MB) and in memory, with a memory limit of 512 MB, alone and with parallel workers, and dpobj.train
# under the limit.  Hardly two rows are equal.  Prints seconds and the largest private memory that
# backend and solver had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
. "$here/peak.sh"
rows=${1:-1000000}

need_packages build
workplace_make
workplace_build
cluster_start "shared_buffers = '256MB'" "max_parallel_workers_per_gather = 0" "jit = off" "autovacuum = off" \
  "max_wal_size = '16GB'" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "dpobj.release_tick = 0"
columns=$(seq -s, -f 'x%g' 23)
unprivileged "psql -X -q -v ON_ERROR_STOP=1 -v rows=$rows -f bench/convex_scale.sql >/dev/null"

measure() { # NAME SETTINGS STATEMENT: one line of the table
  peak_of "$2" "$3" || return 0
  printf '%-44s %8.2f s  backend %5d MiB' "$1" "$seconds" "$backend"
  [ "$solver" -gt 0 ] && printf ', solver %5d, together %5d MiB' "$solver" "$together"
  echo
}

options='{"clip": [0, 1], "mechanism": "objective", "intercept": false}'
logistic="SELECT dp_logistic(ARRAY[$columns], label, 1.0, 0, '$options') FROM wide;"
limit="SET dpobj.memory_limit = '512MB';"
measure "$rows x 23, count(*)" "" "SELECT count(*) FROM wide;"
measure "$rows x 23, count(*) again" "" "SELECT count(*) FROM wide;"
measure "$rows x 23, sum of all columns" "" "SELECT $(seq -s, -f 'sum(x%g)' 23) FROM wide;"
measure "$rows x 23, dp_logistic" "" "$logistic"
measure "$rows x 23, dp_logistic, work_mem 4 GB" "SET work_mem = '4GB';" "$logistic"
measure "$rows x 23, dp_logistic in 512 MB" "$limit" "$logistic"
measure "$rows x 23, dp_logistic in 512 MB, parallel" "$limit SET max_parallel_workers_per_gather = 2;" "$logistic"
measure "$rows x 23, dpobj.train in 512 MB" "$limit" \
  "SELECT release FROM dpobj.train('wide', 'label', 1, method => 'logistic', options => '{\"mechanism\": \"objective\", \"intercept\": false}');"

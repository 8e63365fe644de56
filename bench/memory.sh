#!/usr/bin/env bash
# memory.sh - how much memory trainings take, and how long, beside count(*): a table of rows x (backend, solver).
#
#   bench/memory.sh [ROWS...]     100,000, 1,000,000 and 10,000,000 rows by default; the last take 5 GB of disk
#
# Rows of 23 float8, of which no two are equal. Halfspaces of at most two weights, by the exponential
# mechanism, and logistic regression; at the owner's door in a serial and in a parallel plan, and at the
# analyst's; work_mem is 4 MB, and there is a memory limit where it says so. Of a parallel plan the leader
# counts.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
. "$here/peak.sh"
[ $# -gt 0 ] || set -- 100000 1000000 10000000

need_packages build
workplace_make
workplace_build
cluster_start "shared_buffers = '256MB'" "max_parallel_workers_per_gather = 0" "jit = off" "autovacuum = off" \
  "max_wal_size = '16GB'" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "dpobj.release_tick = 0"
columns=$(seq -s, -f 'x%g' 23)
halfspace='"grid": {"sparse": 2}, "mechanism": "exponential"'
logistic='"mechanism": "objective"'

measure() { # ROWS METHOD DOOR SETTINGS STATEMENT
  peak_of "$4" "$5" || return 0
  printf '| %10d | %-9s | %-34s | %8d | %8d | %8.2f |\n' "$1" "$2" "$3" "$backend" "$solver" "$seconds"
}

printf '| %10s | %-9s | %-34s | %8s | %8s | %8s |\n' rows method door 'backend' 'solver' 'seconds'
for rows; do
  unprivileged "psql -X -q -v ON_ERROR_STOP=1 -c 'DROP TABLE IF EXISTS wide' -c 'DROP EXTENSION IF EXISTS dpobj CASCADE'" 2>/dev/null
  unprivileged "psql -X -q -v ON_ERROR_STOP=1 -v rows=$rows -f bench/memory.sql >/dev/null"
  measure "$rows" - "count(*)" "" "SELECT count(*) FROM wide;"
  for method in halfspace logistic; do
    options=${!method}
    owner="SELECT dp_$method(ARRAY[$columns], label, 1.0, 0, '{\"clip\": [0, 1], $options}') FROM wide;"
    analyst="SELECT release FROM dpobj.train('wide', 'label', 1, method => '$method', options => '{$options}');"
    limit="SET dpobj.memory_limit = '$((rows < 10000000 ? 512 : 4096))MB';"
    measure "$rows" "$method" "aggregate" "" "$owner"
    measure "$rows" "$method" "aggregate, 2 parallel workers" "SET max_parallel_workers_per_gather = 2;" "$owner"
    measure "$rows" "$method" "aggregate, limit $((rows < 10000000 ? 512 : 4096)) MB" "$limit" "$owner"
    measure "$rows" "$method" "dpobj.train" "" "$analyst"
  done
done

#!/usr/bin/env bash
# wide.sh - how long and how large a model of thousands of weights is, from rows with few of them.
#
#   bench/wide.sh [ROWS [COLUMNS [LEVELS]]]      100,000 rows of 20 columns with 250 levels each
#
# Beside it dp_logistic on the same number of plain columns, which has a weight for each: a row has as
# many numbers that are not 0. Prints the median of three calls after one that warms the caches; MiB of
# the backend, of the solver, and the ratio of the two times.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
. "$here/peak.sh"
rows=${1:-100000} columns=${2:-20} levels=${3:-250}

need_packages build
workplace_make
workplace_build
cluster_start "shared_buffers = '1GB'" "max_parallel_workers_per_gather = 0" "jit = off" "autovacuum = off" \
  "max_wal_size = '16GB'" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "dpobj.release_tick = 0"
unprivileged "psql -X -q -v ON_ERROR_STOP=1 -v rows=$rows -v columns=$columns -v levels=$levels" >/dev/null <<'SQL'
CREATE EXTENSION dpobj;
SELECT setseed(0.5);
CREATE TABLE basket AS
  SELECT array_agg(f) AS features, sum(sin(f)) > 0 AS label, array_agg(f / :levels) AS plain
    FROM (SELECT i, 1 + floor(random() * :levels) AS f FROM generate_series(1, :rows) i, generate_series(1, :columns)) r
   GROUP BY i;
VACUUM ANALYZE basket;
SQL
all=$(printf ", $levels%.0s" $(seq "$columns"))

measure() { # NAME FEATURES OPTIONS DELTA: one line of the table
  peak_of "" "SELECT dp_logistic($2, label, 1.0, $4, '{$3\"dimension\": $columns, \"n\": $rows}') FROM basket" 4 || exit 1
  printf '%-64s %8.3f s %6d %6d MiB\n' "$rows rows, $1" "$seconds" "$backend" "$solver"
}

measure "$columns columns, a weight each" plain "" 0
plain=$seconds
for delta in 0 1e-6; do
  measure "$columns x $levels levels, $((columns * levels)) weights, delta $delta" features "\"levels\": [${all:2}], " $delta
done
awk "BEGIN { printf \"%.1f times as long with levels\n\", $seconds / $plain }"

#!/usr/bin/env bash
# ends.sh - what calls take beside their prices: calls that once had no end, about two minutes, or random ones:
#
#   bench/ends.sh [folder of adult23.csv]      by default that of DPOBJ_DATA; without it those lines are missing
#   bench/ends.sh --random [CALLS [SEED]]      500 calls, seed 1, if not told: an hour
#
# A line of the first kind has the seconds measured, the most seconds by dpobj.price_aggregate or
# dpobj.price, the mechanism and the grid, or what the refusal says; ends_random.sh says what the others have. The
# server is a throw-away cluster.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$here"
. scripts/workplace.sh
. bench/peak.sh
. bench/ends_random.sh
workplace_make
workplace_build
echo "$(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
if [ "${1:-}" = --random ]; then
  cluster_start "fsync = off" "max_wal_size = '4GB'" "autovacuum = off" "dpobj.release_tick = 0"
  ends_random "${2:-500}" "${3:-1}"
else
  data=${1:-${DPOBJ_DATA:-}}
  cluster_start "fsync = off"
  [ ! -r "$data/adult23.csv" ] || install -m 644 "$data/adult23.csv" "$W/adult23.csv"
  unprivileged "psql -XqAt -f bench/ends.sql" 2>&1 | sed -u "s/^psql:[^ ]* INFO:  //"
fi
echo "load $(cut -d' ' -f1 /proc/loadavg) at the end"

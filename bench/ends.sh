#!/usr/bin/env bash
# ends.sh - calls that once had no end, through SQL: what they take, or the refusal, about two minutes:
#
#   bench/ends.sh [folder of adult23.csv]     by default that of DPOBJ_DATA; without it those lines are missing
#
# A line has the seconds measured, the most seconds by dpobj.price_aggregate or dpobj.price, the
# mechanism and the grid, or what the refusal says.  The server is a throw-away cluster.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=${1:-${DPOBJ_DATA:-}}
cd "$here"
. scripts/workplace.sh
workplace_make
workplace_build
cluster_start "fsync = off"
[ ! -r "$data/adult23.csv" ] || install -m 644 "$data/adult23.csv" "$W/adult23.csv"
echo "$(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
unprivileged "psql -XqAt -f bench/ends.sql" 2>&1 | sed -u "s/^psql:[^ ]* INFO:  //"
echo "load $(cut -d' ' -f1 /proc/loadavg) at the end"

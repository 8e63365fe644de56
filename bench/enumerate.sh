#!/usr/bin/env bash
# enumerate.sh - the time of an enumeration for several shapes of rows and grids, about two minutes:
#
#   bench/enumerate.sh [folder of the data [shape]]     by default that of DPOBJ_DATA, all shapes
#
# See bench/enumerate.c for the columns. The constants of src/core/exponential/select_time.h, with which
# admission counts, are measured with it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gcc -std=c11 -O3 -ffp-contract=off -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/enumerate" \
  "$here/bench/enumerate.c" "$here"/src/core/*/*.c -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
echo "$(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
"$work/enumerate" "$@"

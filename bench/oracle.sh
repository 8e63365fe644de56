#!/usr/bin/env bash
# oracle.sh - everything about optima in one run, about three quarters of an hour:
#
#   bench/oracle.sh [folder of the data]     by default that of DPOBJ_DATA
#
# Families A, B, C and T with one thread and two (bench/oracle.c), problems at the edge
# (its --large), and GLPK beside the native search on the same draws (bench/glpk.c). For quiet
# machines: nothing here is repeated but the ten slowest draws.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export DPOBJ_DATA=${1:-${DPOBJ_DATA:-$here/../shared/data}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for bench in oracle glpk; do
  gcc -std=c11 -O3 -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/$bench" "$here/bench/$bench.c" \
    "$here"/src/core/*/*.c "$here"/src/solver/glpk_*.c -lglpk -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
done
echo "$(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
for step in oracle "oracle --large" "glpk --classes"; do
  echo
  "$work"/$step
done

#!/usr/bin/env bash
# passes.sh - a convex model trained over four parts of its rows beside the same over the table, in
# the same run: the ratio of the times and the bytes of a pass to a part and back, a minute or two:
#
#   bench/passes.sh [threads]     by default one
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gcc -std=c11 -O2 -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/passes" "$here/bench/passes.c" \
  "$here"/src/core/*/*.c -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
echo "$(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
"$work/passes" "${1:-1}"

#!/usr/bin/env bash
# accuracy.sh - training accuracy of every mechanism: docs/accuracy.tsv, .md and .svg.
#
#   bench/accuracy.sh                measures everything anew, an hour or so of one core
#   bench/accuracy.sh SET [TEXT [EPSILON]]
#                                    measures one set (all: each), or of it the rows whose
#                                    names hold TEXT, at EPSILON only, and puts them in the
#                                    place of the old
#   bench/accuracy.sh experts        the regret of dp_ftrl only
#   bench/accuracy.sh --draw         makes the page and the plot of what was measured
#
# The plot is drawn by bench/plot.sh, which needs gnuplot.
# DPOBJ_DATA is the folder of adult23.csv, adult_balanced.csv and adult.data.csv.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=${DPOBJ_DATA:-$here/../shared/data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "${1:-}" != --draw ]; then
  python3 "$here/bench/accuracy_sets.py" "$data" "$work"
  gcc -std=c11 -O3 -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/accuracy" "$here/bench/accuracy.c" \
    "$here"/src/core/*/*.c -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
  gcc -std=c11 -O3 -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/regret" "$here/bench/regret.c" \
    "$here"/src/core/*/*.c -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
  [ "${1:-}" = experts ] || nice -n 10 "$work/accuracy" "$work" "$@" | tee "$work/accuracy.tsv"
  [[ ! "${1:-}" =~ ^(|all|experts)$ || -n "${2:-}" ]] || nice -n 10 "$work/regret" "$work" | tee -a "$work/accuracy.tsv"
  python3 "$here/bench/accuracy.py" "$here/docs" "$work/accuracy.tsv"
else
  python3 "$here/bench/accuracy.py" "$here/docs"
fi
bash "$here/bench/plot.sh" accuracy

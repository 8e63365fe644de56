#!/usr/bin/env bash
# accuracy.sh - training accuracy of every mechanism and of tuned peers: accuracy.tsv, .md and .svg in bench/results.
#
#   bench/accuracy.sh                measures everything anew but --sql, some hours of one core
#   bench/accuracy.sh [--core|--peers|--sql] SET [TEXT [EPSILON]]
#                                    measures one set (all: each), or of it the rows whose names hold
#                                    TEXT, at EPSILON only, and puts them in the place of the old: the
#                                    mechanisms by the core's functions, the peers, or default calls
#                                    through SQL in a throw-away cluster
#   bench/accuracy.sh --regret       the regret of dp_ftrl only
#   bench/accuracy.sh --draw         makes the tables and the plot of what was measured
#   bench/accuracy.sh --check        compares what was measured with bench/accuracy_goals.tsv
#   bench/accuracy.sh --rule         fits the thresholds of dp_classifier on all sets but one
#
# The plot is drawn by bench/plot.sh, which needs gnuplot.
# DPOBJ_DATA is the folder of adult23.csv, adult.data.csv and the folder panel.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=${DPOBJ_DATA:-$here/../shared/data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # PROGRAM [FLAGS]: of bench/PROGRAM.c; the flags are for this file only
  gcc -std=c11 -O3 "${@:2}" -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -c -o "$work/$1.o" "$here/bench/$1.c"
  gcc -std=c11 -O3 -D_GNU_SOURCE -I"$here/src" -o "$work/$1" "$work/$1.o" \
    "$here"/src/core/*/*.c -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
}

measure_core() {
  build accuracy
  nice -n 10 "$work/accuracy" "$work" "$@"
  build accuracy_linear
  nice -n 10 "$work/accuracy_linear" "$work" "$@"
  build accuracy_classes
  nice -n 10 "$work/accuracy_classes" "$work" "$@"
}

measure_peers() {
  build accuracy_peers -Ofast -march=native
  nice -n 10 "$work/accuracy_peers" "$work" "$@"
}

measure_regret() {
  build regret
  nice -n 10 "$work/regret" "$work"
}

# In a shell of its own, whose trap removes the cluster.
measure_sql() {
  (. "$here/bench/accuracy_sql.sh" && accuracy_sql "$work" "$@")
}

what=${1:-all}
[ $# = 0 ] || shift
case $what in
--check) exec python3 "$here/bench/accuracy.py" --check "$here/bench/accuracy_goals.tsv" ;;
--rule) exec python3 "$here/bench/accuracy.py" --rule ;;
--draw) ;;
*)
  python3 "$here/bench/accuracy_sets.py" "$data" "$work"
  case $what in
  --core | --peers | --sql | --regret) "measure_${what#--}" "$@" ;;
  all) measure_core && measure_peers && measure_regret ;;
  *) measure_core "$what" "$@" && measure_peers "$what" "$@" ;;
  esac | tee "$work/accuracy.tsv"
  ;;
esac
touch "$work/accuracy.tsv"
python3 "$here/bench/accuracy.py" "$work/accuracy.tsv"
bash "$here/bench/plot.sh" accuracy

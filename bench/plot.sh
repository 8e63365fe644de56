#!/usr/bin/env bash
# plot.sh - the pictures of the guides: accuracy against epsilon, and how long releases take.
#
#   bench/plot.sh                draws bench/results/accuracy.svg and bench/results/runtime.svg of what was measured,
#                                and prints the medians of bench/results/runtime.tsv
#   bench/plot.sh accuracy       draws bench/results/accuracy.svg only
#   bench/plot.sh --time [RUNS]  measures bench/results/runtime.tsv anew before: so many releases of each row and
#                                epsilon (30), some minutes of one core
#
# Needs gnuplot (Debian: gnuplot-nox) to draw, and DPOBJ_DATA, the folder of the data
# (bench/accuracy.sh), to measure. Times are processor seconds of one thread, which a busy machine
# lengthens little.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
results=$here/bench/results
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v gnuplot >/dev/null || {
  echo "plot.sh: there is no gnuplot; apt-get install gnuplot-nox" >&2
  exit 1
}

if [ "${1:-}" = --time ]; then
  data=${DPOBJ_DATA:-$here/../shared/data}
  python3 "$here/bench/accuracy_sets.py" "$data" "$work"
  gcc -std=c11 -O3 -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/accuracy" "$here/bench/accuracy.c" \
    "$here"/src/core/*/*.c -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
  nice -n 10 "$work/accuracy" --times "$work" "${2:-30}" >"$work/runtime.tsv"
  mv "$work/runtime.tsv" "$results/runtime.tsv"
fi

# draw NAME DATA: bench/results/NAME.svg by bench/NAME.gp. An empty curve is one that was not measured on that set.
draw() {
  gnuplot -e "data = '$2'; picture = '$work/$1.svg'" "$here/bench/$1.gp" 2>"$work/said" || {
    cat "$work/said" >&2
    return 1
  }
  grep -v -e 'no valid points' -e '^$' "$work/said" >&2 || :
  mv "$work/$1.svg" "$results/$1.svg"
}

draw accuracy "$results/accuracy.tsv"
[ "${1:-}" != accuracy ] || exit 0

# Each row's seconds in order: rank, of how many, seconds.
sort -t$'\t' -k1,1 -k3,3g "$results/runtime.tsv" |
  awk -F'\t' '
    function report() {
      if (count > 0)
        printf "%-40s %8d %10.4f %10.4f %10.4f\n", row, count,
          (value[int((count + 1) / 2)] + value[int(count / 2) + 1]) / 2, value[int((9 * count + 9) / 10)], value[count]
    }
    BEGIN { printf "%-40s %8s %10s %10s %10s\n", "seconds of a release on adult23", "releases", "median", "9 of 10", "largest" }
    $1 != row { report(); row = $1; count = 0 }
    { value[++count] = $3 }
    END { report() }'
draw runtime "$results/runtime.tsv"

#!/usr/bin/env bash
# classes.sh - how long dp_softmax takes beside dp_logistic, and their ratio (bench/classes.c).
#
#   bench/classes.sh [ROWS [CLASSES [THREADS]]]    1,000,000 rows, 5 classes, 2 threads
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gcc -std=c11 -O3 -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/classes" "$here/bench/classes.c" \
  "$here"/src/core/*/*.c -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
"$work/classes" "$@"

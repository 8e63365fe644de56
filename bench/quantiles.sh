#!/usr/bin/env bash
# quantiles.sh - rank errors of private quantiles, beside JointExp and the formulas of OpenDP and of
# Google's differential privacy library, some minutes:
#
#   bench/quantiles.sh [uniform|lognormal|age|hours]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gcc -std=c11 -O2 -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/quantiles" "$here/bench/quantiles.c" \
  "$here"/src/core/*/*.c -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
"$work/quantiles" "$@"

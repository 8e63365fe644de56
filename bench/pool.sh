#!/usr/bin/env bash
# pool.sh - how fast a pool's candidates are rated (src/core/pool), beside a matrix product of the
# same size in the same run, about a minute:
#
#   bench/pool.sh [threads]     by default as many as there are processors
#
# The product is sgemm, of OpenBLAS if it is installed (libopenblas-dev), else of any BLAS. The table
# says which library and which kernel ran.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # build LIBRARIES: fails if the linker does not find them
  gcc -std=c11 -O3 -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/pool" "$here/bench/pool.c" \
    "$here"/src/core/*/*.c "$@" -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
}

library=openblas
build -lopenblas 2>"$work/errors" || {
  library=blas
  build -lblas
}
echo "$(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
OPENBLAS_NUM_THREADS=${1:-$(nproc)} "$work/pool" "$library" "${1:-$(nproc)}"

#!/usr/bin/env bash
# pool.sh - how fast a pool's candidates are rated (src/core/pool), beside matrix products of the
# same size in the same run, some minutes:
#
#   bench/pool.sh [threads]     by default as many as there are processors
#
# The product is sgemm of OpenBLAS (libopenblas0) and of the reference BLAS (libblas3), which has one
# thread, if they are installed. OPENBLAS_CORETYPE=Nehalem lets OpenBLAS do without AVX, as the kernel
# sse2 does; the other kernels are then of no interest.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gcc -std=c11 -O2 -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/pool" "$here/bench/pool.c" \
  "$here"/src/core/*/*.c -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread -ldl
mapfile -t libraries < <(ls /usr/lib/*/libopenblas.so.0 /usr/lib/*/blas/libblas.so.3 2>/dev/null)
echo "$(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
OPENBLAS_NUM_THREADS=${1:-$(nproc)} "$work/pool" "${1:-$(nproc)}" "${libraries[@]}"

#!/usr/bin/env bash
# ranking.sh - how well models rank and give probabilities, on rows that they have not seen, beside private rivals.
#
#   bench/ranking.sh [--dpobj|--rivals|--draw] [SET,...|all [TEXT [EPSILON [ADJACENCY]]]]
#   bench/ranking.sh --ratings RUNS [SET,... [EPSILON,... [ADJACENCY,...]]]
#
# Measures the rows whose names hold TEXT, default calls of dpobj.train and others through SQL in a throw-away
# cluster, and the rivals; puts them into bench/results/ranking.tsv and makes the page of it. --draw only makes the
# page. The end says in how many cells dpobj.train is behind the best private rival.
#
# --ratings prints how often the intervals of ratings hold the truth, and how often labels drawn by chance are called
# "better than chance" (ratings.py).
#
# DPOBJ_DATA is the folder of adult.data.csv and the folders panel and tables. DPOBJ_RUNS and DPOBJ_LIMIT are the number
# of calls in a cell and the seconds after which one is late.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export DPOBJ_DATA=${DPOBJ_DATA:-$here/../shared/data}
what=all
[[ "${1:-}" != --* ]] || { what=${1#--} && shift; }
. "$here/scripts/packages.sh"
. "$here/scripts/workplace.sh"

need_packages build bench
workplace_make
if [[ "$what" =~ ^(all|dpobj|ratings)$ ]]; then
  workplace_build
  cluster_start "fsync = off" "jit = off" "dpobj.release_tick = 0"
  unprivileged "psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION dpobj'"
fi
gcc -std=c11 -O3 -ffast-math -march=native -D_GNU_SOURCE -fPIC -c -o "$W/ranking.o" "$here/bench/ranking.c"
gcc -shared -o "$W/ranking.so" "$W/ranking.o" -lm
command=("$here/bench/ranking.py" "$W" "$what")
[ "$what" != ratings ] || command=("$here/bench/ratings.py" "$W")
PATH=$PGBIN:/usr/bin:$PATH PGHOST=$W/sock PGPORT=5432 PGUSER=postgres PGDATABASE=postgres OPENBLAS_NUM_THREADS=1 \
  nice -n 10 python3 "${command[@]}" "$@"

#!/usr/bin/env bash
# adult.sh - the papers' instance (adult23.csv, n = 15,682, d = 23): accuracy and time.
#
# Prints the exact law's mean accuracy of the exponential mechanism and the
# oracle's certified draws, straight from the core, then real statements in a
# throw-away cluster. DPOBJ_DATA is the folder of adult23.csv.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"

DPOBJ_DATA=${DPOBJ_DATA:-$here/../../shared/data}
if [ ! -r "$DPOBJ_DATA/adult23.csv" ]; then
  echo "no adult23.csv in $DPOBJ_DATA: set DPOBJ_DATA to its folder" >&2
  exit 1
fi
need_packages build
workplace_make
workplace_build
cp "$DPOBJ_DATA/adult23.csv" "$W/adult23.csv"
chmod a+r "$W/adult23.csv"
for bench in select oracle sample; do
  unprivileged "gcc -std=c11 -O2 -D_GNU_SOURCE -Isrc -Itests -o '$W/$bench' bench/$bench.c \
    src/core/libdpobj_core.a -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread && '$W/$bench' '$W'"
  echo
done
cluster_start
sed 's/,/\t{/; s/$/}/' "$W/adult23.csv" |
  unprivileged "psql -X -q -c 'CREATE TABLE adult23 (label integer, features float8[] CHECK (cardinality(features) = 23))' -c 'COPY adult23 FROM STDIN'"
unprivileged "psql -X -q -v ON_ERROR_STOP=1 -f bench/adult.sql"

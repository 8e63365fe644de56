#!/usr/bin/env bash
# demo.sh - trains a private model from nothing: packages, build, temporary cluster, data, model.
#
#   make demo                           on a census-like table that is generated from a seed
#   make demo DATA=path/adult.data.csv  on the papers' instance, made from UCI Adult's raw file
#
# Runs as root (missing packages are installed, everything else runs as
# user postgres), or as any other user if the packages are installed. Leaves nothing behind.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/packages.sh"
. "$here/workplace.sh"

DATA=${DATA:-}
if [ -n "$DATA" ] && [ ! -r "$DATA" ]; then
  echo "cannot read DATA=$DATA" >&2
  exit 1
fi
need_packages build
workplace_make
echo "Building ..."
workplace_build
echo "Starting a throw-away cluster in $W ..."
cluster_start
sql() { unprivileged "psql -X -q -v ON_ERROR_STOP=1 -f scripts/$1"; }
if [ -n "$DATA" ]; then
  echo "Loading $DATA ..."
  sql demo_adult_table.sql
  tail -n +2 "$DATA" | grep -v '^[[:space:]]*$' |
    unprivileged "psql -X -q -c 'COPY census_raw FROM STDIN (FORMAT csv)'"
  sql demo_adult_balance.sql
else
  sql demo_census.sql
fi
sql demo_encode.sql
sql demo_train.sql

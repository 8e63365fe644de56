#!/usr/bin/env bash
# regress.sh - the tests of pg_regress (sql, expected) and the isolation tests (tests/specs).
#
#   unprivileged "bash scripts/regress.sh"          all of them
#   unprivileged "bash scripts/regress.sh budgets"  sql/budgets.sql, or tests/specs/budgets.spec
#
# Runs inside the environment of workplace.sh, after workplace_build and cluster_start. Each file has
# a database of its own and roles that no other file names, so three run at a time: they wait more
# than they compute. What differs from the expected output is shown. `make installcheck` runs the
# same files one after the other.
set -uo pipefail

: "${W:?is set by workplace.sh}"

run_one() { # run_one NAME: one line
  local name=$1 began=${EPOCHREALTIME/./} place=$W/regress/$1 database=regress_$1
  [ "$name" != schedules ] || database=contrib_regression # whose name it shows
  mkdir -p "$place"
  if [ -f "tests/specs/$name.spec" ]; then
    ISOLATION_OPTS="--outputdir=$place" make -s installcheck REGRESS= ISOLATION="$name" ISOLATION_TESTDB="$database"
  else
    REGRESS_OPTS="--outputdir=$place" make -s installcheck REGRESS="$name" ISOLATION= CONTRIB_TESTDB="$database"
  fi >"$place/log" 2>&1
  case $? in
    0) echo "$name: ok, $(((${EPOCHREALTIME/./} - began) / 1000)) ms" ;;
    *)
      echo "$name: FAILED"
      if [ -s "$place/regression.diffs" ]; then cat "$place/regression.diffs"; else cat "$place/log"; fi
      return 1
      ;;
  esac
}

if [ "${1:-}" = --one ]; then # of xargs below
  run_one "$2"
  exit
fi

# The longest first, then by size, so that none of them is left to the end.
longest=sql/bad_input.sql
[ $# -gt 0 ] || mapfile -t names < <(echo "$longest" && ls -S sql/*.sql tests/specs/*.spec | grep -vx "$longest")
names=("${@:-${names[@]##*/}}")
rm -rf "$W/regress"
# The first extension of a server makes its roles.
createdb regress && psql -Xqd regress -c 'CREATE EXTENSION dpobj' && dropdb regress || exit 1
printf '%s\n' "${names[@]%.*}" | PG_REGRESS_DIFF_OPTS=-u xargs -P 3 -I@ bash scripts/regress.sh --one @

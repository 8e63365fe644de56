#!/usr/bin/env bash
# tap.sh - runs the TAP tests (tests/t) and the attacks (tests/attack).
#
#   unprivileged "scripts/tap.sh"                    all of them but 019, which measures times
#   unprivileged "scripts/tap.sh 002 partition_key"  those whose names begin so
#
# Runs inside the environment of workplace.sh, which sets W and PGXS_DEST, after
# workplace_build.  Every test makes its own clusters below $W and removes them.
set -euo pipefail

: "${W:?is set by workplace.sh}" "${PGXS_DEST:?is set by workplace.sh}"
pgxs_test=$(dirname "$(pg_config --pgxs)")/../test

export TESTDIR=$W/tap
export TESTDATADIR=$TESTDIR/tmp_check TESTLOGDIR=$TESTDIR/tmp_check/log
export PG_REGRESS=$pgxs_test/regress/pg_regress
export PERL5LIB=$pgxs_test/perl:$PWD/tests/t
rm -rf "$TESTDIR"
mkdir -p "$TESTDATADIR" "$TESTLOGDIR"

# The last ones take longest, so they begin. Four at a time: they wait more than they compute.
if [ $# = 0 ]; then
  mapfile -t files < <(ls -r tests/t/*.pl tests/attack/*.pl | grep -v /019_)
else
  files=()
  for name in "$@"; do
    found=$(compgen -G "tests/*/$name*.pl")
    mapfile -t -O "${#files[@]}" files <<<"$found"
  done
fi
prove --timer --failures --jobs 4 "${files[@]}" || {
  grep -A 6 '^\[[^]]*\]([^)]*) *not ok' "$TESTLOGDIR"/regress_log_* | sed "s|^$TESTLOGDIR/regress_log_||" >&2 || true
  echo "logs are in $TESTLOGDIR" >&2
  exit 1
}

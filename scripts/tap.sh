#!/usr/bin/env bash
# tap.sh - the hostile tests: TAP programs (tests/t) and isolation specs (tests/specs).
#
#   unprivileged "scripts/tap.sh"            all of them
#   unprivileged "scripts/tap.sh 002 003"    TAP programs whose names begin so
#   unprivileged "scripts/tap.sh isolation"  the specs only
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

tap() {
  prove --timer --failures "$@" || {
    echo "logs are in $TESTLOGDIR" >&2
    return 1
  }
}

isolation() {
  local specs
  specs=$(cd tests/specs && ls ./*.spec | sed 's,^\./,,; s,\.spec$,,')
  {
    echo "extension_destdir = '$PGXS_DEST'"
    echo "dynamic_library_path = '$PGXS_DEST$(pg_config --pkglibdir):\$libdir'"
    echo "max_worker_processes = 16"
    echo "fsync = off"
  } >"$TESTDIR/isolation.conf"
  # shellcheck disable=SC2086
  "$pgxs_test/isolation/pg_isolation_regress" --inputdir=tests --outputdir="$TESTDIR/isolation" \
    --bindir="$(pg_config --bindir)" --temp-instance="$TESTDIR/isolation_instance" \
    --temp-config="$TESTDIR/isolation.conf" --load-extension=dpobj $specs || {
    cat "$TESTDIR/isolation/regression.diffs" >&2
    return 1
  }
}

if [ $# = 0 ]; then
  tap tests/t/*.pl
  isolation
elif [ "$1" = isolation ]; then
  isolation
else
  files=()
  for name in "$@"; do
    files+=(tests/t/"$name"*.pl)
  done
  tap "${files[@]}"
fi

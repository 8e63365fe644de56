#!/usr/bin/env bash
# faults.sh - put each deliberate fault of tests/faults into the server's sources and
# see that the test which its patch names catches it.
#
#   unprivileged "scripts/faults.sh"             all of them
#   unprivileged "scripts/faults.sh late_charge" some of them
#
# Runs inside the environment of workplace.sh, after workplace_build and
# cluster_start, and leaves the sources and the installed files as they were.
# Prints one line per fault, and fails if one survives. (The faults of the core are
# in tests/core/mutants.sh.)
set -uo pipefail

: "${W:?is set by workplace.sh}" "${PGXS_DEST:?is set by workplace.sh}"

unknown=$(grep -LE '^Killed by: (regress|isolation|tap) ' tests/faults/*.patch)
[ -z "$unknown" ] || {
  echo "no test is named to catch $unknown"
  exit 1
}

log=$W/faults.log
test_log=$W/faults_test.log
: >"$W/faults_caught" # their names: the two sides together must have caught all

build() {
  make -s -j2 >"$log" 2>&1 && make -s install DESTDIR="$PGXS_DEST" >>"$log" 2>&1
}

# A role that a test leaves behind makes its next run fail, which would show no fault.
drop_roles() {
  dropdb --if-exists contrib_regression
  dropdb --if-exists isolation_regression
  psql -XAtqc "SELECT format('DROP ROLE %I;', rolname) FROM pg_roles WHERE oid >= 16384" | psql -Xq
}

run_test() { # run_test KIND NAME, as after "Killed by:"; arguments creates the extension for the others
  case $1 in
    regress) drop_roles && make -s installcheck REGRESS="arguments ${2#arguments}" ISOLATION= ;;
    isolation) drop_roles && make -s installcheck REGRESS= ISOLATION="$2" ;;
    tap) DPOBJ_FIRST_FAILURE=1 bash scripts/tap.sh "$2" ;;
  esac >"$test_log" 2>&1
}

try_fault() { # try_fault PATCH KIND NAME: succeeds if the fault is caught
  local patch=$1 kind=$2 test=$3 name
  name=$(basename "$patch" .patch)
  if ! patch -s -p1 <"$patch" || ! build; then
    echo "  $name: cannot be put in"
    cat "$log"
    return 1
  fi
  if run_test "$kind" "$test"; then
    echo "  $name: survives $kind $test"
    return 1
  fi
  # A test that fails for want of a server or a file has shown nothing.
  if ! grep -qE 'not ok|FAILED' "$test_log"; then
    echo "  $name: $kind $test did not run"
    cat "$test_log"
    return 1
  fi
  echo "  $name: caught by $kind $test"
  echo "$name" >>"$W/faults_caught"
}

is_wanted() { # is_wanted PATCH NAME...: is it one of the names, if there are any?
  local patch=$1
  shift
  [ $# = 0 ] || [[ " $* " == *" $(basename "$patch" .patch) "* ]]
}

try_all() { # try_all KINDS NAME...: the faults that tests of these kinds are to catch
  local kinds=$1 survivors=0 patch kind test
  local -A tests=()
  shift
  for patch in tests/faults/*.patch; do
    is_wanted "$patch" "$@" || continue
    read -r kind test < <(sed -n 's/^Killed by: //p' "$patch")
    [[ " $kinds " == *" $kind "* ]] || continue
    tests["$kind $test"]=$kind
    try_fault "$patch" "$kind" "$test" || survivors=$((survivors + 1))
    patch -s -R -p1 <"$patch"
  done
  build || return 1
  # These tests run alone here, on a server that others have used: without a fault they must pass.
  for test in "${!tests[@]}"; do
    # shellcheck disable=SC2086 # two arguments
    [ "${tests[$test]}" = tap ] || run_test $test && continue
    echo "  $test: fails without a fault"
    survivors=$((survivors + 1))
  done
  [ "$survivors" = 0 ]
}

# TAP tests have servers of their own, and wait more than they compute: their faults are put
# into a copy of the tree, beside the others.
cp -a . "$W/beside"
cp -a "$PGXS_DEST" "$W/beside_dest"
(
  cd "$W/beside"
  export PGXS_DEST=$W/beside_dest
  log=$W/beside.log test_log=$W/beside_test.log
  try_all tap "$@"
) &
beside=$! # for later: a process substitution takes $! for itself
try_all "regress isolation" "$@"
caught=$?
wait "$beside" || caught=1
wanted=0
for patch in tests/faults/*.patch; do
  is_wanted "$patch" "$@" && wanted=$((wanted + 1))
done
echo "  $(wc -l <"$W/faults_caught") of $wanted faults caught"
[ "$caught" = 0 ] && [ "$(wc -l <"$W/faults_caught")" = "$wanted" ]

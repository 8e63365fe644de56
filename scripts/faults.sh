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

build() {
  make -s -j2 >"$W/faults.log" 2>&1 && make -s install DESTDIR="$PGXS_DEST" >>"$W/faults.log" 2>&1
}

run_test() { # run_test KIND NAME, as after "Killed by:"
  case $1 in
    regress) make -s installcheck REGRESS="arguments $2" ISOLATION= ;;
    isolation) make -s installcheck REGRESS= ISOLATION="$2" ;;
    tap) DPOBJ_FIRST_FAILURE=1 bash scripts/tap.sh "$2" ;;
  esac >"$W/faults_test.log" 2>&1
}

try_fault() { # succeeds if the fault is caught
  local patch=$1 name kind test
  name=$(basename "$patch" .patch)
  read -r kind test < <(sed -n 's/^Killed by: //p' "$patch")
  if ! patch -s -p1 <"$patch" || ! build; then
    echo "  $name: cannot be put in"
    cat "$W/faults.log"
    return 1
  fi
  if run_test "$kind" "$test"; then
    echo "  $name: survives $kind $test"
    return 1
  fi
  # A test that fails for want of a server or a file has shown nothing.
  if ! grep -qE 'not ok|FAILED' "$W/faults_test.log"; then
    echo "  $name: $kind $test did not run"
    cat "$W/faults_test.log"
    return 1
  fi
  echo "  $name: caught by $kind $test"
}

survivors=0
for patch in tests/faults/*.patch; do
  [ $# = 0 ] || [[ " $* " == *" $(basename "$patch" .patch) "* ]] || continue
  try_fault "$patch" || survivors=$((survivors + 1))
  patch -s -R -p1 <"$patch"
done
build || survivors=$((survivors + 1))
[ "$survivors" = 0 ]

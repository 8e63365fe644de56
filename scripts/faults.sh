#!/usr/bin/env bash
# faults.sh - put each deliberate fault of tests/faults into the server's sources and
# see that the test which its patch names catches it.
#
#   unprivileged "bash scripts/faults.sh"             all of them
#   unprivileged "bash scripts/faults.sh late_charge" some of them
#   unprivileged "bash scripts/faults.sh --every 12 2"  every twelfth of them, from the third on
#
# Runs inside the environment of workplace.sh, after workplace_build, and leaves the sources and
# the installed files as they were. Prints one line per fault, and fails if one survives. (The
# faults of the core are in tests/core/mutants.sh.)
#
# Three at a time, because the tests wait more than they compute. Each lane is a workplace of its
# own: a copy of the sources and of what is installed, of which only the file with the fault is
# compiled again, and a cluster for the tests that do not make their own.
set -uo pipefail
. scripts/workplace.sh
PGBIN=$(dirname "$(command -v initdb)")

: "${W:?is set by workplace.sh}" "${PGXS_DEST:?is set by workplace.sh}"

enter_lane() { # enter_lane NUMBER
  local whole=$W
  W=$W/lane$1
  [ -d "$W" ] && return
  mkdir "$W" && cp -a "$whole/src" "$whole/dest" "$W"
}

# The preloaded library is read when the server starts.
restart_cluster() {
  if [ -f "$W/data/PG_VERSION" ]; then
    unprivileged "pg_ctl -D '$W/data' -l '$W/server.log' -m fast -w restart >/dev/null"
  else
    cluster_start "fsync = off" "dpobj.machine_pace = 1" || {
      rm -rf "$W/data"
      return 1
    }
  fi
}

# A role that a test leaves behind makes its next run fail, which would show no fault.
drop_roles() {
  unprivileged "psql -XAtqc \"SELECT format('DROP DATABASE %I;', datname) FROM pg_database WHERE datname ~ 'regress'\" | psql -Xq
    psql -XAtqc \"SELECT format('DROP ROLE %I;', rolname) FROM pg_roles WHERE oid >= 16384\" | psql -Xq"
}

run_test() { # run_test KIND NAME, as after "Killed by:"
  case $1 in
    regress | isolation) restart_cluster && drop_roles && unprivileged "PGISOLATIONTIMEOUT=60 bash scripts/regress.sh $2" ;;
    tap) unprivileged "PG_TEST_TIMEOUT_DEFAULT=40 DPOBJ_FIRST_FAILURE=1 timeout 900 bash scripts/tap.sh $2" ;;
  esac >"$W/test.log" 2>&1
}

test_of() { sed -n 's/^Killed by: //p' "$1"; }

caught() { # caught PATCH: one line; fails where the fault is not caught
  local kind test
  read -r kind test < <(test_of "$1")
  if ! unprivileged "patch -s -p1 <'$1'" || ! workplace_build >"$W/fault.log" 2>&1; then
    echo "cannot be put in"
    cat "$W/fault.log"
    return 1
  fi
  if run_test "$kind" "$test"; then
    echo "survives $kind $test"
    return 1
  fi
  # A test that fails for want of a server or a file has shown nothing.
  if ! grep -qE 'not ok|FAILED' "$W/test.log"; then
    echo "$kind $test did not run"
    cat "$W/test.log"
    return 1
  fi
  echo "caught by $kind $test"
}

try_fault() {
  local began=$SECONDS verdict status
  verdict=$(caught "$1")
  status=$?
  echo "  $(basename "$1" .patch): $verdict, $((SECONDS - began)) s"
  unprivileged "patch -s -R -p1 <'$1'"
  return $status
}

# These tests run alone here, on a server that others have used: without a fault they must pass.
try_sound() { # try_sound KIND NAME
  workplace_build && run_test "$1" "$2" && return
  echo "  $1 $2: fails without a fault"
  return 1
}

if [ "${1:-}" = --in-lane ]; then # of xargs below: --in-lane PATCH, or --in-lane KIND NAME
  shift
  enter_lane "$LANE"
  if [ $# = 1 ]; then try_fault "$1"; else try_sound "$@"; fi
  exit
fi

stop_lanes() {
  local lane
  for lane in "$W"/lane*; do
    [ ! -f "$lane/data/postmaster.pid" ] || pg_ctl -D "$lane/data" -m immediate stop >/dev/null 2>&1
    rm -rf "$lane"
  done
}
trap stop_lanes EXIT
trap 'exit 130' INT TERM HUP

patches=(tests/faults/*.patch)
for patch in "${patches[@]}"; do
  patch -s -p1 --dry-run <"$patch" >/dev/null || {
    echo "$patch cannot be put in"
    exit 1
  }
done
if [ "${1:-}" = --every ]; then
  mapfile -t patches < <(printf '%s\n' "${patches[@]}" | awk -v every="$2" -v rest="$3" '(NR - 1) % every == rest')
elif [ $# != 0 ]; then
  patches=("${@/#/tests/faults/}")
  patches=("${patches[@]/%/.patch}")
fi
unknown=$(grep -LE '^Killed by: (regress|isolation|tap) ' "${patches[@]}")
[ -z "$unknown" ] || {
  echo "no test is named to catch $unknown"
  exit 1
}

in_lanes() { # in_lanes ARGUMENTS: a line each
  xargs -r -P 3 -L 1 --process-slot-var=LANE bash scripts/faults.sh --in-lane
}

printf '%s\n' "${patches[@]}" | in_lanes | tee "$W/faults.log"
caught=$(grep -c ': caught by ' "$W/faults.log")
for patch in "${patches[@]}"; do test_of "$patch"; done | sed '/^tap/d' | sort -u | in_lanes
sound=$?
echo "  $caught of ${#patches[@]} faults caught"
[ "$caught" = "${#patches[@]}" ] && [ "$sound" = 0 ]

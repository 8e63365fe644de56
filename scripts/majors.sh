#!/usr/bin/env bash
# majors.sh - builds dpobj on each PostgreSQL that a suite of Debian has, and runs every test of the server.
#
#   bash scripts/majors.sh                 15 (bookworm), 17 (trixie), 18 (forky)
#   bash scripts/majors.sh 17              one of them
#   bash scripts/majors.sh 17 regress tap  and of its tests: job regress pgtap tap
#
# As root, from the packages of Debian's registry, in clean systems in a temporary folder: gcc -Werror, tests/package/job.sql,
# majors.sql and copy.sql, the regress and isolation tests, pgTAP, TAP but for the test that measures times. No setting differs
# between versions. A test that is skipped on one of them must be skipped on all. The last lines are one for each version.
# KEEP=folder keeps logs there.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/clean_root.sh"

root_possible || exit 1
root_alone "$0" "$@"

majors=() parts=()
for word in "$@"; do
  case $word in
    [0-9]*) majors+=("$word") ;;
    *) parts+=("$word") ;;
  esac
done
[ ${#majors[@]} -gt 0 ] || majors=(15 17 18)
parts=" ${parts[*]:-job regress pgtap tap} "

# In the clean system, as root: a workplace, and the tests in it.
test_commands() {
  cat <<'COMMANDS'
. scripts/workplace.sh
[ ! -d /data ] || DPOBJ_DATA=/data
workplace_make
WERROR=-Werror workplace_build
echo "-- builds without a warning"
cluster_start "fsync = off" "dpobj.machine_pace = 1"
failed=0
run() { # run PART COMMAND
  [[ $parts == *" $1 "* ]] || return 0
  echo "-- $1"
  unprivileged "$2" || { echo "$1: FAILED"; failed=1; }
}
run job "
  createdb job
  psql='psql -X -v ON_ERROR_STOP=1'
  \$psql -f tests/package/job.sql job
  \$psql -f tests/package/majors.sql job
  pg_basebackup -D '$W/copy' -X stream -c fast
  lost=\$(\$psql -Atc 'SELECT (dp_halfspace(features, readmitted, 0.125, 0)).release FROM patient' job)
  pg_ctl -D '$W/data' stop >/dev/null
  pg_ctl -D '$W/copy' -l '$W/copy.log' -w start >/dev/null
  \$psql -v lost=\$lost -f tests/package/copy.sql job
  pg_ctl -D '$W/copy' stop >/dev/null
  pg_ctl -D '$W/data' -l '$W/server.log' -w start >/dev/null
  dropdb job"
run regress 'bash scripts/regress.sh'
run pgtap 'createdb pgtap && pg_prove --failures --comments -d pgtap tests/pgtap/*.sql'
run tap 'PG_TEST_TIMEOUT_DEFAULT=720 bash scripts/tap.sh'
grep -hEo 'ok [0-9]+ # skip .*' "$W"/tap/tmp_check/log/regress_log_* | sed 's/^ok [0-9]* # skip/-- skipped:/' | sort -u
[ "$failed" = 0 ]
COMMANDS
}

try_major() {
  local version=$1 suite=${suite_of[$1]:-} root=$W/$1
  local log=$root.tests DPOBJ_MAJOR=$version
  . "$here/packages.sh"
  [ -n "$suite" ] || { echo "no suite of Debian is known to have it"; return 1; }
  root_make "$suite" "$root" && root_mount "$root" &&
    root_install "$root" $packages_build $packages_server || return 1
  root_tree "$root"
  [ -z "${DPOBJ_DATA:-}" ] || cp -r "$DPOBJ_DATA" "$root/data"
  test_commands >"$root/root/test.sh"
  root_run "$root" "cd /dpobj; export DPOBJ_MAJOR=$version parts='$parts'; bash -eu -o pipefail /root/test.sh" >"$log" 2>&1
  local result=$?
  [ -z "${KEEP:-}" ] || cp "$log" "$KEEP/$version.log"
  [ "$result" = 0 ] || {
    cat "$log"
    echo "failed"
    return 1
  }
  # Lines of regress.sh, pg_prove and prove.
  printf '%s regress and isolation tests, %s of pgTAP, %s of TAP in %s files: all passed\n' "$(grep -cE '^[a-z_0-9]+: ok,' "$log")" \
    $(sed -nE 's/^Files=([0-9]+), Tests=([0-9]+),.*/\2 \1/p' "$log" | paste -sd' ' | awk '{ print $1, $3, $4 }')
}

failed=0
for version in "${majors[@]}"; do
  try_major "$version" >"$W/$version.result" || failed=1
  head -n -1 "$W/$version.result"
  grep -E '^-- skipped: |skipped: ' "$W/$version.tests" >"$W/$version.skipped"
  cat "$W/$version.skipped"
done
for version in "${majors[@]}"; do
  diff "$W/${majors[0]}.skipped" "$W/$version.skipped" || failed=1
done
for version in "${majors[@]}"; do
  echo "PostgreSQL $version (${suite_of[$version]:-unknown}): $(tail -n 1 "$W/$version.result")"
done
exit $failed

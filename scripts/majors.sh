#!/usr/bin/env bash
# majors.sh - builds and tests dpobj on each PostgreSQL that a suite of Debian has.
#
#   bash scripts/majors.sh                 17 (trixie), 18 (forky)
#   bash scripts/majors.sh 17              one of them
#
# As root, from the packages of Debian's registry, in clean systems in a temporary folder:
# gcc -Werror, make install, tests/package/job.sql, majors.sql and copy.sql, the regress and
# isolation tests. On 18 the planner removes joins of a table with itself that add no row, and what is
# left is allowed; a setting prevents that where a refusal is expected.
# KEEP=folder keeps logs there.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/clean_root.sh"

root_possible || exit 1
root_alone "$0" "$@"

declare -A suite_of=([17]=trixie [18]=forky)
# Lines of regress.sh.
ran='^[a-z_0-9]+: (ok,|FAILED)'
passed=': ok,'
libraries="libgmp-dev libmpfr-dev libgsl-dev libglpk-dev libpq-dev gcc make libc6-dev"

W=$(mktemp -d /tmp/dpobj-majors.XXXXXX)
trap 'root_remove "$W"' EXIT
trap 'exit 130' INT TERM HUP

# In the clean system, as its postgres: a cluster, and the tests against it.
test_commands() { # test_commands VERSION
  cat <<COMMANDS
export PATH=/usr/lib/postgresql/$1/bin:\$PATH PGHOST=/tmp PGUSER=postgres PGDATABASE=postgres
initdb -D /tmp/data -U postgres -A trust --no-sync -E UTF8 --locale=C >/dev/null
cat >>/tmp/data/postgresql.conf <<CONF
fsync = off
listen_addresses = ''
unix_socket_directories = '/tmp'
shared_preload_libraries = 'dpobj'
max_prepared_transactions = 10
max_worker_processes = 16
dpobj.machine_pace = 1
CONF
pg_ctl -D /tmp/data -l /tmp/server.log -w start >/dev/null
cd /dpobj
createdb job
psql -X -v ON_ERROR_STOP=1 -f tests/package/job.sql job
psql -X -v ON_ERROR_STOP=1 -f tests/package/majors.sql job
pg_basebackup -D /tmp/copy -X stream -c fast
lost=\$(psql -X -v ON_ERROR_STOP=1 -Atc "SELECT (dp_halfspace(features, readmitted, 0.125, 0)).release FROM patient" job)
pg_ctl -D /tmp/data stop >/dev/null
pg_ctl -D /tmp/copy -l /tmp/copy.log -w start >/dev/null
psql -X -v ON_ERROR_STOP=1 -v lost=\$lost -f tests/package/copy.sql job
pg_ctl -D /tmp/copy stop >/dev/null
pg_ctl -D /tmp/data -l /tmp/server.log -w start >/dev/null
[ $1 -lt 18 ] || echo "enable_self_join_elimination = off" >>/tmp/data/postgresql.conf
pg_ctl -D /tmp/data reload >/dev/null
W=/tmp bash scripts/regress.sh
COMMANDS
}

try_major() {
  local version=$1 suite=${suite_of[$1]:-} root=$W/$1
  if [ -z "$suite" ]; then
    echo "PostgreSQL $version: no suite of Debian is known to have it"
    return 1
  fi
  root_make "$suite" "$root" && root_mount "$root" &&
    root_install "$root" "postgresql-$version postgresql-server-dev-$version $libraries" || return 1
  mkdir "$root/dpobj"
  tar -C "$here/.." -cf - --exclude=./.git --exclude='*.o' --exclude='*.a' --exclude='*.so' --exclude=./build . |
    tar xf - -C "$root/dpobj"
  root_run "$root" "cd /dpobj && make -s -j2 WERROR=-Werror CFLAGS_SL_MODULE= >build.log 2>&1 && make -s install >>build.log 2>&1" || {
    echo "PostgreSQL $version ($suite): does not build"
    tail -n 40 "$root/dpobj/build.log"
    return 1
  }
  echo "PostgreSQL $version ($suite): builds without a warning"
  test_commands "$version" >"$root/tmp/test.sh"
  root_run "$root" "chown -R postgres /dpobj && runuser -u postgres -- bash -eu /tmp/test.sh >/tmp/test.log 2>&1"
  local result=$? log=$root/tmp/test.log
  if [ -n "${KEEP:-}" ]; then
    cp "$log" "$KEEP/$version.log"
  fi
  grep -q '^and a copy is told' "$log" || {
    echo "PostgreSQL $version ($suite): the main job fails"
    cat "$log"
    return 1
  }
  echo "PostgreSQL $version ($suite): the main job is done, $(grep -cE "$passed" "$log") of $(grep -cE "$ran" "$log") test files pass"
  [ "$result" = 0 ] || grep -E "$ran" "$log" | grep -vE "$passed"
  return $result
}

failed=0
[ $# -gt 0 ] || set -- 17 18
for version in "$@"; do
  try_major "$version" || failed=1
done
exit $failed

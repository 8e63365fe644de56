# workplace.sh - a temporary copy of the sources, a build and a throw-away cluster; sourced.
#
#   workplace_make            copy the tree to $W/src; as root it belongs to postgres
#   unprivileged COMMAND      run a shell command in $W/src as an unprivileged user
#   workplace_build           build and install below $W/dest; nothing is written under /usr
#   cluster_start [LINES]     start a cluster in $W/data with extra configuration lines
#
# Everything is stopped and removed when the script ends, however it ends.

workplace_make() {
  local top
  top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  W=$(mktemp -d /tmp/dpobj.XXXXXX)
  trap workplace_remove EXIT
  trap 'exit 130' INT TERM HUP
  mkdir "$W/src"
  (cd "$top" && tar cf - --exclude=./.git --exclude='*.o' --exclude='*.a' --exclude='*.so' \
    --exclude=./build .) | tar xf - -C "$W/src"
  PGBIN=/usr/lib/postgresql/${DPOBJ_MAJOR:-15}/bin
  [ -x "$PGBIN/initdb" ] || PGBIN=$(pg_config --bindir)
  if [ "$(id -u)" = 0 ]; then
    chown -R postgres:postgres "$W"
  fi
}

# Tests that were broken off leave clusters of their own.
workplace_remove() {
  local file
  while read -r file; do
    unprivileged "pg_ctl -D '${file%/*}' -m immediate stop" </dev/null >/dev/null 2>&1
  done < <(find "$W" -name postmaster.pid)
  rm -rf "$W"
}

# The environment is clean, but for what the tests and the demo are told.
unprivileged() {
  local user=()
  [ "$(id -u)" = 0 ] && user=(runuser -u postgres --)
  "${user[@]}" env -i PATH="$PGBIN:/usr/bin:/bin:/usr/sbin:/sbin" HOME="$W" LC_ALL=C.UTF-8 TMPDIR="$W" \
    PGHOST="$W/sock" PGPORT=5432 PGUSER=postgres PGDATABASE=postgres PGXS_DEST="$W/dest" \
    DPOBJ_DATA="${DPOBJ_DATA:-}" DPOBJ_KILL_ROUNDS="${DPOBJ_KILL_ROUNDS:-}" W="$W" bash -c "set -euo pipefail; cd '$W/src'; $1"
}

workplace_build() {
  unprivileged "make -s -j2 PG_CONFIG=pg_config WERROR=${WERROR:-} CFLAGS_SL_MODULE= >'$W/build.log' 2>&1 &&
    make -s install DESTDIR='$W/dest' >>'$W/build.log' 2>&1" || {
    cat "$W/build.log" >&2
    return 1
  }
}

# Control and script files are found below $W/dest by Debian's extension_destdir, and since PostgreSQL 18 by
# extension_control_path.
cluster_settings() {
  local extensions="extension_destdir = '$W/dest'"
  [[ $("$PGBIN/pg_config" --version) =~ ^PostgreSQL\ 1[4-7] ]] ||
    extensions="extension_control_path = '$W/dest$("$PGBIN/pg_config" --sharedir):\$system'"
  cat <<CONF
listen_addresses = ''
unix_socket_directories = '$W/sock'
$extensions
dynamic_library_path = '$W/dest$("$PGBIN/pg_config" --pkglibdir):\$libdir'
shared_preload_libraries = 'dpobj'
max_prepared_transactions = 10
max_worker_processes = 16
CONF
}

cluster_start() {
  unprivileged "mkdir -p '$W/sock' && initdb -D '$W/data' -U postgres -A trust --no-sync -E UTF8 \
    --locale=C >/dev/null"
  { cluster_settings; printf '%s\n' "$@"; } >>"$W/data/postgresql.conf"
  unprivileged "pg_ctl -D '$W/data' -l '$W/server.log' -w start >/dev/null" || {
    cat "$W/server.log" >&2
    return 1
  }
}

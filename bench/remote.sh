#!/usr/bin/env bash
# remote.sh - a scan of one table, and of the same rows as two parts on servers of their own.
#
#   bench/remote.sh [ROWS] [RUNS]      200000 rows and 5 runs if not told
#
# All three servers are on this machine, so what two machines would do at once competes for processors
# here.  Each line has the median of the seconds, the bytes that the parts sent, and the largest memory of a
# backend of the coordinator and of a part (VmHWM).  "rows" fetches every row by postgres_fdw, as a plan of
# PostgreSQL's would.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
rows=${1:-200000}
runs=${2:-5}

need_packages build
workplace_make
workplace_build
cluster_start "fsync = off" "shared_buffers = 512MB"
for part in 1 2; do
  unprivileged "mkdir -p '$W/sock$part' && initdb -D '$W/part$part' -U postgres -A trust --no-sync -E UTF8 --locale=C >/dev/null"
  { cluster_settings | sed "s|'$W/sock'|'$W/sock$part'|"; echo "fsync = off"; echo "shared_buffers = 256MB"; } >>"$W/part$part/postgresql.conf"
  unprivileged "pg_ctl -D '$W/part$part' -l '$W/part$part.log' -w start >/dev/null"
done

# Passes bytes on to the parts and counts what they send.
cat >"$W/proxy.py" <<'PY'
import socket, sys, threading
counted = 0
def pump(a, b, count):
    global counted
    try:
        while True:
            data = a.recv(1 << 16)
            if not data:
                break
            if count:
                counted += len(data)
                with open(sys.argv[3], 'w') as f:
                    f.write(str(counted))
            b.sendall(data)
    except OSError:
        pass
    for s in (a, b):
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
while True:
    client = server.accept()[0]
    part = socket.socket(socket.AF_UNIX)
    part.connect(sys.argv[2] + '/.s.PGSQL.5432')
    threading.Thread(target=pump, args=(client, part, False), daemon=True).start()
    threading.Thread(target=pump, args=(part, client, True), daemon=True).start()
PY
free_port() { python3 -c "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"; }
proxies=()
trap 'kill "${proxies[@]}" 2>/dev/null; workplace_remove' EXIT
port=()
for part in 1 2; do
  port[part]=$(free_port)
  echo 0 >"$W/sent$part"
  python3 "$W/proxy.py" "${port[part]}" "$W/sock$part" "$W/sent$part" &
  proxies+=($!)
done
sleep 1

few=$(for j in $(seq 1 10); do printf ', hashint4(i * 31 + %d) & 1 = 1 AS c%d' "$j" "$j"; done)
all=$(for j in $(seq 1 23); do printf ', (hashint4(i * 31 + %d) & 65535) / 65536.0::float8 AS c%d' "$j" "$j"; done)
declare_all=$(for j in $(seq 1 23); do printf '"c%d": {}, ' "$j"; done)
declare_few=$(for j in $(seq 1 10); do printf '"c%d": {}, ' "$j"; done)

ask() { # PART QUERY; PART is empty for the coordinator
  unprivileged "psql -X -q -At -v ON_ERROR_STOP=1 -h '$W/sock$1' -d postgres <<'SQL'
$2
SQL"
}

make_tables() { # NAME COLUMNS DECLARATION
  local part
  for part in 1 2; do
    ask "$part" "SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS dpobj; DO \$\$ BEGIN CREATE ROLE dealer LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END \$\$;
      CREATE TABLE ${1}_part AS SELECT i AS id, i % 2 = 0 AS y$2 FROM generate_series($(((part - 1) * rows / 2 + 1)), $((part * rows / 2))) i;
      GRANT SELECT ON ${1}_part TO dealer; VACUUM ANALYZE ${1}_part; SELECT dpobj.mark_part('${1}_part', 'postgres.public.$1', 'dealer')" >/dev/null
  done
  ask "" "SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS dpobj; CREATE EXTENSION IF NOT EXISTS postgres_fdw;
    CREATE TABLE whole_$1 AS SELECT i AS id, i % 2 = 0 AS y$2 FROM generate_series(1, $rows) i;
    CREATE TABLE $1 (LIKE whole_$1) PARTITION BY RANGE (id);"
  for part in 1 2; do
    ask "" "SET client_min_messages = warning; CREATE SERVER IF NOT EXISTS part$part FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '${port[part]}', dbname 'postgres');
      CREATE USER MAPPING IF NOT EXISTS FOR postgres SERVER part$part OPTIONS (user 'dealer');
      CREATE FOREIGN TABLE ${1}_$part PARTITION OF $1 FOR VALUES FROM ($(((part - 1) * rows / 2 + 1))) TO ($((part * rows / 2 + 1)))
        SERVER part$part OPTIONS (table_name '${1}_part', fetch_size '10000')"
  done
  ask "" "VACUUM ANALYZE whole_$1;
    SELECT dpobj.protect(t, '{$3\"y\": {}}') FROM unnest('{$1,whole_$1}'::regclass[]) t" >/dev/null
}

# The largest VmHWM of backends whose titles fit, in MB, until the file goes.
watch_memory() { # PATTERN FILE
  local most=0 now
  while [ -e "$2.on" ]; do
    now=$(for pid in $(pgrep -f "$1" || true); do sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2>/dev/null || true; done | sort -n | tail -1)
    [ "${now:-0}" -le "$most" ] || most=$now
    echo "$most" >"$2"
    sleep 0.02
  done
}

measure() { # NAME QUERY
  local before after times here_memory part_memory
  before=$(($(cat "$W/sent1") + $(cat "$W/sent2")))
  touch "$W/here.on" "$W/part.on"
  watch_memory "postgres: postgres postgres \[local\] SELECT" "$W/here" &
  watch_memory "postgres: dealer postgres" "$W/part" &
  times=$(for _ in $(seq "$runs"); do
    unprivileged "psql -X -q -At -d postgres -c '\\timing on' -c \"$2\"" | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p'
  done | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] / 1000 }')
  rm "$W/here.on" "$W/part.on"
  wait %watch_memory 2>/dev/null || true
  sleep 0.2
  here_memory=$(($(cat "$W/here") / 1024))
  part_memory=$(($(cat "$W/part") / 1024))
  after=$(($(cat "$W/sent1") + $(cat "$W/sent2")))
  printf '%-44s %7.2f s %9.2f MB sent %6d MB here %6d MB a part\n' "$1" "$times" \
    "$(awk "BEGIN { print ($after - $before) / $runs / 1e6 }")" "$here_memory" "$part_memory"
}

make_tables few "$few" "$declare_few"
make_tables all_distinct "$all" "$declare_all"
echo "$rows rows, medians of $runs runs"
for set in few all_distinct; do
  scan="SELECT rows, distinct_rows FROM dpobj_internal.scan_digest('%s', 'y', with_digest => false)"
  measure "$set: one table" "${scan/\%s/whole_$set}"
  measure "$set: two parts" "${scan/\%s/$set}"
  measure "$set: two parts, rows" "SELECT count(f) FROM $set f"
done

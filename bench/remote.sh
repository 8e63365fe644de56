#!/usr/bin/env bash
# remote.sh - one table, and the same rows as two parts on servers of their own: scans, looks and trainings.
#
#   bench/remote.sh [ROWS] [RUNS]      200000 rows and 6 runs if not told; RUNS is even, or 1
#
# All three servers are on this machine, so what two machines would do at once competes for processors
# here.  Each line has the seconds, the seconds that a processor worked for a part, the bytes that the parts
# sent and got, how many messages each of them answered, and the largest private memory (peak.sh) of the
# coordinator's backend, of its solver and of a part's backend.  With several runs the first warms the
# caches, and the seconds are the median of the others.  "by states" sends encoded rows, equal ones counted
# together; "by gradients" sends weights and sums; "rows" fetches every row by postgres_fdw, as a plan of
# PostgreSQL's would.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
. "$here/peak.sh"
rows=${1:-200000}
runs=${2:-6}

need_packages build
workplace_make
workplace_build
configuration=("fsync = off" "shared_buffers = 256MB" "max_wal_size = 16GB" "autovacuum = off" "jit = off" "track_functions = all"
  "dpobj.release_tick = 0" "dpobj.longest_run = 0" "max_parallel_workers_per_gather = 0")
cluster_start "${configuration[@]}"
for part in 1 2; do
  unprivileged "mkdir -p '$W/sock$part' && initdb -D '$W/part$part' -U postgres -A trust --no-sync -E UTF8 --locale=C >/dev/null"
  { cluster_settings | sed "s|'$W/sock'|'$W/sock$part'|"; printf '%s\n' "${configuration[@]}"; } >>"$W/part$part/postgresql.conf"
  unprivileged "pg_ctl -D '$W/part$part' -l '$W/part$part.log' -w start >/dev/null"
done

# Passes bytes on between the coordinator and a part, and keeps the bytes that the part sent, those that it
# got, and the number of directions that are open.
cat >"$W/proxy.py" <<'PY'
import os, socket, sys, threading
moved = [0, 0, 0]
lock = threading.Lock()
def count(which, number):
    with lock:
        moved[which] += number
        with open(sys.argv[3] + '.new', 'w') as f:
            f.write('%d %d %d\n' % tuple(moved))
        os.replace(sys.argv[3] + '.new', sys.argv[3])
def pump(a, b, way):
    bytes = 0
    try:
        while data := a.recv(1 << 18):
            bytes += len(data)
            b.sendall(data)
    except OSError:
        pass
    for s in (a, b):
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
    count(way, bytes)
    count(2, -1)
server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
while True:
    client = server.accept()[0]
    count(2, 2)
    part = socket.socket(socket.AF_UNIX)
    part.connect(sys.argv[2] + '/.s.PGSQL.5432')
    threading.Thread(target=pump, args=(part, client, 0), daemon=True).start()
    threading.Thread(target=pump, args=(client, part, 1), daemon=True).start()
PY
free_port() { python3 -c "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"; }
proxies=()
trap 'rm -f "$W/memory.on"; kill "${proxies[@]}" 2>/dev/null; workplace_remove' EXIT
port=()
for part in 1 2; do
  port[part]=$(free_port)
  echo "0 0 0" >"$W/moved$part"
  python3 "$W/proxy.py" "${port[part]}" "$W/sock$part" "$W/moved$part" &
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
    SELECT dpobj.protect(t, '{$3\"y\": {}}', n => $rows) FROM unnest('{$1,whole_$1}'::regclass[]) t;
    SELECT dpobj.set_budget(t, 'postgres', 1000, 1e-6) FROM unnest('{$1,whole_$1}'::regclass[]) t" >/dev/null
}

# The largest RssAnon in KiB of a part's backend that serves the coordinator, and the processor time in
# hundredths of a second that the busiest of them took, until the file goes.
watch_parts() { # FILE
  local most=0 longest=0 now pid
  while [ -e "$1.on" ]; do
    for pid in $(cat /proc/"$(head -1 "$W/part1/postmaster.pid")"/task/*/children /proc/"$(head -1 "$W/part2/postmaster.pid")"/task/*/children); do
      grep -q '^postgres: dealer' "/proc/$pid/cmdline" 2>/dev/null || continue
      now=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2>/dev/null) || continue
      [ "${now:-0}" -le "$most" ] || most=$now
      now=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | awk '{ print $12 + $13 }') || continue
      [ "${now:-0}" -le "$longest" ] || longest=$now
    done
    echo "$most $longest" >"$1"
    sleep 0.02
  done
}

# The bytes that both parts have sent and got, and the messages that the first has answered.
moved() {
  until grep -q ' 0$' "$W/moved1" && grep -q ' 0$' "$W/moved2"; do sleep 0.1; done
  sleep 0.5 # for the statistics
  paste -d' ' "$W/moved1" "$W/moved2" | awk '{ printf "%.0f %.0f ", $1 + $4, $2 + $5 }'
  ask 1 "SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions WHERE schemaname = 'dpobj_internal' AND funcname = 'part'"
}

measure() { # NAME SETTINGS STATEMENT
  local before after watcher
  before=$(moved)
  touch "$W/memory.on"
  watch_parts "$W/memory" &
  watcher=$!
  peak_of "$2" "$3" "$runs" || seconds=-1 # refused
  after=$(moved)
  rm "$W/memory.on"
  wait "$watcher"
  awk -v name="$1" -v seconds="$seconds" -v runs="$runs" -v backend="$backend" -v solver="$solver" -v part="$(cat "$W/memory")" '
    { split(part, of_part, " ")
      printf "%-52s %8.2f %8.2f %10.3f %10.3f %8.1f %8d %8d %8d\n", name, seconds, of_part[2] / 100, ($4 - $1) / runs / 1e6,
        ($5 - $2) / runs / 1e6, ($6 - $3) / runs, backend, solver, of_part[1] / 1024 }' <<<"$before $after"
}

unprivileged "psql -X -q -c 'CREATE EXTENSION dpobj' -f tests/scan/functions.sql"
make_tables few "$few" "$declare_few"
make_tables all_distinct "$all" "$declare_all"
echo "$rows rows, $runs runs, $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
printf '%-52s %8s %8s %10s %10s %8s %8s %8s %8s\n' "" seconds "of part" "MB sent" "MB got" messages "MB here" solver "a part"

# A halfspace of at most two weights reads encoded rows.  The number of steps of a descent is public, and so
# is that of its passes.
train="SELECT release FROM dpobj.train('%s', 'y', 1, %o)"
objective="method => 'logistic', options => '{\"mechanism\": \"objective\"}'"
descent="delta => 1e-9, method => 'logistic', options => '{\"mechanism\": \"sgd\"}'"
halfspace="method => 'halfspace', options => '{\"mechanism\": \"exponential\", \"grid\": {\"sparse\": 2}}'"
for set in few all_distinct; do
  scan="SELECT rows, distinct_rows FROM scan_digest('%s', 'y', with_digest => false)"
  measure "$set: scan, one table" "" "${scan/\%s/whole_$set}"
  measure "$set: scan, two parts, by states" "" "${scan/\%s/$set}"
  measure "$set: two parts, rows" "" "SELECT count(f) FROM $set f"
  for look in "count('%s', 1)" "sum('%s', 'c1', 1)"; do
    measure "$set: ${look%%(*}, one table" "" "SELECT value FROM dpobj.${look/\%s/whole_$set}"
    measure "$set: ${look%%(*}, two parts" "" "SELECT value FROM dpobj.${look/\%s/$set}"
  done
  for model in halfspace objective descent; do
    statement=${train/\%o/${!model}}
    by=gradients settings=""
    [ "$model" != halfspace ] || by=states settings="SET dpobj.memory_limit = '8GB';" # it needs all rows in memory
    measure "$set: $model, one table" "$settings" "${statement/\%s/whole_$set}"
    measure "$set: $model, two parts, by $by" "$settings" "${statement/\%s/$set}"
  done
done

#!/usr/bin/env bash
# shards.sh - the same rows in 8 parts and in 256, on two servers: how many times as long the many take.
#
#   bench/shards.sh [ROWS] [RUNS]      200000 rows and 6 runs if not told; RUNS is even, or 1
#
# All three servers are on this machine. The parts' servers have max_connections = 100, which 128
# connections at a time would exceed. The first run warms the caches; the seconds are the median of the
# others. Ends with 1 if a ratio is above 3.
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
configuration=("fsync = off" "max_wal_size = 16GB" "autovacuum = off" "jit = off" "dpobj.release_tick = 0" "max_connections = 100")
cluster_start "${configuration[@]}"
for server in 1 2; do
  unprivileged "mkdir -p '$W/sock$server' && initdb -D '$W/part$server' -U postgres -A trust --no-sync -E UTF8 --locale=C >/dev/null"
  { cluster_settings | sed "s|'$W/sock'|'$W/sock$server'|"; printf '%s\n' "${configuration[@]}"; } >>"$W/part$server/postgresql.conf"
  unprivileged "pg_ctl -D '$W/part$server' -l '$W/part$server.log' -w start >/dev/null"
done

ask() { # SERVER QUERY; SERVER is empty for the coordinator
  unprivileged "psql -X -q -At -v ON_ERROR_STOP=1 -h '$W/sock$1' -d postgres >/dev/null <<'SQL'
SET client_min_messages = warning;
$2
SQL"
}

columns=$(for j in $(seq 1 10); do printf ', (hashint4(i * 31 + %d) & 65535) / 65536.0::float8 AS c%d' "$j" "$j"; done)
declared=$(for j in $(seq 1 10); do printf '"c%d": {}, ' "$j"; done)

ask "" "CREATE EXTENSION dpobj; CREATE EXTENSION postgres_fdw"
for server in 1 2; do
  ask "$server" "CREATE EXTENSION dpobj; CREATE ROLE dealer LOGIN"
  ask "" "CREATE SERVER part$server FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$W/sock$server', dbname 'postgres');
    CREATE USER MAPPING FOR postgres SERVER part$server OPTIONS (user 'dealer')"
done

make_table() { # PARTS
  local i first last tables=(x "" "") partitions=""
  for ((i = 0; i < $1; i++)); do
    first=$((i * rows / $1 + 1)) last=$(((i + 1) * rows / $1))
    tables[1 + i % 2]+="CREATE TABLE of_$1_$i AS SELECT i AS id, i % 2 = 0 AS y$columns FROM generate_series($first, $last) i;
      GRANT SELECT ON of_$1_$i TO dealer; SELECT dpobj.mark_part('of_$1_$i', 'postgres.public.of_$1', 'dealer');"
    partitions+="CREATE FOREIGN TABLE of_$1_$i PARTITION OF of_$1 FOR VALUES FROM ($first) TO ($((last + 1))) SERVER part$((1 + i % 2));"
  done
  for i in 1 2; do ask "$i" "${tables[i]}"; done
  ask "" "CREATE TABLE of_$1 (id integer, y boolean$(for j in $(seq 1 10); do printf ', c%d float8' "$j"; done)) PARTITION BY RANGE (id);
    $partitions
    SELECT dpobj.protect('of_$1', '{$declared\"y\": {}}', n => $rows); SELECT dpobj.set_budget('of_$1', 'postgres', 100000, 1e-3)"
}
few=8 many=256
make_table $few
make_table $many

failed=0
compare() { # NAME STATEMENT, which has %s for the table
  local of_few
  peak_of "" "${2/\%s/of_$few}" "$runs"
  of_few=$seconds
  peak_of "" "${2/\%s/of_$many}" "$runs"
  awk -v name="$1" -v few="$of_few" -v many="$seconds" 'BEGIN { printf "%-40s %10.2f %10.2f %6.1f\n", name, few, many, many / few; exit many > 3 * few }' || failed=1
}

echo "$rows rows, $runs runs, $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
printf '%-40s %10s %10s %6s\n' seconds "$few parts" "$many parts" ratio
compare "count" "SELECT value FROM dpobj.count('%s', 1)"
compare "halfspace of a number, by states" "SELECT release FROM dpobj.train('%s', 'y', 1, '{c1}', method => 'halfspace')"
compare "objective perturbation, by gradients" \
  "SELECT release FROM dpobj.train('%s', 'y', 1, method => 'logistic', options => '{\"mechanism\": \"objective\"}')"
compare "noisy descent, by gradients" \
  "SELECT release FROM dpobj.train('%s', 'y', 1, delta => 1e-9, method => 'logistic', options => '{\"mechanism\": \"sgd\"}')"
exit $failed

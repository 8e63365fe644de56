#!/usr/bin/env bash
# charges.sh - how long a charge takes, and whether many of them add up.
#
#   bench/charges.sh [CHARGES]      from 8 clients, 10,000 if not told
#
# First the latency of a statement that trains on 60 rows (two events of the ledger: the charge
# and the release) from one client, without a budget, with three budgets, and again when the
# ledger is full. Then the race: every charge must fit, the sum must be exact, and nobody may
# meet a deadlock. Data are synced to disk here, unlike in the other benches.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
charges=${1:-10000}

need_packages build
workplace_make
workplace_build
cluster_start "max_worker_processes = 32" "max_connections = 40" "max_wal_size = '4GB'"
unprivileged "psql -X -q -v ON_ERROR_STOP=1" <<'SQL'
CREATE EXTENSION dpobj;
CREATE TABLE free AS
  SELECT ARRAY[i % 2, i % 3 - 1]::float8[] AS features, i % 2 = 1 AS label FROM generate_series(1, 60) i;
CREATE TABLE capped AS TABLE free;
CREATE ROLE team;
CREATE ROLE trainer LOGIN;
GRANT team TO trainer;
GRANT SELECT ON free, capped TO trainer;
DO $$ BEGIN PERFORM dpobj.grant_trainer('trainer'); END $$;
DO $$ BEGIN
  PERFORM dpobj.set_budget('capped', r, 1000000, 0) FROM (VALUES ('trainer'::regrole), ('team'), (NULL)) v(r);
END $$;
SQL
for table in free capped; do
  echo "SELECT (dp_halfspace(features, label, 0.1, 0)).release FROM $table;" >"$W/$table.sql"
done

latency() { # NAME TABLE: median of 200 statements of one client, and of the events' half
  unprivileged "rm -f '$W'/log.*; pgbench -n -U trainer -c 1 -t 200 -l --log-prefix='$W/log' -f '$W/$2.sql' >/dev/null
    cat '$W'/log.*" | awk '{ print $3 / 1000 }' | sort -n |
    awk -v name="$1" '{ t[NR] = $1 } END { m = t[int((NR + 1) / 2)]; printf "%-34s %6.1f ms a statement, %6.1f ms an event\n", name, m, m / 2 }'
}

latency "no budget" free
latency "three budgets" capped
began=$(date +%s.%N)
unprivileged "pgbench -n -U trainer -c 8 -j 2 -t $((charges / 8)) -f '$W/capped.sql' >'$W/race.log' 2>&1" ||
  { cat "$W/race.log" >&2; exit 1; }
awk -v began="$began" -v ended="$(date +%s.%N)" -v n="$((charges / 8 * 8))" \
  'BEGIN { printf "%-34s %6.0f a second\n", n " charges from 8 clients", n / (ended - began) }'
latency "three budgets, ledger full" capped
unprivileged "psql -X" <<'SQL'
SELECT role, epsilon_spent, releases, epsilon_spent = releases * 0.1 AS exact FROM dpobj.budgets ORDER BY role;
SELECT deadlocks FROM pg_stat_database WHERE datname = current_database();
SQL

#!/usr/bin/env bash
# charges.sh - how long a charge takes, and whether many of them add up.
#
#   bench/charges.sh [SECONDS]      for each line of figures, 10 if not told
#
# A statement that trains on 60 rows makes two events of the ledger, the charge and the release,
# and runs a solver. First its latency from one client, without a budget and with three budgets;
# and with a hundred thousand charges more; then races of many clients; then the latency once more. All of it twice: as it is
# without preloading, with a worker for each event, and preloaded, with a writer that commits many
# at once. The sum must be exact, and nobody may meet a deadlock; a client that is given up because a
# lock took more than two seconds is counted. Data are synced to disk here, unlike in the other
# benches.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
seconds=${1:-10}

need_packages build
workplace_make
workplace_build
cluster_start "max_worker_processes = 64" "max_connections = 80" "max_wal_size = '4GB'"
for table in free capped; do
  echo "SELECT (dp_halfspace(features, label, 0.1, 0)).release FROM $table;" >"$W/$table.sql"
done

fresh_tables() {
  unprivileged "psql -X -q -v ON_ERROR_STOP=1" <<'SQL'
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS dpobj CASCADE;
CREATE EXTENSION dpobj;
DROP TABLE IF EXISTS free, capped;
CREATE TABLE free AS
  SELECT ARRAY[i % 2, i % 3 - 1]::float8[] AS features, i % 2 = 1 AS label FROM generate_series(1, 60) i;
CREATE TABLE capped AS TABLE free;
GRANT SELECT ON free, capped TO trainer;
DO $$ BEGIN PERFORM dpobj.grant_trainer('trainer'); END $$;
DO $$ BEGIN
  PERFORM dpobj.set_budget('capped', r, 1000000, 0) FROM (VALUES ('trainer'::regrole), ('team'), (NULL)) v(r);
END $$;
SQL
}

latency() { # NAME TABLE: median of the statements of one client, and of the events' half
  unprivileged "rm -f '$W'/log.*; pgbench -n -U trainer -c 1 -T $seconds -l --log-prefix='$W/log' -f '$W/$2.sql' >/dev/null
    cat '$W'/log.*" | awk '{ print $3 / 1000 }' | sort -n |
    awk -v name="$1" '{ t[NR] = $1 } END { m = t[int((NR + 1) / 2)]; printf "  %-34s %6.1f ms a statement, %6.1f ms an event\n", name, m, m / 2 }'
}

# A hundred thousand charges more for every budget, as if they had been made one by one.
fill_ledger() {
  unprivileged "psql -X -q -At -v ON_ERROR_STOP=1 -U postgres" <<'SQL'
CREATE TEMP TABLE charge AS
  SELECT * FROM dpobj.ledger_events WHERE event = 'charged' AND relation = 'capped'::regclass LIMIT 1;
ALTER TABLE charge DROP COLUMN id;
DO $$ DECLARE names text;
BEGIN
  SELECT string_agg(quote_ident(attname), ', ') INTO names FROM pg_attribute
  WHERE attrelid = 'charge'::regclass AND attnum > 0 AND NOT attisdropped;
  EXECUTE format('INSERT INTO dpobj.ledger_events (%1$s) SELECT %1$s FROM charge, generate_series(1, 100000)', names);
END $$;
DO $$ BEGIN
  PERFORM dpobj.set_budget('capped', r, 1000000, 0) FROM (VALUES ('trainer'::regrole), ('team'), (NULL)) v(r);
END $$;
VACUUM ANALYZE dpobj.ledger_events;
\timing on
SELECT 'the first charge after that: ' || (dp_halfspace(features, label, 0.1, 0)).kind FROM capped;
SQL
}

race() { # NAME TABLE CLIENTS
  unprivileged "pgbench -n -U trainer -c $3 -j 2 -T $seconds -f '$W/$2.sql' >'$W/race.log' 2>&1 || true"
  awk -v name="$1, $3 clients" '
    /^tps = / { rate = $3 }
    / aborted in command / { lost++ }
    END { printf "  %-34s %6.0f statements a second, %6.0f events%s\n", name, rate, 2 * rate, lost ? ", " lost " clients given up" : "" }' "$W/race.log"
}

measure() { # NAME
  echo "$1"
  fresh_tables
  latency "no budget" free
  latency "three budgets" capped
  fill_ledger
  latency "three budgets, 100,000 rows" capped
  race "no budget" free 8
  race "no budget" free 32
  race "three budgets" capped 8
  race "three budgets" capped 32
  latency "three budgets, ledger full" capped
  unprivileged "psql -X -At -F ', '" <<'SQL'
SELECT '  ' || coalesce(role, 'all roles'), releases || ' releases', CASE WHEN epsilon_spent = releases * 0.1 THEN 'exact' ELSE 'WRONG' END
FROM dpobj.budgets ORDER BY role;
SELECT '  running sums', CASE WHEN bool_and((b.cost_spent, b.delta_spent, b.releases_spent) = (s.cost, s.delta, s.releases))
  THEN 'equal to the ledger' ELSE 'WRONG' END
FROM dpobj.budget_rows b JOIN dpobj.budget_sums s USING (id);
SELECT '  deadlocks', deadlocks FROM pg_stat_database WHERE datname = current_database();
SQL
}

unprivileged "psql -X -q -c 'CREATE ROLE team' -c 'CREATE ROLE trainer LOGIN IN ROLE team'"
measure "not preloaded"
echo "shared_preload_libraries = 'dpobj'" >>"$W/data/postgresql.conf"
unprivileged "pg_ctl -D '$W/data' -l '$W/server.log' -w restart >/dev/null"
measure "preloaded"

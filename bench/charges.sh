#!/usr/bin/env bash
# charges.sh - how long a charge takes, and whether many of them add up.
#
#   bench/charges.sh [SECONDS]      for each line of figures, 10 if not told
#
# A statement that trains on 60 rows makes two events of the ledger, the charge and the release,
# and runs a solver. First the processor time of its backend and solver, which other work on the machine
# lengthens little, and its latency from one client, without a budget and with three budgets. Then
# with a million events more: the latency again, the first statement after each change that has the sums of budgets added
# up anew, the report, and the latency of a table that has a child by now; then races of many clients, beside plain commits;
# then the latency once more.
# The sum must be exact, and nobody may meet a deadlock; a client that is given up because a lock took
# more than two seconds is counted. Data are synced to disk here, unlike in the other benches.
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

echo "INSERT INTO plain VALUES (1);" >"$W/plain.sql"

fresh_tables() {
  unprivileged "psql -X -q -v ON_ERROR_STOP=1" <<'SQL'
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS dpobj CASCADE;
CREATE EXTENSION dpobj;
DROP TABLE IF EXISTS free, capped, plain CASCADE;
CREATE TABLE plain (number int);
GRANT INSERT ON plain TO trainer;
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

processor() { # NAME TABLE: of 200 statements; a tick is 10 ms
  unprivileged "{
    echo 'SELECT pg_backend_pid() AS pid \gset'
    echo '\setenv PID :pid'
    for i in {0..200}; do
      [ \$((i % 200)) != 0 ] || echo '\! cut -d\" \" -f14-17 /proc/\$PID/stat'
      cat '$W/$2.sql'
    done; } | psql -X -q -At -U trainer" | awk -v name="$1" '
    NF == 4 { ticks = $1 + $2 + $3 + $4 - ticks }
    END { printf "  %-34s %6.2f ms of processor time a statement\n", name, ticks * 10 / 200 }'
}

# Half a million charges of 20 kinds more for every budget, and their ends, as if they had been made one by one.
fill_ledger() {
  unprivileged "psql -X -q -At -v ON_ERROR_STOP=1 -U postgres" <<'SQL'
SET SESSION AUTHORIZATION trainer;
DO $$ BEGIN
  FOR i IN 1 .. 20 LOOP EXECUTE format('SELECT (dp_halfspace(features, label, %s, 0)).kind FROM capped', 0.1 + i * 0.01); END LOOP;
END $$;
RESET SESSION AUTHORIZATION;
CREATE TEMP TABLE charge AS
  SELECT row_number() OVER (ORDER BY id DESC) AS number, e.* FROM dpobj.ledger_events e
  WHERE event = 'charged' AND relation = 'capped'::regclass ORDER BY id DESC LIMIT 20;
DO $$ DECLARE names text;
BEGIN
  SELECT string_agg(quote_ident(attname), ', ') INTO names FROM pg_attribute
  WHERE attrelid = 'charge'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('id', 'number');
  EXECUTE format('INSERT INTO dpobj.ledger_events (%1$s) SELECT %1$s FROM generate_series(1, 500000) i JOIN charge ON number = i %% 20 + 1', names);
  INSERT INTO dpobj.ledger_events (event, release, relation, relation_name, role, role_name, mechanism, mechanism_version,
                                   relation_identity, role_identity, output_hash)
  SELECT 'released', e.id, e.relation, e.relation_name, e.role, e.role_name, e.mechanism, e.mechanism_version,
         e.relation_identity, e.role_identity, sha256('model')
  FROM dpobj.ledger_events e
  WHERE e.event = 'charged' AND NOT EXISTS (SELECT FROM dpobj.ledger_events x WHERE x.release = e.id);
END $$;
VACUUM ANALYZE dpobj.ledger_events;
VACUUM ANALYZE dpobj.charge_counts;
SELECT '  events: ' || count(*) FROM dpobj.ledger_events;
SQL
}

once() { # NAME STATEMENT [STATEMENT BEFORE IT]: how long it takes, in a session of its own
  unprivileged "psql -X -q -At -v ON_ERROR_STOP=1" <<SQL | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' |
SET client_min_messages = warning;
${3:-}
\timing on
$2
SQL
    awk -v name="$1" '{ printf "  %-34s %6.1f ms\n", name, $1 }'
}

# An event that looks as if it had been written before a restore.
other_epoch="INSERT INTO dpobj.ledger_events (event, role, role_name, epoch) VALUES ('confirm_epoch', 0, 'nobody', 'elsewhere');"

after_changes() {
  local train="SELECT (dp_halfspace(features, label, 0.1, 0)).kind FROM capped;"
  local trainer="SET SESSION AUTHORIZATION trainer;"
  once "a statement of a new session" "$train" "$trainer"
  once "the first after set_budget" "$train" "DO \$\$ BEGIN
    PERFORM dpobj.set_budget('capped', r, 1000000, 0) FROM (VALUES ('trainer'::regrole), ('team'), (NULL)) v(r); END \$\$; $trainer"
  once "the first after protect" "$train" "SELECT dpobj.protect('capped', '{\"label\": {}}'); $trainer"
  once "the first after unprotect" "$train" "SELECT dpobj.unprotect('capped'); $trainer"
  once "the first after a new child" "$train" "CREATE TABLE child () INHERITS (capped); $trainer"
  once "the first after a restore" "$train" "$other_epoch SELECT dpobj.confirm_epoch(); $trainer"
  once "report" "SELECT length(dpobj.report('capped', 'json'));"
  once "views of budgets" "SELECT count(*) FROM dpobj.budgets;"
}

race() { # NAME TABLE CLIENTS
  unprivileged "pgbench -n -U trainer -c $3 -j 2 -T $seconds -f '$W/$2.sql' >'$W/race.log' 2>&1 || true"
  awk -v name="$1, $3 clients" '
    /^tps = / { rate = $3 }
    / aborted in command / { lost++ }
    END { printf "  %-34s %6.0f statements a second%s%s\n", name, rate, name ~ /^plain/ ? "" : sprintf(", %6.0f events", 2 * rate),
      lost ? ", " lost " clients given up" : "" }' "$W/race.log"
}

measure() {
  fresh_tables
  processor "no budget" free
  latency "no budget" free
  latency "three budgets" capped
  fill_ledger
  latency "three budgets, a million events" capped
  after_changes
  latency "the same, and a child" capped
  race "no budget" free 8
  race "no budget" free 32
  race "no budget" free 50
  race "plain commits" plain 50
  race "three budgets" capped 8
  race "three budgets" capped 32
  latency "three budgets, ledger full" capped
  unprivileged "psql -X -At -F ', '" <<'SQL'
SELECT '  ' || coalesce(b.role, 'all roles'), b.releases || ' releases', CASE WHEN b.epsilon_spent = s.spent AND b.releases = s.charged THEN 'exact' ELSE 'WRONG' END
FROM dpobj.budgets b
CROSS JOIN LATERAL (SELECT sum(epsilon) AS spent, count(*) AS charged FROM dpobj.ledger l
                    WHERE event = 'charged' AND l.relation_name = b.relation_name AND (b.role IS NULL OR l.role = 'trainer')) s
ORDER BY b.role;
SELECT '  running sums', CASE WHEN bool_and((b.cost_spent, b.delta_spent, b.releases_spent) = (s.cost, s.delta, s.releases))
  THEN 'equal to the ledger' ELSE 'WRONG' END
FROM dpobj.budget_rows b JOIN dpobj.budget_sums s USING (id);
SELECT '  deadlocks', deadlocks FROM pg_stat_database WHERE datname = current_database();
SQL
}

unprivileged "psql -X -q -c 'CREATE ROLE team' -c 'CREATE ROLE trainer LOGIN IN ROLE team'"
measure

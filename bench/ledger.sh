#!/usr/bin/env bash
# ledger.sh - how fast people read ledgers of 10,000 to 1,000,000 events, and how fast a charge is there.
#
#   bench/ledger.sh [EVENTS...]     10000 100000 1000000 if not told
#
# Four roles make releases of several kinds at both doors from six tables, of which two protect persons, with
# budgets of all accountants, and rate their models. These charges are written again and again, with their
# ends, models and answers, as if they had been made one by one. Then each statement is timed seven times
# in a session of its role; the line has the medians in milliseconds, side by side.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
[ $# -gt 0 ] || set -- 10000 100000 1000000

need_packages build
workplace_make
workplace_build
cluster_start "max_wal_size = '4GB'" "dpobj.release_tick = 0" "fsync = off"
unprivileged "psql -X -q -v ON_ERROR_STOP=1 -f bench/ledger.sql"
echo 'SELECT (dp_halfspace(features, label, 0.1, 0)).release FROM rows_6;' >"$W/charge.sql"

# NAME ROLE STATEMENT
statements() {
  cat <<'S'
ledger, last 20|role_2|SELECT * FROM dpobj.ledger ORDER BY id DESC LIMIT 20
ledger, last 20 of all roles|postgres|SELECT * FROM dpobj.ledger ORDER BY id DESC LIMIT 20
ledger, last 20 of nobody|role_5|SELECT * FROM dpobj.ledger ORDER BY id DESC LIMIT 20
ledger, one release|role_2|SELECT * FROM dpobj.ledger WHERE release = (SELECT max(release) FROM dpobj.ledger)
odometer|role_2|SELECT * FROM dpobj.odometer
odometer of all roles|postgres|SELECT * FROM dpobj.odometer
budgets|role_2|SELECT * FROM dpobj.budgets
remaining|role_2|SELECT * FROM dpobj.remaining('rows_1')
models|role_2|SELECT name, created FROM dpobj.models ORDER BY release DESC LIMIT 20
model_history of a model|role_2|SELECT * FROM dpobj.model_history WHERE model = 'first'
model_card|role_2|SELECT dpobj.show('first', 'markdown')
show|role_2|SELECT dpobj.show('first')
recompute, rdp|postgres|SELECT * FROM dpobj.recompute('rows_1', NULL, 'rdp')
report|postgres|SELECT dpobj.report('rows_1', 'json')
report_text|postgres|SELECT dpobj.report('rows_1')
report_html|postgres|SELECT length(dpobj.report('rows_1', 'html'))
check_ledger|postgres|SELECT * FROM dpobj.check_ledger()
S
}

measure() { # EVENTS: appends a figure to each line
  unprivileged "psql -X -q -At -v ON_ERROR_STOP=1 -v events=$1 -f bench/ledger_fill.sql"
  local name role statement times
  while IFS='|' read -r name role statement; do
    times=$( (echo '\timing on'; for _ in 1 2 3 4 5 6 7; do echo "$statement;"; done) >"$W/once.sql"
      unprivileged "psql -X -q -At -v ON_ERROR_STOP=1 -U $role -f '$W/once.sql'" | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' | sort -n | sed -n 4p)
    echo "$name|$times" >>"$W/times.$1"
  done < <(statements)
  unprivileged "rm -f '$W'/log.*; pgbench -n -U role_2 -c 1 -T 10 -l --log-prefix='$W/log' -f '$W/charge.sql' >/dev/null; cat '$W'/log.*" |
    awk '{ print $3 / 1000 }' | sort -n | awk '{ t[NR] = $1 } END { print "a statement with a charge|" t[int((NR + 1) / 2)] }' >>"$W/times.$1"
}

for events; do measure "$events"; done
printf '%-32s' 'median ms at so many events'; printf ' %12s' "$@"; echo
cut -d'|' -f1 "$W/times.$1" | while read -r name; do
  printf '%-32s' "$name"
  for events; do printf ' %12.1f' "$(grep -F "$name|" "$W/times.$events" | head -1 | cut -d'|' -f2)"; done
  echo
done

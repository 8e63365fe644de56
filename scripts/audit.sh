#!/usr/bin/env bash
# audit.sh - tests whether the installed extension keeps its promise of privacy: `make audit`.
#
#   make audit                      in a throw-away cluster, like `make demo`
#   PGHOST=... make audit           on the server that the usual PG* variables name; it uses
#                                   a database dpobj_audit, which it drops at the end
#   make audit AUDIT_SECONDS=3600   longer, to find smaller losses; the default is 200
#   make audit OUT=bench/results/audit.md  also writes the table there
#   make audit AUDIT_LEAST=1000 AUDIT_PAIRS='^opdisc'
#                                   takes as long as these draws need, for these mechanisms only
#
# Every mechanism draws from two neighbouring tables that are hard to keep apart (tests/audit/pairs.sql),
# through SQL; tests/audit/judge.c looks for the event whose probability has changed most.  Exits 1 if
# a loss is proved to exceed its claim.  A superuser is needed, for CREATE EXTENSION.
#
# AUDIT_KEEP=file keeps the draws, AUDIT_DRAWS=file judges those and draws none. AUDIT_SHARE=0.25 judges
# against this share of epsilon, which must fail: that shows that the audit can detect a loss.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/packages.sh"
. "$here/workplace.sh"
top=$(dirname "$here")
unset W # of whoever calls this: only a cluster of one's own is removed
seconds=${AUDIT_SECONDS:-200}
workers=2
began=$SECONDS
database=dpobj_audit
made=

give_up() {
  echo "audit: $1" >&2
  exit 2
}

leave() {
  [ -z "$made" ] || sql postgres -c "DROP DATABASE $database WITH (FORCE)" >/dev/null 2>&1
  [ -z "${scratch:-}" ] || rm -rf "$scratch"
  [ -z "${W:-}" ] || workplace_remove
}

# sql DATABASE ARGUMENT...: psql that fails when a statement does
sql() {
  local name=$1
  shift
  if [ -n "${W:-}" ]; then
    (cd "$W/src" && unprivileged_psql "$name" "$@")
  else
    psql -XqAt -v ON_ERROR_STOP=1 -d "$name" "$@"
  fi
}

unprivileged_psql() {
  local name=$1 quoted
  shift
  quoted=$(printf '%q ' "$@")
  unprivileged "psql -XqAt -v ON_ERROR_STOP=1 -d $name $quoted"
}

build_judge() {
  $compiler -std=c11 -O2 -o "$scratch/judge" "$top/tests/audit/judge.c" -lgsl -lgslcblas -lm ||
    give_up "the judge does not build; it needs a C compiler and libgsl-dev"
}

compiler=${CC:-gcc}
trap leave EXIT
trap 'exit 130' INT TERM HUP
scratch=$(mktemp -d)
if [ -n "${AUDIT_DRAWS:-}" ]; then
  build_judge
  "$scratch/judge" "${AUDIT_SHARE:-1}" <"$AUDIT_DRAWS"
  exit
fi

if [ -n "${PGHOST:-}${PGHOSTADDR:-}${PGPORT:-}${PGSERVICE:-}${PGUSER:-}${PGDATABASE:-}" ]; then
  where="the server of the PG* variables"
  pairs=$top/tests/audit/pairs.sql
else
  where="a throw-away cluster"
  need_packages build
  workplace_make
  WERROR= workplace_build || give_up "it does not build"
  cluster_start "fsync = off" || give_up "the cluster does not start"
  pairs=tests/audit/pairs.sql
  trap leave EXIT # workplace_make has set its own
fi
build_judge

[ "$(sql "${PGDATABASE:-postgres}" -c "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")" = t ] ||
  give_up "no connection as a superuser"
sql postgres -c "CREATE DATABASE $database" || give_up "the database $database cannot be made"
made=yes
sql "$database" -f "$pairs" || give_up "the tables cannot be made"
[ -z "${AUDIT_PAIRS:-}" ] || sql "$database" -c "DELETE FROM audit.pair WHERE name !~ \$re\$$AUDIT_PAIRS\$re\$"

per_pair=$(sql "$database" -c "SELECT round(($seconds * $workers / count(*)::float8)::numeric, 3) FROM audit.pair")
children=()
for ((worker = 0; worker < workers; worker++)); do
  sql "$database" -c "SET dpobj.release_tick = 0" -c "SET dpobj.require_budget = off" \
    -c "SET dpobj.min_epsilon = 0" -c "SET client_min_messages = error" \
    -c "CALL audit.run($worker, $workers, $per_pair::float8, ${AUDIT_LEAST:-0})" &
  children+=($!)
done
for child in "${children[@]}"; do
  wait "$child" || give_up "a draw failed"
done
sql "$database" -F $'\t' -c "SELECT name, epsilon, delta, side, outcome FROM audit.draw JOIN audit.pair USING (place) ORDER BY place" \
  >"$scratch/draws" || give_up "the draws cannot be read"
[ -z "${AUDIT_KEEP:-}" ] || cp "$scratch/draws" "$AUDIT_KEEP"

version=$(sql "$database" -c "SELECT format('%s on PostgreSQL %s', extversion, current_setting('server_version'))
                               FROM pg_extension WHERE extname = 'dpobj'")
{
  cat <<TEXT
# Audit

Made by \`make audit\` (scripts/audit.sh): dpobj $version, $where, $((SECONDS - began)) s,
$workers sessions on $(nproc) cores with a load of $(cut -d' ' -f1 /proc/loadavg), $(date -u +%Y-%m-%d). A quieter machine makes more draws and detects smaller losses.

Each mechanism runs on two neighbouring tables (\`tests/audit/pairs.sql\`) that are chosen to be hard to keep apart; *runs* counts
the runs on each. *Loss found* is ln((P - delta) / P') for the event whose probability changed most (with more than three
outcomes, half of the runs chose the event and the other half measured it). *At least* is a lower bound on the loss that is wrong
with one chance in 5,000 (Clopper-Pearson); a claim is exceeded if it is larger than epsilon. *Shows from* is about the smallest
actual loss that so many runs would reveal. Audits find mistakes and prove nothing; [method.md](../../docs/method.md) says what is proved.

| mechanism | epsilon | delta | loss found | at least | shows from | runs | verdict |
|---|---|---|---|---|---|---|---|
TEXT
  "$scratch/judge" "${AUDIT_SHARE:-1}" <"$scratch/draws"
} >"$scratch/table"
verdict=$?
cat "$scratch/table"
[ -z "${OUT:-}" ] || cp "$scratch/table" "$OUT"
[ "$verdict" -le 1 ] || give_up "the draws cannot be judged"
exit "$verdict"

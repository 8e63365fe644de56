#!/usr/bin/env bash
# memory.sh - runs the server under valgrind, to find invalid reads and leaks of the module.
#
#   unprivileged "scripts/memory.sh"                   tests/memory.sql, which calls each function once
#   unprivileged "scripts/memory.sh sql/encoders.sql"  another file; its output is not compared
#
# Runs inside the environment of workplace.sh, after workplace_build, in a cluster of its own.
# PostgreSQL allocates from larger blocks, which valgrind cannot see into. It sees memory from
# malloc (GMP, MPFR, GSL), the stack, and uninitialised values. Only reports that name a function
# of dpobj count. The part valgrind of check.sh covers the core, which the solver runs.
set -uo pipefail

: "${W:?is set by workplace.sh}" "${PGXS_DEST:?is set by workplace.sh}"
files=${*:-tests/memory.sql}
place=$W/memory
rm -rf "$place"
mkdir -p "$place/sock" "$place/log"

initdb -D "$place/data" -U postgres -A trust --no-sync -E UTF8 --locale=C >/dev/null || exit 1
sed "s#'$W/sock'#'$place/sock'#" "$W/data/postgresql.conf" |
  grep -E "^(listen_addresses|unix_socket|extension_|dynamic_library|shared_preload)" >>"$place/data/postgresql.conf"
printf '%s\n' "fsync = off" "autovacuum = off" "jit = off" >>"$place/data/postgresql.conf"

valgrind --quiet --trace-children=yes --trace-children-skip='*/dpobj-solver*' --child-silent-after-fork=no \
  --leak-check=full --show-leak-kinds=definite --num-callers=40 --error-limit=no --suppressions=tests/memory.supp \
  --log-file="$place/log/%p" \
  postgres -D "$place/data" >"$place/server.log" 2>&1 &
server=$!
trap 'kill -INT $server 2>/dev/null; wait $server' EXIT INT TERM
export PGHOST=$place/sock
for ((i = 0; i < 120; i++)); do
  pg_isready -q && break
  sleep 0.5
done

passed=0
for file in $files; do
  psql -Xqf "$file" >"$place/output" 2>&1 || passed=$?
  [ "$passed" = 0 ] || cat "$place/output"
done
kill -INT "$server"
wait "$server"
trap - EXIT

# A report is a paragraph; ours has a function whose source is one of ours.
ours=$(find src/server src/core -name '*.c' -printf '%f|' | sed 's#\.c#\\.c#g; s#|$##')
cat "$place/log"/* | sed 's/^==[0-9]*== \?//' |
  awk -v ours="\\\\((${ours//\\/\\\\}):" 'BEGIN { RS = "" } $0 ~ ours { print $0 "\n" }' >"$place/reports"
cat "$place/reports"
reports=$(grep -c . "$place/reports")
echo "memory: $(ls "$place/log" | wc -l) processes, $reports lines of reports about dpobj"
[ "$passed" = 0 ] && [ "$reports" = 0 ]

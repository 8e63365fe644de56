#!/usr/bin/env bash
# sanitizers.sh - runs tests of regress in a server whose module and solver have AddressSanitizer and UBSan.
#
#   unprivileged "bash scripts/sanitizers.sh"          all of them
#   unprivileged "bash scripts/sanitizers.sh budgets"  sql/budgets.sql, or tests/specs/budgets.spec
#
# Runs inside the environment of workplace.sh, after cluster_start, with a build and a cluster of its
# own. A report fails, and so does a file whose output differs. The server is that of the system, so
# AddressSanitizer sees what the module does with memory from malloc (GMP, MPFR, GSL, blocks of
# PostgreSQL), on the stack and in static data, and all that the solver does; not one chunk of
# PostgreSQL's memory from the next.
set -uo pipefail

: "${W:?is set by workplace.sh}"
place=$W/sanitizers
rm -rf "$place"
mkdir -p "$place/sock"
cp -r . "$place/src"
cd "$place/src" || exit 1
make -s clean >/dev/null
make -s -j2 CC="${CC:-gcc}" COPT="-O1 -ftrivial-auto-var-init=pattern -fsanitize=address,undefined -fsanitize-recover=address" \
  CFLAGS_SL_MODULE= SOLVER_STATIC= >"$place/build.log" 2>&1 && make -s install DESTDIR="$place/dest" >>"$place/build.log" 2>&1 || {
  cat "$place/build.log"
  exit 1
}
# It goes on after a report, which is in the server's log, also that of a solver.  Solvers start with no environment, and
# AddressSanitizer needs more address space than the memory limit leaves them.
asan="detect_leaks=0:halt_on_error=0:detect_stack_use_after_return=0"
ubsan="print_stacktrace=1"
for solver in "$place/dest$(pg_config --pkglibdir)"/dpobj-solver-*; do
  mv "$solver" "$place/dpobj-solver"
  printf '#!/bin/sh\nASAN_OPTIONS=%s UBSAN_OPTIONS=%s exec %s "$1" 0\n' "$asan" "$ubsan" "$place/dpobj-solver" >"$solver"
  chmod 755 "$solver"
done

initdb -D "$place/data" -U postgres -A trust --no-sync -E UTF8 --locale=C >/dev/null || exit 1
sed -n '/^listen_addresses/,$p' "$W/data/postgresql.conf" | sed "s#'$W/#'$place/#" >>"$place/data/postgresql.conf"
# A server that looks for translations waits for ever, because AddressSanitizer's start gives back a
# lock of glibc that nobody has taken.
echo 'char *bindtextdomain(char *a, char *b) { return b; } char *bind_textdomain_codeset(char *a, char *b) { return b; }
  char *textdomain(char *a) { return a; }' | gcc -shared -fPIC -w -o "$place/untranslated.so" -x c -
ASAN_OPTIONS=$asan UBSAN_OPTIONS=$ubsan \
  LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so) $place/untranslated.so" \
  postgres -D "$place/data" >"$place/server.log" 2>&1 &
trap 'pg_ctl -D "$place/data" -m immediate stop >/dev/null' EXIT INT TERM
for ((i = 0; i < 120; i++)); do
  pg_isready -q -h "$place/sock" && break
  sleep 0.5
done
[ "$i" -lt 120 ] || cat "$place/server.log"
W=$place PGHOST=$place/sock PGXS_DEST=$place/dest bash scripts/regress.sh "$@"
passed=$?
pg_ctl -D "$place/data" -m fast -w stop >/dev/null
trap - EXIT INT TERM
report='ERROR: AddressSanitizer|: runtime error: '
reports=$(grep -cE "$report" "$place/server.log")
grep -E -A 20 "$report" "$place/server.log"
echo "sanitizers: $reports reports"
[ "$passed" = 0 ] && [ "$reports" = 0 ]

#!/usr/bin/env bash
# check.sh - every test of dpobj, in throw-away places: `make check`, and what .ci/run calls.
#
#   make check                      everything (DPOBJ_DATA=folder adds the tests on Adult)
#   bash scripts/check.sh regress   one or more of: style build core valgrind mutants fuzz regress
#                                   pgtap tap demo audit memory faults package
#
# Runs as root (missing packages are installed, everything else happens as user
# postgres) or as anybody. Ends with the line "N passed, N failed".
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/packages.sh"
. "$here/workplace.sh"

# The papers' data, where the shared folder stands beside the project.
[ -n "${DPOBJ_DATA:-}" ] || [ ! -r "$here/../../shared/data/adult23.csv" ] ||
  DPOBJ_DATA=$(cd "$here/../../shared/data" && pwd)

passed=0
failed=0
step() { # step NAME COMMAND...: run it, count it, show how long it took
  local name=$1 began=$SECONDS
  shift
  echo "== $name"
  if "$@"; then
    passed=$((passed + 1))
    echo "   ok, $((SECONDS - began)) s"
  else
    failed=$((failed + 1))
    echo "   FAILED, $((SECONDS - began)) s: $name"
  fi
}

# cppcheck must be told what PostgreSQL's macros do: ereport(ERROR) does not return.
check_style() {
  local cppcheck="cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
    --inline-suppr --suppress=missingIncludeSystem"
  unprivileged 'clang-format --dry-run -Werror $(find src tests bench -name "*.[ch]")' &&
    unprivileged "$cppcheck -Isrc -Itests src/core src/solver tests/core tests/fuzz tests/audit bench" &&
    unprivileged "$cppcheck -DPG_VERSION_NUM=150000 --include=tests/cppcheck.h -Isrc \
      src/server" &&
    unprivileged 'bash -n scripts/*.sh bench/*.sh tests/core/*.sh .ci/run' &&
    unprivileged 'perl scripts/meta.pl && perl scripts/links.pl && perl scripts/map.pl && perl tests/claims.pl' &&
    unprivileged 'bash scripts/mutants_table.sh | diff docs/mutants.md - || {
      echo "bash scripts/mutants_table.sh >docs/mutants.md"; false; }'
}

check_build() { # with gcc it is built again below, to be installed
  unprivileged "make -s clean >/dev/null && make -s -j2 CC=clang WERROR='-Werror -Wno-ignored-attributes \
    -Wno-ignored-optimization-argument -Wno-unused-command-line-argument -Wno-unknown-warning-option' 2>&1 && make -s clean >/dev/null"
}

# What is installed has no deliberate fault, and this would see one.
check_installed() {
  workplace_build && unprivileged '
    symbols() { nm "$@" | grep -c " mutant_"; }
    gcc -std=c11 -Isrc -D_GNU_SOURCE -DDPOBJ_MUTANTS -c -o "$W/laplace.o" src/core/random/laplace.c
    [ "$(symbols "$W/laplace.o")" -gt 0 ] &&
      [ "$(symbols dpobj.so src/solver/dpobj-solver src/core/libdpobj_core.a)" = 0 ]'
}

check_core() {
  unprivileged "make -s -j2 -f tests/core/Makefile BUILD='$W/core' check"
}

check_valgrind() {
  unprivileged "make -s -j2 -f tests/core/Makefile BUILD='$W/core' valgrind"
}

check_mutants() {
  unprivileged "BUILD='$W/core' bash tests/core/mutants.sh"
}

# A minute in all (tests/fuzz).
check_fuzz() {
  local compiler=clang
  command -v clang >/dev/null || compiler=gcc
  unprivileged "make -s -f tests/fuzz/Makefile BUILD='$W/fuzz' CC=$compiler check"
}

check_fuzz_sql() {
  unprivileged "createdb fuzz && psql -d fuzz -v inputs=2000 -v seed=0.5 -Xqf tests/fuzz/parsers.sql"
}

check_regress() {
  unprivileged "bash scripts/regress.sh"
}

check_pgtap() {
  unprivileged "createdb pgtap && pg_prove -q -d pgtap tests/pgtap/*.sql"
}

check_tap() {
  unprivileged "bash scripts/tap.sh"
}

check_faults() {
  unprivileged "bash scripts/faults.sh"
}

# A minute of draws, on a server that is set to refuse such; then so many of two mechanisms whose
# worst case is known that a claim of a quarter of what they spend must be refuted, or the audit
# could not find anything; with half as many that fails once in 5000 times.
check_audit() {
  unprivileged "PGOPTIONS='-c dpobj.require_budget=on -c dpobj.min_epsilon=10' \
    AUDIT_SECONDS=60 bash scripts/audit.sh" &&
    unprivileged "AUDIT_SECONDS=1 AUDIT_LEAST=1000 AUDIT_PAIRS='^(permute_flip|opdisc, gauge)$' AUDIT_KEEP='$W/draws' \
      bash scripts/audit.sh >/dev/null" || return 1
  unprivileged "AUDIT_SHARE=0.25 AUDIT_DRAWS='$W/draws' bash scripts/audit.sh"
  [ $? = 1 ] # 2: it could not be judged
}

check_memory() {
  unprivileged "bash scripts/memory.sh"
}

check_demo() {
  unprivileged "createdb demo && cd scripts && for part in census encode train; do
    PGDATABASE=demo psql -X -q -v ON_ERROR_STOP=1 -f demo_\$part.sql; done >'$W/demo.log' 2>&1" || {
    cat "$W/demo.log"
    return 1
  }
}

# Of what is committed; it has places of its own.
check_package() {
  bash "$here/package.sh" deb
}

need_packages build check
workplace_make
chosen=" ${*:-style build core valgrind mutants fuzz regress pgtap tap demo audit memory faults package} "
wants() { [[ $chosen == *" $1 "* ]]; }

wants style && step "formatting, cppcheck, links" check_style
wants build && step "clang -Wall -Wextra -Werror" check_build
if wants core; then step "core tests under ASan and UBSan" check_core; fi
if wants valgrind; then step "core tests under valgrind" check_valgrind; fi
if wants mutants; then step "mutants" check_mutants; fi
if wants fuzz; then step "fuzzers of the core" check_fuzz; fi
if [[ $chosen =~ fuzz|regress|pgtap|tap|demo|audit|memory|faults ]]; then
  WERROR=-Werror step "gcc -Wall -Wextra -Werror, install" check_installed
  step "cluster" cluster_start "fsync = off"
  wants fuzz && step "fuzz of the server's parsers" check_fuzz_sql
  wants regress && step "regress and isolation" check_regress
  wants pgtap && step "pgTAP" check_pgtap
  wants demo && step "the demo's statements" check_demo
  wants audit && step "audit" check_audit
  wants memory && step "the server under valgrind" check_memory
  wants tap && step "TAP" check_tap
  wants faults && step "faults of the server" check_faults
fi
if wants package; then step "Debian package, installed in a clean system" check_package; fi
echo "total $SECONDS s"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]

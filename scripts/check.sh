#!/usr/bin/env bash
# check.sh - the tests of dpobj, in throw-away places: `make check`, and `make check-all` for .ci/run.
#
#   make check                          what a change needs at once, a few minutes
#   make check-all                      everything, but every twelfth fault of the server, every twelfth
#                                       program of the core under valgrind, and every twelfth file of
#                                       regress with sanitizers, others from commit to commit
#                                       (DPOBJ_DATA=folder adds the tests on Adult)
#   bash scripts/check.sh regress tap   one or more of: style build core prove valgrind mutants fuzz
#                                       package regress pgtap tap demo audit memory sanitizers faults times
#
# Two lanes run beside each other: what computes, and what waits for most of the time. The test that
# measures times comes after both. What a part prints is shown when it has ended. In the end come the
# last lines of each part that failed, and how long each took; the last line is "N passed, N failed".
#
# Runs as root (missing packages are installed, everything else happens as user
# postgres) or as anybody.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/packages.sh"
. "$here/workplace.sh"

# Of the core's tests a third of the cases; faults of the core that are found in seconds; the TAP
# files of crashes, budgets, a hostile analyst, dependence on data and dpobj.train.
quick="style core mutants regress pgtap tap demo"
quick_share=33
quick_mutants="1 8 13 15 17 32 53 70 74 100 131 135"
quick_tap="002 008 012 013 015"

# `make fuzz TIMES=20`: more inputs, and others.
fuzz_times=${DPOBJ_FUZZ_TIMES:-1}

# The papers' data, where the shared folder stands beside the project.
[ -n "${DPOBJ_DATA:-}" ] || [ ! -r "$here/../../shared/data/adult23.csv" ] ||
  DPOBJ_DATA=$(cd "$here/../../shared/data" && pwd)

step() { # step NAME COMMAND...: run it, show what it printed, note whether it passed
  local name=$1 began=$SECONDS output status=FAILED
  shift
  output=$(mktemp "$W/step.XXXXXX")
  echo "-- $name ..." | tee -a "$W/begun"
  "$@" >"$output" 2>&1 && status=ok
  {
    flock 9
    echo "== $name"
    cat "$output"
    echo "   $status, $((SECONDS - began)) s"
    printf '%-6s %5d s  %s\n' "$status" $((SECONDS - began)) "$name" >&9
    [ "$status" = ok ] || { echo "== the end of $name" && tail -n 60 "$output"; } >>"$W/failures"
  } 9>>"$W/results"
  [ "$status" = ok ]
}

# cppcheck must be told what PostgreSQL's macros do: ereport(ERROR) does not return.
check_style() {
  local cppcheck="cppcheck -j 2 --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
    --inline-suppr --suppress=missingIncludeSystem"
  unprivileged 'clang-format --dry-run -Werror $(find src tests bench -name "*.[ch]")' &&
    unprivileged "$cppcheck -Isrc -Itests src/core src/solver tests/core tests/fuzz tests/audit bench" &&
    unprivileged "$cppcheck -DPG_VERSION_NUM=150000 --include=tests/cppcheck.h -Isrc \
      src/server tests/scan" &&
    unprivileged 'bash -n scripts/*.sh bench/*.sh tests/core/*.sh tests/contributing/*.sh tests/scan/*.sh .ci/run' &&
    unprivileged 'perl scripts/meta.pl && perl scripts/links.pl && perl scripts/map.pl && perl tests/claims.pl' &&
    unprivileged 'bash scripts/mutants_table.sh | diff docs/mutants.md - || {
      echo "bash scripts/mutants_table.sh >docs/mutants.md"; false; }'
}

# Warnings need no code; with gcc it is built to be installed. A version that nobody has seen is refused.
check_build() {
  unprivileged "make -s -j2 -B objects CC='clang -fsyntax-only' WERROR='-Werror -Wno-ignored-attributes \
    -Wno-ignored-optimization-argument -Wno-unused-command-line-argument -Wno-unknown-warning-option'" &&
    unprivileged "! make -n MAJORVERSION=20 >'$W/unknown' 2>&1" && grep 'dpobj knows PostgreSQL 14 .* 19, and pg_config has ' "$W/unknown"
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
  unprivileged "make -s -j2 -f tests/core/Makefile BUILD='$W/core' SHARE='${share:-100}' check &&
    BUILD='$W/core' bash tests/contributing/run.sh"
}

check_valgrind() {
  unprivileged "make -s -j2 -f tests/core/Makefile BUILD='$W/core' ${valgrind:+NAME='$valgrind'} valgrind"
}

check_mutants() {
  unprivileged "BUILD='$W/core' PASSED='$passed' bash tests/core/mutants.sh $mutants"
}

check_prove() {
  unprivileged "bash scripts/prove.sh"
}

check_fuzz() {
  local compiler=clang
  command -v clang >/dev/null || compiler=gcc
  unprivileged "make -s -f tests/fuzz/Makefile BUILD='$W/fuzz' CC=$compiler INPUTS=$((150000 * fuzz_times)) SEED=$fuzz_times check"
}

check_fuzz_sql() {
  unprivileged "createdb fuzz && psql -d fuzz -v inputs=$((2000 * fuzz_times)) -v seed=$((fuzz_times - 1)).5 -Xqf tests/fuzz/parsers.sql" &&
    { [ "$fuzz_times" = 1 ] || unprivileged "DPOBJ_FUZZ_TIMES=$fuzz_times bash scripts/tap.sh 048"; }
}

check_regress() {
  unprivileged "bash scripts/regress.sh"
}

check_pgtap() {
  unprivileged "createdb pgtap && pg_prove --failures --comments -d pgtap tests/pgtap/*.sql"
}

# The auditor's page and its pictures are kept in build/pages.
check_tap() {
  local passed=0
  unprivileged "bash scripts/tap.sh $tap" || passed=1
  [ ! -d "$W/pages" ] || { mkdir -p "$here/../build" && cp -r "$W/pages" "$here/../build"; }
  return "$passed"
}

check_times() {
  unprivileged "bash scripts/tap.sh 019"
}

check_faults() {
  unprivileged "bash scripts/faults.sh $faults"
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

check_sanitizers() {
  unprivileged "bash scripts/sanitizers.sh $sanitized"
}

check_demo() {
  unprivileged "createdb demo && cd scripts && for part in census encode train; do
    PGDATABASE=demo psql -X -q -v ON_ERROR_STOP=1 -f demo_\$part.sql; done >'$W/demo.log' 2>&1" || {
    cat "$W/demo.log"
    return 1
  }
}

# Of what is committed; it has places of its own.
# Other suites of Debian move on: make package, and scripts/majors.sh.
check_package() {
  bash "$here/package.sh" deb 15
}

core_parts="style build core prove valgrind mutants fuzz package"
server_parts="fuzz regress pgtap demo audit memory sanitizers tap faults times"
share= mutants= valgrind= sanitized= tap= faults=
case ${*:-quick} in
  quick)
    chosen=$quick share=$quick_share mutants=$quick_mutants tap=$quick_tap
    ;;
  all)
    chosen="$core_parts $server_parts"
    commits=$(git -C "$here" rev-list --count HEAD 2>/dev/null || echo 0)
    faults="--every 12 $((commits % 12))"
    twelfth() { awk -v rest=$((commits % 12)) '(NR - 1) % 12 == rest' | tr '\n' ' '; }
    valgrind=$(basename -as .c "$here"/../tests/core/*/test_*.c | twelfth)
    sanitized=$(basename -a "$here"/../sql/*.sql "$here"/../tests/specs/*.spec | twelfth)
    ;;
  *) chosen=$* ;;
esac
for part in $chosen; do
  [[ " $core_parts $server_parts " == *" $part "* ]] || {
    echo "there is no part $part" >&2
    exit 2
  }
done
wants() { [[ " $chosen " == *" $1 "* ]]; }

core_lane() { # and what of the server has clusters of its own
  local passed= # yes: the core tests, with all cases
  wants style && step "formatting, cppcheck, links" check_style
  wants build && step "clang -Wall -Wextra -Werror" check_build
  wants core && step "core tests, a tenth of the cases under ASan and UBSan, too" check_core && passed=${share:-yes}
  wants mutants && step "mutants" check_mutants
  wants prove && step "proofs by machine" check_prove
  wants valgrind && step "core tests under valgrind" check_valgrind
  wants fuzz && step "fuzzers of the core" check_fuzz
  wants package && step "Debian package, built twice and installed in a clean system" check_package
  [ -n "$installed" ] || return
  wants memory && step "the server under valgrind" check_memory
  wants sanitizers && step "regress and isolation with sanitizers" check_sanitizers
  wants faults && step "faults of the server" check_faults
}

server_lane() {
  [ -n "$installed" ] || return
  wants fuzz && step "fuzz of the server's parsers" check_fuzz_sql
  wants regress && step "regress and isolation" check_regress
  wants pgtap && step "pgTAP" check_pgtap
  wants demo && step "the demo's statements" check_demo
  wants tap && step "TAP" check_tap
  wants audit && step "audit" check_audit
}

lanes=()
leave() {
  local lane
  for lane in "${lanes[@]}"; do kill -- "-$lane" 2>/dev/null; done
  workplace_remove
}

need_packages build check
! wants prove || need_packages prove
workplace_make
trap leave EXIT # workplace_make has set its own
: >"$W/results"
: >"$W/failures"
installed=
if [[ " $server_parts " =~ \ (${chosen// /|})\  ]]; then
  WERROR=-Werror step "gcc -Wall -Wextra -Werror, install" check_installed &&
    step "cluster" cluster_start "fsync = off" "dpobj.machine_pace = 1" && installed=yes
fi
set -m # each lane is a group of processes, which ends as a whole
for lane in core_lane server_lane; do
  "$lane" &
  lanes+=($!)
done
set +m
wait "${lanes[@]}"
lanes=()
[ -z "$installed" ] || ! wants times || step "times, alone" check_times
cat "$W/failures"
echo "== all parts"
cat "$W/results"
echo "total $SECONDS s"
passed=$(grep -c '^ok ' "$W/results")
failed=$(grep -c '^FAILED ' "$W/results")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ] && [ "$passed" = "$(wc -l <"$W/begun")" ]

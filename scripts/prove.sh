#!/usr/bin/env bash
# prove.sh - proofs by machine of what noise and messages rest on: `make prove`.
#
#   bash scripts/prove.sh            all of it, and that a fault in each file is found; minutes
#   bash scripts/prove.sh random     units of tests/prove/units.txt, without the faults
#   bash scripts/prove.sh table      the tables of docs/proofs/machine.md, after a change
#
# 1. Frama-C follows all paths of the files of tests/prove/units.txt: Eva, for any arguments, bits and bytes;
#    WP, by contracts.
# 2. test_exact_laws.c and test_composed_laws.c of tests/core/random run samplers on every string of bits up to a
#    length, and on all that the samplers they are made of can answer.
# 3. Each fault of tests/prove/faults, and each of the core that 2 is to find, is put in: then 1 or 2 must fail.
#
# Runs as root, which installs missing packages, or as anybody. There is no limit of time but one that ends a
# program that is stuck.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
need_packages build prove

laws="test_exact_laws test_composed_laws"
laws_sources=$(echo src/core/random/{bits,laplace,discrete_gaussian}.c src/core/grid/{grid,grid_draw}.c
  echo src/core/exponential/tree_interval.c src/core/base/{integers,memory}.c)
laws_faults="13|test_exact_laws 22|test_exact_laws 50|test_exact_laws 17|test_composed_laws 70|test_composed_laws"
page=docs/proofs/machine.md

P=$(mktemp -d)
trap 'rm -rf "$P"' EXIT
export HOME=$P # why3 keeps the names of provers there
why3 config detect >"$P/why3.log" 2>&1 || {
  cat "$P/why3.log"
  exit 1
}
prove() { # prove FOLDER SOURCES [UNIT...]
  mkdir -p "$1" && timeout 3000 perl tests/prove/prove.pl "$@"
}

printed() { sed -n '/^| File | By machine/,$p' "$page"; }

case ${1:-all} in
  all) ;;
  table) prove "$P/sound" src && exit ;;
  *) prove "$P/sound" src "$@" >/dev/null && exit ;;
esac
[ "${1:-all}" = all ] || exit 1

failed=0
fail() {
  echo "FAILED: $1"
  failed=1
}

prove "$P/sound" src >"$P/table" || fail "Frama-C"
sed 's/^/  /' "$P/table"
printed | diff - "$P/table" || fail "$page: bash scripts/prove.sh table says something else"

for name in $laws; do
  gcc -std=c11 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -DDPOBJ_MUTANTS -Isrc -Itests -o "$P/$name" "tests/core/random/$name.c" \
    tests/core/mutant.c $laws_sources -lmpfr -lgmp -lm || exit 1
  "$P/$name" || fail "$name"
done
for fault in $laws_faults; do
  name=${fault#*|}
  if DPOBJ_MUTANT=${fault%|*} DPOBJ_FIRST_FAILURE=1 "$P/$name" >"$P/mutant" 2>&1; then
    fail "mutant ${fault%|*} is not found by $name"
  else
    echo "  mutant ${fault%|*}: caught by $name"
  fi
done

# Which files have a fault that is to be found?
for file in $(sed -n 's/^proves //p' tests/prove/units.txt); do
  grep -qs "^+++ b/src/$file" tests/prove/faults/*.patch || fail "no fault is put into $file"
done
for patch in tests/prove/faults/*.patch; do
  unit=$(sed -n 's/^Killed by: prove //p' "$patch")
  copy=$P/$(basename "$patch" .patch)
  mkdir "$copy" && cp -r src "$copy" && patch -s -d "$copy" -p1 <"$patch" || {
    fail "$patch cannot be put in"
    continue
  }
  if prove "$copy/logs" "$copy/src" "$unit" >"$copy/said" 2>&1; then
    fail "$(basename "$patch") is not found by $unit"
  elif grep -q '^frama-c failed' "$copy/said"; then
    cat "$copy/said"
    fail "$(basename "$patch"): Frama-C could not read the files"
  else
    echo "  $(basename "$patch" .patch): caught by prove $unit: $(grep -m 1 -v '^  ' "$copy/said" | cut -c 1-110)"
  fi
  rm -rf "$copy"
done
[ "$failed" = 0 ] && echo "proved: $(grep -c functions "$P/table") files"

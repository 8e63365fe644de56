#!/usr/bin/env bash
# run.sh - checks that the patches that CONTRIBUTING.md explains apply, build and pass their own tests, that their
# deliberate faults are found, and that each has 8 files at most. Run from the top of the tree; BUILD=folder says where.
set -euo pipefail
BUILD=$(realpath -m "${BUILD:-build/core}")/contributing
patches=("$PWD"/tests/contributing/*.patch)

# The page must show lines of the patches.
if sed -n '/^```diff$/,/^```$/p' CONTRIBUTING.md | grep -v '^```' | grep -vFxf <(cat "${patches[@]}"); then
  echo "CONTRIBUTING.md shows these lines, which are in no patch of tests/contributing"
  exit 1
fi

rm -rf "$BUILD"
mkdir -p "$BUILD/tree"
cp -R src tests docs "$BUILD/tree"
cd "$BUILD/tree"
names=() mutants=()
for patch in "${patches[@]}"; do
  files=$(grep -c '^diff ' "$patch")
  if [ "$files" -gt 8 ]; then
    echo "$patch changes $files files"
    exit 1
  fi
  patch -s -p0 <"$patch"
  names+=("test_$(basename "$patch" .patch)")
  mutants+=("$(sed -n "s/^+  '\([0-9]*\)|.*/\1/p" "$patch")")
done
make -s -j2 -f tests/core/Makefile BUILD="$BUILD" NAME="${names[*]}" PLAIN='$(FLAGS) -O0 -DDPOBJ_MUTANTS' mutants
for name in "${names[@]}"; do "$BUILD/plain/$name"; done
BUILD=$BUILD bash tests/core/mutants.sh "${mutants[@]}"

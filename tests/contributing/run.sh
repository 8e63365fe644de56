#!/usr/bin/env bash
# run.sh - checks that the patch that CONTRIBUTING.md explains applies, builds and passes its own test, and that
# its deliberate fault is found. Run from the top of the tree; BUILD=folder says where.
set -euo pipefail
BUILD=$(realpath -m "${BUILD:-build/core}")/contributing
patch=$PWD/tests/contributing/majority.patch

# The page must show lines of the patch.
if sed -n '/^```diff$/,/^```$/p' CONTRIBUTING.md | grep -v '^```' | grep -vFxf "$patch"; then
  echo "CONTRIBUTING.md shows these lines, which are not in $patch"
  exit 1
fi

rm -rf "$BUILD"
mkdir -p "$BUILD/tree"
cp -R src tests docs "$BUILD/tree"
cd "$BUILD/tree"
patch -s -p0 <"$patch"
make -s -j2 -f tests/core/Makefile BUILD="$BUILD" NAME=test_majority PLAIN='$(FLAGS) -O0 -DDPOBJ_MUTANTS' mutants
"$BUILD/plain/test_majority"
BUILD=$BUILD bash tests/core/mutants.sh 199

#!/usr/bin/env bash
# mutants_table.sh - prints docs/mutants.md: which test kills each deliberate fault.
#
#   bash scripts/mutants_table.sh >docs/mutants.md
#
# From the lists that the runs themselves use: tests/core/mutants.sh runs the core with one fault
# at a time, scripts/faults.sh the server (`bash scripts/check.sh mutants faults`). Both fail if
# the named test does not detect the fault.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

core() {
  sed -n "s/^  '\([0-9]*\)|\([a-z_]*\)|\(.*\)'\$/\1|\2|\3/p" tests/core/mutants.sh | sort -n |
    while IFS='|' read -r number test fault; do
      echo "| $number | $fault | \`$test\` |"
    done
}

patches() { # patches FOLDER
  local patch
  for patch in "$1"/*.patch; do
    echo "| \`$(basename "$patch" .patch)\` | $(sed -n 's/^Fault: \(.*\)\.$/\1/p' "$patch") | $(sed -n 's/^Killed by: //p' "$patch") |"
  done
}

cat <<TEXT
# Mutants

A test that cannot fail shows nothing. Each of these faults is put into the code on purpose, and the named test must
notice: \`bash scripts/check.sh mutants faults prove\`. Made by \`scripts/mutants_table.sh\` from the lists that are run.

## The core

\`MUTANT(number)\` in the sources, \`tests/core/mutants.sh\`:

| | Fault | Killed by |
|---|---|---|
$(core)

## The server

Patches of \`tests/faults\`, put in by \`scripts/faults.sh\`:

| | Fault | Killed by |
|---|---|---|
$(patches tests/faults)

## What is proved by machine

Patches of \`tests/prove/faults\`, put in by \`scripts/prove.sh\`:

| | Fault | Killed by |
|---|---|---|
$(patches tests/prove/faults)
TEXT

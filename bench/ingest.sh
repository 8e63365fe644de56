#!/usr/bin/env bash
# ingest.sh - one million rows of 23 features through the aggregate, beside count(features).
#
# Prints one table: median seconds over five interleaved rounds, ratios, and the
# memory of the state. Serial plans; the solve is left out by an aggregate of the
# bench's own over the same transition function.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"

need_packages build
workplace_make
workplace_build
cluster_start "shared_buffers = '1GB'" "max_parallel_workers_per_gather = 0" "jit = off" \
  "max_wal_size = '4GB'" "fsync = off"
unprivileged "psql -X -q -v ON_ERROR_STOP=1 -f bench/ingest.sql"

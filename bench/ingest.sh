#!/usr/bin/env bash
# ingest.sh - rows of 23 features through dp_halfspace and dp_logistic, beside count(features); a million of them if not told.
#
#   bench/ingest.sh [ROWS]
#
# Prints one table: median seconds over five interleaved rounds and ratios, in serial plans and with two workers, and
# one default call.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"

need_packages build
workplace_make
workplace_build
cluster_start "shared_buffers = '1GB'" "jit = off" "max_wal_size = '4GB'" "fsync = off"
unprivileged "psql -X -q -v ON_ERROR_STOP=1 -v rows=${1:-1000000} -f bench/ingest.sql"

#!/usr/bin/env bash
# module.sh - compiles scan_digest.c against the built tree and prints the path of the module.
#
# The module calls functions of dpobj.so and has its own copy of those of the core, which dpobj.so
# hides. PostgreSQL 16 and later hide those of dpobj.so, too, unless it is built with
# make CFLAGS_SL_MODULE=.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p build
module=$PWD/build/scan_digest.so
cc -O2 -Wall -shared -fPIC -Isrc -I"$("${PG_CONFIG:-pg_config}" --includedir-server)" \
  -I"$("${PG_CONFIG:-pg_config}" --includedir)" -o "$module.$$" tests/scan/scan_digest.c src/core/libdpobj_core.a
mv "$module.$$" "$module" # others may be using it
echo "$module"

#!/usr/bin/env bash
# foreign.sh - the core's tests on processors that this machine does not have: arm64, and s390x, which is big-endian.
#
#   bash scripts/foreign.sh                  both, all programs, a twentieth of the cases
#   bash scripts/foreign.sh s390x            one of them
#   SHARE=100 NAME="test_rows test_wire" bash scripts/foreign.sh
#
# As root, in a clean Debian 12 in a temporary folder, with Debian's cross compilers and libraries, under qemu's user mode. The
# core holds all formats that servers exchange and that the ledger keeps, so its tests compare their bytes. An emulated program
# is some ten times slower. The last lines say how many programs passed on each.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/clean_root.sh"

root_possible || exit 1
root_alone "$0" "$@"
[ $# -gt 0 ] || set -- arm64 s390x
declare -A triple_of=([arm64]=aarch64-linux-gnu [s390x]=s390x-linux-gnu)

root=$W/root
root_make bookworm "$root" && root_mount "$root" || exit 1
root_tree "$root"

failed=0
for name in "$@"; do
  triple=${triple_of[$name]:?knows arm64 and s390x}
  packages="make qemu-user gcc-$triple"
  for library in libc6-dev libgmp-dev libmpfr-dev libgsl-dev libglpk-dev; do packages="$packages $library:$name"; done
  # libgsl-dev is of one processor at a time: the next one takes its place.
  root_run "$root" "dpkg --add-architecture $name" && root_install "$root" "$packages" || exit 1
  root_run "$root" "cd /dpobj; make -k -s -j2 -f tests/core/Makefile BUILD=/build/$name CC=$triple-gcc AR=$triple-ar \
    RUN='qemu-${triple%%-*} -U LD_PRELOAD' SHARE=${SHARE:-5} ${NAME:+NAME='$NAME'} plain" >"$W/$name.log" 2>&1 || failed=1
  cat "$W/$name.log"
done
for name in "$@"; do
  tests=$(ls "$root/build/$name/plain" | grep -c '^test_[a-z_0-9]*$')
  echo "$name: $(ls "$root/build/$name/plain" | grep -c '[.]done$') of ${tests} programs passed"
done
exit $failed

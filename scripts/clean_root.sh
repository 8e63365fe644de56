# clean_root.sh - a clean Debian in a folder; sourced by package.sh and majors.sh.
#
#   suite_of[MAJOR]        the suite of Debian that has a version of PostgreSQL
#   root_possible          succeeds if one can be made; otherwise says why not
#   root_alone "$0" "$@"   runs the script again in namespaces, so that its mounts and processes end with
#                          it; then W is a temporary folder for systems, which is removed at the end
#   root_make SUITE DIR    a minimal system
#   root_mount DIR         mounts /proc and devices
#   root_install DIR PACKAGES
#   root_tree DIR          copies this tree into it, as /dpobj
#   root_remove DIR        removes every system below a folder, and the folder
#   root_run DIR COMMAND   a shell command in it
#
# Packages come from Debian's registry by debootstrap and apt. Nothing outside the folders changes.

declare -A suite_of=([15]=bookworm [17]=trixie [18]=forky)

DPOBJ_MIRROR=${DPOBJ_MIRROR:-http://deb.debian.org/debian}

root_possible() {
  if [ "$(id -u)" != 0 ]; then
    echo "only root can make a clean system"
  elif ! command -v debootstrap >/dev/null; then
    echo "debootstrap is not installed"
  elif ! unshare --mount --pid --fork true 2>/dev/null; then
    echo "this place does not let root mount"
  elif ! debootstrap_reaches; then
    echo "$DPOBJ_MIRROR cannot be reached"
  else
    return 0
  fi
  return 1
}

debootstrap_reaches() { # perl is there wherever PostgreSQL is, curl is not
  perl -MIO::Socket::INET -e '
    my ($host, $port) = $ARGV[0] =~ m{^http://([^/:]+)(?::(\d+))?} or exit 1;
    exit !IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port // 80, Timeout => 10)' "$DPOBJ_MIRROR"
}

root_alone() {
  [ -n "${DPOBJ_ALONE:-}" ] || DPOBJ_ALONE=1 exec unshare --mount --pid --fork --kill-child --mount-proc bash "$@"
  W=$(mktemp -d "/tmp/dpobj-$(basename "$1" .sh).XXXXXX")
  trap 'root_remove "$W"' EXIT
  trap 'exit 130' INT TERM HUP
}

root_make() {
  local suite=$1 root=$2 script=/usr/share/debootstrap/scripts/$1
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
  debootstrap --variant=minbase --include=eatmydata "$suite" "$root" "$DPOBJ_MIRROR" "$script" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log"
    return 1
  }
  # No service starts, and no main cluster is made, when a package is installed.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  mkdir -p "$root/etc/postgresql-common"
  echo "create_main_cluster = false" >"$root/etc/postgresql-common/createcluster.conf"
  # A mirror, or a snapshot of testing, may be older than it wants to be; or busy.
  printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'Acquire::Retries "5";' >"$root/etc/apt/apt.conf.d/99dpobj"
}

root_mount() {
  mount --bind /proc "$1/proc"
  mount --bind /dev "$1/dev"
  mount -t tmpfs tmpfs "$1/dev/shm"
}

root_tree() {
  mkdir "$1/dpobj"
  tar -C "$(dirname "${BASH_SOURCE[0]}")/.." -cf - --exclude=./.git --exclude=./build --exclude='*.o' --exclude='*.a' --exclude='*.so' . |
    tar xf - -C "$1/dpobj"
}

root_remove() { # removes every system below a folder, and the folder
  local place
  for place in "$1"/*/dev/shm "$1"/*/dev "$1"/*/proc "$1"/*/var/cache/apt/archives; do
    ! mountpoint -q "$place" || umount -l "$place"
  done
  rm -rf --one-file-system "$1"
}

root_run() {
  chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    eatmydata bash -euo pipefail -c "$2"
}

root_install() { # root_install DIR PACKAGES
  local root=$1
  shift
  root_run "$root" "apt-get update -qq; apt-get install -y -qq --no-install-recommends $* >/root/apt.log 2>&1 || {
    tail -n 20 /root/apt.log; exit 1; }"
}

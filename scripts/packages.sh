# packages.sh - installs Debian packages that dpobj needs; sourced by the other scripts.
#
#   need_packages build        to build and run
#   need_packages build check  to run every test as well
#   need_packages build prove  for proofs by machine
#   need_packages build bench  to run bench/ranking.sh
#
# As root it installs what is missing; otherwise it says what to install. The packages are those of Debian 12
# with PostgreSQL 15; DPOBJ_MAJOR names another version of PostgreSQL, which the system must have.

DPOBJ_MAJOR=${DPOBJ_MAJOR:-15}
packages_build="postgresql-$DPOBJ_MAJOR postgresql-server-dev-$DPOBJ_MAJOR libgmp-dev libmpfr-dev libgsl-dev libglpk-dev libpq-dev
  gcc make libc6-dev"
packages_server="postgresql-$DPOBJ_MAJOR-pgtap postgresql-$DPOBJ_MAJOR-cron libtap-parser-sourcehandler-pgtap-perl libipc-run-perl
  python3-numpy python3-pandas python3-psycopg python3-psycopg2 python3-sklearn chromium patch"
packages_check="$packages_server clang libclang-rt-14-dev clang-format cppcheck valgrind debootstrap"
packages_prove="frama-c-base why3 cvc4 patch"
packages_bench="python3-numpy python3-sklearn"

need_packages() {
  local wanted="" missing="" set package
  for set in "$@"; do
    local list="packages_$set"
    wanted="$wanted ${!list}"
  done
  for package in $wanted; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  if [ "$(id -u)" != 0 ]; then
    echo "These packages are missing; install them as root:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 1
  fi
  echo "Installing:$missing"
  # A demo must not leave a server running: postgresql-common makes no main cluster.
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] ||
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o Acquire::Retries=5 update -qq
  # shellcheck disable=SC2086
  apt-get -o Acquire::Retries=5 install -y -qq --no-install-recommends $missing >/dev/null
}

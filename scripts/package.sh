#!/usr/bin/env bash
# package.sh - installs dpobj in every way that docs/install.md has, in clean Debian systems.
#
#   bash scripts/package.sh           all of: deb source docker
#   bash scripts/package.sh deb       the Debian packages of PostgreSQL 15, 17 and 18: each is built twice from
#                                     the archive of make dist, in the suite of Debian that has it; both
#                                     must have one hash; installed in another, otherwise empty system
#   bash scripts/package.sh deb 17    one of them
#   bash scripts/package.sh source    the README's commands, from the archive
#   bash scripts/package.sh docker    the Dockerfile's RUN, in a system with PostgreSQL and not in
#                                     the image of Docker, which needs a running Docker
#
# After each, tests/package/job.sql runs in a cluster as pg_createcluster makes it, which preloads dpobj. As root;
# if no clean system can be made, it says why and stops. KEEP=folder keeps packages, logs of builds and bills of
# materials (scripts/sbom.pl).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")
. "$here/clean_root.sh"

if ! reason=$(root_possible); then
  echo "   skipped: $reason"
  exit 0
elif ! git -C "$top" rev-parse -q --verify HEAD >/dev/null 2>&1; then
  echo "   skipped: the archive is made by git, and this is no clone"
  exit 0
fi
root_alone "$0" "$@"
version=$(sed -n 's/^DPOBJ_VERSION = //p' "$top/Makefile")
parts=() majors=()
for word in "$@"; do
  case $word in
    [0-9]*) majors+=("$word") ;;
    *) parts+=("$word") ;;
  esac
done
chosen=" ${parts[*]:-deb source docker} "
[ ${#majors[@]} -gt 0 ] || majors=(15 17 18)

major=
use_major() { # use_major MAJOR: makes a first system of its suite, unless there is one
  major=$1
  [ -d "$W/base$major" ] || root_make "${suite_of[$major]}" "$W/base$major" || {
    echo "   skipped: Debian's registry does not give ${suite_of[$major]}"
    return 1
  }
  mkdir -p "$W/archives$major" # packages are fetched once for all systems
}

new_root() { # new_root NAME: a copy of the first one
  cp -a --reflink=auto "$W/base$major" "$W/$1"
  root_mount "$W/$1"
  mount --bind "$W/archives$major" "$W/$1/var/cache/apt/archives"
}

unpack() { # unpack ROOT: the archive as /dpobj-VERSION
  tar xzf "$W/dist/dpobj-$version.tar.gz" -C "$W/$1" --no-same-owner
}

main_job() { # main_job ROOT
  unpack "$1"
  root_run "$W/$1" "chmod -R a+rX /dpobj-$version
    [ -d /etc/postgresql/$major/main ] || pg_createcluster $major main >/dev/null
    echo shared_preload_libraries = dpobj >>/etc/postgresql/$major/main/postgresql.conf
    pg_ctlcluster $major main start
    runuser -u postgres -- psql -X -v ON_ERROR_STOP=1 -f /dpobj-$version/tests/package/job.sql
    pg_ctlcluster $major main stop"
}

# A package tells nothing of the place, the umask and the zone of its build.
build_deb() { # build_deb ROOT FOLDER ZONE: into FOLDER/..
  mkdir -p "$W/$1/$2"
  tar xzf "$W/dist/dpobj-$version.tar.gz" -C "$W/$1/$2" --no-same-owner --strip-components=1
  root_run "$W/$1" "cd $2; export TZ=$3
    pg_buildext updatecontrol
    MAKEFLAGS=-j2 dpkg-buildpackage -b -us -uc >build.log 2>&1 || { tail -n 40 build.log; exit 1; }"
}

try_deb() {
  local build=build$major clean=clean$major package=postgresql-$major-dpobj first second
  new_root "$build" && new_root "$clean" || return 1
  unpack "$build"
  root_install "$W/$build" dpkg-dev fakeroot debhelper
  root_run "$W/$build" "cd /dpobj-$version
    apt-get build-dep -y -qq --no-install-recommends ./ >/root/apt.log 2>&1 || { tail -n 20 /root/apt.log; exit 1; }"
  build_deb "$build" /first/dpobj UTC
  (umask 027 && build_deb "$build" /second/place/of/dpobj Asia/Tokyo)
  first=$(cd "$W/$build/first" && sha256sum ./*.deb)
  second=$(cd "$W/$build/second/place/of" && sha256sum ./*.deb)
  [ "$first" = "$second" ] || {
    printf 'two builds differ:\n%s\n%s\n' "$first" "$second"
    return 1
  }
  cp "$W/$build/first"/$package*.deb "$W/$clean/root/"
  root_install "$W/$clean" "/root/${package}_*.deb"
  root_run "$W/$clean" "! command -v gcc || exit 1; cd /usr/share/doc/$package
    for file in copyright README.md docs/admin.md examples/dashboards/*.json; do test -s \$file || test -s \$file.gz; done
    test -s dpobj.spdx.json
    dpkg-query -W -f '   \${Package} \${Version}, \${Installed-Size} KiB\n   needs \${Depends}\n   suggests \${Suggests}\n' $package"
  sed -n "s|^\(.*\)  ./\(${package}_.*\)|   two builds of \2 have the hash \1|p" <<<"$first"
  if [ -n "${KEEP:-}" ]; then
    cp "$W/$build/first"/*.deb "$KEEP/"
    cp "$W/$build/first/dpobj/build.log" "$KEEP/$package.log"
    cp "$W/$clean/usr/share/doc/$package/dpobj.spdx.json" "$KEEP/$package.spdx.json"
  fi
  main_job "$clean"
}

# The first block of commands under "Install" in the README.
readme_commands() {
  sed -n '/^## Install/,/^## From/p' "$top/README.md" | sed -n '/^```sh$/,/^```$/{/^```/d;p}' | sed 's/^sudo //'
}

try_source() {
  local commands
  commands=$(readme_commands | sed 's/apt-get install/& -y -qq --no-install-recommends/')
  grep -q '^make install$' <<<"$commands" || { echo "the README has no commands"; return 1; }
  new_root source || return 1
  unpack source
  root_run "$W/source" "apt-get update -qq; cd /dpobj-$version
    { $commands
    } >/root/source.log 2>&1 || { tail -n 40 /root/source.log; exit 1; }"
  main_job source
}

# RUN, of which the lines go on after a backslash.
docker_commands() {
  perl -0777 -ne 's/\\\n\s*/ /g; print "$1\n" while /^RUN (.*)$/mg' "$top/Dockerfile"
}

try_docker() {
  new_root docker || return 1
  root_install "$W/docker" "postgresql-$major"
  mkdir "$W/docker/tmp/dpobj"
  tar xzf "$W/dist/dpobj-$version.tar.gz" -C "$W/docker/tmp/dpobj" --no-same-owner --strip-components=1
  root_run "$W/docker" "export PG_MAJOR=$major
    { $(docker_commands)
    } >/root/docker.log 2>&1 || { tail -n 40 /root/docker.log; exit 1; }
    ! command -v gcc; test -s /usr/share/doc/dpobj/LICENSE"
  main_job docker
}

make -s -C "$top" dist REF=HEAD DIST="$W/dist" >/dev/null
try() { # try PART MAJOR
  local began=$SECONDS
  [[ $chosen == *" $1 "* ]] && use_major "$2" || return 0
  "try_$1"
  echo "   $1 on PostgreSQL $2 (${suite_of[$2]}): ok, $((SECONDS - began)) s"
}
for number in "${majors[@]}"; do
  try deb "$number"
done
try source 15
try docker 15

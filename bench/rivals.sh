#!/usr/bin/env bash
# rivals.sh - GLPK and CBC on the papers' programme, beside the native search.
#
#   bench/rivals.sh [folder of adult23.csv]     by default that of DPOBJ_DATA; about 9 minutes
#
# Four draws of bench/oracle, each as two files (bench/rivals.c): a binary per row of the
# training set, and one per distinct row. Each solver has 60 seconds of wall clock for each; it
# is told 55, and killed at 60 where it does not look at the clock. The two run side by side,
# one core each.
#
# Objectives are in misclassified rows, less a constant of the file. On the left what the rival
# has at the end (gap = incumbent less bound), on the right the native search, one thread.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=${1:-${DPOBJ_DATA:-}}
told=${RIVALS_SECONDS:-55}
killed=$((told + 5))

[ -r "$data/adult23.csv" ] || { echo "skipped: no adult23.csv (name its folder, or set DPOBJ_DATA)"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gcc -std=c11 -O3 -D_GNU_SOURCE -I"$here/src" -I"$here/tests" -o "$work/rivals" \
  "$here/bench/rivals.c" "$here"/src/core/*/*.c "$here"/src/solver/glpk_*.c -lglpk -lgsl -lgslcblas -lmpfr -lgmp -lm -lpthread
"$work/rivals" "$data" "$work" >"$work/draws"

run_glpk() { # FILE LOG
  nice -n 10 timeout -s KILL "$killed" glpsol --freemps "$1" --tmlim "$told" >"$2" 2>&1
}

run_cbc() { # FILE LOG; it says nothing before its end unless its output is unbuffered
  nice -n 10 timeout -s KILL "$killed" stdbuf -oL cbc "$1" -sec "$told" -timeMode elapsed -solve >"$2" 2>&1
}

# Each reads a log and prints: solved or open, incumbent, bound.
read_glpk() {
  awk '
    /mip =/ { sub(/.*mip = */, ""); bound = $0; sub(/.*>= */, "", bound); sub(/ .*/, "", bound)
              value = /not found/ ? "none" : $1 }
    />>>>>/ { sub(/.*>>>>> */, ""); value = $1; bound = $3 }
    /INTEGER OPTIMAL SOLUTION FOUND/ { solved = 1 }
    END { if (solved) bound = value; print solved ? "solved" : "open", value == "" ? "none" : value, bound == "" || bound == "-inf" ? "none" : bound }
  ' "$1"
}

read_cbc() {
  awk '
    /Continuous objective value is/ { bound = $5 }
    /Cbc0012I Integer solution of/ { value = $5 }
    /best possible/ { match($0, /best possible [^ ]+/); bound = substr($0, RSTART + 14, RLENGTH - 14) }
    /^Lower bound:/ { bound = $3 }
    /Result - Optimal solution found/ { solved = 1 }
    /^Objective value:/ && solved { value = bound = $3 }
    END { print solved ? "solved" : "open", value == "" ? "none" : value, bound == "" || bound == "-inf" ? "none" : bound }
  ' "$1"
}

rival() { # SOLVER DRAW KIND SECONDS OPTIMUM: run and print a line
  local began ended outcome
  if ! command -v "$([ "$1" = GLPK ] && echo glpsol || echo cbc)" >/dev/null; then
    echo "$2 $3 $1 skipped: not installed (Debian: glpk-utils, coinor-cbc)"
    return
  fi
  began=$(date +%s.%N)
  "run_${1,,}" "$work/$2-$3.mps" "$work/$2-$3-$1.log" 2>/dev/null || true # killed at the limit
  ended=$(date +%s.%N)
  outcome=$("read_${1,,}" "$work/$2-$3-$1.log")
  awk -v draw="$2" -v kind="$3" -v solver="$1" -v seconds="$(echo "$ended $began" | awk '{print $1 - $2}')" \
    -v native="$4" -v optimum="$5" '{
      gap = $2 != "none" && $3 != "none" ? sprintf("%.1f", $2 - $3) : "-"
      incumbent = $2 == "none" ? "none" : sprintf("%.1f", $2)
      bound = $3 == "none" ? "none" : sprintf("%.1f", $3)
      printf "%-5s %-9s %-5s %8.1f %-7s %10s %10s %8s | %8.3f %10.1f\n", draw, kind, solver, seconds, $1,
        incumbent, bound, gap, native, optimum }' <<<"$outcome"
}

printf '%-5s %-9s %-5s %8s %-7s %10s %10s %8s | %8s %10s\n' draw programme solver seconds outcome \
  incumbent bound gap native optimum
while read -r draw seconds literal distinct; do
  for kind in literal distinct; do
    optimum=$([ $kind = literal ] && echo "$literal" || echo "$distinct")
    rival GLPK "$draw" $kind "$seconds" "$optimum" >"$work/line.GLPK" </dev/null &
    rival CBC "$draw" $kind "$seconds" "$optimum" >"$work/line.CBC" </dev/null
    wait
    cat "$work/line.GLPK" "$work/line.CBC"
  done
done <"$work/draws"

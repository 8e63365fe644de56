# accuracy_sql.sh - what default calls reach and take through SQL, at both doors, and the same calls
# without an intercept; sourced by accuracy.sh.
#
#   accuracy_sql FOLDER [SET [TEXT [EPSILON]]]     FOLDER has the sets of accuracy_sets.py
#
# In a throw-away cluster, each set is a table for dp_classifier and one that is protected for
# dpobj.train. Options are the public declarations only, and that models get all of epsilon. Prints lines of bench/results/accuracy.tsv: the seconds
# are those of the longest call, and behind them stands the largest private memory of backend and solver
# together, in MiB. DPOBJ_RUNS and DPOBJ_LIMIT are the number of calls and the seconds after which one
# is late.
. "$here/scripts/packages.sh"
. "$here/scripts/workplace.sh"
. "$here/bench/peak.sh"

accuracy_sql_cell() { # SET ROW EPSILON STATEMENT
  local limit=${DPOBJ_LIMIT:-60} found
  unprivileged "psql -X -q -c 'TRUNCATE kept'"
  if peak_of "SET statement_timeout = '${limit}s'; SET client_min_messages = warning;" "$4" "${DPOBJ_RUNS:-10}" 2>"$W/said"; then
    found=$(unprivileged "psql -X -q -At -F '	' -v ON_ERROR_STOP=1 -f bench/accuracy_sql.sql")
    seconds=$(sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' "$W/measured" | sort -g | tail -1 | awk '{ printf "%.3f", $1 / 1000 }')
  elif grep -q 'statement timeout' "$W/said"; then
    found="late	0.000	nan" seconds=$limit
  else
    cat "$W/said" >&2
    return 1
  fi
  printf '%s\tsql\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$found" "$seconds" "$together"
}

accuracy_sql_calls() { # SET SUFFIX OPTION TEXT EPSILON
  local option=$3 epsilon=$5
  [[ "dp_classifier through SQL$2" != *"$4"* ]] ||
    accuracy_sql_cell "$1" "dp_classifier through SQL$2" "$epsilon" \
      "INSERT INTO kept SELECT dp_classifier(features, positive, $epsilon, $delta, '$options'::jsonb || '$option') FROM owned"
  [[ "dpobj.train through SQL$2" != *"$4"* ]] ||
    accuracy_sql_cell "$1" "dpobj.train through SQL$2" "$epsilon" \
      "INSERT INTO kept SELECT dpobj.train('guarded', 'positive', $epsilon, delta => $delta, options => '$option'::jsonb || '{\"coverage_epsilon\": 0, \"rate\": 0, \"objective\": \"accuracy\"}')"
}

accuracy_sql_set() { # FOLDER SET TEXT EPSILON
  local delta options epsilon
  python3 "$here/bench/accuracy_sets.py" --sql "$1/$2.set" | unprivileged "psql -X -q -v ON_ERROR_STOP=1 >/dev/null"
  delta=$(unprivileged "psql -X -q -At -c 'SELECT delta FROM declared'")
  options=$(unprivileged "psql -X -q -At -c 'SELECT options FROM declared'")
  for epsilon in ${4:-0.1 0.3 0.5 1 2 5 10}; do
    accuracy_sql_calls "$2" "" "{}" "$3" "$epsilon"
    accuracy_sql_calls "$2" ", no intercept" '{"intercept": false}' "$3" "$epsilon"
  done
}

accuracy_sql() {
  local name
  need_packages build
  workplace_make
  workplace_build
  cluster_start "fsync = off" "jit = off" "dpobj.release_tick = 0"
  unprivileged "psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION dpobj' -c 'CREATE TABLE kept (model dp_model)'"
  for name in adult23 cont15 cont20sep onehot30 mixed30 sparse40 magic german full; do
    [[ ! "${2:-all}" =~ ^(all|$name)$ ]] || accuracy_sql_set "$1" "$name" "${3:-}" "${4:-}"
  done
}

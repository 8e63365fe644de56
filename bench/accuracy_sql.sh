# accuracy_sql.sh - what default calls reach and take through SQL, at both doors; sourced by accuracy.sh.
#
#   accuracy_sql FOLDER [SET [TEXT [EPSILON]]]     FOLDER has the sets of accuracy_sets.py
#
# In a throw-away cluster, each set is a table for dp_classifier and one that is protected for
# dpobj.train. Options are the public declarations only. Prints lines of docs/accuracy.tsv: the seconds
# are those of the longest call, and behind them stands the largest private memory of backend and solver
# together, in MiB.
. "$here/scripts/packages.sh"
. "$here/scripts/workplace.sh"
. "$here/bench/peak.sh"

accuracy_sql_runs=${DPOBJ_RUNS:-10}
accuracy_sql_limit=${DPOBJ_LIMIT:-60} # seconds of a call; a longer one is late

accuracy_sql_cell() { # SET ROW EPSILON STATEMENT
  local runs=$accuracy_sql_runs found
  unprivileged "psql -X -q -c 'TRUNCATE kept'"
  if peak_of "SET statement_timeout = '${accuracy_sql_limit}s'; SET client_min_messages = warning;" "$4" "$runs" 2>"$W/said"; then
    found=$(unprivileged "psql -X -q -At -F '	' -v ON_ERROR_STOP=1 -f bench/accuracy_sql.sql")
    seconds=$(sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' "$W/measured" | sort -g | tail -1 | awk '{ printf "%.3f", $1 / 1000 }')
  elif grep -q 'statement timeout' "$W/said"; then
    found="late	0.000	nan" seconds=$accuracy_sql_limit
  else
    cat "$W/said" >&2
    return 1
  fi
  printf '%s\tsql\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$found" "$seconds" "$together"
}

accuracy_sql() {
  local folder=$1 set=${2:-all} text=${3:-} epsilon file name delta options call row e
  need_packages build
  workplace_make
  workplace_build
  cluster_start "fsync = off" "jit = off" "dpobj.release_tick = 0"
  unprivileged "psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION dpobj' -c 'CREATE TABLE kept (model dp_model)'"
  for name in adult23 cont15 cont20sep onehot30 mixed30 sparse40 magic german full; do
    [ "$set" = all ] || [ "$set" = "$name" ] || continue
    file=$folder/$name.set
    python3 "$here/bench/accuracy_sets.py" --sql "$file" | unprivileged "psql -X -q -v ON_ERROR_STOP=1 >/dev/null"
    delta=$(unprivileged "psql -X -q -At -c 'SELECT delta FROM declared'")
    options=$(unprivileged "psql -X -q -At -c 'SELECT options FROM declared'")
    for row in dp_classifier dpobj.train; do
      [[ "$row through SQL" = *"$text"* ]] || continue
      for e in 0.1 0.3 0.5 1 2 5 10; do
        epsilon=${4:-$e}
        [ "$epsilon" = "$e" ] || continue
        call="INSERT INTO kept SELECT dp_classifier(features, positive, $e, $delta, '$options') FROM owned"
        [ "$row" = dp_classifier ] ||
          call="INSERT INTO kept SELECT dpobj.train('guarded', 'positive', $e, delta => $delta)"
        accuracy_sql_cell "$name" "$row through SQL" "$e" "$call"
      done
    done
  done
}

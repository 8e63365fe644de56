#!/usr/bin/env bash
# goals.sh - how long reading rows and training take, each beside its rival and its goal, in one run.
#
#   bench/goals.sh [ROWS [LARGE [ROUNDS]]]     1,000,000 rows, 10,000,000 and three rounds if not told
#
# The 10,000,000 rows take 5 GB of disk; 0 leaves them out.
#
# The rival of the aggregates is count(features) in a serial plan; that of a private logistic regression is COPY of the
# table to a file, pandas.read_csv, which was faster than numpy.loadtxt, and scikit-learn's LogisticRegression.
# dp_logistic reads both kinds of a million distinct rows: 23 random columns, and arrays of which 20 numbers are 0 or 1.
# Each line has the medians of seconds, and of the seconds that backend and solver, or the rival, had of the processors,
# the ratios of both to the rival's, and the largest private memory of backend and solver together.  On a shared machine,
# compare those of the processors; two threads of the solver count twice there.  bench/remote.sh has looks on two servers.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
. "$here/peak.sh"
rows=${1:-1000000}
large=${2:-10000000}
rounds=${3:-3}

need_packages build server
workplace_make
workplace_build
cluster_start "shared_buffers = '1GB'" "max_parallel_workers_per_gather = 0" "jit = off" "autovacuum = off" \
  "max_wal_size = '16GB'" "wal_level = minimal" "max_wal_senders = 0" "fsync = off" "dpobj.release_tick = 0"
make_table() { # ROWS: the table wide
  unprivileged "psql -X -q -v ON_ERROR_STOP=1 -v rows=$1 -f bench/memory.sql >/dev/null"
}
make_table "$rows"
unprivileged "psql -X -q -v ON_ERROR_STOP=1 -v rows=$rows -f bench/ingest_tables.sql"
cat >"$W/rival.py" <<'PY'
import resource, sys, time
import pandas
from sklearn.linear_model import LogisticRegression

def now():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), use.ru_utime + use.ru_stime

begin = now()
data = pandas.read_csv(sys.argv[1], header=None)
LogisticRegression().fit(data.iloc[:, :23].to_numpy(), data[23].to_numpy() == 't')
print(*(after - before for before, after in zip(begin, now())))
PY

note() { # NAME: keeps what has just been measured
  echo "$1|$seconds|$busy|$together" >>"$W/noted"
}

take() { # NAME STATEMENT [RUNS]
  peak_of "SET client_min_messages = warning; SET synchronize_seqscans = off;" "$2" "${3:-2}" || exit 1
  note "$1"
}

take_rival() {
  local copied copied_busy
  peak_of "" "COPY wide TO '$W/wide.csv' CSV" || exit 1
  copied=$seconds copied_busy=$busy
  read -r seconds busy < <(unprivileged "/usr/bin/python3 '$W/rival.py' '$W/wide.csv'")
  rm "$W/wide.csv"
  read -r seconds busy < <(awk '{ print $1 + $3, $2 + $4 }' <<<"$seconds $busy $copied $copied_busy")
  together=0
  note rival
}

columns=$(seq -s, -f 'x%g' 23)
train="SELECT release FROM dpobj.train('wide', 'label', 1"
for ((round = 0; round < rounds; round++)); do
  for table in few many; do
    take "$table count" "SELECT count(features) FROM $table" 6
    take "$table halfspace" "SELECT dp_halfspace(features, label, 1.0, 0, '{\"dimension\": 23, \"grid\": {\"sparse\": 1}}') FROM $table" 6
    take "$table logistic" "SELECT dp_logistic(features, label, 1.0, 1e-6, '{\"dimension\": 23}') FROM $table" 6
  done
  take_rival
  take "wide logistic" "SELECT dp_logistic(ARRAY[$columns], label, 1.0, 1e-6) FROM wide" 4
  take "train logistic" "$train, method => 'logistic')" 4
  take "train default" "$train)"
done
if [ "$large" != 0 ]; then
  unprivileged "psql -X -q -v ON_ERROR_STOP=1 -c 'DROP TABLE few, many, wide' -c 'DROP EXTENSION dpobj CASCADE'" 2>/dev/null
  make_table "$large"
  take "large logistic" "$train, method => 'logistic', features => '{$(seq -s, -f 'x%g' 20)}')"
  take "large 23" "$train, method => 'logistic')"
fi

echo "$rows rows, $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
sort -t'|' -k1,1 -k3,3n "$W/noted" | awk -F'|' -v rows="$rows" -v large="$large" '
  function line(what, name, rival, goal) {
    if (!(name in count))
      return
    printf "%-64s %8.3f s %8.3f s", what, median(seconds, name), median(busy, name)
    if (rival != "")
      printf "  %6.3f  %6.3f of the rival", median(seconds, name) / median(seconds, rival), median(busy, name) / median(busy, rival)
    if (memory[name] > 0)
      printf "  %d MiB", memory[name]
    printf "  (goal %s)\n", goal
  }
  function median(of, name,   value, i, k, swap, n) {
    n = count[name]
    for (i = 1; i <= n; i++)
      value[i] = of[name, i]
    for (i = 1; i <= n; i++)
      for (k = i + 1; k <= n; k++)
        if (value[k] < value[i]) { swap = value[i]; value[i] = value[k]; value[k] = swap }
    return value[int((n + 1) / 2)]
  }
  { n = ++count[$1]; seconds[$1, n] = $2; busy[$1, n] = $3; if ($4 > memory[$1]) memory[$1] = $4 }
  END {
    printf "%-64s %10s %10s\n", "", "seconds", "processors"
    line("10,000 distinct arrays of 23: count(features)", "few count", "", "none")
    line("  dp_halfspace of 47 vectors", "few halfspace", "few count", "1.5 of the rival")
    line("  dp_logistic", "few logistic", "few count", "none")
    line("all distinct: count(features)", "many count", "", "none")
    line("  dp_halfspace of 47 vectors", "many halfspace", "many count", "none")
    line("  dp_logistic (the rival has the 23 columns below)", "many logistic", "rival", "0.08 of the rival")
    line("23 columns: COPY, read, scikit-learn", "rival", "", "none")
    line("  dp_logistic", "wide logistic", "rival", "0.08 of the rival")
    line("  dpobj.train, logistic", "train logistic", "rival", "0.08 of the rival")
    line("  dpobj.train by default", "train default", "", "10 s")
    line(large " rows: dpobj.train, logistic, 20 columns", "large logistic", "", "40 s, 1024 MiB")
    line("  23 columns; times the seconds of " rows, "large 23", "train logistic", large / rows * 1.1)
  }'

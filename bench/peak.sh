# peak.sh - what a statement takes: seconds, and the largest private memory of its backend and solver; sourced.
#
#   peak_of SETTINGS STATEMENT [RUNS]    sets seconds, busy, and backend, solver and together in MiB; false if it fails
#
# With several RUNS, an even number, the first warms the caches, and seconds is the median of the others. busy: the mean
# of the seconds that backend and solver had of the processors, which hardly depends on what else the machine does.
#
# After workplace.sh, which starts the cluster. Parts of the shared buffers and of the page cache do not count.

# Prints the largest RssAnon of a process and of any child of it in KiB, and of both together, seen
# until it ends.
watch_process() {
  local own now pid child peak=0 child_peak=0 together=0
  while own=$(awk '/^RssAnon/ { print $2 }' "/proc/$1/status" 2>/dev/null) && [ -n "$own" ]; do
    child=0
    for pid in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
      now=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2>/dev/null) || continue # it has just ended
      child=$((child + ${now:-0}))
    done
    [ "$own" -gt "$peak" ] && peak=$own
    [ "$child" -gt "$child_peak" ] && child_peak=$child
    [ $((own + child)) -gt "$together" ] && together=$((own + child))
    sleep 0.02
  done
  echo "$peak $child_peak $together"
}

peak_of() {
  local out=$W/measured runs=${3:-1} pid job
  rm -f "$out"
  unprivileged "psql -X -q -At -v ON_ERROR_STOP=1" >"$out" <<SQL &
SELECT pg_backend_pid() AS pid \\gset
\\setenv PID :pid
\\echo :pid
$1
\\timing on
$(for ((run = 0; run < runs; run++)); do
    [ "$run" != 0 ] && [ "$run" != 1 ] || echo '\! echo Busy: $(sed "s/.*) //" /proc/$PID/stat)'
    echo "$2 \\g /dev/null"
  done)
\\! echo Busy: \$(sed "s/.*) //" /proc/\$PID/stat)
SQL
  job=$!
  until [ -s "$out" ]; do sleep 0.02; done
  pid=$(head -1 "$out")
  read -r backend solver together < <(watch_process "$pid")
  backend=$((backend / 1024)) solver=$((solver / 1024)) together=$((together / 1024))
  wait "$job" || {
    cat "$out" >&2
    tail -3 "$W/server.log" >&2
    return 1
  }
  seconds=$(sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' "$out" | tail -$((runs > 1 ? runs - 1 : 1)) | sort -n |
    sed -n "$(((runs + 1) / 2))p" | awk '{ printf "%.3f", $1 / 1000 }')
  busy=$(awk -v ticks="$(getconf CLK_TCK)" -v runs="$((runs > 1 ? runs - 1 : 1))" '
    /^Busy/ { before = now; now = $13 + $14 + $15 + $16 } END { printf "%.3f", (now - before) / ticks / runs }' "$out")
}

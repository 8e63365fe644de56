# ends_random.sh - random ordinary calls: what they take, beside what their price says; sourced by ends.sh.
#
#   ends_random CALLS SEED
#
# Each call trains on a table of its own: 1 to 1,000,000 rows, 1 to 300 columns, of which none, half or all are
# numbers and the others true or false; at either door, under both adjacencies, with rows or persons as units. A line
# has the call, the seconds and MiB measured, those that the price expects and bounds, and the refusal if there is
# one. The last lines sum up. A call is ended after ten minutes.

# A call a line: door method rows columns numbers adjacency unit epsilon. At most 2e7 values make a table.
draw_calls() {
  awk -v calls="$1" -v seed="$2" '
    function pick(text,   part) { return part[1 + int(rand() * split(text, part, " "))] }
    BEGIN {
      srand(seed)
      while (calls > 0) {
        rows = int(10 ^ (6 * rand())); columns = int(10 ^ (log(300) / log(10) * rand()))
        if (rows * columns > 2e7) continue
        door = pick("owner analyst")
        print door, pick("auto halfspace logistic svm linear one_vs_rest softmax simplex"), rows, columns, pick("0 0.5 1"), \
          pick("replace add_remove"), door == "analyst" ? pick("row row person") : "row", pick("0.1 1 10")
        calls--
      }
    }'
}

make_table() {
  local used=() values=() declared=() scale='{"center": 0.5, "scale": 0.5}' person= j
  for ((j = 1; j <= columns; j++)); do
    if ((j * 7919 % 100 < share)); then
      used+=("c$j") values+=("random() AS c$j") declared+=("\"c$j\": $scale")
    else
      used+=("c$j::int") values+=("random() < 0.3 AS c$j") declared+=("\"c$j\": {}")
    fi
  done
  features=$(IFS=,; echo "${used[*]}")
  case $method in
    linear | simplex) label='random()' declared+=("\"y\": $scale") ;;
    one_vs_rest | softmax) label="(ARRAY['a', 'b', 'c'])[1 + floor(random() * 3)::int]" declared+=('"y": {"levels": ["a", "b", "c"]}') ;;
    *) label='random() < 0.4' declared+=('"y": {}') ;;
  esac
  [ "$unit" = row ] || person=", person => 'person', max_rows_per_person => 5"
  unprivileged "psql -Xq -v ON_ERROR_STOP=1" >/dev/null <<S
SET client_min_messages = warning;
DROP TABLE IF EXISTS call_$((number - 1));
CREATE TABLE $table AS SELECT $(IFS=,; echo "${values[*]}"), $label AS y, i / 5 AS person FROM generate_series(1, $rows) i;
SELECT dpobj.protect('$table', '{$(IFS=,; echo "${declared[*]}")}', adjacency => '$adjacency', n => $rows$person),
       dpobj.set_budget('$table', 'ann', 1000, 0.01);
S
}

# Sets price and call.
statements() {
  local options="\"adjacency\": \"$adjacency\", \"n\": $rows, \"dimension\": $columns" arguments
  case $method in
    linear | simplex) options+=', "target": [0, 1]' ;;
    one_vs_rest | softmax) options+=', "classes": ["a", "b", "c"]' ;;
  esac
  if [ "$door" = owner ]; then
    arguments="$epsilon, 1e-6, '{$options}'"
    price="SELECT dpobj.price_aggregate('$method', $columns, $arguments)"
    call="SELECT (dp_${method/auto/classifier}(ARRAY[$features]::float8[], y, $arguments)).release FROM $table"
  else
    arguments="'$table', 'y', $epsilon, delta => 1e-6, method => '$method'"
    price="SELECT dpobj.price($arguments)"
    call="SELECT release FROM dpobj.train($arguments)"
  fi
}

# A member of the price.
priced() { sed -nE "s/.*\"$1\": ([^,}]*).*/\\1/p" <<<"$answer"; }

ends_random() {
  local door method rows columns numbers adjacency unit epsilon share session answer refusal features price call number=0 table
  unprivileged "psql -Xq -v ON_ERROR_STOP=1" <<<'CREATE EXTENSION IF NOT EXISTS dpobj; CREATE ROLE ann LOGIN;'
  draw_calls "$@" >"$W/calls"
  while read -r door method rows columns numbers adjacency unit epsilon <&3; do
    number=$((number + 1)) table=call_$number # charges of a table's name are of its neighbours
    share=$(awk "BEGIN { print 100 * $numbers }")
    make_table
    statements
    session="SET client_min_messages = error; SET statement_timeout = '600s';"
    [ "$door" = owner ] || session+=' SET SESSION AUTHORIZATION ann;'
    answer=$(unprivileged "psql -XqAt" <<<"$session $price" 2>&1 | tr '\n' ' ')
    refusal= seconds=- together=-
    peak_of "$session" "$call" 2>"$W/error" || refusal=$(grep -m1 -o 'ERROR:.*' "$W/error" || echo failed)
    echo "$door $method $rows $columns $numbers $adjacency $unit $epsilon | $seconds $(priced seconds_expected)" \
      "$(priced seconds_at_most) | $together $(priced memory_expected) $(priced memory_at_most) | $refusal"
  done 3<"$W/calls" | tee "$W/lines"
  awk -F' [|] ' '
    function near(a, b) { return a <= 2 * b && b <= 2 * a }
    { calls++ }
    $4 != "" { refused++; next }
    { split($2, t, " "); split($3, m, " "); answered++
      seconds += near(t[1], t[2]); mebibytes += near(m[1], m[2])
      bounded += t[3] != "null" && t[1] <= t[3]; tight += t[3] != "null" && t[1] <= t[3] && t[3] <= 5 * t[1] }
    END {
      printf "%d calls, %d refused\n", calls, refused
      printf "of %d answered: seconds within 2x of the expected ones %d, MiB %d; within the bound %d, which is within 5x %d\n",
        answered, seconds, mebibytes, bounded, tight
    }' "$W/lines"
}

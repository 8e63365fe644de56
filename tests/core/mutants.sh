#!/usr/bin/env bash
# mutants.sh - run the core with each of its deliberate faults (src/core/base/mutant.h) and
# see that a named test catches it. Run from the top of the tree:
#
#   bash tests/core/mutants.sh        all of them; BUILD=folder keeps what was built
#   bash tests/core/mutants.sh 4 9    some of them
#
# One build has them all (tests/core/Makefile); DPOBJ_MUTANT=17 chooses one. Prints one line per
# mutant, and fails if one survives, or if the test passes over its place. The same programs
# must pass without a fault, or nothing would be shown.
set -uo pipefail

# number | test that kills it | fault
mutants=(
  '1|test_privacy|gauge: noise times 0.7, the rate too large'
  '2|test_privacy|exponential, permute-and-flip: rate times 1 / 0.7'
  '3|test_privacy|margin of add_remove under replace too'
  '4|test_privacy|gauge: an odd N, which the cube under add_remove cannot have (theorem G5)'
  '5|test_privacy|oracle: ties go to the smaller loss, so the data decide them'
  '6|test_select|exponential: every proposal accepted, bounds taken for masses'
  '7|test_gauge|one-hot rows drawn without rejection, several zeros too often'
  '8|test_rows|features not clipped from above'
  '9|test_release|opdisc: N follows the number of rows'
  '10|test_gauge|radius from D geometrics instead of D + 1 (Gamma(k) with uniform in K)'
  '11|test_privacy|sparse gauge: the factor k of the shift forgotten'
  '12|test_gauge|"at most k" non-zeros taken for "exactly k" (counterexample G9)'
  '13|test_bits|uniform numbers by remainder, which favours small ones'
  '14|test_privacy|gauge: shift halved without a modulus, as if vectors differed twice (theorem G7)'
  '15|test_persons|rows of a person chosen by their place in the table'
  '16|test_persons|equal rows of a person chosen together'
  '17|test_laplace|Laplace: noise drawn twice and added up'
  '24|test_perturbation|perturbation: real noise times 0.8'
  '25|test_perturbation|paraboloid: u on the sphere instead of in the ball'
  '26|test_perturbation|sphere: the last feature does not follow |w|'
  '27|test_calibration|calibration: proposals of doubles taken unproved, 1e-7 too large'
  '28|test_perturbation|Gaussian: the published sigma for the proved one'
  '30|test_convex|convex: rows not clipped to the radius'
  '31|test_convex|convex: length of Gamma(d - 1) in d dimensions'
  '32|test_convex|convex: noise times 0.8'
  '33|test_convex|convex: ln(1 + beta / lambda) forgotten'
  '34|test_rows|rows kept that are not one-hot in a declared group'
  '50|test_sample|uniform vectors of a grid: a level counts once, whatever can follow it'
  '51|test_sample|parts: rows in the order of the table, which a search that stops early sees'
  '52|test_sample|parts: a row goes where its contents say, so a new one goes elsewhere (theorem F5)'
  '53|test_sample|votes: rate times 1 / 0.8'
  '54|test_sample|votes: a vector without a vote is never drawn'
  '55|test_sample|parts: the nodes of one are taken from those after it (theorem F5)'
  '90|test_convex_net|net: what one row can change taken for half of it'
  '91|test_convex_net|net: points kept at twice the rate'
  '92|test_convex_net|localized: the ball gets all of epsilon, after the centre'
  '93|test_convex_net|localized: the radius of the ball for its diameter'
  '94|test_opsamp|opsamp: g and o of add_remove under replace too'
  '95|test_opsamp|opsamp: Laplace noise times 0.8'
  '96|test_opsamp|opsamp: sigma half as long as it is reckoned with'
  '97|test_opsamp|opsamp: the gap to the minimum taken for a ten-thousandth of it'
  '98|test_opsamp|opsamp: the mean distance for a bound on the distance'
  '100|test_simplex|simplex: epsilon of a draw times 0.8'
  '101|test_simplex|simplex: the curvature forgotten in the epsilon of a draw'
  '102|test_simplex|simplex: rho of a draw as if its square were divided by 16'
  '103|test_simplex|simplex: rows beyond n kept'
  '104|test_simplex|simplex: rows beyond n left out by their place'
  '105|test_simplex|simplex: rows not clipped to the bounds'
  '106|test_simplex|simplex: weights of four bits'
  '107|test_simplex|simplex: weights taken without a certificate'
  '108|test_simplex|simplex: the first index drawn too often'
  '130|test_evaluation|counts of right and wrong: noise of add_remove under replace too'
  '131|test_evaluation|counts of right and wrong: noise times 0.8'
  '132|test_evaluation|counts of right and wrong: one draw for all of them'
  '133|test_select_list|list: the first of those with heads, instead of any'
  '134|test_select_list|list: rate times 1 / 0.8'
  '20|test_tree|tree: the bound of a closed box clipped below its mass'
  '21|test_tree|tree: an attempt broken off at a node whose bound it has just changed'
  '22|test_tree|tree: only the first 64 bits of an interval point are random'
  '23|test_tree_limits|tree: a full tree refuses attempts that lead out of it'
  '110|test_spill|spilled rows: the last ones never written'
  '111|test_spill|spilled rows: negative labels not read back'
  '112|test_spill|passes over rows: the last block left out where threads share'
  '116|test_spill|gathered rows: the first block of records only'
  '113|test_descent|batch: places of fixed batches begin anew with each block'
  '114|test_spill|net: the first block only, but for the first worker'
  '115|test_opsamp|opsamp: rows not cut off at the declared peak'
  '135|test_accounting|accounting: a replacement costs as much as a removal'
  '136|test_accounting|accounting: a concentrated cost without a delta of its own taken for a pure one'
  '80|test_rdp|rdp: rows replaced taken for rows removed'
  '81|test_rdp|rdp: the pair without its swap (theorem D3)'
  '82|test_descent|batch: rows of Poisson batches twice as likely'
  '83|test_descent|batch: places drawn with replacement'
  '84|test_descent|descent: sqrt(T) forgotten'
  '85|test_descent|descent: Poisson batches under replace as under add_remove'
  '86|test_descent|descent: noise times 0.8'
  '87|test_descent|batch: a share of the real number of rows'
  '120|test_pld|pld: losses rounded down to the grid instead of shared out'
  '121|test_pld|pld: the atom at infinity dropped'
  '122|test_pld|pld: rows replaced in samples taken for rows removed'
  '123|test_composition|composition: one direction only'
  '124|test_pld|pld: ln(1 + beta / lambda) forgotten'
  '125|test_pld|pld: half of the bounded range'
  '126|test_composition|optimal composition: the deltas forgotten'
  '140|test_guarantee|guarantee: a removal counted as a replacement'
  '141|test_guarantee|guarantee: all of delta for the conversion of rho'
  '142|test_guarantee|guarantee: all of delta for that of Renyi divergences'
  '143|test_guarantee|guarantee: claims that are not alike composed as if they were'
  '144|test_guarantee|guarantee: the law of a removal for a replacement'
  '145|test_guarantee|guarantee: the second noise of objective perturbation forgotten'
  '147|test_accounting|group: epsilon of one row for that of several'
  '148|test_accounting|group: delta times the number of rows, without the powers of e^epsilon'
  '146|test_guarantee|guarantee: parameters rounded down to fewer laws'
  '70|test_discrete_gaussian|discrete Gaussian: every proposal of the Laplace law kept'
  '71|test_ftrl|ftrl: sigma of the nodes times 0.7'
  '72|test_ftrl|ftrl: gauge noise of the nodes times 0.7'
  '73|test_ftrl|ftrl: rate of the draws divided by 0.7'
  '74|test_ftrl|ftrl: a level of nodes forgotten in the calibration'
  '75|test_ftrl|ftrl: noise of a block used again as noise of none'
  '76|test_ftrl|ftrl: noise cut to a range, whose ends show the sums'
  '160|test_parallel|groups: epsilon of a group not halved under replace (theorem P2)'
  '161|test_parallel|groups: delta of a group halved only, as if a row could not stay in it'
  '163|test_persons|groups: k rows of a person in each group'
  '190|test_cron_times|schedule: two fields of days must both fit, also where none begins with a star'
  '191|test_cron_times|schedule: backwards, of an earlier day only its first minute is looked at'
)

export DPOBJ_TEST_SHARE=${DPOBJ_TEST_SHARE:-20}

# The faults are gross, so a test that goes on for longer is stuck: seconds of a processor, because
# others may want it, too; one that waits for nothing is ended after ten times as many.
patience=180

if [ -z "${BUILD:-}" ]; then
  BUILD=$(mktemp -d)
  trap 'rm -rf "$BUILD"' EXIT
fi

# run NUMBER TEST: 0 if it passes, 1 if a check fails, 2 if it could not be tried
run() {
  local number=$1 test=$2 output=$BUILD/mutants/$1.$2 status
  {
    (ulimit -St "$patience" && DPOBJ_MUTANT=$number DPOBJ_FIRST_FAILURE=1 \
      exec timeout $((10 * patience)) "$BUILD/plain/$test") >"$output" 2>&1
  } 2>/dev/null # what this shell says of an abort
  status=$?
  [ "$number" = 0 ] || grep -q 'mutant reached' "$output" || return 2
  case $status in
    0) return 0 ;;
    124 | 152) return 2 ;; # timeout's own, and 128 + SIGXCPU
    *) return 1 ;;
  esac
}

# try 'NUMBER|TEST|FAULT': one line
try() {
  local number test fault line verdict
  IFS='|' read -r number test fault <<<"$1"
  run "$number" "$test"
  case $? in
    0) verdict="SURVIVES $test" ;;
    1)
      line=$(sed -n 's/.*:\([0-9]*\): not so.*/\1/p' "$BUILD/mutants/$number.$test")
      verdict="killed by $test, ${line:+line }${line:-which it aborts}"
      ;;
    *) verdict="NOT TRIED: $test does not reach its place, or is stuck" ;;
  esac
  printf 'mutant %2d  %-76s %s\n' "$number" "$fault" "$verdict"
}

# two_at_a_time COMMAND ARGUMENT...: once for each argument, the output in their order
two_at_a_time() {
  local command=$1 argument place=0
  shift
  rm -f "$BUILD"/mutants/*.line
  for argument in "$@"; do
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
    place=$((place + 1))
    "$command" "$argument" >"$(printf '%s/mutants/%03d.line' "$BUILD" "$place")" 2>&1 &
  done
  wait
  cat "$BUILD"/mutants/*.line
}

# Only a test that passes without a fault can show one.
try_sound() {
  run 0 "$1" || echo "$1 does not pass without a fault"
}

unlisted=$(comm -13 <(printf '%s\n' "${mutants[@]%%|*}" | sort) \
  <(grep -ohP '\bMUTANT\(\K\d+' -r src | sort -u))
if [ -n "$unlisted" ]; then
  echo "no test is named for mutant" $unlisted
  exit 1
fi

wanted=()
for mutant in "${mutants[@]}"; do
  [ $# = 0 ] || [[ " $* " == *" ${mutant%%|*} "* ]] || continue
  wanted+=("$mutant")
done
mapfile -t tests < <(printf '%s\n' "${wanted[@]}" | cut -d'|' -f2 | sort -u)

mkdir -p "$BUILD/mutants"
make -s -j2 -f tests/core/Makefile BUILD="$BUILD" NAME="${tests[*]}" mutants || exit 1
unsound=$(two_at_a_time try_sound "${tests[@]}")
if [ -n "$unsound" ]; then
  echo "$unsound"
  exit 1
fi

verdicts=$(two_at_a_time try "${wanted[@]}")
echo "$verdicts"
killed=$(grep -c ' killed by ' <<<"$verdicts")
echo "mutants: $killed killed, $((${#wanted[@]} - killed)) left"
[ "$killed" = "${#wanted[@]}" ] && [ "$killed" -gt 0 ]

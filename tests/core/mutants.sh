#!/usr/bin/env bash
# mutants.sh - run the core with each of its deliberate faults (src/core/base/mutant.h) and
# see that a named test catches it. Run from the top of the tree:
#
#   bash tests/core/mutants.sh        all of them; BUILD=folder keeps what was built
#   bash tests/core/mutants.sh 4 9    some of them
#
# One build has them all (tests/core/Makefile); DPOBJ_MUTANT=17 chooses one. Prints one line per
# mutant, and fails if one survives or if its test does not reach the fault. The same programs
# must pass without a fault; otherwise a failure would prove nothing.
set -uo pipefail

# number | test that kills it | fault
mutants=(
  '1|test_privacy|gauge: noise times 0.7, the rate too large'
  '2|test_privacy|exponential, permute-and-flip: rate times 1 / 0.7'
  '3|test_privacy|margin of add_remove used under replace too'
  '4|test_privacy|gauge: an odd N, which theorem G5 excludes for the cube under add_remove'
  '5|test_privacy|oracle: ties go to the smaller loss, so data decide them'
  '6|test_select|exponential: every proposal accepted, as if bounds were masses'
  '7|test_gauge|one-hot rows drawn without rejection: rows with several zeros too often'
  '8|test_rows|features not clipped from above'
  '9|test_release|opdisc: N follows the number of rows'
  '10|test_gauge|radius from D geometrics instead of D + 1 (Gamma(k) with uniform in K)'
  '11|test_privacy|sparse gauge: shift without the factor k'
  '12|test_gauge|"at most k" non-zeros treated as "exactly k" (counterexample G9)'
  '13|test_bits|uniform numbers by remainder, so small ones are too likely'
  '14|test_privacy|gauge: shift halved without a modulus, as if vectors differed in two coordinates (theorem G7)'
  '15|test_persons|persons: the kept rows depend on the rows of others'
  '16|test_persons|persons: equal rows of a person kept or dropped together'
  '400|test_persons|persons: a person is counted once for each row'
  '17|test_laplace|Laplace: two draws of noise added up'
  '24|test_perturbation|perturbation: real noise times 0.8'
  '25|test_real_noise|paraboloid: u on the sphere instead of in the ball'
  '26|test_perturbation|sphere: the last feature does not follow the length of w'
  '27|test_calibration|calibration: proposals in doubles used without proof, 1e-7 too large'
  '28|test_perturbation|Gaussian: the published sigma instead of the proved one'
  '30|test_convex|convex: rows not clipped to the radius'
  '31|test_real_noise|convex: length of noise from Gamma(d - 1) instead of Gamma(d)'
  '32|test_real_noise|convex: noise times 0.8'
  '33|test_convex|convex: ln(1 + beta / lambda) left out'
  '202|test_knorm|K-norm noise: radius of law Gamma(m) with a uniform point of the body'
  '203|test_knorm|K-norm noise: the volume of a slice left out of the law of the common sum'
  '204|test_knorm|K-norm noise: each group with a sum of its own on the subspace'
  '205|test_knorm|K-norm noise: coordinates of groups uniform in a box'
  '214|test_convex|convex: slopes of the clipped logistic loss not clipped'
  '245|test_softmax|softmax: gradients of length 1 / 2 instead of sqrt(1 / 2)'
  '246|test_softmax|softmax: one corner instead of K - 1'
  '247|test_softmax|softmax: the last bits of the scores left out of the exponentials'
  '248|test_softmax|softmax: the own class left out of the gradient'
  '249|test_softmax|softmax: the determinant of one class instead of K - 1'
  '254|test_softmax|softmax: the share of the own class not raised to 1 / 2'
  '267|test_wide|levels: the index not looked at, so that all levels have one weight'
  '268|test_wide|levels: the index taken for a number instead of a 1'
  '269|test_wide|levels: noise on as many weights as columns'
  '270|test_rows|levels: what is no index clipped to one'
  '274|test_one_vs_rest|one-vs-rest: every halfspace is of the first class'
  '275|test_one_vs_rest|one-vs-rest: rho of one halfspace for all of them'
  '279|test_softmax|softmax: the shorter corners left out of delta'
  '215|test_convex_knorm|K-norm noise: clip bounds not looked at, so that any number counts as one between 0 and 1'
  '216|test_convex_knorm|convex: ln(1 + beta / lambda) for rows of length 1 where they are longer'
  '217|test_convex_knorm|convex: the change of a gradient under add_remove used under replace too'
  '218|test_convex_knorm|K-norm noise: a declared group of one column taken for a one-hot group'
  '34|test_rows|rows that are not one-hot in a declared group kept'
  '50|test_grid_draw|uniform vectors of a grid: a level counts once, however many completions it has'
  '51|test_sample|parts: rows in the order of the table, which changes a search that stops early'
  '52|test_sample|parts: the contents of a row choose its part instead of a random draw (theorem F5)'
  '53|test_select_vote|votes: rate times 1 / 0.8'
  '54|test_select_vote|votes: vectors without votes never drawn'
  '55|test_sample|parts: the node limit of a part depends on the parts before it (theorem F5)'
  '90|test_convex_net|net: half of the largest change by one row'
  '91|test_convex_net|net: points kept at twice the rate'
  '92|test_convex_net|localized: the ball gets all of epsilon, although the centre has spent a part'
  '93|test_convex_net|localized: the radius of the ball instead of its diameter'
  '94|test_opsamp|opsamp: g and o of add_remove under replace too'
  '95|test_opsamp|opsamp: Laplace noise times 0.8'
  '96|test_opsamp|opsamp: sigma half as long as the calibration assumes'
  '97|test_opsamp|opsamp: the gap to the minimum divided by 10,000'
  '98|test_opsamp|opsamp: the mean distance used as a bound on the distance'
  '350|test_residual|descent: sqrt(low^2 + high^2) instead of the width of residuals'
  '351|test_residual|descent: numbers of two rows that point the same way only'
  '352|test_residual|descent: counts of add_remove under replace too'
  '353|test_residual|descent: counts of one group instead of all'
  '354|test_residual|descent: the noise of one step for each of them'
  '355|test_residual|descent: residuals not clipped'
  '356|test_residual|descent: negative labels clipped like positive ones'
  '357|test_residual|descent: numbers not clipped'
  '358|test_residual|descent: noise times 0.8'
  '250|test_linear|linear: slopes of residuals clipped to 4 on one side'
  '251|test_linear|linear: the target of a clipped row not scaled with it'
  '100|test_simplex_scale|simplex: epsilon of a draw times 0.8'
  '101|test_simplex_scale|simplex: the curvature left out of the epsilon of a draw'
  '102|test_simplex_scale|simplex: rho of a draw computed as epsilon^2 / 16 instead of epsilon^2 / 8'
  '103|test_simplex_moments|simplex: rows beyond n kept'
  '104|test_simplex_moments|simplex: rows beyond n left out by their position'
  '105|test_simplex_moments|simplex: rows not clipped to the bounds'
  '106|test_simplex|simplex: weights of four bits'
  '107|test_simplex|simplex: weights used without a certificate'
  '108|test_simplex|simplex: the first index drawn too often'
  '130|test_evaluation|counts of right and wrong: noise of add_remove under replace too'
  '131|test_evaluation|counts of right and wrong: noise times 0.8'
  '132|test_evaluation|counts of right and wrong: one draw for all of them'
  '263|test_evaluation|counts of several classes: noise on the first four alone'
  '232|test_look|look: the reach without the rows of a person'
  '234|test_look|look: the reach of one cell where a replaced row moves between several'
  '401|test_look|look: the reach of persons in few cells without their leaving others'
  '402|test_discover|threshold: all of delta for each level of a person'
  '403|test_discover|threshold: a level that is named more often than its absence may cost'
  '404|test_discover|threshold: lower by 1'
  '405|test_discover|levels: the number of a level that is above the threshold without noise'
  '235|test_look|look: values above the upper bound not clipped'
  '237|test_look|look: each of the two numbers of an average has all of epsilon'
  '238|test_look|look: each column of a profile has all of epsilon'
  '260|test_look|look: the usable rows of a profile are not counted among its histograms'
  '271|test_look|look: each number of residuals has a half of epsilon'
  '272|test_look|look: predictions not clipped to the upper bound of the values'
  '273|test_look|look: residuals and squares not centred'
  '261|test_suggestion|suggestion: each column has all of epsilon'
  '262|test_suggestion|suggestion: a person has one row'
  '277|test_suggestion|suggestion: noise of add_remove under replace too'
  '133|test_select_list|list: the first candidate with heads instead of a random one'
  '134|test_select_list|list: rate times 1 / 0.8'
  '192|test_privacy|prior: the power depends on the number of distinct rows'
  '193|test_tree|tree: costs of the prior left out of closed boxes'
  '194|test_select|group elimination: the factors of a prior left out'
  '195|test_select|group elimination: the factors of a prior rounded to single precision, so some bounds are too low'
  '196|test_permute_flip|permute-and-flip: every vector of a class accepted, whatever its prior costs'
  '20|test_tree|tree: the bound of a closed box clipped below its mass'
  '21|test_tree|tree: an attempt ended at a node whose bound it has just changed'
  '22|test_tree|tree: only the first 64 bits of an interval point are random'
  '23|test_tree_limits|tree: a full tree rejects attempts that leave it'
  '110|test_spill|spilled rows: the last rows never written'
  '111|test_spill|spilled rows: negative labels not read back'
  '112|test_spill|passes over rows: the last block left out with several threads'
  '116|test_spill|gathered rows: only the first block of records read'
  '113|test_descent|batch: places of fixed batches start again with each block'
  '114|test_spill|net: workers other than the first read only the first block'
  '115|test_opsamp|opsamp: rows not clipped at the declared peak'
  '135|test_accounting|accounting: a replacement costs as much as a removal'
  '136|test_accounting|accounting: an approximate claim treated as a pure one'
  '80|test_rdp|rdp: a replaced row treated as a removed one'
  '81|test_rdp|rdp: the pair without its swap (theorem D3)'
  '82|test_descent|batch: rows of Poisson batches twice as likely'
  '83|test_descent|batch: places drawn with replacement'
  '84|test_descent|descent: the factor sqrt(T) left out'
  '85|test_descent|descent: Poisson batches under replace calibrated as under add_remove'
  '86|test_descent|descent: noise times 0.8'
  '87|test_descent|batch: the share of the actual number of rows instead of the declared one'
  '120|test_pld|pld: losses rounded down to the grid instead of divided between its points'
  '121|test_pld|pld: the atom at infinity dropped'
  '122|test_pld|pld: a replaced row in a sample treated as a removed one'
  '123|test_composition|composition: only one direction of removal and addition'
  '124|test_pld|pld: ln(1 + beta / lambda) left out'
  '125|test_pld|pld: half of the range of a bounded-range mechanism'
  '126|test_composition|optimal composition: the deltas left out'
  '140|test_guarantee|guarantee: a removal counted as a replacement'
  '141|test_guarantee|guarantee: all of delta used to convert rho, as if releases had none'
  '142|test_guarantee|guarantee: all of delta used to convert Renyi divergences'
  '143|test_guarantee|guarantee: different claims composed as if they were equal'
  '144|test_guarantee|guarantee: the law of a removal used for a replacement'
  '145|test_guarantee|guarantee: the second noise of objective perturbation left out'
  '147|test_accounting|group: epsilon of one row used for several rows'
  '148|test_accounting|group: delta times the number of rows, without the powers of e^epsilon'
  '146|test_guarantee|guarantee: parameters rounded to laws that cost less'
  '70|test_discrete_gaussian|discrete Gaussian: every proposal of the Laplace law kept'
  '71|test_ftrl|ftrl: sigma of the nodes times 0.7'
  '72|test_ftrl|ftrl: gauge noise of the nodes times 0.7'
  '73|test_ftrl|ftrl: rate of the draws divided by 0.7'
  '74|test_ftrl|ftrl: a level of nodes left out of the calibration'
  '75|test_ftrl|ftrl: the noise of a block used a second time'
  '76|test_ftrl|ftrl: noise clipped to a range, whose ends reveal the sums'
  '160|test_parallel|groups: epsilon of a group not halved under replace (theorem P2)'
  '161|test_parallel|groups: delta of a group only divided by m, as if a replaced row left its group'
  '310|test_holdout|holdout: rows are dealt by a hash without the key'
  '311|test_holdout|holdout: rows are dealt by the first of their values'
  '312|test_holdout|holdout: what is held out at a share is not at a larger one'
  '163|test_persons|groups: k rows of a person kept in each group'
  '190|test_cron_times|schedule: both fields of days must match, even if neither begins with a star'
  '191|test_cron_times|schedule: searching backwards, only the first minute of an earlier day is tried'
  '206|test_pool_select|pool: the candidates depend on the number of stored rows'
  '207|test_pool_select|pool: each round draws with all of epsilon'
  '208|test_pool_select|pool: the centre counts once in a draw'
  '209|test_pool_losses|pool: the last tile of rows is not rated'
  '210|test_pool_select|pool: the margin of add_remove under replace'
  '211|test_select_kernel|enumeration: the rows after the last whole vector left out'
  '212|test_select_kernel|enumeration: tables of a new number not made again'
  '213|test_select_kernel|enumeration: tables of cells with a column keep the first level'
  '219|test_run_terms|admission: the number of rows is ignored'
  '220|test_tree_limits|tree: an attempt is broken off where it goes deep'
  '221|test_run_terms|admission: the seconds of the tree sampler are not counted'
  '222|test_convex_pool|pool: the centre is found with all of epsilon'
  '223|test_convex_pool|pool: a seed that depends on the rows'
  '230|test_tree_limits|tree: an attempt that may exceed the limit of effort is made'
  '228|test_select_time|enumeration under a constraint: moves back to a single level are not counted'
  '229|test_run_terms|admission: the memory of rows of numbers is not counted'
  '236|test_convex_pool_law|objective perturbation: hardly any noise on the answer, which tells how near the minimum it is'
  '233|test_convex_pool|pool: in zCDP the centre costs nothing'
  '239|test_pool_select|pool: rows after the first part are not rated'
  '240|test_quantiles|quantiles: one far from the middle has the rate of the smaller side'
  '241|test_quantiles|quantiles: under replace two nodes have the rate of one'
  '242|test_quantiles|quantiles: what the first cut has spent is spent again'
  '243|test_quantiles|quantiles: the rows of a person count once'
  '244|test_quantiles|quantiles: every proposal is accepted'
  '255|test_accounting|a release of two parts: the pure part costs nothing'
  '256|test_accounting|a release of two parts: in zCDP the pure part costs nothing'
  '291|test_accounting|a release of two parts: the pure part has no Renyi divergence'
  '292|test_guarantee|a release of two parts: the pure part has no privacy loss distribution'
  '303|test_descent|several classes: descent does not shorten the gradients of rows'
  '304|test_descent|several classes: the noise of descent is for shorter gradients'
  '257|test_spill|rows: those in a spill file are not counted as usable'
  '294|test_estimate|estimate: the interval of a share for noise of 1.3 times the rate'
  '340|test_estimate|estimate: the mean of a population as of four times as many rows'
  '341|test_estimate|look: R-squared of a population with the squares of residuals of these rows'
  '342|test_rows|rows of another server may have numbers beyond their bounds'
  '343|test_look|look: noise that needs more than 64 bits clamped before it is added'
  '305|test_drift|drift: the rest of a histogram has the noise of one bin'
  '306|test_drift|drift: the distance of two histograms has the noise of one bin'
  '307|test_drift|drift: the later histogram is taken to have the noise of the earlier one'
  '295|test_look|look: negative rows of a histogram of scores without noise'
  '296|test_look|look: a histogram of scores with the reach of one count under replace'
  '330|test_passes|passes: sums of parts are taken that no rows can have'
  '331|test_passes|passes: sums of another pass are taken'
  '332|test_passes|passes: the sums of a part are taken twice'
  '333|test_passes|passes: a part visits all rows where the pass asks for a share of them'
  '334|test_passes|passes: a part does not shorten the gradients of rows'
  '335|test_passes|passes: rows elsewhere are trained on in batches that nobody draws'
  '336|test_passes|passes: a part with another table of the loss takes part'
  '337|test_passes|passes: a part sums the losses of other points of the net'
  '338|test_passes|passes: a part is missing in the sums'
  '339|test_passes|passes: a part takes weights that its arithmetic does not hold'
  '371|test_persons|persons: sorted runs follow one another instead of being merged'
  '380|test_rating|rating: noise of one row for a person of several'
  '381|test_rating|rating: the number of unusable rows without noise'
  '382|test_rating|rating: a verdict by an interval of confidence 0.8'
  '383|test_rating|rating: a number of the unusable rows of persons'
  '390|test_estimate|estimate: the interval of a share for normal noise of 0.8 times the deviation'
  '391|test_rating|rating: normal noise of one row for a person of several'
  '392|test_rating|rating: normal noise of add_remove under replace'
  '393|test_rating|noisy: all numbers share one draw of normal noise'
  '394|test_rating|rating: the interval of a lift at a confidence of 0.3'
  '395|test_rating|rating: half of what chance makes of the error of probabilities'
  '396|test_rating|rating: the AUC of bins taken for that of the scores'
  '397|test_convex_kernel|gradient: what is above four limbs of a weight left out'
  '398|test_convex_kernel|gradient: rows of the block before added to those of a short one'
  '399|test_rows|encoding: NaN in the last columns of a row taken for a number'
  '420|test_spill|rows: labels of records that are appended as they are not counted as usable'
)

export DPOBJ_TEST_SHARE=${DPOBJ_TEST_SHARE:-20}

# The faults are large, so a test that runs longer than this is stuck. The limit is in seconds of
# processor time, because the machine may be shared; a test that waits is ended after ten times as
# many seconds of real time.
limit=180

if [ -z "${BUILD:-}" ]; then
  BUILD=$(mktemp -d)
  trap 'rm -rf "$BUILD"' EXIT
fi

# run NUMBER TEST: 0 if it passes, 1 if a check fails, 2 if the fault was not reached or the test is stuck
run() {
  local number=$1 test=$2 output=$BUILD/mutants/$1.$2 status
  {
    (ulimit -St "$limit" && DPOBJ_MUTANT=$number DPOBJ_FIRST_FAILURE=1 \
      exec timeout $((10 * limit)) "$BUILD/plain/$test") >"$output" 2>&1
  } 2>/dev/null # hides the shell's message about an abort
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
    *) verdict="NOT TRIED: $test does not reach the fault, or is stuck" ;;
  esac
  printf 'mutant %2d  %-76s %s\n' "$number" "$fault" "$verdict"
}

# two_at_a_time COMMAND ARGUMENT...: runs the command once for each argument, two at a time; prints
# the output in the order of the arguments
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

# A test must pass without a fault before its failure proves anything. PASSED=yes: all have just passed.
try_sound() {
  [ "${PASSED:-}" = yes ] || run 0 "$1" || echo "$1 does not pass without a fault"
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

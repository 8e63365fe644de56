/*
 * mech_permute_flip.c - permute-and-flip (McKenna and Sheldon 2020), exactly.
 *
 * Visits W in random order and accepts w with probability exp(-epsilon (S(w) - S_min) / M), M the
 * margin of the 0/1 loss (theorem E2) and S the loss with the cost of a public prior (theorem E14).
 * Pure epsilon-DP, but not of bounded range (theorem A3).
 */
#include "core/mechanisms/mechanism.h"

#include <math.h>

#include "core/exponential/select_time.h"
#include "core/mechanisms/utility.h"

/*
 * No group is summed out, because the law needs the number of vectors in every class of scores.  W
 * is passed through for the least score, for the counts, and at most twice for each visit (theorem
 * E14).  Without a prior there is one visit.  With one there are e at most in the mean; the
 * probability of more than 45 is (1 - 1 / e)^45 < 1.1e-9, whatever the rows.
 */
#define COUNTS 2
#define COUNTS_OF_VISIT 2
#define USUAL_VISITS 3
#define MOST_VISITS 45

/* Nanoseconds for the coin of a vector, for a loss that some vector has, and for any loss. */
#define COIN_TIME 10.0
#define CLASS_TIME 2000.0
#define LOSS_TIME 10.0

static const SelectGroup no_group = {0, 0};

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	const RunTerms *run = &request->run;
	bool prior = request->prior_power > 0;
	SelectBound pass = select_bound(&request->grid, no_group, run->distinct, &run->parts);
	double coins;

	verdict->cost = select_cost(&request->grid, no_group);
	coins = 1e-9 * (COIN_TIME * (double) verdict->cost +
					CLASS_TIME * fmin(run->rows, (double) verdict->cost) + LOSS_TIME * run->rows);
	verdict->most = (COUNTS + COUNTS_OF_VISIT * (prior ? MOST_VISITS : 1)) * pass.seconds + coins;
	verdict->expected =
		(COUNTS + COUNTS_OF_VISIT * (prior ? USUAL_VISITS : 1)) * pass.seconds / SELECT_SLOWEST +
		coins;
	verdict->bytes = run_table_bytes(pass.words, request->threads);
	verdict->admitted = true;
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	SelectProblem problem = {
		.instance = instance,
		.grid = &request->grid,
		.group = no_group,
		.epsilon = request->epsilon,
		.adjacency = request->adjacency,
		.prior_power = request->prior_power,
		.threads = request->threads,
	};
	SelectAnswer selected;

	select_permute_and_flip(&problem, tools->bits, tools->memory, &selected);
	for (int j = 0; j < request->grid.dimension; j++)
		answer->index[j] = selected.index[j];
	answer->loss = selected.loss;
	answer->nodes = 0;
}

/*
 * Source: theorem U2, with pi(v) = 1 / |W|, and theorem U15.
 *
 *   rows = (ln((1 - pi(v)) / pi(v)) + ln(1 / (2 beta))) / rate
 *   mean = (-ln pi(v) + 1 / 2) / rate; without a prior that of the exponential mechanism, which it
 *          never exceeds
 */
static void
set_bound(const MechanismRequest *request, double beta, UtilityBound *bound)
{
	utility_weighted(request, log(1 / (2 * beta)), 0.5, bound);
}

const Mechanism mechanism_permute_flip = {
	.name = "permute_flip",
	.options = {"prior"},
	.prior = true,
	.admit = admit,
	.release = release,
	.bound = set_bound,
	.useless_rows = utility_useless_rows,
	.describe = mechanism_describe_prior,
	.error = utility_error,
	.exponent = "exponent_per_row",
};

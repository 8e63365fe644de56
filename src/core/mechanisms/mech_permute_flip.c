/*
 * mech_permute_flip.c - permute-and-flip (McKenna and Sheldon 2020), exactly.
 *
 * Visits W in random order and accepts w with probability exp(-epsilon (S(w) - S_min) / M), M the
 * margin of the 0/1 loss (theorem E2) and S the loss with the cost of a public prior (theorem E14).
 * Pure epsilon-DP, but not of bounded range (theorem A3).
 */
#include "core/mechanisms/mechanism.h"

#include <math.h>

#include "core/mechanisms/utility.h"

/*
 * The most vectors of W.  No group is summed out, because the law needs the number of vectors in
 * every class of losses, and there may be as many visits as vectors.
 */
#define ENUMERATION_LIMIT UINT64_C(20000000)

static const SelectGroup no_group = {0, 0};

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	verdict->cost = select_cost(&request->grid, no_group);
	verdict->limit = ENUMERATION_LIMIT;
	verdict->admitted = verdict->finishes = verdict->cost <= verdict->limit;
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
	.describe = mechanism_describe_prior,
	.error = utility_error,
	.exponent = "exponent_per_row",
};

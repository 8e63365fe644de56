/*
 * mech_exponential.c - the exponential mechanism, exactly.
 *
 * P(w) proportional to exp(-epsilon L(w) / M), M the margin of the 0/1 loss:
 * epsilon / 2 under replace; epsilon under add_remove, where all losses move the
 * same way (theorem E1).  Pure epsilon-DP, and epsilon-bounded-range.
 *
 * Two exact samplers of the same law: group elimination (select.h), whose cost is
 * known from public parameters, and the tree sampler (tree.h), which is usually a
 * hundred times quicker and goes where nothing can be enumerated, but has no bound
 * of its own.  So a grid that can be enumerated is tried with the tree first and
 * enumerated if that fails, and is sure to finish; any other is left to the tree
 * without a limit (rule F4).  An attempt of the tree that answers has the
 * law, and how many are made does not depend on what the last would have answered
 * (tree_sampler.c), so changing over between attempts does not change the law.
 */
#include "core/mechanisms/mechanism.h"

#include <math.h>

#include "core/exponential/tree.h"
#include "core/mechanisms/utility.h"

/* So few are enumerated at once: the tree would not be quicker. */
#define ENUMERATED_AT_ONCE UINT64_C(2000000)

/*
 * A grid that can be enumerated is after one attempt of the tree for so many
 * configurations, which takes about as long as enumerating them.
 */
#define CONFIGURATIONS_PER_ATTEMPT 10000

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	verdict->cost = select_cost(&request->grid, request->group);
	verdict->limit = EXPONENTIAL_SURE_COST;
	verdict->finishes = verdict->cost <= verdict->limit;
	verdict->admitted = true;
}

static void
select_vector(const MechanismRequest *request, const SelectProblem *problem,
			  const MechanismTools *tools, SelectAnswer *answer)
{
	uint64_t cost = select_cost(&request->grid, request->group);
	int64_t attempts = (int64_t) (cost / CONFIGURATIONS_PER_ATTEMPT);

	if (cost > EXPONENTIAL_SURE_COST)
		(void) tree_exponential(problem, INT64_MAX, tools->bits, tools->memory, answer);
	else if (cost <= ENUMERATED_AT_ONCE ||
			 !tree_exponential(problem, attempts, tools->bits, tools->memory, answer))
		select_exponential(problem, tools->bits, tools->memory, answer);
}

/* The sampler's progress in the words of a mechanism's. */
static void
tell(void *context, const TreeProgress *progress)
{
	const MechanismTools *tools = context;

	tools->progress(tools->progress_context, &(MechanismProgress){
												 .sampling = true,
												 .nodes = progress->expanded,
												 .attempts = progress->attempts,
											 });
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	MechanismTools listener = *tools;
	SelectProblem problem = {
		.instance = instance,
		.grid = &request->grid,
		.group = request->group,
		.epsilon = request->epsilon,
		.adjacency = request->adjacency,
		.threads = request->threads,
		.progress = tools->progress != NULL ? tell : NULL,
		.progress_context = &listener,
	};
	SelectAnswer selected;

	select_vector(request, &problem, tools, &selected);
	for (int j = 0; j < request->grid.dimension; j++)
		answer->index[j] = selected.index[j];
	answer->loss = selected.loss;
	answer->nodes = 0;
}

/*
 * Source: theorem U1; McSherry and Talwar 2007.  The odds of an excess of t or
 * more are at most those of |W| - 1 vectors of excess t against the optimum,
 * (|W| - 1) exp(-rate t), with equality for such losses.  Odds of beta / (1 - beta)
 * are a probability of beta:
 *
 *   rows = (ln(|W| - 1) + ln((1 - beta) / beta)) / rate
 *   mean = ln |W| / rate, because the law minimises E(L) - entropy / rate, at most
 *          L_min, and an entropy is at most ln |W|
 */
static void
set_bound(const MechanismRequest *request, double beta, UtilityBound *bound)
{
	double rate = utility_rate(request);

	bound->rows = fmax(0, (utility_log_others(&request->grid) + log((1 - beta) / beta)) / rate);
	bound->mean = grid_log2_size(&request->grid) * log(2) / rate;
}

const Mechanism mechanism_exponential = {
	.name = "exponential",
	.bounded_range = true,
	.default_grid = true,
	.admit = admit,
	.release = release,
	.bound = set_bound,
	.error = utility_error,
	.exponent = "exponent_per_row",
};

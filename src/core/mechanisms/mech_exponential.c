/*
 * mech_exponential.c - the exponential mechanism, exactly.
 *
 * P(w) proportional to pi(w) exp(-epsilon L(w) / M), M the margin of the 0/1 loss (theorem E1) and
 * pi a public prior over the grid (theorem E13).  Pure epsilon-DP of bounded range epsilon.
 *
 * Two samplers draw this law exactly: enumeration with a group summed out (select.h), whose cost is
 * known from public parameters, and the tree sampler (tree.h), which is usually a hundred times
 * quicker but has no such bound.  A grid whose enumeration fits the longest run (run_terms.h) gets
 * attempts of the tree of some effort first, and is enumerated if they fail, so it is certain to
 * finish.  Any other grid is left to the tree without a limit (rule F4).  Each attempt of the tree
 * that answers has the law, whatever those before it did (theorem E10), so changing over does not
 * change the law.
 */
#include "core/mechanisms/mechanism.h"

#include <math.h>

#include "core/exponential/tree.h"
#include "core/mechanisms/utility.h"

/*
 * Seconds of a usual draw by the tree: of any draw; for each row, but so many at most; and for each
 * row.
 */
#define USUAL_TREE_SECONDS 0.02
#define FEW_ROWS_SECONDS 3e-4
#define USUAL_TREE_MOST_SECONDS 0.2
#define USUAL_TREE_ROW_SECONDS 5e-6

/* What it usually takes, for each of a few rows and at most, and what it grows by in a second. */
#define FEW_ROWS_BYTES (8.0 * 1024)
#define USUAL_TREE_BYTES (8.0 * 1024 * 1024)
#define TREE_BYTES_OF_SECOND (40.0 * 1024 * 1024)

/*
 * The tree mostly answers where so many columns at most are not 0 and 1 only, or where the rows
 * hardly tell the vectors apart: their masses are within a factor exp(USUAL_DECAY).
 */
#define USUAL_NUMBERS 6
#define USUAL_DECAY 30.0

/* Otherwise it often fails, and the enumeration follows it. */
static bool
is_tree_quick(const MechanismRequest *request)
{
	double decay =
		privacy_epsilon(request->epsilon) / privacy_margin(request->adjacency) * request->run.rows;
	int numbers = 0;

	for (int j = 0; j < request->grid.dimension; j++)
		numbers += request->run.parts.part[j] < 0 && request->grid.levels[j] > 1;
	return decay <= USUAL_DECAY ||
		   (numbers <= USUAL_NUMBERS && request->grid.constraint == GRID_PRODUCT);
}

/* After the rows are laid out; infinite if the tree may fail and nothing follows it. */
static double
usual_seconds(const MechanismRequest *request, const GridRun *run)
{
	double enumeration =
		run->enumeration * SELECT_TIME_THREADS / fmin(request->threads, SELECT_TIME_THREADS);
	double tree = USUAL_TREE_SECONDS +
				  fmin(FEW_ROWS_SECONDS * request->run.distinct, USUAL_TREE_MOST_SECONDS) +
				  USUAL_TREE_ROW_SECONDS * request->run.distinct;

	if (run->effort == 0)
		return enumeration / SELECT_SLOWEST;
	if (is_tree_quick(request))
		return run->bounded ? fmin(tree, enumeration / SELECT_SLOWEST) : tree;
	return run->bounded ? (run->tree + enumeration) / SELECT_SLOWEST : INFINITY;
}

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	GridRun run = run_of_grid(&request->run, &request->grid, request->group);
	double prepare = run_prepare_seconds(&request->run, request->grid.dimension);

	verdict->cost = select_cost(&request->grid, request->group);
	verdict->most = run.bounded ? run.tree + run.enumeration + prepare : INFINITY;
	verdict->expected = prepare + usual_seconds(request, &run);
	if (run.tree > 0)
		verdict->usual_bytes = fmin(FEW_ROWS_BYTES * request->run.distinct, USUAL_TREE_BYTES);
	verdict->bytes = fmin(TREE_BYTES_OF_SECOND * run.tree, TREE_MAX_BYTES) +
					 run_table_bytes(run.words, request->threads);
	verdict->admitted = true;
}

static void
select_vector(const MechanismRequest *request, const SelectProblem *problem,
			  const MechanismTools *tools, SelectAnswer *answer)
{
	if (request->effort == 0 ||
		!tree_exponential(problem, request->effort, tools->bits, tools->memory, answer))
		select_exponential(problem, tools->bits, tools->memory, answer);
}

/* Reports the progress of the tree sampler. */
static void
report(void *context, const TreeProgress *progress)
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
		.prior_power = request->prior_power,
		.threads = request->threads,
		.progress = tools->progress != NULL ? report : NULL,
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
 * Source: theorem U1, with pi(v) = 1 / |W|, and theorem U15.
 *
 *   rows = (ln((1 - pi(v)) / pi(v)) + ln((1 - beta) / beta)) / rate
 *   mean = -ln pi(v) / rate
 */
static void
set_bound(const MechanismRequest *request, double beta, UtilityBound *bound)
{
	utility_weighted(request, log((1 - beta) / beta), 0, bound);
}

const Mechanism mechanism_exponential = {
	.name = "exponential",
	.options = {"prior"},
	.bounded_range = true,
	.prior = true,
	.default_grid = true,
	.admit = admit,
	.release = release,
	.bound = set_bound,
	.useless_rows = utility_useless_rows,
	.describe = mechanism_describe_prior,
	.error = utility_error,
	.exponent = "exponent_per_row",
};

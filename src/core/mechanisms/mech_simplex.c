/*
 * mech_simplex.c - sampling from a simplex (Jain and Thakurta 2014, section 5, as re-derived in
 * theorem S2).
 *
 * With the entropy as regulariser the minimiser is a law over the features, and one row moves its
 * logarithms by little.  So indices drawn from it are private; their frequencies are the model. The
 * weights of the law are integers whose residual is certified and charged in epsilon_0, so no
 * floating-point number decides a draw.
 */
#include <stdlib.h>

#include "core/base/integers.h"
#include "core/mechanisms/mechanism.h"
#include "core/base/mutant.h"
#include "core/simplex/simplex_minimise.h"
#include "core/simplex/simplex_scale.h"

/* Of the minimiser, for a pair of features, and of a draw. */
#define MINIMISER_SECONDS 3e-6
#define DRAW_SECONDS 5e-8

int64_t
simplex_request_draws(const MechanismRequest *request)
{
	SimplexBudget budget = simplex_budget(request->epsilon, request->simplex.delta);

	return simplex_draws(&request->simplex, &budget, NULL);
}

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	double d = request->grid.dimension;
	int64_t draws = simplex_request_draws(request);

	verdict->admitted = draws > 0;
	verdict->most = run_pass_seconds(&request->run, request->grid.dimension, 1) +
					MINIMISER_SECONDS * d * d + DRAW_SECONDS * (double) draws;
	verdict->expected = verdict->most / 2;
}

/* The first index whose cumulative weight is above the point. */
static int
find_index(const mpz_t *cumulative, int dimension, const mpz_t point)
{
	int low = 0;
	int high = dimension - 1;

	while (low < high)
	{
		int middle = (low + high) / 2;

		if (mpz_cmp(point, cumulative[middle]) < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * Counts how often index j is drawn, with probability weight[j] / sum; replaces weights by their
 * running sums.
 */
static void
draw_indices(mpz_t *weight, int dimension, int64_t draws, Bits *bits, int64_t *count)
{
	mpz_t point;

	for (int j = 0; j < dimension; j++)
		count[j] = 0;
	for (int j = 1; j < dimension; j++)
		mpz_add(weight[j], weight[j], weight[j - 1]);
	mpz_init(point);
	for (int64_t i = 0; i < draws; i++)
	{
		bits_below_mpz(bits, point, weight[dimension - 1]);
		if (MUTANT(108))
			mpz_fdiv_q_ui(point, point, 1 + (unsigned long) (i % 2));
		count[find_index((const mpz_t *) weight, dimension, point)]++;
	}
	mpz_clear(point);
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	int dimension = request->grid.dimension;
	int64_t draws = simplex_request_draws(request);
	mpz_t *weight = integers_create((size_t) dimension, tools->memory);
	SimplexMoments moments;

	if (draws == 0 || instance->dimension != dimension + 1)
		abort(); /* the server has admitted it */
	simplex_moments_make(instance, &request->simplex, tools->bits, tools->memory, &moments);
	answer->nodes = simplex_minimise(&moments, &request->simplex,
									 simplex_tolerance(&request->simplex), tools->memory, weight);
	simplex_moments_release(&moments, tools->memory);
	mechanism_make_weights(request, tools->memory, answer);
	draw_indices(weight, dimension, draws, tools->bits, answer->weight);
	integers_destroy(weight, (size_t) dimension, tools->memory);
}

/*
 * For given left-out rows m draws of bounded range are m epsilon_0^2 / 8-zCDP; their mixture is no
 * worse, because Renyi divergences are quasi-convex (theorems S4 and A3).
 */
static void
set_pair(const MechanismRequest *request, Pair *pair)
{
	int64_t draws = simplex_request_draws(request);
	double range = simplex_draw_epsilon(&request->simplex);

	pair->kind = PAIR_CONCENTRATED;
	pair->rho = PAIR_ROUNDED_UP * (double) draws * range * range / 8;
}

static void
describe(const MechanismRequest *request, Facts *facts)
{
	const SimplexTerms *terms = &request->simplex;
	facts_text(facts, "loss", "squared");
	facts_add(facts,
			  (Fact){FACT_PAIR, "target", .number = (double) terms->target_low / FIXED_POINT_ONE,
					 .other = (double) terms->target_high / FIXED_POINT_ONE});
	facts_integer(facts, "n", terms->rows);
	facts_number(facts, "regularization", terms->lambda, FACT_EXACT);
	facts_integer(facts, "draws", simplex_request_draws(request));
	facts_number(facts, "epsilon_per_draw", simplex_draw_epsilon(terms), 6);
}

/*
 * The mean of (score - target)^2 over the rows, above the least on the simplex, in units of the
 * encoded target.
 */
static void
describe_error(const MechanismRequest *request, double beta, Facts *facts)
{
	double rows = (double) request->simplex.rows;
	SimplexExcess excess = simplex_excess(&request->simplex, simplex_request_draws(request),
										  request->grid.dimension, beta);

	facts_open(facts, "error");
	facts_number(facts, "mean_squared", 2 * excess.bound / rows, 6);
	facts_number(facts, "beta", beta, 6);
	facts_number(facts, "mean", 2 * excess.mean / rows, 6);
	facts_close(facts);
}

const Mechanism mechanism_simplex = {
	.name = "simplex",
	/* not bounded_range: one draw has it, the mean over which rows beyond n are left out has not */
	.streams = true,
	.counts_rows = true,
	.targets = true,
	.admit = admit,
	.release = release,
	.pair = set_pair,
	.describe = describe,
	.error = describe_error,
};

/*
 * test_utility.c - the bounds on the excess hold, and are not far too large.
 *
 * The hardest data for a mechanism are those in which one vector is right about every row and all
 * others miss t of them: then the excess is t whenever the answer is another.  With t at the bound
 * this may happen in at most a share beta of the draws; with t a fraction of the bound it must
 * happen more often, otherwise the bound is far too large.
 */
#include "core/mechanisms/utility.h"

#include <math.h>
#include <string.h>
#include <mpfr.h>

#include "core/noise/gauge.h"
#include "core/rows/encoding.h"

#include "core/instances.h"
#include "core/law.h"
#include "core/vectors.h"

#define BETA 0.05
#define DRAWS 1500
#define DRAWS_OF_A_MEAN 300

/* A frequency of so many draws is within this of its probability but for 1 in 1e5 or so. */
#define TOLERANCE (4.5 * sqrt(BETA * (1 - BETA) / DRAWS))

typedef struct Setting
{
	MechanismKind kind;
	Grid grid;
	int64_t epsilon;
	Adjacency adjacency;
	PerturbationNoise noise;
	int64_t delta;
	int64_t prior_power;
} Setting;

static MechanismRequest
make_request(const Setting *setting)
{
	return (MechanismRequest){.kind = setting->kind,
							  .epsilon = setting->epsilon,
							  .adjacency = setting->adjacency,
							  .grid = setting->grid,
							  .noise = setting->noise,
							  .delta = setting->delta,
							  .prior_power = setting->prior_power,
							  .threads = 1};
}

/* ---- grids ---- */

/* The vector of the grid that is right about every row: the last in the public order. */
static void
last_vector(const Grid *grid, int *index)
{
	for (int j = 0; j < grid->dimension; j++)
		index[j] = grid->levels[j] - 1;
	while (!grid_contains(grid, index))
		for (int j = grid->dimension - 1; --index[j] < 0; j--)
			index[j] = grid->levels[j] - 1;
}

/* ---- the hardest data ---- */

/*
 * One row of weight t, that v alone gets right: with x = 1 where v is above 0, the sum
 * of w_j there is largest for w = v, and a coordinate whose only level is 1 takes all
 * but 1/2 of it away.
 */
static void
hardest_data(const Grid *grid, const int *best, const int64_t *t, int32_t *x, Instance *instance)
{
	int last = grid->dimension - 1;

	x[last] = FIXED_POINT_ONE / 2;
	for (int j = 0; j < last; j++)
	{
		int weight = grid->level[j][best[j]];

		x[j] = weight > 0 ? FIXED_POINT_ONE : 0;
		x[last] -= weight * x[j];
	}
	*instance = (Instance){.dimension = grid->dimension, .rows = 1, .x = x, .net = t};
}

/* Appends the coordinate that is always 1. */
static Grid
with_constant(Grid grid)
{
	int j = grid.dimension++;

	grid.levels[j] = 1;
	grid.level[j][0] = 1;
	if (grid.constraint == GRID_SPARSE || grid.constraint == GRID_BALL)
		grid.bound++;
	CHECK(grid_is_valid(&grid));
	return grid;
}

typedef struct Outcome
{
	double often; /* share of the draws whose excess is t or more */
	double mean;  /* of the excess */
} Outcome;

static Outcome
draw_excess(const Setting *setting, int64_t t, int draws)
{
	MechanismRequest request = make_request(setting);
	int32_t x[GRID_MAX_DIMENSION];
	int best[GRID_MAX_DIMENSION];
	Outcome outcome = {0, 0};
	Instance instance;

	last_vector(&setting->grid, best);
	hardest_data(&setting->grid, best, &t, x, &instance);
	CHECK(instance_loss(&instance, &setting->grid, best) == 0);
	draws = check_repetitions(draws);
	for (int k = 0; k < draws; k++)
	{
		MechanismTools tools = {.bits = &bits, .memory = memory, .oracle = oracle_search};
		MechanismAnswer answer;
		int64_t loss;

		mechanism_get(setting->kind)->release(&request, &instance, &tools, &answer);
		loss = instance_loss(&instance, &setting->grid, answer.index);
		outcome.often += loss >= t;
		outcome.mean += (double) loss;
		memory_renew();
	}
	outcome.often /= draws;
	outcome.mean /= draws;
	return outcome;
}

/* ---- the bounds hold, and are not far off ---- */

/* DPOBJ_TEST_FIGURES=1: by how much a bound is above the truth. */
static void
print_figures(const Setting *setting, const UtilityBound *bound, double slack)
{
	double part = slack;

	while (part > 1 && draw_excess(setting, (int64_t) (bound->rows / part), DRAWS).often > BETA)
		part -= 0.05;
	printf("%s d=%d |W|=%.0f eps=%g %s: rows %.1f, %.2f of the quantile; mean %.1f\n",
		   mechanism_get(setting->kind)->name, setting->grid.dimension - 1,
		   exp2(grid_log2_size(&setting->grid)), (double) setting->epsilon / EPSILON_ONE,
		   setting->adjacency == ADJACENCY_REPLACE ? "replace" : "add_remove", bound->rows, part,
		   bound->mean);
}

static void
check_setting(const Setting *setting, double slack)
{
	MechanismRequest request = make_request(setting);
	UtilityBound bound;

	utility_bound(&request, BETA, &bound);
	CHECK(bound.rows > 4 && bound.mean > 4);
	CHECK_WHOLE(draw_excess(setting, (int64_t) ceil(bound.rows), DRAWS).often <= BETA + TOLERANCE);
	CHECK_WHOLE(draw_excess(setting, (int64_t) (bound.rows / slack), DRAWS).often >
				BETA + TOLERANCE);
	for (int part = 1; part <= 4; part++)
		CHECK_WHOLE(draw_excess(setting, (int64_t) (bound.mean * part / 4), DRAWS_OF_A_MEAN).mean <=
					bound.mean);
	CHECK_WHOLE(draw_excess(setting, (int64_t) (bound.mean * 0.7), DRAWS_OF_A_MEAN).mean >=
				bound.mean / 8);
	if (getenv("DPOBJ_TEST_FIGURES") != NULL)
		print_figures(setting, &bound, slack);
}

/* How many times smaller than the bound the true quantile may be. */
static double
slack_of(MechanismKind kind)
{
	return mechanism_perturbs(kind) ? 5 : 1.5;
}

static bool
chooses_from_grid(MechanismKind kind)
{
	return !mechanism_get(kind)->convex && !mechanism_get(kind)->targets;
}

static void
test_hardest_data(void)
{
	static const int64_t epsilons[] = {EPSILON_ONE / 50, EPSILON_ONE / 4};
	const Grid grids[] = {with_constant(uniform_grid(1, 0, GRID_PRODUCT, 0)),
						  with_constant(uniform_grid(2, 1, GRID_PRODUCT, 0)),
						  with_constant(uniform_grid(4, 1, GRID_PRODUCT, 0)),
						  with_constant(uniform_grid(3, 4, GRID_PRODUCT, 0)),
						  with_constant(uniform_grid(5, 0, GRID_MODULUS, 2)),
						  with_constant(uniform_grid(5, 1, GRID_BALL, 2))};
	int count = sizeof(grids) / sizeof(grids[0]);

	for (int g = 0; g < count; g++)
		for (MechanismKind kind = 0; kind < MECHANISM_KINDS; kind++)
		{
			Setting setting = {.kind = kind,
							   .grid = grids[g],
							   .epsilon = epsilons[g % 2],
							   .adjacency = g % 3 ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE};

			if (chooses_from_grid(kind) && mechanism_get(kind)->bound != NULL) /* test_lead() */
				check_setting(&setting, slack_of(kind));
			setting.prior_power = PRIOR_ONE; /* the best vector is one that it is most against */
			if (mechanism_get(kind)->prior)
				check_setting(&setting, slack_of(kind));
		}
}

/* ---- priors ---- */

#define VECTORS 1000

/* The vectors of a small grid with losses at random, and the exponential mechanism's law. */
typedef struct Field
{
	int vectors;
	bool small[VECTORS]; /* weights of at most 1 in absolute value */
	int64_t loss[VECTORS];
	double law[VECTORS];
} Field;

static void
fill_field(Field *field, const MechanismRequest *request, int64_t most)
{
	int index[GRID_MAX_DIMENSION] = {0};
	double rate = utility_rate(request);
	double total = 0;
	PriorCosts costs;

	prior_costs(&request->grid, request->prior_power, request->epsilon, request->adjacency, &costs);
	field->vectors = 0;
	do
	{
		int k = field->vectors;

		if (!grid_contains(&request->grid, index))
			continue;
		field->small[k] = true;
		for (int j = 0; j < request->grid.dimension; j++)
			field->small[k] &= abs(request->grid.level[j][index[j]]) <= 1;
		field->loss[k] = below(3) ? most : (int64_t) teststream_below(&stream, (uint64_t) most + 1);
		field->law[k] = exp(-rate * ((double) field->loss[k] +
									 (double) prior_cost(&request->grid, &costs, index) / 4096));
		total += field->law[k];
		field->vectors++;
	} while (next_index(&request->grid, index));
	for (int k = 0; k < field->vectors; k++)
		field->law[k] /= total;
}

/* Is the excess over the best vector, or the best of small weights, within the bound? */
static bool
field_is_within(const Field *field, bool small, double rows, double mean)
{
	int64_t least = INT64_MAX;
	double above = 0;
	double excess = 0;

	for (int k = 0; k < field->vectors; k++)
		if ((field->small[k] || !small) && field->loss[k] < least)
			least = field->loss[k];
	for (int k = 0; k < field->vectors; k++)
	{
		double own = (double) (field->loss[k] - least);

		above += own > 0 && own >= rows ? field->law[k] : 0;
		excess += own * field->law[k];
	}
	return above <= BETA * (1 + 1e-9) && excess <= mean * (1 + 1e-9);
}

/* Whatever the losses are; and the bound for small weights is the lower one. */
static void
test_priors(void)
{
	Field field;
	int small = 0;

	for (int round = 0; round < check_repetitions(2000); round++)
	{
		MechanismRequest request = {.kind = MECHANISM_EXPONENTIAL,
									.epsilon = EPSILON_ONE / 100 * (1 + below(300)),
									.adjacency = (Adjacency) below(2),
									.prior_power = 1 + below(4 * (int) PRIOR_ONE)};
		UtilityBound bound;

		random_grid(&request.grid, LEVELS_LISTS, 1 + below(4), 2, VECTORS);
		utility_bound(&request, BETA, &bound);
		fill_field(&field, &request, 1 + (int64_t) (bound.rows * (1 + below(40)) / 20));
		CHECK(field_is_within(&field, false, bound.rows, bound.mean));
		if (!bound.small)
			continue;
		CHECK(field_is_within(&field, true, bound.small_rows, bound.small_mean));
		CHECK(bound.small_rows <= bound.rows && bound.small_mean <= bound.mean);
		small += bound.small_rows < bound.rows;
	}
	CHECK_WHOLE(small > 100);
}

/* ---- the noise alone, where the grid is too large to go through ---- */

typedef struct NoiseDraw
{
	Perturbation perturbation;
	Grid grid; /* as the oracle gets it */
	mpz_t *reward;
	mpz_t *level_reward;
} NoiseDraw;

static double
end_reward(const NoiseDraw *draw, int state)
{
	return draw->perturbation.features == FEATURES_SPHERE ? mpz_get_d(draw->level_reward[state])
														  : 0;
}

/* best[s]: the largest reward of coordinates before j that lead to state s. */
static void
extend_rewards(const NoiseDraw *draw, int j, double *best)
{
	double next[GRID_MAX_STATES];
	int states = grid_states(&draw->grid);

	for (int s = 0; s < states; s++)
		next[s] = -INFINITY;
	for (int i = 0; i < draw->grid.levels[j]; i++)
	{
		double reward = mpz_get_d(draw->reward[j * GRID_MAX_LEVELS + i]);

		for (int s = 0; s < states; s++)
		{
			int t = best[s] > -INFINITY ? grid_step(&draw->grid, s, j, i) : -1;

			if (t >= 0)
				next[t] = fmax(next[t], best[s] + reward);
		}
	}
	memcpy(best, next, sizeof(double) * (size_t) states);
}

/* X / N of utility.c: the largest reward less that of v. */
static double
draw_perturbation(NoiseDraw *draw, const Grid *grid, const int *v)
{
	double best[GRID_MAX_STATES] = {0};
	double most = -INFINITY;
	double own = 0;
	int state = 0;

	perturbation_draw(&draw->perturbation, grid, &bits, memory, draw->reward, draw->level_reward);
	for (int s = 1; s < grid_states(&draw->grid); s++)
		best[s] = -INFINITY;
	for (int j = 0; j < grid->dimension; j++)
	{
		extend_rewards(draw, j, best);
		own += mpz_get_d(draw->reward[j * GRID_MAX_LEVELS + v[j]]);
		state = grid_step(&draw->grid, state, j, v[j]);
	}
	for (int s = 0; s < grid_states(&draw->grid); s++)
		if (grid_accepts(&draw->grid, s))
			most = fmax(most, best[s] + end_reward(draw, s));
	return (most - own - end_reward(draw, state)) / (double) draw->perturbation.scale;
}

/* The highest levels as far as the grid lets them, then weights of 0. */
static void
greedy_vector(const Grid *grid, int *index)
{
	int state = 0;

	for (int j = 0; j < grid->dimension; j++)
	{
		index[j] = grid->levels[j] - 1;
		if (grid_step(grid, state, j, index[j]) < 0)
			index[j] = grid->levels[j] / 2;
		state = grid_step(grid, state, j, index[j]);
	}
	CHECK(grid_contains(grid, index));
}

static void
check_noise(const Setting *setting, double slack, int most_draws)
{
	static double excess[DRAWS];
	NoiseDraw draw = {.reward = integers_create(GRID_MAX_DIMENSION * GRID_MAX_LEVELS, memory),
					  .level_reward = integers_create(GRID_MAX_STATES, memory)};
	MechanismRequest request = make_request(setting);
	PerturbationRequest asked = mechanism_perturbation(&request);
	int draws = check_repetitions(most_draws);
	int v[GRID_MAX_DIMENSION];
	double quantile;
	double mean = 0;
	UtilityBound bound;

	greedy_vector(&setting->grid, v);
	utility_bound(&request, BETA, &bound);
	CHECK(perturbation_refusal(&asked) == NULL);
	perturbation_choose(&draw.perturbation, &asked);
	perturbation_grid(&draw.perturbation, &setting->grid, &draw.grid);
	for (int k = 0; k < draws; k++)
	{
		excess[k] = draw_perturbation(&draw, &setting->grid, v);
		mean += excess[k] / draws;
	}
	qsort(excess, (size_t) draws, sizeof(double), compare_doubles);
	quantile = excess[(int) ((1 - BETA) * draws)];
	/* of so many draws so many may be above it, but for 1e-3 */
	CHECK(excess[(int) ((1 - BETA) * draws - 3 * sqrt(BETA * draws))] <= bound.rows);
	CHECK_WHOLE(quantile >= bound.rows / slack);
	/* the mean's own error is about 1 / sqrt(draws) of it */
	CHECK_WHOLE(mean <= bound.mean * (1 + 4 / sqrt(draws)));
	CHECK_WHOLE(mean >= bound.mean / slack);
	if (getenv("DPOBJ_TEST_FIGURES") != NULL)
		printf("%s %s noise %d d=%d levels %d %s eps %g: rows %.1f, quantile %.1f (%.2f); mean "
			   "%.1f of %.1f "
			   "(%.3f)\n",
			   setting->adjacency == ADJACENCY_REPLACE ? "replace" : "add_remove",
			   mechanism_get(setting->kind)->name, setting->noise, setting->grid.dimension,
			   setting->grid.levels[0], setting->grid.constraint == GRID_SPARSE ? "sparse" : "",
			   (double) setting->epsilon / EPSILON_ONE, bound.rows, quantile, bound.rows / quantile,
			   mean, bound.mean, bound.mean / mean);
	integers_destroy(draw.reward, GRID_MAX_DIMENSION * GRID_MAX_LEVELS, memory);
	integers_destroy(draw.level_reward, GRID_MAX_STATES, memory);
}

static void
test_noise(void)
{
	static const int64_t epsilons[] = {1, EPSILON_ONE / 10, EPSILON_ONE, 2000 * EPSILON_ONE};
	const Grid grids[] = {
		uniform_grid(1, 0, GRID_PRODUCT, 0),  uniform_grid(23, 0, GRID_PRODUCT, 0),
		uniform_grid(23, 1, GRID_PRODUCT, 0), uniform_grid(1, 4, GRID_PRODUCT, 0),
		uniform_grid(8, 4, GRID_PRODUCT, 0),  uniform_grid(2, 16, GRID_PRODUCT, 0),
		uniform_grid(6, 1, GRID_SPARSE, 1),   uniform_grid(23, 1, GRID_SPARSE, 4),
		uniform_grid(5, 1, GRID_SPARSE, 5)};
	int count = sizeof(grids) / sizeof(grids[0]);

	for (int k = 0; k < count * 4; k++)
	{
		const Grid *grid = &grids[k % count];
		Setting setting = {MECHANISM_OPDISC,
						   *grid,
						   epsilons[k / count],
						   k % 2 ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE,
						   PERTURBATION_GAUGE,
						   0,
						   0};

		check_noise(&setting, grid->constraint == GRID_SPARSE ? 6 : 4, DRAWS);
		memory_renew();
	}
}

/* The other laws; the bounds on real ones are not meant to be close for a few coordinates. */
static void
test_other_noise(void)
{
	const Grid grids[] = {
		uniform_grid(23, 0, GRID_PRODUCT, 0), uniform_grid(23, 1, GRID_SPARSE, 4),
		uniform_grid(23, 1, GRID_PRODUCT, 0), uniform_grid(4, 4, GRID_BALL, 16),
		uniform_grid(2, 0, GRID_PRODUCT, 0),  uniform_grid(6, 2, GRID_PRODUCT, 0)};
	int count = sizeof(grids) / sizeof(grids[0]);

	for (int k = 0; k < count * PERTURBATION_NOISES * 2; k++)
	{
		Setting setting = {.kind = k % 2 ? MECHANISM_RSPM : MECHANISM_OPDISC,
						   .grid = grids[k / 2 % count],
						   .epsilon = k % 4 < 2 ? EPSILON_ONE : EPSILON_ONE / 10,
						   .adjacency = k % 3 ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE,
						   .noise = k / 2 / count};
		MechanismRequest request = make_request(&setting);
		PerturbationRequest asked = mechanism_perturbation(&request);

		if (perturbation_needs_delta(setting.noise))
			setting.delta = DELTA_ONE / 1000;
		if (perturbation_refusal(&asked) == NULL)
			check_noise(&setting, 8, DRAWS / 20);
		memory_renew();
	}
}

/* ---- closed forms ---- */

static UtilityBound
bound_of(MechanismKind kind, const Grid *grid, int64_t epsilon, Adjacency adjacency, double beta)
{
	Setting setting = {kind, *grid, epsilon, adjacency, PERTURBATION_GAUGE, 0, 0};
	MechanismRequest request = make_request(&setting);
	UtilityBound bound;

	utility_bound(&request, beta, &bound);
	return bound;
}

static bool
near(double a, double b, double error)
{
	return fabs(a - b) <= error * fabs(b);
}

static double
mean_with(const Grid *grid, MechanismKind kind, PerturbationNoise noise)
{
	Setting setting = {kind, *grid, EPSILON_ONE, ADJACENCY_REPLACE, noise, 0, 0};
	MechanismRequest request;
	UtilityBound bound;

	if (perturbation_needs_delta(noise))
		setting.delta = (int64_t) (1e-6 * DELTA_ONE);
	request = make_request(&setting);
	utility_bound(&request, BETA, &bound);
	return bound.mean;
}

/*
 * The expected perturbation at epsilon 1 under replace, by another program.  The last two
 * of either half were simulated there, with an error of 1 %, and are bounded from above here;
 * the lattice adds a little.
 */
static void
test_published_table(void)
{
	static const struct
	{
		int d;
		double ternary[4]; /* exponential, gauge, spherical, valid Gaussian */
		double signs[5];   /* exponential, gauge, Laplace, spherical, valid Gaussian */
	} rows[] = {{5, {11.0, 30.6, 99.4, 204.3}, {6.9, 15, 25, 21, 44}},
				{10, {22.0, 116.7, 362.8, 657.9}, {13.9, 55, 100, 82, 137}},
				{23, {50.5, 600.6, 1803.9, 2866.1}, {31.9, 276, 529, 427, 576}},
				{50, {109.9, 2805.6, 8273.2, 11555.1}, {69, 1275, 2500, 2006, 2327}}};
	const PerturbationNoise gauge = PERTURBATION_GAUGE;

	for (int i = 0; i < 4; i++)
	{
		Grid ternary = uniform_grid(rows[i].d, 1, GRID_PRODUCT, 0);
		Grid signs = uniform_grid(rows[i].d, 0, GRID_PRODUCT, 0);
		const double *three = rows[i].ternary;
		const double *two = rows[i].signs;
		double mean;

		CHECK(near(mean_with(&ternary, MECHANISM_EXPONENTIAL, gauge), three[0], 0.005));
		CHECK(near(mean_with(&ternary, MECHANISM_OPDISC, gauge), three[1], 0.01));
		mean = mean_with(&ternary, MECHANISM_OPDISC, PERTURBATION_SPHERICAL);
		CHECK(mean > 0.99 * three[2] && mean < 1.4 * three[2]);
		mean = mean_with(&ternary, MECHANISM_OPDISC, PERTURBATION_GAUSSIAN);
		CHECK(mean > 0.99 * three[3] && mean < 1.4 * three[3]);
		CHECK(near(mean_with(&signs, MECHANISM_EXPONENTIAL, gauge), two[0], 0.007));
		mean = mean_with(&signs, MECHANISM_OPDISC, gauge);
		CHECK(mean > two[1] && mean < two[1] + 0.6);
		CHECK(near(mean_with(&signs, MECHANISM_OPDISC, PERTURBATION_LAPLACE), two[2], 0.01));
		CHECK(near(mean_with(&signs, MECHANISM_OPDISC, PERTURBATION_SPHERICAL), two[3], 0.01));
		CHECK(near(mean_with(&signs, MECHANISM_OPDISC, PERTURBATION_GAUSSIAN), two[4], 0.01));
		/* 5/9 for a coordinate against 5/6: the triangle, not the square of two separators */
		CHECK(near(mean_with(&ternary, MECHANISM_OPDISC, gauge) /
					   mean_with(&ternary, MECHANISM_RSPM, gauge),
				   5.0 / 9, 0.01));
	}
}

/* The exponential mechanism at d = 23: its quantile, and the mean under add_remove. */
static void
test_published_figures(void)
{
	Grid ternary = uniform_grid(23, 1, GRID_PRODUCT, 0);
	Grid single = uniform_grid(2, 0, GRID_SPARSE, 2);
	UtilityBound bound;

	bound = bound_of(MECHANISM_EXPONENTIAL, &ternary, EPSILON_ONE, ADJACENCY_REPLACE, BETA);
	CHECK(near(bound.rows, 2 * (23 * log(3) + log(19)), 1e-6));
	bound = bound_of(MECHANISM_EXPONENTIAL, &ternary, EPSILON_ONE, ADJACENCY_ADD_REMOVE, BETA);
	CHECK(near(bound.mean, 25.27, 0.001));
	single.levels[0] = single.levels[1] = 1;
	bound = bound_of(MECHANISM_EXPONENTIAL, &single, EPSILON_ONE, ADJACENCY_REPLACE, BETA);
	CHECK(bound.rows == 0 && bound.mean == 0);
	bound = bound_of(MECHANISM_OPDISC, &single, EPSILON_ONE, ADJACENCY_REPLACE, BETA);
	CHECK(bound.rows == 0 && bound.mean == 0);
}

/* More epsilon, and a larger beta, never make a bound larger. */
static void
test_order(void)
{
	Grid grid = uniform_grid(6, 1, GRID_PRODUCT, 0);

	for (MechanismKind kind = 0; kind < MECHANISM_KINDS; kind++)
		for (int64_t epsilon = 1; chooses_from_grid(kind) && epsilon <= 100 * EPSILON_ONE;
			 epsilon *= 10)
		{
			UtilityBound this = bound_of(kind, &grid, epsilon, ADJACENCY_REPLACE, BETA);
			UtilityBound more = bound_of(kind, &grid, epsilon * 2, ADJACENCY_REPLACE, BETA);
			UtilityBound surer = bound_of(kind, &grid, epsilon, ADJACENCY_REPLACE, BETA / 5);

			if (mechanism_get(kind)->bound == NULL)
			{
				CHECK(isinf(this.rows) && isinf(this.mean));
				continue;
			}
			CHECK(isfinite(this.rows) && this.rows > 0 && this.mean > 0);
			CHECK(more.rows < this.rows && more.mean < this.mean);
			CHECK(surer.rows > this.rows && surer.mean == this.mean);
		}
}

/*
 * One vector has the lead, all others of W as many votes less: it is not the answer with
 * probability beta, and with one vote less than the next whole lead with more.
 */
static void
test_lead(void)
{
	const Grid grids[] = {uniform_grid(3, 0, GRID_PRODUCT, 0), uniform_grid(6, 1, GRID_PRODUCT, 0),
						  uniform_grid(23, 1, GRID_PRODUCT, 0), uniform_grid(5, 1, GRID_BALL, 2)};
	static const int64_t epsilons[] = {EPSILON_ONE / 10, EPSILON_ONE, 7 * EPSILON_ONE};

	for (int k = 0; k < 12; k++)
	{
		const Grid *grid = &grids[k / 3];
		double others = (double) grid_size(grid) - 1;
		double half = (double) epsilons[k % 3] / EPSILON_ONE / 2;
		double lead = utility_lead(grid, epsilons[k % 3], BETA);
		double odds = others * exp(-half * lead);

		CHECK(fabs(odds / (1 + odds) - BETA) < 1e-9);
		odds = others * exp(-half * (ceil(lead) - 1));
		CHECK(odds / (1 + odds) > BETA);
	}
	CHECK(utility_lead(&(Grid){.dimension = 1, .levels = {1}}, EPSILON_ONE, BETA) == 0);
}

/* Rule U19 for grids; sql/train.sql has the figures of other mechanisms. */
static void
test_useless_rows(void)
{
	const Grid product = uniform_grid(23, 1, GRID_PRODUCT, 0);
	const Grid sparse = uniform_grid(60, 1, GRID_SPARSE, 2);
	const Mechanism *exponential = &mechanism_exponential;
	Encoding encoding;

	encoding_init(&encoding);
	for (Adjacency adjacency = 0; adjacency <= ADJACENCY_ADD_REMOVE; adjacency++)
	{
		double margin = privacy_margin(adjacency);
		Setting setting = {.kind = MECHANISM_EXPONENTIAL,
						   .grid = product,
						   .epsilon = EPSILON_ONE / 10,
						   .adjacency = adjacency};
		MechanismRequest request = make_request(&setting);

		CHECK(fabs(exponential->useless_rows(&request, &encoding) - 60 * margin) < 1e-9);
		setting.grid = sparse;
		request = make_request(&setting);
		CHECK(exponential->useless_rows(&request, &encoding) ==
			  2 * bound_of(setting.kind, &sparse, setting.epsilon, adjacency, BETA).rows);
	}
	CHECK(mechanism_sample_aggregate.useless_rows == NULL);
}

int
main(void)
{
	test_begin(20261121);
	test_lead();
	test_useless_rows();
	test_published_figures();
	test_published_table();
	test_order();
	test_noise();
	test_other_noise();
	test_hardest_data();
	test_priors();
	return test_end("utility");
}

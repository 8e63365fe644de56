/*
 * test_perturbation.c - laws of real numbers: their calibration, their draws, and their privacy.
 *
 * Privacy by the change of variables of theorem G1, on random neighbours: if noise r makes w the
 * answer, r + s_w makes w the answer on the neighbour too, with rounded rewards (which are computed
 * here independently and compared).  So the densities at r and r + s_w bound the privacy loss: for
 * pure noise it must not exceed epsilon, and for Gaussian noise (2) must stay below delta.
 */
#include "core/noise/perturbation.h"

#include <gsl/gsl_cdf.h>
#include <mpfr.h>

#include "core/optimum/oracle.h"

#include "core/fixture.h"
#include "core/law.h"
#include "core/neighbours.h"

#define MOST_NUMBERS 16

/* A draw is known to 2^-PLACES, and its shifts are added with PRECISION bits. */
#define PLACES 100
#define PRECISION 400

static PerturbationRequest
make_request(const Grid *grid, bool separators, PerturbationNoise noise, double epsilon,
			 double delta, Adjacency adjacency)
{
	return (PerturbationRequest){
		.grid = grid,
		.separators = separators,
		.noise = noise,
		.epsilon = (int64_t) nearbyint(epsilon * EPSILON_ONE),
		.delta = (int64_t) (delta * DELTA_ONE),
		.adjacency = adjacency,
	};
}

/* ---- the scales of theorems R4 and R5, from a grid ---- */

/* In units of pi(w) = phi(w) / D: sigma, or the scale of the spherical radius. */
static double
paper_spread(const Grid *grid, bool separators, PerturbationNoise noise, double epsilon,
			 double delta, Adjacency adjacency)
{
	PerturbationRequest request = make_request(grid, separators, noise, epsilon, delta, adjacency);
	Perturbation perturbation;

	CHECK(perturbation_refusal(&request) == NULL);
	perturbation_choose(&perturbation, &request);
	return perturbation.spread / (double) perturbation.scale *
		   (separators ? 1 : sqrt(perturbation.squared_radius));
}

#define CHECK_NEAR(value, printed) CHECK(fabs((value) / (printed) -1) < 5e-6)

static void
test_scales(void)
{
	const Adjacency replace = ADJACENCY_REPLACE;
	Grid ball = uniform_grid(23, 4, GRID_BALL, 23);
	Grid wide = uniform_grid(23, 4, GRID_BALL, 1000); /* the bound does not bind: 23 * 16 */
	Grid cube = uniform_grid(23, 0, GRID_PRODUCT, 0);
	Grid parity = uniform_grid(23, 0, GRID_MODULUS, 2);
	Grid sparse = uniform_grid(23, 1, GRID_SPARSE, 4);
	Grid ternary = uniform_grid(10, 1, GRID_PRODUCT, 0);
	const double delta = 1e-6;

	CHECK_NEAR(paper_spread(&ball, false, PERTURBATION_GAUSSIAN, 1, delta, replace), 725.5013);
	CHECK_NEAR(paper_spread(&ball, false, PERTURBATION_PUBLISHED, 1, delta, replace), 598.4245);
	CHECK_NEAR(paper_spread(&ball, false, PERTURBATION_SPHERICAL, 1, 0, replace), 92);
	CHECK_NEAR(paper_spread(&wide, false, PERTURBATION_SPHERICAL, 1, 0, replace), 16 * 92);
	CHECK_NEAR(paper_spread(&ball, false, PERTURBATION_SPHERICAL, 1, 0, ADJACENCY_ADD_REMOVE), 46);
	CHECK_NEAR(paper_spread(&ternary, false, PERTURBATION_GAUSSIAN, 1, delta, replace), 245.6728);
	CHECK_NEAR(paper_spread(&cube, false, PERTURBATION_GAUSSIAN, 1, delta, replace), 151.0286);
	CHECK_NEAR(paper_spread(&cube, false, PERTURBATION_PUBLISHED, 1, delta, replace), 149.6061);
	CHECK_NEAR(paper_spread(&cube, false, PERTURBATION_SPHERICAL, 1, 0, replace), 23);
	CHECK_NEAR(paper_spread(&parity, false, PERTURBATION_SPHERICAL, 1, 0, replace), 11.5);
	CHECK_NEAR(paper_spread(&sparse, false, PERTURBATION_SPHERICAL, 1, 0, replace), 8);
	CHECK(fabs(paper_spread(&cube, true, PERTURBATION_GAUSSIAN, 1, delta, replace) - 62.98) < 5e-3);
	CHECK(fabs(paper_spread(&cube, true, PERTURBATION_PUBLISHED, 1, delta, replace) - 124.8) <
		  0.05);
	/* 2 sqrt(m): 20 separators of 10 ternary weights */
	CHECK_NEAR(paper_spread(&ternary, true, PERTURBATION_SPHERICAL, 1, 0, replace), 2 * sqrt(20));
	/* the paraboloid's r_0: 2 / (epsilon tau^2), times D by paper_spread() */
	CHECK_NEAR(paper_spread(&ball, false, PERTURBATION_PARABOLOID, 1, 0, replace), 2 * sqrt(23));
}

static void
test_refusals(void)
{
	Grid modulus = uniform_grid(5, 1, GRID_MODULUS, 3);
	Grid large = uniform_grid(5, 16, GRID_PRODUCT, 0);
	Grid ternary = uniform_grid(5, 1, GRID_PRODUCT, 0);
	PerturbationRequest request =
		make_request(&modulus, false, PERTURBATION_SPHERICAL, 1, 0, ADJACENCY_REPLACE);

	CHECK(perturbation_refusal(&request) != NULL);
	request.separators = true;
	CHECK(perturbation_refusal(&request) == NULL);
	request.noise = PERTURBATION_PARABOLOID;
	CHECK(perturbation_refusal(&request) != NULL);
	request.separators = false;
	CHECK(perturbation_refusal(&request) == NULL);
	request.grid = &large;
	CHECK(perturbation_refusal(&request) == NULL);
	request.noise = PERTURBATION_GAUSSIAN;
	CHECK(perturbation_refusal(&request) != NULL);
	request.grid = &ternary;
	CHECK(perturbation_refusal(&request) == NULL);
	request.noise = PERTURBATION_LAPLACE;
	CHECK(perturbation_refusal(&request) != NULL);
}

/* A grid of one vector has no noise. */
static void
test_one_vector(void)
{
	Grid grid = {.dimension = 2, .levels = {1, 1}, .level = {{3}, {-2}}};
	mpz_t *reward = integers_create(2 * GRID_MAX_LEVELS, memory);
	mpz_t *level_reward = integers_create(GRID_MAX_STATES, memory);

	CHECK(grid_is_valid(&grid));
	for (int k = 0; k < 2 * PERTURBATION_NOISES; k++)
	{
		PerturbationRequest request = make_request(&grid, k % 2 == 1, (PerturbationNoise) (k / 2),
												   1, 1e-6, ADJACENCY_REPLACE);
		Perturbation perturbation;

		if (perturbation_refusal(&request) == NULL)
		{
			perturbation_choose(&perturbation, &request);
			perturbation_draw(&perturbation, &grid, &bits, memory, reward, level_reward);
			CHECK(mpz_sgn(reward[0]) == 0 && mpz_sgn(reward[GRID_MAX_LEVELS]) == 0);
		}
	}
	integers_destroy(reward, 2 * GRID_MAX_LEVELS, memory);
	integers_destroy(level_reward, GRID_MAX_STATES, memory);
}

/* Tiny and huge epsilons keep sums of rewards far below the oracle's limit of 2^58. */
static void
test_range(void)
{
	static const int64_t epsilons[] = {1, EPSILON_ONE / 1000, 10000 * EPSILON_ONE};
	Grid grids[] = {uniform_grid(128, 1, GRID_PRODUCT, 0), uniform_grid(128, 0, GRID_PRODUCT, 0),
					uniform_grid(64, 4, GRID_BALL, 1024)};
	mpz_t *reward = integers_create(GRID_MAX_DIMENSION * GRID_MAX_LEVELS, memory);
	mpz_t *level_reward = integers_create(GRID_MAX_STATES, memory);

	for (int k = 0; k < 9; k++)
	{
		const Grid *grid = &grids[k % 3];
		PerturbationRequest request =
			make_request(grid, false, PERTURBATION_SPHERICAL, 1, 0, ADJACENCY_REPLACE);
		Perturbation perturbation;
		double sum = 0;

		request.epsilon = epsilons[k / 3];
		perturbation_choose(&perturbation, &request);
		perturbation_draw(&perturbation, grid, &bits, memory, reward, level_reward);
		for (int j = 0; j < grid->dimension; j++)
			sum += fabs(mpz_get_d(reward[j * GRID_MAX_LEVELS]));
		CHECK(sum < 0x1p56);
		CHECK(sum > 100 || request.epsilon > EPSILON_ONE);
	}
	integers_destroy(reward, GRID_MAX_DIMENSION * GRID_MAX_LEVELS, memory);
	integers_destroy(level_reward, GRID_MAX_STATES, memory);
}

/* ---- shifts ---- */

typedef struct Draw
{
	Perturbation perturbation;
	Grid grid;   /* as asked */
	Grid oracle; /* as searched */
	mpfr_t r[MOST_NUMBERS];
	mpfr_t shift[MOST_NUMBERS];
	mpz_t *reward;
	mpz_t *level_reward;
} Draw;

static void
draw_init(Draw *draw)
{
	for (int i = 0; i < MOST_NUMBERS; i++)
		mpfr_inits2(PRECISION, draw->r[i], draw->shift[i], (mpfr_ptr) NULL);
	draw->reward = integers_create(LAW_DIMENSION * GRID_MAX_LEVELS, memory);
	draw->level_reward = integers_create(GRID_MAX_STATES, memory);
}

static void
draw_clear(Draw *draw)
{
	for (int i = 0; i < MOST_NUMBERS; i++)
		mpfr_clears(draw->r[i], draw->shift[i], (mpfr_ptr) NULL);
	integers_destroy(draw->reward, LAW_DIMENSION * GRID_MAX_LEVELS, memory);
	integers_destroy(draw->level_reward, GRID_MAX_STATES, memory);
}

/* value sqrt(square), rounded */
static void
round_root(mpz_t integer, const mpfr_t value, int square)
{
	mpfr_t product;

	mpfr_init2(product, PRECISION);
	(void) mpfr_sqrt_ui(product, (unsigned long) square, MPFR_RNDN);
	(void) mpfr_mul(product, product, value, MPFR_RNDN);
	(void) mpfr_get_z(integer, product, MPFR_RNDN);
	mpfr_clear(product);
}

/* The rewards that r makes by perturbation.h, written down a second time. */
static void
make_rewards(const Draw *draw, mpz_t *reward, mpz_t *level_reward)
{
	const Perturbation *perturbation = &draw->perturbation;
	const Grid *grid = &draw->grid;
	int last = perturbation->dimension - 1;
	int next = 0;
	mpz_t noise;
	mpz_t height;

	mpz_inits(noise, height, NULL);
	if (perturbation->features == FEATURES_PARABOLOID)
	{
		round_root(height, draw->r[last], 1);
		mpz_set_d(noise, nearbyint(perturbation->dimension * perturbation->spread));
		mpz_sub(height, height, noise);
	}
	for (int j = 0; j < grid->dimension; j++)
	{
		mpz_t *level = &reward[j * GRID_MAX_LEVELS];
		bool linear = perturbation->features != FEATURES_SEPARATORS && grid->levels[j] > 1;

		if (linear)
			round_root(noise, draw->r[next++], 1);
		for (int i = 0; i < grid->levels[j]; i++)
		{
			int weight = linear ? grid->level[j][i] : 0;

			mpz_mul_si(level[i], noise, weight);
			mpz_submul_ui(level[i], height, (unsigned long) (weight * weight));
			if (perturbation->features == FEATURES_SEPARATORS && i > 0)
			{
				round_root(noise, draw->r[next++], 1);
				mpz_add(level[i], level[i - 1], noise);
			}
		}
	}
	for (int s = 0; s <= perturbation->square_bound; s++)
		if (perturbation->features == FEATURES_SPHERE)
			round_root(level_reward[s], draw->r[last], perturbation->square_bound - s);
	mpz_clears(noise, height, NULL);
}

/* Checks that the core's rewards are those of its numbers. */
static void
check_rewards(const Draw *draw)
{
	mpz_t *reward = integers_create(LAW_DIMENSION * GRID_MAX_LEVELS, memory);
	mpz_t *level_reward = integers_create(GRID_MAX_STATES, memory);

	make_rewards(draw, reward, level_reward);
	for (int j = 0; j < draw->grid.dimension; j++)
		for (int i = 0; i < draw->grid.levels[j]; i++)
			CHECK(mpz_cmp(reward[j * GRID_MAX_LEVELS + i], draw->reward[j * GRID_MAX_LEVELS + i]) ==
				  0);
	if (draw->perturbation.features == FEATURES_SPHERE)
		for (int s = 0; s <= draw->perturbation.square_bound; s++)
			CHECK(mpz_cmp(level_reward[s], draw->level_reward[s]) == 0);
	integers_destroy(reward, LAW_DIMENSION * GRID_MAX_LEVELS, memory);
	integers_destroy(level_reward, GRID_MAX_STATES, memory);
}

/* r, and the rewards that the core makes of it. */
static void
draw_numbers(Draw *draw)
{
	int count = draw->perturbation.dimension;
	RealDraw *numbers = perturbation_numbers(&draw->perturbation, &bits, memory);
	mpfr_t cone;
	mpz_t *integer = integers_create(MOST_NUMBERS, memory);

	mpfr_init2(cone, PRECISION);
	perturbation_reward(&draw->perturbation, &draw->grid, numbers, &bits, memory, draw->reward,
						draw->level_reward);
	real_draw_near(numbers, &bits, PLACES, integer);
	real_draw_destroy(numbers, memory);
	(void) mpfr_set_d(cone, 4 * draw->perturbation.squared_radius, MPFR_RNDN);
	(void) mpfr_sqrt(cone, cone, MPFR_RNDN);
	for (int i = 0; i < count; i++)
	{
		(void) mpfr_set_z_2exp(draw->r[i], integer[i], -PLACES, MPFR_RNDN);
		if (draw->perturbation.features == FEATURES_PARABOLOID && i < count - 1)
			(void) mpfr_mul(draw->r[i], draw->r[i], cone, MPFR_RNDN);
	}
	integers_destroy(integer, MOST_NUMBERS, memory);
	mpfr_clear(cone);
}

/* The argmin under the rewards as they stand, by the definition. */
static void
draw_answer(Draw *draw, const Instance *instance, OracleAnswer *answer)
{
	bool sphere = draw->perturbation.features == FEATURES_SPHERE;

	oracle_enumerate(
		&(OracleProblem){
			.instance = instance,
			.grid = &draw->oracle,
			.scale = draw->perturbation.scale,
			.reward = (const mpz_t *) draw->reward,
			.level_reward = sphere ? (const mpz_t *) draw->level_reward : NULL,
		},
		memory, answer);
}

/* s_w of perturbation.h, written down a second time; returns how many numbers it has. */
static int
shift_of(Draw *draw, const int *index)
{
	const Grid *grid = &draw->grid;
	int64_t step = draw->perturbation.step;
	int square = 0;
	int count = 0;

	for (int j = 0; j < grid->dimension; j++)
	{
		int weight = grid->level[j][index[j]];

		if (draw->perturbation.features == FEATURES_SEPARATORS)
			for (int i = 0; i + 1 < grid->levels[j]; i++)
				(void) mpfr_set_si(draw->shift[count++], index[j] > i ? step : -step, MPFR_RNDN);
		else if (grid->levels[j] > 1)
		{
			(void) mpfr_set_si(draw->shift[count++], 2 * step * weight, MPFR_RNDN);
			square += weight * weight;
		}
	}
	if (draw->perturbation.features == FEATURES_SPHERE)
	{
		(void) mpfr_set_d(draw->shift[count], draw->perturbation.squared_radius - square,
						  MPFR_RNDN);
		(void) mpfr_sqrt(draw->shift[count], draw->shift[count], MPFR_RNDN);
		(void) mpfr_mul_si(draw->shift[count], draw->shift[count], 2 * step, MPFR_RNDN);
		count++;
	}
	if (draw->perturbation.features == FEATURES_PARABOLOID)
		(void) mpfr_set_si(draw->shift[count++], step, MPFR_RNDN);
	return count;
}

/* ln of the density at r over that at r + s_w, s_w as shift_of() left it. */
static double
log_ratio(const Draw *draw, int count)
{
	bool cone = draw->perturbation.features == FEATURES_PARABOLOID;
	double spread = draw->perturbation.spread;
	double before = 0;
	double after = 0;
	double r = 0;
	double shift = 0;

	for (int i = 0; i < count; i++)
	{
		r = mpfr_get_d(draw->r[i], MPFR_RNDN);
		shift = mpfr_get_d(draw->shift[i], MPFR_RNDN);
		if (cone && i == count - 1)
			break;
		before += r * r;
		after += (r + shift) * (r + shift);
	}
	if (cone)
	{
		double radius = 2 * sqrt(draw->perturbation.squared_radius);

		CHECK(sqrt(before) <= radius * r * (1 + 1e-12));
		CHECK(sqrt(after) <= radius * (r + shift) * (1 + 1e-12));
		return shift / spread;
	}
	if (perturbation_needs_delta(draw->perturbation.noise))
		return (after - before) / (2 * spread * spread);
	return (sqrt(after) - sqrt(before)) / spread;
}

/*
 * One draw on one of two neighbours: the answer w, and w again on the other with r + s_w.
 * Returns the privacy loss.
 */
static double
check_shift(Draw *draw, const Instance *instance, const Instance *neighbour)
{
	OracleAnswer answer;
	OracleAnswer shifted;
	double loss;
	int count;

	draw_numbers(draw);
	check_rewards(draw);
	draw_answer(draw, instance, &answer);
	count = shift_of(draw, answer.index);
	CHECK(count == draw->perturbation.dimension);
	loss = log_ratio(draw, count);
	for (int i = 0; i < count; i++)
		(void) mpfr_add(draw->r[i], draw->r[i], draw->shift[i], MPFR_RNDN);
	make_rewards(draw, draw->reward, draw->level_reward);
	draw_answer(draw, neighbour, &shifted);
	CHECK(grid_compare(&draw->grid, answer.index, shifted.index) == 0);
	return loss;
}

static void
check_shifts(const Shape *shape, bool separators, PerturbationNoise noise, double epsilon,
			 Adjacency adjacency)
{
	PerturbationRequest request =
		make_request(&shape->grid, separators, noise, epsilon,
					 perturbation_needs_delta(noise) ? 1e-3 : 0, adjacency);
	Draw draw = {.grid = shape->grid};
	double most = 0;

	if (perturbation_refusal(&request) != NULL)
		return;
	draw_init(&draw);
	perturbation_choose(&draw.perturbation, &request);
	perturbation_grid(&draw.perturbation, &shape->grid, &draw.oracle);
	for (int k = check_repetitions(100); k > 0; k--)
	{
		RowsPair pair = random_pair(&stream, shape->grid.dimension, adjacency, 6);
		Instance instance[2];

		for (int side = 0; side < 2; side++)
			dataset_instance(&pair.data[side], shape->grid.dimension, memory, &instance[side]);
		for (int side = 0; side < 2; side++)
			most = fmax(most, check_shift(&draw, &instance[side], &instance[1 - side]));
	}
	if (!perturbation_needs_delta(noise))
	{
		CHECK(most <= epsilon * (1 + 1e-9));
		/* some draw goes almost straight along its shift */
		CHECK_WHOLE(most >= epsilon * 0.9);
	}
	draw_clear(&draw);
}

/* ---- what a shift gains ---- */

static void
reward_of(const Draw *draw, const int *index, mpz_t sum)
{
	int square = 0;

	mpz_set_ui(sum, 0);
	for (int j = 0; j < draw->grid.dimension; j++)
	{
		mpz_add(sum, sum, draw->reward[j * GRID_MAX_LEVELS + index[j]]);
		square += draw->grid.level[j][index[j]] * draw->grid.level[j][index[j]];
	}
	if (draw->perturbation.features == FEATURES_SPHERE)
		mpz_add(sum, sum, draw->level_reward[square]);
}

/* The rewards of all vectors. */
static void
rewards_of(const Draw *draw, const VectorList *list, mpz_t *sum)
{
	for (int w = 0; w < list->count; w++)
		reward_of(draw, list->index[w], sum[w]);
}

/*
 * Theorem R2, the premise of everything: with r + s_w for r the reward of w gains N M on that
 * of every other vector, as rounded.  Returns the least gain over N M.
 */
static double
least_gain(Draw *draw, const VectorList *list, int margin)
{
	static mpz_t before[LAW_VECTORS];
	static mpz_t after[LAW_VECTORS];
	double least = INFINITY;
	int w = below(list->count);

	for (int v = 0; v < list->count; v++)
		mpz_inits(before[v], after[v], NULL);
	rewards_of(draw, list, before);
	for (int i = shift_of(draw, list->index[w]) - 1; i >= 0; i--)
		(void) mpfr_add(draw->r[i], draw->r[i], draw->shift[i], MPFR_RNDN);
	make_rewards(draw, draw->reward, draw->level_reward);
	rewards_of(draw, list, after);
	for (int v = 0; v < list->count; v++)
		mpz_sub(after[v], after[v], before[v]);
	for (int v = 0; v < list->count; v++)
		if (v != w)
		{
			mpz_sub(before[v], after[w], after[v]);
			least = fmin(least, mpz_get_d(before[v]));
		}
	for (int v = 0; v < list->count; v++)
		mpz_clears(before[v], after[v], NULL);
	return least / margin / (double) draw->perturbation.scale;
}

/*
 * The gain is at least 1, and hardly more where two vectors are at the least distance; on the
 * sphere these may differ in the last feature too.
 */
static void
check_gains(const Shape *shape, bool separators, PerturbationNoise noise, double epsilon,
			Adjacency adjacency)
{
	PerturbationRequest request =
		make_request(&shape->grid, separators, noise, epsilon,
					 perturbation_needs_delta(noise) ? 1e-3 : 0, adjacency);
	Draw draw = {.grid = shape->grid};
	double least = INFINITY;
	VectorList list;

	if (perturbation_refusal(&request) != NULL)
		return;
	draw_init(&draw);
	perturbation_choose(&draw.perturbation, &request);
	list_vectors(&list, &shape->grid);
	for (int k = check_repetitions(100); k > 0; k--)
	{

		draw_numbers(&draw);
		least = fmin(least, least_gain(&draw, &list, privacy_margin(adjacency)));
	}
	CHECK(least >= 1);
	/* separators do not know that two vectors of k non-zeros differ twice */
	if (!separators || shape->grid.constraint != GRID_SPARSE)
		CHECK_WHOLE(least < (draw.perturbation.features == FEATURES_SPHERE ? 2.0001 : 1.0001));
	draw_clear(&draw);
}

typedef void (*ShapeCheck)(const Shape *shape, bool separators, PerturbationNoise noise,
						   double epsilon, Adjacency adjacency);

static void
test_shapes(ShapeCheck check)
{
	static const PerturbationNoise noises[] = {PERTURBATION_SPHERICAL, PERTURBATION_GAUSSIAN,
											   PERTURBATION_PARABOLOID};
	const Shape shapes[] = {shape_signs(1),     shape_signs(3),     shape_ternary(1),
							shape_ternary(3),   shape_mixed(),      shape_five(),
							shape_ball(),       shape_round_ball(), shape_sparse(3, 1),
							shape_sparse(3, 2), shape_parity(3),    shape_ternary_modulus(3)};

	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
		for (int noise = 0; noise < 3; noise++)
			for (int variant = 0; variant < 4; variant++)
				check(&shapes[s], variant % 2 == 1, noises[noise], variant < 2 ? 0.3 : 2,
					  variant < 2 ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE);
}

/* ---- the profile of Gaussian noise ---- */

/*
 * The mean of max over w of (1 - exp(epsilon - loss at r of s_w)): what (2) is before its X is
 * bounded.  It is at most delta; with signs and separators as many as patterns it is
 * delta itself, so noise of 0.8 times the size shows.
 */
static void
check_profile(const Grid *grid, bool separators, double epsilon, double delta, double least)
{
	PerturbationRequest request =
		make_request(grid, separators, PERTURBATION_GAUSSIAN, epsilon, delta, ADJACENCY_REPLACE);
	Draw draw = {.grid = *grid};
	int draws = check_repetitions(30000);
	double sum = 0;
	VectorList list;

	draw_init(&draw);
	perturbation_choose(&draw.perturbation, &request);
	list_vectors(&list, grid);
	for (int k = 0; k < draws; k++)
	{
		double most = 0;

		draw_numbers(&draw);
		for (int w = 0; w < list.count; w++)
			most = fmax(most, -expm1(epsilon - log_ratio(&draw, shift_of(&draw, list.index[w]))));
		sum += most / draws;
	}
	draw_clear(&draw);
	/* a mean of numbers in 0 .. 1: its error is at most 6 sqrt(delta / draws), but for 1e-8 */
	CHECK(sum <= delta + 6 * sqrt(delta / draws));
	CHECK_WHOLE(sum >= least * delta);
}

static void
test_profile(void)
{
	Grid signs = shape_signs(3).grid;
	Grid ternary = shape_ternary(1).grid;
	Grid ball = shape_ball().grid;

	check_profile(&signs, false, 0.5, 0.1, 0.9);
	check_profile(&signs, false, 2, 0.05, 0.9);
	check_profile(&signs, true, 1, 0.1, 0.9);
	check_profile(&ternary, true, 1, 0.1, 0.5);
	check_profile(&ternary, false, 1, 0.1, 0.5);
	check_profile(&ball, false, 1, 0.1, 0.3);
}

/* ---- audit: many releases on both of two neighbours ---- */

#define AUDIT_DRAWS 30000

/* A share of so many draws is within this of its probability p but for 1e-9. */
static double
audit_tolerance(double p)
{
	return 6.2 * sqrt(p * (1 - p) / AUDIT_DRAWS);
}

/*
 * W = {-1, 1}: the vector 1 is behind by `behind` rows, so it is the answer if 2 r >= N behind.
 * Returns its share of the answers.
 */
static double
share_of_one(bool separators, PerturbationNoise noise, double delta, int64_t behind)
{
	int32_t x = FIXED_POINT_ONE;
	int64_t net = -behind;
	Instance instance = {.dimension = 1, .rows = 1, .x = &x, .net = &net};
	Draw draw = {.grid = shape_signs(1).grid, .oracle = shape_signs(1).grid};
	PerturbationRequest request =
		make_request(&draw.grid, separators, noise, 2, delta, ADJACENCY_REPLACE);
	int64_t ones = 0;

	draw_init(&draw);
	perturbation_choose(&draw.perturbation, &request);
	for (int k = 0; k < AUDIT_DRAWS; k++)
	{
		OracleAnswer answer;

		perturbation_draw(&draw.perturbation, &draw.grid, &bits, memory, draw.reward,
						  draw.level_reward);
		draw_answer(&draw, &instance, &answer);
		ones += answer.index[0];
	}
	draw_clear(&draw);
	return (double) ones / AUDIT_DRAWS;
}

/*
 * Behind by 3 and by 1, of two neighbours: exp(-epsilon |r| / N) / 2 gives the shares
 * exp(-3) / 2 and exp(-1) / 2, which are epsilon = 2 apart.  RSPM's one separator has twice the
 * noise and counts half: the same.
 */
static void
test_pure_audit(void)
{
	for (int k = 0; k < 2; k++)
	{
		double far = share_of_one(k == 1, PERTURBATION_SPHERICAL, 0, 3);
		double near = share_of_one(k == 1, PERTURBATION_SPHERICAL, 0, 1);

		CHECK(fabs(far - exp(-3) / 2) < audit_tolerance(exp(-3) / 2));
		CHECK(fabs(near - exp(-1) / 2) < audit_tolerance(exp(-1) / 2));
		CHECK(near - audit_tolerance(near) <= exp(2) * (far + audit_tolerance(far)));
		/* the noise is no larger than that */
		CHECK(near + audit_tolerance(near) >= exp(2) * (far - audit_tolerance(far)));
		CHECK(log(near / far) > 1.6);
	}
}

/* The same with normals: the share of one is P(sigma z >= behind N / 2). */
static void
test_gaussian_audit(void)
{
	const double delta = 0.1;
	double kappa = fmax(calibration_signs_kappa(2, delta, 1), calibration_chi_kappa(2, delta, 1));
	double far;
	double near;

	kappa = fmax(kappa, calibration_union_kappa(2, delta, log(2)));
	far = share_of_one(false, PERTURBATION_GAUSSIAN, delta, 3);
	near = share_of_one(false, PERTURBATION_GAUSSIAN, delta, 1);
	/* |s_w| = N, so sigma = N / kappa */
	CHECK(fabs(near - gsl_cdf_ugaussian_Q(kappa / 2)) < audit_tolerance(near));
	CHECK(fabs(far - gsl_cdf_ugaussian_Q(3 * kappa / 2)) < audit_tolerance(far));
	CHECK(near <= exp(2) * far + delta + audit_tolerance(near) + exp(2) * audit_tolerance(far));
}

int
main(void)
{
	test_begin(31);
	test_scales();
	test_refusals();
	test_one_vector();
	test_range();
	test_shapes(check_shifts);
	test_shapes(check_gains);
	test_profile();
	test_pure_audit();
	test_gaussian_audit();
	return test_end("perturbation");
}

/*
 * test_perturbation.c - laws of real numbers: are they the calibrated ones, drawn as they are
 * meant, and private?
 *
 * Privacy by the change of variables of PRIVACY.md 1.2, on random neighbours: with noise r
 * the answer is w, and with r + s_w it is w on the neighbour as well, rewards rounded as
 * they are.  So the densities at r and r + s_w bound the privacy loss: pure noise must
 * never lose more than epsilon, and Gaussian noise must keep (2) below delta.
 */
#include "core/perturbation.h"

#include <gsl/gsl_cdf.h>

#include "core/oracle.h"
#include "core/float_noise.h"

#include "check.h"
#include "law.h"
#include "neighbours.h"

#define MOST_NUMBERS 16

static TestStream stream;
static Bits bits;

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

/* ---- the scales of PRIVACY.md, from a grid ---- */

static Grid
uniform_grid(int dimension, int max, GridConstraint constraint, int bound)
{
	Grid grid = {.dimension = dimension, .constraint = constraint, .bound = bound};

	for (int j = 0; j < dimension; j++)
		if (max == 0)
			grid_set_sign(&grid, j);
		else
			grid_set_range(&grid, j, max);
	CHECK(grid_is_valid(&grid));
	return grid;
}

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

/* Tiny and huge epsilons keep sums of rewards far below the oracle's limit of 2^58. */
static void
test_range(void)
{
	static const int64_t epsilons[] = {1, EPSILON_ONE / 1000, 10000 * EPSILON_ONE};
	Grid grids[] = {uniform_grid(128, 1, GRID_PRODUCT, 0), uniform_grid(128, 0, GRID_PRODUCT, 0),
					uniform_grid(64, 4, GRID_BALL, 1024)};
	static mpz_t reward[GRID_MAX_DIMENSION * GRID_MAX_LEVELS];
	static mpz_t level_reward[GRID_MAX_STATES];

	for (int i = 0; i < GRID_MAX_DIMENSION * GRID_MAX_LEVELS; i++)
		mpz_init(reward[i]);
	for (int i = 0; i < GRID_MAX_STATES; i++)
		mpz_init(level_reward[i]);
	for (int k = 0; k < 9; k++)
	{
		Arena *arena = arena_create(check_out_of_memory);
		const Grid *grid = &grids[k % 3];
		PerturbationRequest request =
			make_request(grid, false, PERTURBATION_SPHERICAL, 1, 0, ADJACENCY_REPLACE);
		Perturbation perturbation;
		double sum = 0;

		request.epsilon = epsilons[k / 3];
		perturbation_choose(&perturbation, &request);
		perturbation_draw(&perturbation, grid, &bits, arena_memory(arena), reward, level_reward);
		for (int j = 0; j < grid->dimension; j++)
			sum += fabs(mpz_get_d(reward[j * GRID_MAX_LEVELS]));
		CHECK(sum < 0x1p56);
		CHECK(sum > 100 || request.epsilon > EPSILON_ONE);
		arena_destroy(arena);
	}
	for (int i = 0; i < GRID_MAX_DIMENSION * GRID_MAX_LEVELS; i++)
		mpz_clear(reward[i]);
	for (int i = 0; i < GRID_MAX_STATES; i++)
		mpz_clear(level_reward[i]);
}

/* ---- the samplers ---- */

#define CELLS 40

static int
cell_of(double value, double low, double high)
{
	int cell = (int) floor((value - low) / (high - low) * CELLS);

	return cell < 0 ? 0 : cell >= CELLS ? CELLS - 1 : cell;
}

/* The weights of cells from a distribution function of x / scale. */
static void
cell_weights(double *weight, double low, double high, double (*below)(double, double), double shape,
			 double scale)
{
	double last = 0;

	for (int i = 0; i < CELLS; i++)
	{
		double x = low + (high - low) * (i + 1) / CELLS / 1;
		double next = i == CELLS - 1 ? 1 : below(x / scale, shape);

		weight[i] = next - last;
		last = next;
	}
}

static double
below_normal(double x, double unused)
{
	(void) unused;
	return gsl_cdf_ugaussian_P(x);
}

static double
below_gamma(double x, double shape)
{
	return x <= 0 ? 0 : gsl_cdf_gamma_P(x, shape, 1);
}

static double
below_power(double x, double power)
{
	return x <= 0 ? 0 : x >= 1 ? 1 : pow(x, power);
}

static double
length_of(mpfr_t *vector, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += mpfr_get_d(vector[i], MPFR_RNDN) * mpfr_get_d(vector[i], MPFR_RNDN);
	return sqrt(sum);
}

static void
test_samplers(void)
{
	int64_t normal[CELLS] = {0};
	int64_t gamma[CELLS] = {0};
	int64_t radius[CELLS] = {0};
	int64_t first[CELLS] = {0};
	double truth[CELLS];
	double other[CELLS];
	mpfr_t vector[3];

	for (int i = 0; i < 3; i++)
		mpfr_init2(vector[i], REAL_PRECISION);
	for (int k = 0; k < LAW_DRAWS; k++)
	{
		real_normal(&bits, vector[0]);
		normal[cell_of(mpfr_get_d(vector[0], MPFR_RNDN), -4, 4)]++;
		real_gamma(&bits, vector[0], 4);
		gamma[cell_of(mpfr_get_d(vector[0], MPFR_RNDN), 0, 16)]++;
		real_ball(&bits, vector, 3);
		radius[cell_of(length_of(vector, 3), 0, 1)]++;
		/* on the sphere in three dimensions a coordinate is uniform (Archimedes) */
		real_direction(&bits, vector, 3);
		CHECK(fabs(length_of(vector, 3) - 1) < 1e-15);
		first[cell_of((mpfr_get_d(vector[2], MPFR_RNDN) + 1) / 2, 0, 1)]++;
	}
	for (int i = 0; i < 3; i++)
		mpfr_clear(vector[i]);
	cell_weights(truth, -4, 4, below_normal, 0, 1);
	cell_weights(other, -4, 4, below_normal, 0, LAW_OFF);
	CHECK_LAW(normal, truth, other, CELLS);
	cell_weights(truth, 0, 16, below_gamma, 4, 1);
	cell_weights(other, 0, 16, below_gamma, 4, LAW_OFF);
	CHECK_LAW(gamma, truth, other, CELLS);
	cell_weights(truth, 0, 1, below_power, 3, 1);
	cell_weights(other, 0, 1, below_power, 2, 1);
	CHECK_LAW(radius, truth, other, CELLS);
	cell_weights(truth, 0, 1, below_power, 1, 1);
	cell_weights(other, 0, 1, below_power, LAW_OFF, 1);
	CHECK_LAW(first, truth, other, CELLS);
}

/* ---- shifts ---- */

typedef struct Draw
{
	Perturbation perturbation;
	Grid grid;   /* as asked */
	Grid oracle; /* as searched */
	mpfr_t r[MOST_NUMBERS];
	mpz_t reward[LAW_DIMENSION * GRID_MAX_LEVELS];
	mpz_t level_reward[GRID_MAX_STATES];
} Draw;

static void
draw_init(Draw *draw)
{
	for (int i = 0; i < MOST_NUMBERS; i++)
		mpfr_init2(draw->r[i], REAL_PRECISION);
	for (int i = 0; i < LAW_DIMENSION * GRID_MAX_LEVELS; i++)
		mpz_init(draw->reward[i]);
	for (int i = 0; i < GRID_MAX_STATES; i++)
		mpz_init(draw->level_reward[i]);
}

static void
draw_clear(Draw *draw)
{
	for (int i = 0; i < MOST_NUMBERS; i++)
		mpfr_clear(draw->r[i]);
	for (int i = 0; i < LAW_DIMENSION * GRID_MAX_LEVELS; i++)
		mpz_clear(draw->reward[i]);
	for (int i = 0; i < GRID_MAX_STATES; i++)
		mpz_clear(draw->level_reward[i]);
}

/* The argmin under the noise as it stands, by the definition. */
static void
draw_answer(Draw *draw, const Instance *instance, Memory *memory, OracleAnswer *answer)
{
	bool sphere = draw->perturbation.features == FEATURES_SPHERE;

	perturbation_reward(&draw->perturbation, &draw->grid, (const mpfr_t *) draw->r, memory,
						draw->reward, draw->level_reward);
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

/* s_w of perturbation.h, written down a second time. */
static int
shift_of(const Draw *draw, const int *index, double *shift)
{
	const Grid *grid = &draw->grid;
	double step = (double) draw->perturbation.step;
	double square = 0;
	int count = 0;

	for (int j = 0; j < grid->dimension; j++)
	{
		double weight = grid->level[j][index[j]];

		if (draw->perturbation.features == FEATURES_SEPARATORS)
			for (int i = 0; i + 1 < grid->levels[j]; i++)
				shift[count++] = index[j] > i ? step : -step;
		else if (grid->levels[j] > 1)
		{
			shift[count++] = 2 * step * weight;
			square += weight * weight;
		}
	}
	if (draw->perturbation.features == FEATURES_SPHERE)
		shift[count++] = 2 * step * sqrt(fmax(0, draw->perturbation.squared_radius - square));
	if (draw->perturbation.features == FEATURES_PARABOLOID)
		shift[count++] = step;
	return count;
}

/* ln of the density at r over that at r + s. */
static double
log_ratio(const Draw *draw, const double *r, const double *shift, int count)
{
	double spread = draw->perturbation.spread;
	double before = 0;
	double after = 0;

	if (draw->perturbation.features == FEATURES_PARABOLOID)
	{
		double cone = 2 * sqrt(draw->perturbation.squared_radius);

		for (int i = 0; i < count - 1; i++)
		{
			before += r[i] * r[i];
			after += (r[i] + shift[i]) * (r[i] + shift[i]);
		}
		CHECK(sqrt(before) <= cone * r[count - 1] * (1 + 1e-12));
		CHECK(sqrt(after) <= cone * (r[count - 1] + shift[count - 1]) * (1 + 1e-12));
		return shift[count - 1] / spread;
	}
	for (int i = 0; i < count; i++)
	{
		before += r[i] * r[i];
		after += (r[i] + shift[i]) * (r[i] + shift[i]);
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
check_shift(Draw *draw, const Instance *instance, const Instance *neighbour, Memory *memory)
{
	double r[MOST_NUMBERS];
	double shift[MOST_NUMBERS];
	double spread = draw->perturbation.spread;
	OracleAnswer answer;
	OracleAnswer shifted;
	int count;
	mpfr_t part;

	perturbation_numbers(&draw->perturbation, &bits, draw->r);
	draw_answer(draw, instance, memory, &answer);
	count = shift_of(draw, answer.index, shift);
	CHECK(count == draw->perturbation.dimension);
	mpfr_init2(part, REAL_PRECISION);
	for (int i = 0; i < count; i++)
	{
		r[i] = mpfr_get_d(draw->r[i], MPFR_RNDN) * spread;
		(void) mpfr_set_d(part, shift[i], MPFR_RNDN);
		(void) mpfr_div_d(part, part, spread, MPFR_RNDN);
		(void) mpfr_add(draw->r[i], draw->r[i], part, MPFR_RNDN);
	}
	mpfr_clear(part);
	draw_answer(draw, neighbour, memory, &shifted);
	CHECK(grid_compare(&draw->grid, answer.index, shifted.index) == 0);
	return log_ratio(draw, r, shift, count);
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
		Pair pair = random_pair(&stream, shape->grid.dimension, adjacency, 6);
		Arena *arena = arena_create(check_out_of_memory);
		Instance instance[2];

		for (int side = 0; side < 2; side++)
			dataset_instance(&pair.data[side], shape->grid.dimension, arena_memory(arena),
							 &instance[side]);
		for (int side = 0; side < 2; side++)
			most = fmax(most, check_shift(&draw, &instance[side], &instance[1 - side],
										  arena_memory(arena)));
		arena_destroy(arena);
	}
	if (!perturbation_needs_delta(noise))
	{
		CHECK(most <= epsilon * (1 + 1e-9));
		/* some draw goes almost straight along its shift */
		CHECK_WHOLE(most >= epsilon * 0.9);
	}
	draw_clear(&draw);
}

static void
test_shifts(void)
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
				check_shifts(&shapes[s], variant % 2 == 1, noises[noise], variant < 2 ? 0.3 : 2,
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
		double r[MOST_NUMBERS];
		double most = 0;

		perturbation_numbers(&draw.perturbation, &bits, draw.r);
		for (int i = 0; i < draw.perturbation.dimension; i++)
			r[i] = mpfr_get_d(draw.r[i], MPFR_RNDN) * draw.perturbation.spread;
		for (int w = 0; w < list.count; w++)
		{
			double shift[MOST_NUMBERS];
			int count = shift_of(&draw, list.index[w], shift);

			most = fmax(most, -expm1(epsilon - log_ratio(&draw, r, shift, count)));
		}
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
		Arena *arena = arena_create(check_out_of_memory);
		OracleAnswer answer;

		perturbation_numbers(&draw.perturbation, &bits, draw.r);
		draw_answer(&draw, &instance, arena_memory(arena), &answer);
		ones += answer.index[0];
		arena_destroy(arena);
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
	teststream_seed(&stream, 31);
	bits_init(&bits, teststream_fill, &stream);
	test_scales();
	test_refusals();
	test_range();
	test_samplers();
	test_shifts();
	test_profile();
	test_pure_audit();
	test_gaussian_audit();
	mpfr_free_cache();
	return check_report("perturbation");
}

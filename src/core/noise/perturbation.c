/*
 * perturbation.c - chooses and draws the noise of objective perturbation.
 */
#include "core/noise/perturbation.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"

/* N of a law of real numbers, unless the noise is so large that sums would overflow int64. */
#define REAL_SCALE (INT64_C(1) << 20)
#define REAL_LEAST_SCALE (INT64_C(1) << 4)
#define REAL_MOST_REWARD 0x1p50

const char *
perturbation_noise_name(PerturbationNoise noise)
{
	static const char *const names[] = {
		[PERTURBATION_GAUGE] = "gauge",           [PERTURBATION_LAPLACE] = "laplace",
		[PERTURBATION_SPHERICAL] = "spherical",   [PERTURBATION_GAUSSIAN] = "gaussian",
		[PERTURBATION_PARABOLOID] = "paraboloid", [PERTURBATION_PUBLISHED] = "published"};

	return names[noise];
}

bool
perturbation_needs_delta(PerturbationNoise noise)
{
	return noise == PERTURBATION_GAUSSIAN || noise == PERTURBATION_PUBLISHED;
}

/* ---- the geometry of a grid ---- */

static int
square(int number)
{
	return number * number;
}

/*
 * For the levels of one coordinate: the least and the largest square, and the least distance of two
 * levels.
 */
typedef struct LevelSquares
{
	int least;
	int most;
	int gap; /* 0: a fixed coordinate */
} LevelSquares;

static LevelSquares
level_squares(const Grid *grid, int j)
{
	const int8_t *level = grid->level[j];
	LevelSquares squares = {square(level[0]), square(level[0]), 0};

	for (int i = 1; i < grid->levels[j]; i++)
	{
		int gap = square(level[i] - level[i - 1]);

		squares.least = square(level[i]) < squares.least ? square(level[i]) : squares.least;
		squares.most = square(level[i]) > squares.most ? square(level[i]) : squares.most;
		squares.gap = squares.gap == 0 || gap < squares.gap ? gap : squares.gap;
	}
	return squares;
}

/* All fields but fixed are about the coordinates that are not fixed. */
typedef struct Geometry
{
	int free;       /* their number */
	int fixed;      /* the sum of the other coordinates' squares */
	int least;      /* bounds on |w|^2 over W */
	int most;       /* D^2 */
	int separation; /* a lower bound on tau^2; 0: no coordinate is free */
	bool signs;     /* have all levels the same absolute value? */
} Geometry;

static void
add_coordinate(Geometry *geometry, const LevelSquares *squares)
{
	if (squares->gap == 0)
	{
		geometry->fixed += squares->least;
		return;
	}
	geometry->signs = geometry->signs && squares->least == squares->most &&
					  (geometry->free == 0 || geometry->most == geometry->free * squares->most);
	geometry->free++;
	geometry->least += squares->least;
	geometry->most += squares->most;
	if (geometry->separation == 0 || squares->gap < geometry->separation)
		geometry->separation = squares->gap;
}

/*
 * Exactly k non-zeros, all +-1: |w|^2 = k.  Two vectors differ in two coordinates by at least 1
 * each, or in a sign, by 2.
 */
static void
restrict_to_nonzeros(const Grid *grid, Geometry *geometry)
{
	if (geometry->most == geometry->free && geometry->fixed == 0)
	{
		geometry->least = geometry->most = grid->bound;
		geometry->separation = grid->bound == geometry->free ? 4 : 2;
	}
}

static Geometry
grid_geometry(const Grid *grid)
{
	Geometry geometry = {.signs = true};

	for (int j = 0; j < grid->dimension; j++)
	{
		LevelSquares squares = level_squares(grid, j);

		add_coordinate(&geometry, &squares);
	}
	if (grid->constraint == GRID_BALL && grid->bound - geometry.fixed < geometry.most)
		geometry.most = grid->bound - geometry.fixed;
	if (grid->constraint == GRID_SPARSE)
		restrict_to_nonzeros(grid, &geometry);
	geometry.separation *= grid_least_distance(grid);
	return geometry;
}

/* ---- which laws fit which grids ---- */

/* The sphere needs |w|^2 as the state of the grid's automaton, which has one constraint only. */
static const char *
sphere_refusal(const Grid *grid, const Geometry *geometry)
{
	if (geometry->least == geometry->most)
		return NULL;
	if (grid->constraint != GRID_PRODUCT && grid->constraint != GRID_BALL)
		return "With a modulus or a number of non-zeros it needs weights of equal absolute value.";
	if (geometry->most + geometry->fixed >= GRID_MAX_STATES)
		return "It needs a grid whose largest squared norm is at most 1024.";
	return NULL;
}

const char *
perturbation_refusal(const PerturbationRequest *request)
{
	const Grid *grid = request->grid;
	Geometry geometry = grid_geometry(grid);
	Gauge laplace;

	switch (request->noise)
	{
		case PERTURBATION_GAUGE:
			return NULL;
		case PERTURBATION_LAPLACE:
			gauge_choose_kind(&laplace, grid,
							  request->separators ? GAUGE_SEPARATORS_LAPLACE : GAUGE_LAPLACE,
							  request->epsilon, request->adjacency);
			return gauge_is_valid(&laplace, grid)
					   ? NULL
					   : "Mechanism \"opdisc\" has it for the grids \"sign\" and {\"sparse\": k}.";
		case PERTURBATION_PARABOLOID:
			return request->separators ? "It is for mechanism \"opdisc\"." : NULL;
		default:
			return request->separators ? NULL : sphere_refusal(grid, &geometry);
	}
}

/* ---- choosing ---- */

static void
choose_lattice(Perturbation *perturbation, const PerturbationRequest *request)
{
	Gauge *gauge = &perturbation->gauge;
	bool laplace = request->noise == PERTURBATION_LAPLACE;

	perturbation->features = FEATURES_LATTICE;
	if (!request->separators && !laplace)
		gauge_choose(gauge, request->grid, request->epsilon, request->adjacency);
	else if (!request->separators)
		gauge_choose_kind(gauge, request->grid, GAUGE_LAPLACE, request->epsilon,
						  request->adjacency);
	else
		gauge_choose_kind(gauge, request->grid,
						  laplace ? GAUGE_SEPARATORS_LAPLACE : GAUGE_SEPARATORS, request->epsilon,
						  request->adjacency);
	perturbation->scale = gauge->scale;
}

/* The least integer A with A tau^2 >= N M; tau^2 is h for separators. */
static int64_t
shift_step(const Perturbation *perturbation, const PerturbationRequest *request,
		   const Geometry *geometry)
{
	int64_t wanted = (int64_t) perturbation->scale * privacy_margin(request->adjacency);
	int64_t separation =
		request->separators ? grid_least_distance(request->grid) : geometry->separation;

	return (wanted + separation - 1) / separation;
}

/* Unit: 1 / N, like length. */
static double
published_sigma(const Perturbation *perturbation, const PerturbationRequest *request,
				const Geometry *geometry)
{
	double epsilon = privacy_epsilon(request->epsilon);
	double delta = privacy_delta(request->delta);
	double scale = (double) perturbation->scale;

	if (request->separators)
		return scale * calibration_published_rspm(epsilon, delta, perturbation->dimension);
	return scale *
		   calibration_published_opdisc(epsilon, delta, perturbation->squared_radius,
										sqrt(geometry->separation)) /
		   sqrt(perturbation->squared_radius);
}

/* Sets the features of a law of real numbers, and the fields that follow from N. */
static void
choose_lengths(Perturbation *perturbation, const PerturbationRequest *request,
			   const Geometry *geometry)
{
	double step;

	if (perturbation->dimension == 0)
		return; /* W is one vector: no noise */
	perturbation->step = shift_step(perturbation, request, geometry);
	step = (double) perturbation->step;
	if (perturbation->features == FEATURES_SEPARATORS)
		perturbation->length = step * sqrt(perturbation->dimension);
	else if (perturbation->features == FEATURES_PARABOLOID)
		perturbation->length = step;
	else
		perturbation->length = 2 * step * sqrt(perturbation->squared_radius);
	if (perturbation->noise == PERTURBATION_PUBLISHED ||
		(MUTANT(28) && perturbation->noise == PERTURBATION_GAUSSIAN))
		perturbation->spread = published_sigma(perturbation, request, geometry);
	else if (perturbation->noise == PERTURBATION_GAUSSIAN)
		perturbation->spread = CALIBRATION_SAFE * perturbation->length / perturbation->kappa;
	else
		perturbation->spread =
			CALIBRATION_SAFE * perturbation->length / privacy_epsilon(request->epsilon);
	if (MUTANT(24))
		perturbation->spread *= 0.8;
}

/* An estimate of the largest sum of rewards in a draw. */
static double
likely_reward(const Perturbation *perturbation, const Grid *grid)
{
	double most = perturbation->spread * (perturbation->dimension + 20);

	if (perturbation->features == FEATURES_SEPARATORS)
		return most * perturbation->dimension;
	if (perturbation->features == FEATURES_PARABOLOID)
		most *= 2 * sqrt(perturbation->squared_radius) + 1;
	return most * (grid->dimension * GRID_MAX_WEIGHT + perturbation->squared_radius);
}

static PerturbationFeatures
real_features(const PerturbationRequest *request, const Geometry *geometry)
{
	if (request->separators)
		return FEATURES_SEPARATORS;
	if (request->noise == PERTURBATION_PARABOLOID && geometry->free > 0)
		return FEATURES_PARABOLOID;
	return geometry->least == geometry->most ? FEATURES_LINEAR : FEATURES_SPHERE;
}

/*
 * A bound on the error of grid_log2_size(): a sum over paths with at most 128 roundings each, and
 * as many logarithms, which together are off by less than 2^-34.
 */
#define LOG2_SIZE_MARGIN 0x1p-30

/* Source: theorem R5: kappa does not depend on the length of the shifts. */
static void
choose_kappa(Perturbation *perturbation, const PerturbationRequest *request)
{
	CalibrationShifts shifts = {
		.dimension = perturbation->dimension,
		.log_vectors = (grid_log2_size(request->grid) + LOG2_SIZE_MARGIN) * log(2),
		.signs = request->separators || perturbation->signs,
	};

	if (shifts.dimension == 0)
		return;
	perturbation->kappa =
		calibration_kappa(privacy_epsilon(request->epsilon), privacy_delta(request->delta), &shifts,
						  &perturbation->bound);
}

static void
choose_real(Perturbation *perturbation, const PerturbationRequest *request)
{
	Geometry geometry = grid_geometry(request->grid);

	perturbation->features = real_features(request, &geometry);
	perturbation->squared_radius = geometry.most;
	perturbation->signs = geometry.signs;
	perturbation->square_bound = geometry.most + geometry.fixed;
	perturbation->dimension = geometry.free;
	if (request->separators)
		perturbation->dimension = gauge_separators(request->grid);
	else if (perturbation->features != FEATURES_LINEAR)
		perturbation->dimension++;
	if (request->noise == PERTURBATION_GAUSSIAN)
		choose_kappa(perturbation, request);
	perturbation->scale = REAL_SCALE;
	choose_lengths(perturbation, request, &geometry);
	while (likely_reward(perturbation, request->grid) > REAL_MOST_REWARD &&
		   perturbation->scale > REAL_LEAST_SCALE)
	{
		perturbation->scale /= 2;
		choose_lengths(perturbation, request, &geometry);
	}
}

void
perturbation_choose(Perturbation *perturbation, const PerturbationRequest *request)
{
	*perturbation = (Perturbation){.noise = request->noise};
	if (request->noise == PERTURBATION_GAUGE || request->noise == PERTURBATION_LAPLACE)
		choose_lattice(perturbation, request);
	else
		choose_real(perturbation, request);
}

void
perturbation_grid(const Perturbation *perturbation, const Grid *grid, Grid *oracle)
{
	*oracle = *grid;
	if (perturbation->features != FEATURES_SPHERE)
		return;
	oracle->constraint = GRID_BALL;
	oracle->bound = perturbation->square_bound;
}

/* ---- drawing ---- */

static RealLaw
real_law(const Perturbation *perturbation)
{
	if (perturbation_needs_delta(perturbation->noise))
		return REAL_GAUSSIAN;
	return perturbation->features == FEATURES_PARABOLOID ? REAL_CONE : REAL_GAMMA;
}

RealDraw *
perturbation_numbers(const Perturbation *perturbation, Bits *bits, Memory *memory)
{
	return real_draw_create(real_law(perturbation), perturbation->dimension, perturbation->spread,
							bits, memory);
}

/* The source of a grid's rewards: r, and bits to round it. */
typedef struct Rounding
{
	const Perturbation *perturbation;
	const Grid *grid;
	RealDraw *r;
	Bits *bits;
} Rounding;

/* Sets reward[j][.] to w_j times the rounded r_j, where r is given in units of sqrt(square). */
static void
reward_linear(const Rounding *rounding, unsigned long square, mpz_t *reward)
{
	const Grid *grid = rounding->grid;
	int next = 0;
	mpz_t noise;

	mpz_init(noise);
	for (int j = 0; j < grid->dimension; j++)
	{
		mpz_set_ui(noise, 0);
		if (grid->levels[j] > 1)
			real_draw_round_root(rounding->r, rounding->bits, next++, square, noise);
		for (int i = 0; i < grid->levels[j]; i++)
			mpz_mul_si(reward[j * GRID_MAX_LEVELS + i], noise, grid->level[j][i]);
	}
	mpz_clear(noise);
}

/* Sets the reward of the sphere's last feature for each |w|^2. */
static void
reward_sphere(const Rounding *rounding, mpz_t *level_reward)
{
	int last = rounding->perturbation->dimension - 1;
	int most = rounding->perturbation->square_bound;

	for (int s = 0; s <= most; s++)
		real_draw_round_root(rounding->r, rounding->bits, last,
							 (unsigned long) (MUTANT(26) ? most : most - s), level_reward[s]);
}

/*
 * The last feature of the paraboloid is a sum over the coordinates.  The rounded mean of r_0 is
 * subtracted, because a constant changes no argmin (theorem R2).
 */
static void
reward_paraboloid(const Rounding *rounding, mpz_t *reward)
{
	const Grid *grid = rounding->grid;
	int dimension = rounding->perturbation->dimension;
	mpz_t noise;
	mpz_t mean;

	mpz_inits(noise, mean, NULL);
	real_draw_round_root(rounding->r, rounding->bits, dimension - 1, 1, noise);
	mpz_set_d(mean, nearbyint(dimension * rounding->perturbation->spread));
	mpz_sub(noise, noise, mean);
	for (int j = 0; j < grid->dimension; j++)
		for (int i = 0; i < grid->levels[j] && grid->levels[j] > 1; i++)
			mpz_submul_ui(reward[j * GRID_MAX_LEVELS + i], noise,
						  (unsigned long) square(grid->level[j][i]));
	mpz_clears(noise, mean, NULL);
}

static void
reward_separators(const Rounding *rounding, Memory *memory, mpz_t *reward)
{
	int count = rounding->perturbation->dimension;
	mpz_t *noise = integers_create((size_t) count, memory);

	for (int i = 0; i < count; i++)
		real_draw_round_root(rounding->r, rounding->bits, i, 1, noise[i]);
	gauge_reward_separators(rounding->grid, (const mpz_t *) noise, reward);
	integers_destroy(noise, (size_t) count, memory);
}

void
perturbation_reward(const Perturbation *perturbation, const Grid *grid, RealDraw *r, Bits *bits,
					Memory *memory, mpz_t *reward, mpz_t *level_reward)
{
	Rounding rounding = {perturbation, grid, r, bits};

	switch (perturbation->features)
	{
		case FEATURES_SEPARATORS:
			reward_separators(&rounding, memory, reward);
			break;
		case FEATURES_PARABOLOID:
			/* the cone of radius 2 D: 4 D^2 is an integer */
			reward_linear(&rounding, (unsigned long) (4 * perturbation->squared_radius), reward);
			reward_paraboloid(&rounding, reward);
			break;
		case FEATURES_SPHERE:
			reward_linear(&rounding, 1, reward);
			reward_sphere(&rounding, level_reward);
			break;
		default:
			reward_linear(&rounding, 1, reward);
	}
}

static void
draw_real(const Perturbation *perturbation, const Grid *grid, Bits *bits, Memory *memory,
		  mpz_t *reward, mpz_t *level_reward)
{
	RealDraw *r = perturbation_numbers(perturbation, bits, memory);

	perturbation_reward(perturbation, grid, r, bits, memory, reward, level_reward);
	real_draw_destroy(r, memory);
}

void
perturbation_draw(const Perturbation *perturbation, const Grid *grid, Bits *bits, Memory *memory,
				  mpz_t *reward, mpz_t *level_reward)
{
	if (perturbation->features == FEATURES_LATTICE)
		gauge_draw(&perturbation->gauge, grid, bits, memory, reward);
	else if (perturbation->dimension > 0) /* else W is one vector: no noise */
		draw_real(perturbation, grid, bits, memory, reward, level_reward);
}

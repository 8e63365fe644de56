/*
 * descent_scale.c - how much noise noisy gradient descent needs.
 */
#include "core/convex/descent.h"

#include <math.h>

#include "core/convex/convex_loss.h"
#include "core/noise/calibration.h"
#include "core/noise/rdp.h"

/* Covers what rounding to 2^-85, and doubles that shorten gradients, add to the sensitivity. */
#define SAFE (1 + 1e-10)

/* The largest deviation whose rounded sums fit the intervals of a draw. */
#define NOISE_MAX 0x1p60

#define DEFAULT_STEP 2.0
#define DEFAULT_NORM_LEAST 1.0
#define DEFAULT_NORM_MOST 40.0
#define DEFAULT_ITERATIONS 50
#define DEFAULT_SAMPLED_ITERATIONS 200
#define DEFAULT_CLASSES_STEP 0.1
#define DEFAULT_CLASSES_ITERATIONS 100
#define DEFAULT_BATCHES 16 /* batches in the declared rows */
#define DEFAULT_ROWS 16000 /* if rows is not declared */

const char *const descent_sampling_names[DESCENT_SAMPLINGS] = {
	[DESCENT_FULL] = "full", [DESCENT_POISSON] = "poisson", [DESCENT_FIXED] = "fixed"};

/* The rows times epsilon up to which the norm grows with their square. */
#define ENOUGH_ROWS_EPSILON 5000.0

static double
default_norm(int64_t rows, double epsilon, Adjacency adjacency)
{
	double share = (double) (rows > 0 ? rows : DEFAULT_ROWS) * epsilon / privacy_margin(adjacency) /
				   ENOUGH_ROWS_EPSILON;

	return fmin(fmax(DEFAULT_NORM_MOST * share * share, DEFAULT_NORM_LEAST), DEFAULT_NORM_MOST);
}

static double
clip_length(double length)
{
	return fmin(fmax(length, DESCENT_LENGTH_MIN), DESCENT_LENGTH_MAX);
}

double
descent_longest(const ConvexTerms *convex)
{
	return convex->classes > 0 ? DESCENT_CLASSES_LONGEST : loss_steepness(convex->loss);
}

DescentTerms
descent_default(DescentSampling sampling, int64_t rows, const ConvexTerms *convex, double epsilon,
				Adjacency adjacency)
{
	bool full = sampling == DESCENT_FULL;
	double radius = convex->radius;

	if (convex->classes > 0)
		return (DescentTerms){.sampling = sampling,
							  .iterations = DEFAULT_CLASSES_ITERATIONS,
							  .step = clip_length(DEFAULT_CLASSES_STEP * radius),
							  .norm = clip_length(DEFAULT_NORM_MOST * radius)};
	return (DescentTerms){
		.sampling = sampling,
		.iterations = full ? DEFAULT_ITERATIONS : DEFAULT_SAMPLED_ITERATIONS,
		.batch = full ? 0 : (rows + DEFAULT_BATCHES - 1) / DEFAULT_BATCHES,
		.rows = full ? 0 : rows,
		.step = clip_length(DEFAULT_STEP * radius),
		.norm = clip_length(default_norm(rows, epsilon, adjacency) * radius),
	};
}

static bool
batch_valid(const DescentTerms *terms)
{
	if (terms->sampling == DESCENT_FULL)
		return terms->batch == 0 && terms->rows == 0;
	return terms->batch >= 1 && terms->batch <= terms->rows && terms->rows <= DESCENT_MAX_ROWS;
}

static bool
length_valid(double length)
{
	return length >= DESCENT_LENGTH_MIN && length <= DESCENT_LENGTH_MAX;
}

bool
descent_terms_valid(const DescentTerms *terms, const ConvexTerms *convex)
{
	return (unsigned) terms->sampling < DESCENT_SAMPLINGS && terms->iterations >= 1 &&
		   terms->iterations <= DESCENT_MAX_ITERATIONS && batch_valid(terms) &&
		   length_valid(terms->step) && length_valid(terms->norm) && convex_terms_valid(convex) &&
		   (convex->classes == 0 || terms->sampling == DESCENT_FULL) &&
		   convex->noise == CONVEX_GAUSSIAN;
}

static double
full_noise(const DescentTerms *terms, double epsilon, double delta, Adjacency adjacency)
{
	double distance = privacy_margin(adjacency); /* 2 under replace, 1 under add_remove */

	return distance * sqrt(MUTANT(84) ? 1 : terms->iterations) *
		   calibration_gaussian_sigma(epsilon, delta);
}

/*
 * The largest epsilon that is converted; a larger one would make (1 + e^epsilon) use up delta
 * without need.
 */
#define CONVERTED_MOST 20.0

/*
 * For Poisson batches (epsilon, delta) under add_remove is (2 epsilon, (1 + e^epsilon) delta) under
 * replace.
 */
static double
sampled_noise(const DescentTerms *terms, double epsilon, double delta, Adjacency adjacency,
			  Pause pause)
{
	bool poisson = terms->sampling == DESCENT_POISSON;
	double share = (double) terms->batch / (double) terms->rows;

	if (poisson && adjacency == ADJACENCY_REPLACE && !MUTANT(85))
	{
		epsilon = fmin(epsilon / 2, CONVERTED_MOST);
		delta /= 1 + exp(epsilon);
	}
	if (!(delta > 0))
		return 0;
	return rdp_noise(poisson ? RDP_ADD_REMOVE : RDP_REPLACE, share, terms->iterations, epsilon,
					 delta, pause);
}

double
descent_noise(const DescentTerms *terms, double epsilon, double delta, Adjacency adjacency,
			  Pause pause)
{
	double noise = terms->sampling == DESCENT_FULL
					   ? full_noise(terms, epsilon, delta, adjacency)
					   : sampled_noise(terms, epsilon, delta, adjacency, pause);

	return noise <= NOISE_MAX ? noise * SAFE : 0;
}

/*
 * convex_pool.c - the two stages of mechanism pool.
 */
#include "core/mechanisms/convex_pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mutant.h"
#include "core/convex/convex_columns.h"
#include "core/mechanisms/convex_default.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/utility.h"
#include "core/pool/pool_select.h"

/* ---- stages ---- */

/* Rows times epsilon for each weight, from which three rounds are worth half of epsilon. */
#define ROUNDS_EVIDENCE 1500
#define FEW_ROUNDS 1
#define MANY_ROUNDS 3

void
convex_pool_default(MechanismRequest *request, int64_t rows)
{
	double evidence = 2.0 / privacy_margin(request->adjacency) * (double) rows *
					  privacy_epsilon(request->epsilon) / request->grid.dimension;
	bool many = evidence >= ROUNDS_EVIDENCE;

	request->pool = (PoolTerms){.epsilon = many ? request->epsilon / 2 : request->epsilon / 10 * 3,
								.rows = rows,
								.rounds = many ? MANY_ROUNDS : FEW_ROUNDS};
}

/* epsilon_A and epsilon_B are integers that add up to epsilon (theorem C3). */
MechanismRequest
convex_pool_centre(const MechanismRequest *request)
{
	MechanismRequest centre = *request;

	centre.kind = MECHANISM_OBJECTIVE;
	if (!MUTANT(222))
		centre.epsilon -= request->pool.epsilon;
	centre.pool = (PoolTerms){0};
	return centre;
}

void
convex_pool_settle(MechanismRequest *request, const Encoding *encoding, int64_t delta, int64_t rows)
{
	MechanismRequest centre;

	convex_pool_default(request, rows);
	centre = convex_pool_centre(request);
	(void) convex_default_classifier(&centre, encoding, delta, rows);
	request->convex = centre.convex;
	convex_columns_of(encoding, &request->convex.columns);
}

/*
 * Seconds for a product of a weight and a feature and for a weight of a candidate that is made, by
 * two threads with AVX2 (bench/ends.sh), and for the calibration of the centre's noise.  A run may
 * take a few times as many.  Bytes beside those of the centre.
 */
#define PRODUCT_TIME (1 / 170e9)
#define WEIGHT_TIME 32e-9
#define CALIBRATION_SECONDS 0.2
#define CANDIDATES_BYTES (8.0 * 1024 * 1024)
#define MOST_TIMES 2.5

/*
 * The first two without vector instructions: 1.25 times what one thread took of its processor, for
 * two threads of a machine that is 2.5 times as slow (bench/pool.sh).
 */
#define SLOW_PRODUCT_TIME 0.3e-9
#define SLOW_WEIGHT_TIME 100e-9

/* Of all rounds. */
static double
pool_seconds(const MechanismRequest *request, double product, double weight)
{
	const PoolTerms *pool = &request->pool;
	int dimension = request->grid.dimension;
	double candidates = (double) pool_size(pool->rows, dimension, pool->rounds);

	return (product * request->run.distinct + weight) * pool->rounds * candidates * dimension;
}

void
convex_pool_admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	const PoolTerms *pool = &request->pool;
	MechanismRequest centre = convex_pool_centre(request);
	double seconds;

	if (pool->epsilon <= 0 || pool->epsilon >= request->epsilon || pool->rows <= 0 ||
		pool->rounds < 1 || pool->rounds > POOL_MOST_ROUNDS ||
		request->convex.noise == CONVEX_GAMMA)
		return;
	convex_admit(&centre, verdict);
	seconds = CALIBRATION_SECONDS + pool_seconds(request, PRODUCT_TIME, WEIGHT_TIME);
	verdict->usual_bytes = CANDIDATES_BYTES;
	verdict->bytes = 2 * CANDIDATES_BYTES;
	verdict->expected += seconds;
	verdict->most += MOST_TIMES * seconds;
}

bool
convex_pool_is_sure(const MechanismRequest *request)
{
	MechanismVerdict verdict = mechanism_verdict(request);

	return verdict.admitted &&
		   verdict.most + pool_seconds(request, SLOW_PRODUCT_TIME, SLOW_WEIGHT_TIME) <=
			   request->run.longest;
}

/* ---- release ---- */

static bool
is_grouped(const ConvexColumns *columns, int j)
{
	return columns->group[j] != 0 && columns->group[j] != COLUMN_INDICATOR;
}

/*
 * Groups have to be in front here: a number before a one-hot group is a group of one.  The
 * intercept, which is one there, is none here.
 */
static void
set_shape(const ConvexColumns *columns, int dimension, PoolShape *shape)
{
	int end = 0; /* of the groups */

	*shape = (PoolShape){.dimension = dimension};
	pool_set_bounds(shape, columns->bound);
	for (int j = 0; j < dimension; j++)
	{
		bool goes_on = j > 0 && columns->group[j] == columns->group[j - 1];

		if (is_grouped(columns, j) && (j < dimension - 1 || goes_on))
			end = j + 1;
	}
	for (int j = 0; j < end; j++)
	{
		if (j == 0 || !is_grouped(columns, j) || columns->group[j] != columns->group[j - 1])
			shape->groups++;
		shape->group[shape->groups - 1]++;
	}
}

void
convex_pool_law(const MechanismRequest *request, PoolLaw *law)
{
	const ConvexTerms *terms = &request->convex;
	MechanismRequest centre = convex_pool_centre(request);
	int dimension = request->grid.dimension;
	ConvexScale scale;
	ColumnsBody body;
	double spread[GRID_MAX_DIMENSION + 1];

	(void) convex_request_scale(&centre, &scale);
	columns_body_make(&terms->columns, terms->radius, dimension, &body);
	knorm_spread(&body.shape, spread);
	*law = (PoolLaw){.rows = (double) request->pool.rows,
					 .lambda = (double) terms->lambda / LAMBDA_ONE * terms->radius * terms->radius,
					 .length = terms->radius};
	set_shape(&terms->columns, dimension, &law->shape);
	for (int j = 0; j < dimension; j++)
	{
		double bound = (double) terms->columns.bound[j] / FIXED_POINT_ONE;
		int part = is_grouped(&terms->columns, j) ? terms->columns.group[j] - 1 : body.shape.groups;

		law->noise[j] = terms->noise == CONVEX_GAUSSIAN ? scale.inner * terms->radius
														: scale.inner * bound * spread[part];
	}
}

/* Post-processing of the first stage's answer u, R times a weight, for a stretched column. */
static int64_t
centre_weight(int64_t u, double radius, int stretch)
{
	double weight = nearbyint(ldexp((double) u / radius, stretch));

	return (int64_t) fmax(-(double) POOL_CENTRE_MAX, fmin(weight, (double) POOL_CENTRE_MAX));
}

/* What is predicted does not depend on a vector's length, so that the finest column stays whole. */
void
convex_pool_unstretch(const PoolShape *shape, int64_t *weight)
{
	for (int j = 0; j < shape->dimension; j++)
		weight[j] *= INT64_C(1) << shape->finer[j];
}

/* Drawn before anything else, so that equal bits give equal seeds on all rows (theorem C1). */
static PoolSeed
draw_seed(const Instance *instance, Bits *bits)
{
	PoolSeed seed = pool_seed_draw(bits);

	if (MUTANT(223))
		for (size_t i = 0; i < sizeof(seed.byte); i++)
			seed.byte[i] = (uint8_t) (instance->positive[0] + 3 * instance->negative[0]);
	return seed;
}

void
convex_pool_release(const MechanismRequest *request, const Instance *instance,
					const MechanismTools *tools, MechanismAnswer *answer)
{
	MechanismRequest centre = convex_pool_centre(request);
	int dimension = request->grid.dimension;
	PoolProblem problem = {.instance = instance,
						   .candidates =
							   pool_size(request->pool.rows, dimension, request->pool.rounds),
						   .rounds = request->pool.rounds,
						   .epsilon = request->pool.epsilon,
						   .adjacency = request->adjacency,
						   .threads = request->threads};
	MechanismAnswer first;

	if (!mechanism_verdict(request).admitted)
		abort(); /* the server has admitted it */
	problem.seed = draw_seed(instance, tools->bits);
	memset(&first, 0, sizeof(first));
	convex_release(&centre, instance, tools, &first);
	mechanism_make_weights(request, tools->memory, answer);
	convex_pool_law(request, &problem.law);
	for (int j = 0; j < dimension; j++)
		problem.centre[j] = centre_weight(first.weight[j], request->convex.radius,
										  pool_stretch(&problem.law.shape, j));
	memory_release(tools->memory, first.weight);
	pool_select(&problem, tools->bits, tools->memory, answer->weight, &answer->pool);
	convex_pool_unstretch(&problem.law.shape, answer->weight);
	answer->nodes = first.nodes;
}

/* ---- what is known of it ---- */

/*
 * Source: theorem C7.  Stage one is epsilon_A-DP, which is epsilon_A^2 / 2-zCDP, and each of R
 * draws has bounded range epsilon_B / R, which is (epsilon_B / R)^2 / 8-zCDP.
 */
void
convex_pool_pair(const MechanismRequest *request, Pair *pair)
{
	double centre = privacy_epsilon(request->epsilon - request->pool.epsilon);
	double pool = privacy_epsilon(request->pool.epsilon);

	if (!convex_noise_is_pure(request->convex.noise))
		return;
	pair->kind = PAIR_CONCENTRATED;
	pair->rho = PAIR_ROUNDED_UP * ((MUTANT(233) ? 0 : centre * centre / 2) +
								   pool * pool / (8 * request->pool.rounds));
}

static int64_t
candidates_of(const MechanismRequest *request)
{
	return pool_size(request->pool.rows, request->grid.dimension, request->pool.rounds);
}

void
convex_pool_describe(const MechanismRequest *request, Facts *facts)
{
	MechanismRequest centre = convex_pool_centre(request);

	convex_describe_scale(&centre, facts);
	facts_number(facts, "centre_epsilon", privacy_epsilon(centre.epsilon), FACT_DECIMAL);
	facts_number(facts, "pool_epsilon", privacy_epsilon(request->pool.epsilon), FACT_DECIMAL);
	facts_integer(facts, "pool_rows", request->pool.rows);
	facts_integer(facts, "pool_rounds", request->pool.rounds);
	facts_integer(facts, "pool_candidates", candidates_of(request));
}

/*
 * Source: theorem C8.  Candidate 0 counts for itself and stay - 1 more, so that the least share of
 * a candidate is 1 of count + stay - 1.
 */
void
convex_pool_error(const MechanismRequest *request, double beta, Facts *facts)
{
	const PoolTerms *pool = &request->pool;
	int64_t candidates = candidates_of(request);
	double others = (double) (candidates - 1 + pool_stay(candidates) - 1);
	double rate =
		privacy_epsilon(pool->epsilon) / pool->rounds / privacy_margin(request->adjacency);
	double rows = fmax(0, (log(others) + log((1 - beta) / beta)) / rate);

	facts_open(facts, "error");
	facts_fixed(facts, "above_pool", utility_whole_rows(rows), 0);
	facts_number(facts, "beta", beta, 6);
	facts_fixed(facts, "mean", ceil(10 * log(others + 1) / rate) / 10, 1);
	facts_close(facts);
}

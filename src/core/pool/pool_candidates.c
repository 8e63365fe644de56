/*
 * pool_candidates.c - draws candidates, each from a stream of its own, so that threads may share
 * the work.
 *
 * A candidate is rounded to integers in a unit of its own, the power of 2 in which its largest
 * weight just fits: what it predicts does not depend on its length.
 */
#include "core/pool/pool_candidates.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/base/crew.h"
#include "core/pool/pool_losses.h"

#define UNIT ((double) (INT64_C(1) << POOL_CENTRE_BITS))

/* The centre has this share of a draw among candidates of equal loss: 0.4. */
#define STAY_NUMERATOR 2
#define STAY_REST 3

#define BATCH 256

typedef struct Making
{
	const PoolLaw *law;
	const PoolSeed *seed;
	int round;
	PoolCandidates *pool;
	int32_t largest; /* |weight| of an integer candidate */
	double centre[GRID_MAX_DIMENSION];
	double spread[GRID_MAX_DIMENSION]; /* deviation of the centre's weights that the noise causes */
	double length;                     /* root of the mean square of the centre's weights */
	int parts;                         /* groups, and columns outside them */
	atomic_llong next;
} Making;

/* A column's mean square: a group's share, or 1/3 as if the column were uniform. */
static void
set_squares(const PoolShape *shape, double *square)
{
	int j = 0;

	for (int g = 0; j < shape->dimension; g++)
	{
		int size = g < shape->groups ? shape->group[g] : 1;

		for (int end = j + size; j < end; j++)
			square[j] = size > 1 ? 1.0 / size : 1.0 / 3;
	}
}

/*
 * A noise b on the gradient moves the minimiser by about b / (H + lambda), H the curvature: the sum
 * over rows of a slope's derivative times the feature's square.  With scores of variance v the
 * derivative of the capped slope is about 1/8 / sqrt(1 + pi v / 8) in the mean: that of the whole
 * slope is 1/4 / sqrt(1 + pi v / 8), and one half of the rows has the cap.
 */
static void
set_spread(Making *making)
{
	const PoolLaw *law = making->law;
	double square[GRID_MAX_DIMENSION];
	double usual = 0;
	double variance = 0;
	double clipped;
	double curvature;

	set_squares(&law->shape, square);
	for (int j = 0; j < law->shape.dimension; j++)
	{
		usual += ldexp(square[j], 2 * pool_stretch(&law->shape, j));
		variance += making->centre[j] * making->centre[j] * square[j];
	}
	clipped = law->length > 0 ? fmin(1, law->length * law->length / usual) : 1;
	curvature = clipped * law->rows / 8 / sqrt(1 + 0.39 * clipped * variance);
	for (int j = 0; j < law->shape.dimension; j++)
	{
		int stretch = pool_stretch(&law->shape, j);

		making->spread[j] = ldexp(law->noise[j], -stretch) /
							(curvature * square[j] + ldexp(law->lambda, -2 * stretch) + 1e-9);
	}
}

static void
set_centre(Making *making, const int64_t *centre)
{
	double sum = 0;

	for (int j = 0; j < making->law->shape.dimension; j++)
	{
		making->centre[j] = (double) centre[j] / UNIT;
		sum += making->centre[j] * making->centre[j];
	}
	making->length = fmax(sqrt(sum / making->law->shape.dimension), 1.0 / 1024);
}

/* ---- kinds of candidates: each a way to change the centre's weights ---- */

/* All weights move, in proportion to what the noise may have moved them. */
static void
move_by_noise(const Making *making, PoolCoins *coins, double size, double *weight)
{
	for (int j = 0; j < making->law->shape.dimension; j++)
		weight[j] += size * making->spread[j] * pool_coins_normal(coins);
}

/* All weights move alike, or each with this probability. */
static void
move_alike(const Making *making, PoolCoins *coins, double size, double probability, double *weight)
{
	for (int j = 0; j < making->law->shape.dimension; j++)
		if (probability == 1 || pool_coins_uniform(coins) < probability)
			weight[j] += size * making->length * pool_coins_normal(coins);
}

/* One to four weights jump, one of them mostly. */
static void
move_few(const Making *making, PoolCoins *coins, double size, double *weight)
{
	int left = pool_coins_below(coins, 2) != 0 ? 1 : 2 + pool_coins_below(coins, 3);

	for (; left > 0; left--)
		weight[pool_coins_below(coins, making->law->shape.dimension)] +=
			size * making->length * pool_coins_student(coins);
}

/* All scores move: each row has one column of the first group.  Without a group, one weight. */
static void
move_scores(const Making *making, PoolCoins *coins, double size, double *weight)
{
	const PoolShape *shape = &making->law->shape;
	double change = size * making->length * pool_coins_normal(coins);
	int last = shape->groups > 0 ? shape->group[0] : shape->dimension;

	for (int j = shape->groups > 0 ? 0 : last - 1; j < last; j++)
		weight[j] += change;
}

static void
scale_all(const Making *making, PoolCoins *coins, double size, double *weight)
{
	for (int j = 0; j < making->law->shape.dimension; j++)
		weight[j] *= pool_power(size * pool_coins_normal(coins));
}

/* Multiplies a group's weights, or one weight outside groups. */
static void
scale_part(const Making *making, int part, double factor, double *weight)
{
	const PoolShape *shape = &making->law->shape;
	int first = 0;

	for (int g = 0; g < part && g < shape->groups; g++)
		first += shape->group[g];
	if (part < shape->groups)
		for (int j = first; j < first + shape->group[part]; j++)
			weight[j] *= factor;
	else
		weight[first + part - shape->groups] *= factor;
}

static void
scale_parts(const Making *making, PoolCoins *coins, double *weight)
{
	for (int left = 1 + pool_coins_below(coins, 2); left > 0; left--)
	{
		int part = pool_coins_below(coins, making->parts);
		double factor = pool_power(1.2 * pool_coins_normal(coins));

		scale_part(making, part, pool_coins_uniform(coins) < 0.15 ? 0 : factor, weight);
	}
}

/*
 * Which kind is best, and at what size, differs so much between tables that sizes have laws that
 * are uniform in their logarithm.
 */
static void
draw(const Making *making, PoolCoins *coins, double *weight)
{
	double kind = pool_coins_uniform(coins);
	double u = pool_coins_uniform(coins);

	if (kind < 0.5)
		move_by_noise(making, coins, pool_power(2 * u - 1), weight);
	else if (kind < 0.6)
		move_alike(making, coins, pool_power(4 * u - 5), 1, weight);
	else if (kind < 0.69)
		move_alike(making, coins, pool_power(6 * u - 5), 0.3, weight);
	else if (kind < 0.78)
		scale_all(making, coins, pool_power(5 * u - 5), weight);
	else if (kind < 0.93)
		move_few(making, coins, pool_power(8 * u - 4.5), weight);
	else if (kind < 0.97)
		scale_parts(making, coins, weight);
	else
		move_scores(making, coins, pool_power(5 * u - 5), weight);
}

/* ---- to integers ---- */

/* The least shift with which all weights fit, and the weights clipped and rounded. */
static void
store(const Making *making, int64_t m, double *weight)
{
	int dimension = making->law->shape.dimension;
	int16_t *target = making->pool->weight + m * making->pool->stride;
	double most = 0;
	int shift = 0;

	for (int j = 0; j < dimension; j++)
	{
		weight[j] = fmax(-POOL_CENTRE_MAX, fmin(weight[j] * UNIT, POOL_CENTRE_MAX));
		most = fmax(most, fabs(weight[j]));
	}
	while (ldexp(most, -shift) > making->largest)
		shift++;
	for (int j = 0; j < dimension; j++)
		target[j] = (int16_t) floor(ldexp(weight[j], -shift) + 0.5);
	making->pool->shift[m] = (uint8_t) shift;
}

static void
make(void *context)
{
	Making *making = context;
	double weight[GRID_MAX_DIMENSION];
	int64_t m;

	while ((m = atomic_fetch_add(&making->next, BATCH)) < making->pool->count)
		for (int64_t end = m + BATCH; m < end && m < making->pool->count; m++)
		{
			PoolCoins coins = pool_coins(making->seed, making->round, m);

			memcpy(weight, making->centre, sizeof(weight));
			if (m > 0)
				draw(making, &coins, weight);
			store(making, m, weight);
		}
}

int64_t
pool_stay(int64_t count)
{
	return (count - 1) * STAY_NUMERATOR / STAY_REST + 1;
}

void
pool_candidates_create(PoolCandidates *pool, const PoolLaw *law, const int64_t *centre,
					   const PoolSeed *seed, int round, int64_t count, int threads, Memory *memory)
{
	int64_t stride = pool_stride(law->shape.dimension);
	Making making = {.law = law,
					 .seed = seed,
					 .round = round,
					 .pool = pool,
					 .largest = pool_units(&law->shape).weight,
					 .parts = pool_terms(&law->shape)};
	void *context[CREW_MAX_THREADS];

	*pool = (PoolCandidates){
		.count = count,
		.stay = pool_stay(count),
		.stride = stride,
		.weight =
			memory_allocate_zero(memory, (size_t) (pool_room(count) * stride), sizeof(int16_t)),
		.shift = memory_allocate(memory, (size_t) count, sizeof(uint8_t)),
	};
	set_centre(&making, centre);
	set_spread(&making);
	for (int k = 0; k < threads; k++)
		context[k] = &making;
	crew_run(threads, make, context);
}

void
pool_candidates_destroy(PoolCandidates *pool, Memory *memory)
{
	memory_release(memory, pool->weight);
	memory_release(memory, pool->shift);
}

void
pool_candidate(const PoolCandidates *pool, int dimension, int64_t m, int64_t *weight)
{
	for (int j = 0; j < dimension; j++)
		weight[j] = (int64_t) pool->weight[m * pool->stride + j] * (INT64_C(1) << pool->shift[m]);
}

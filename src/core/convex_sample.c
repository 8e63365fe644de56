/*
 * convex_sample.c - clipping and gradients in integers.
 */
#include "core/convex_sample.h"

#include <math.h>
#include <string.h>

#include "core/mutant.h"

/* ---- rows ---- */

static int64_t
squared_norm(const int32_t *x, int dimension)
{
	int64_t sum = 0;

	for (int j = 0; j < dimension; j++)
		sum += (int64_t) x[j] * x[j];
	return sum;
}

/*
 * Towards zero, so that a row as long as R stays within the ball; should the
 * rounding of doubles have left one outside, it is drawn in by whole units.
 */
void
convex_clip_row(const int32_t *x, int dimension, double radius, int32_t *v)
{
	double norm = sqrt((double) squared_norm(x, dimension)) / FIXED_POINT_ONE;
	double factor =
		ldexp(1 / (norm > radius && !MUTANT(30) ? norm : radius), ROW_BITS - FIXED_POINT_BITS);

	for (int j = 0; j < dimension; j++)
		v[j] = (int32_t) (x[j] * factor);
	while (!MUTANT(30) && squared_norm(v, dimension) > INT64_C(1) << (2 * ROW_BITS))
		for (int j = 0; j < dimension; j++)
			v[j] -= (v[j] > 0) - (v[j] < 0);
}

void
convex_sample_make(const Instance *instance, double radius, Memory *memory, ConvexSample *sample)
{
	size_t dimension = (size_t) instance->dimension;

	sample->dimension = instance->dimension;
	sample->rows = instance->rows;
	sample->positive = instance->positive;
	sample->negative = instance->negative;
	sample->v = memory_allocate(memory, (size_t) instance->rows, dimension * sizeof(int32_t));
	sample->bend = memory_allocate(memory, (size_t) instance->rows, sizeof(double));
	sample->count = 0;
	for (int64_t i = 0; i < instance->rows; i++)
	{
		convex_clip_row(instance->x + (size_t) i * dimension, instance->dimension, radius,
						sample->v + (size_t) i * dimension);
		sample->count += (double) (sample->positive[i] + sample->negative[i]);
	}
	sample->count *= 1 + 1e-9;
}

void
convex_sample_release(ConvexSample *sample, Memory *memory)
{
	memory_release(memory, sample->v);
	memory_release(memory, sample->bend);
}

/* ---- gradient ---- */

/* The weights are cut in two so that each product takes one multiplication. */
#define LOW_BITS 62
#define LOW_MASK ((INT64_C(1) << LOW_BITS) - 1)

typedef struct SplitWeights
{
	int64_t high[GRID_MAX_DIMENSION]; /* units of 2^-34 */
	int64_t low[GRID_MAX_DIMENSION];  /* units of 2^-96 */
} SplitWeights;

static void
split_weights(const Wide *u, int dimension, SplitWeights *split)
{
	for (int j = 0; j < dimension; j++)
	{
		split->high[j] = (int64_t) (u[j] >> LOW_BITS);
		split->low[j] = (int64_t) (u[j] & LOW_MASK);
	}
}

/* <v, u>, rounded down to units of 2^-90 and clipped to what a table knows. */
static inline Wide
row_score(const int32_t *v, const SplitWeights *split, int dimension)
{
	const Wide reach = (Wide) SLOPE_REACH << (WEIGHT_BITS - LOW_BITS + ROW_BITS);
	Wide high = 0;
	Wide low = 0;

	for (int j = 0; j < dimension; j++)
	{
		high += (Wide) split->high[j] * v[j];
		low += (Wide) split->low[j] * v[j];
	}
	high += low >> LOW_BITS;
	if (high >= reach)
		return SCORE_REACH;
	if (high < -reach)
		return -SCORE_REACH;
	return high * ((Wide) 1 << (SCORE_BITS - (WEIGHT_BITS - LOW_BITS + ROW_BITS))) +
		   ((low & LOW_MASK) >> (WEIGHT_BITS + ROW_BITS - SCORE_BITS));
}

/* A slope in two parts: units of 2^-55, and 2^-95 for the rest, of which 40 bits are kept. */
#define PART_BITS 55
#define REST_BITS 40

/* Sums over rows: units of 2^-75 and 2^-115. */
typedef struct GradientSums
{
	Wide part[GRID_MAX_DIMENSION];
	Wide rest[GRID_MAX_DIMENSION];
} GradientSums;

/*
 * A row pulls along v by positive a(s) - negative a(-s).  Few labels, which is the
 * usual case, leave room for products of single words.
 */
#define FEW_LABELS 127

static inline void
add_pull(const int32_t *v, Wide positive, Wide negative, Wide ahead, Wide behind, int dimension,
		 GradientSums *sums)
{
	const int shift = SLOPE_FINE_BITS - PART_BITS;
	const Wide mask = ((Wide) 1 << shift) - 1;
	Wide part = positive * (ahead >> shift) - negative * (behind >> shift);
	Wide rest = positive * ((ahead & mask) >> (shift - REST_BITS)) -
				negative * ((behind & mask) >> (shift - REST_BITS));

	if (positive + negative <= FEW_LABELS)
	{
		int64_t word = (int64_t) part;
		int64_t rest_word = (int64_t) rest;

		for (int j = 0; j < dimension; j++)
		{
			sums->part[j] += (Wide) word * v[j];
			sums->rest[j] += (Wide) rest_word * v[j];
		}
		return;
	}
	for (int j = 0; j < dimension; j++)
	{
		sums->part[j] += part * v[j];
		sums->rest[j] += rest * v[j];
	}
}

/* lambda u, rounded down to units of 2^-85. */
static Wide
times_lambda(Wide u, int64_t lambda)
{
	Wide high = (u >> LOW_BITS) * lambda;      /* units of 2^-66 */
	Wide low = (Wide) (u & LOW_MASK) * lambda; /* units of 2^-128 */

	return high * ((Wide) 1 << (GRADIENT_BITS - (WEIGHT_BITS - LOW_BITS + LAMBDA_BITS))) +
		   (low >> (WEIGHT_BITS + LAMBDA_BITS - GRADIENT_BITS));
}

void
convex_gradient(ConvexSample *sample, const LossTable *table, int64_t lambda, const Wide *b,
				const Wide *u, Wide *gradient)
{
	int dimension = sample->dimension;
	const int32_t *v = sample->v;
	SplitWeights split;
	GradientSums sums;

	memset(&sums, 0, sizeof(sums));
	split_weights(u, dimension, &split);
	for (int64_t i = 0; i < sample->rows; i++, v += dimension)
	{
		Wide score;
		Wide ahead;
		Wide behind;

		sample->bend[i] = 0;
		if (sample->positive[i] == 0 && sample->negative[i] == 0)
			continue; /* not in a batch */
		score = row_score(v, &split, dimension);
		ahead = loss_slope(table, score);
		behind = loss_slope(table, -score);
		add_pull(v, sample->positive[i], sample->negative[i], ahead, behind, dimension, &sums);
		sample->bend[i] = (double) sample->positive[i] * loss_bend(table, score) +
						  (double) sample->negative[i] * loss_bend(table, -score);
	}
	for (int j = 0; j < dimension; j++)
		gradient[j] = b[j] + times_lambda(u[j], lambda) -
					  sums.part[j] * (1 << (GRADIENT_BITS - PART_BITS - ROW_BITS)) -
					  (sums.rest[j] >> (PART_BITS + REST_BITS + ROW_BITS - GRADIENT_BITS));
}

/*
 * Each label's slope is off by beta 2^-90 <= 2^-90 for the score rounded down and by
 * 2^-95 for the bits not kept, times |v| <= 1; each coordinate by 2^-84 for the
 * two roundings above.
 */
double
convex_gradient_error(const ConvexSample *sample)
{
	return ldexp(sample->count, -89) + ldexp(sqrt(sample->dimension), -84);
}

/* ---- Hessian ---- */

static void
add_row_hessian(const int32_t *v, double bend, int dimension, double *hessian)
{
	for (int j = 0; j < dimension; j++)
	{
		double *row = hessian + (size_t) j * (size_t) dimension;
		double factor = bend * v[j];

		if (v[j] == 0)
			continue;
		for (int k = 0; k <= j; k++)
			row[k] += factor * v[k];
	}
}

void
convex_hessian(const ConvexSample *sample, int64_t lambda, double *hessian)
{
	size_t dimension = (size_t) sample->dimension;

	memset(hessian, 0, dimension * dimension * sizeof(double));
	for (int64_t i = 0; i < sample->rows; i++)
		if (sample->bend[i] != 0)
			add_row_hessian(sample->v + (size_t) i * dimension,
							ldexp(sample->bend[i], -2 * ROW_BITS), sample->dimension, hessian);
	for (size_t j = 0; j < dimension; j++)
	{
		hessian[j * dimension + j] += (double) lambda / (double) LAMBDA_ONE;
		for (size_t k = 0; k < j; k++)
			hessian[k * dimension + j] = hessian[j * dimension + k];
	}
}

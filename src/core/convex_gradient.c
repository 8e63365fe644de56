/*
 * convex_gradient.c - scores, slopes and their sums in integers.
 */
#include "core/convex_gradient.h"

#include <math.h>
#include <stdbool.h>

#include "core/convex_hessian.h"
#include "core/crew.h"

/* ---- scores ---- */

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

/* ---- a pass over the rows ---- */

/* What one thread adds up. */
typedef struct GradientWork
{
	const LossTable *table;
	const SplitWeights *split;
	int dimension;
	bool bent; /* is the Hessian wanted too? */
	GradientSums sums;
	HessianSums hessian;
} GradientWork;

static void
add_block(void *context, const ConvexBlock *block)
{
	GradientWork *work = context;
	const LossTable *table = work->table;
	const int32_t *v = block->v;

	for (int64_t i = 0; i < block->rows; i++, v += work->dimension)
	{
		Wide score = row_score(v, work->split, work->dimension);
		Wide ahead = loss_slope(table, score);
		Wide behind = loss_slope(table, -score);

		add_pull(v, block->positive[i], block->negative[i], ahead, behind, work->dimension,
				 &work->sums);
		if (work->bent)
			hessian_sums_add(&work->hessian, v,
							 (const int64_t[2]){block->positive[i], block->negative[i]},
							 (const int64_t[2]){loss_bend(table, score), loss_bend(table, -score)});
	}
}

/* Integers add up to the same in any order. */
static void
merge_work(GradientWork *work, GradientWork *others)
{
	for (int j = 0; j < work->dimension; j++)
	{
		work->sums.part[j] += others->sums.part[j];
		work->sums.rest[j] += others->sums.rest[j];
	}
	if (work->bent)
		hessian_sums_merge(&work->hessian, &others->hessian);
}

static GradientWork *
work_create(const ConvexSample *sample, const LossTable *table, const SplitWeights *split,
			bool bent, Memory *memory)
{
	GradientWork *work = memory_allocate_zero(memory, 1, sizeof(GradientWork));

	work->table = table;
	work->split = split;
	work->dimension = sample->instance->dimension;
	work->bent = bent;
	if (bent)
		hessian_sums_create(&work->hessian, work->dimension, memory);
	return work;
}

static void
work_destroy(GradientWork *work, Memory *memory)
{
	if (work->bent)
		hessian_sums_destroy(&work->hessian, memory);
	memory_release(memory, work);
}

void
convex_gradient(ConvexSample *sample, const LossTable *table, int64_t lambda, const Wide *b,
				const Wide *u, Memory *memory, Wide *gradient, double *hessian)
{
	int dimension = sample->instance->dimension;
	void *work[CREW_MAX_THREADS];
	GradientSums *sums;
	SplitWeights split;

	split_weights(u, dimension, &split);
	for (int k = 0; k < sample->threads; k++)
		work[k] = work_create(sample, table, &split, hessian != NULL, memory);
	convex_sample_visit(sample, add_block, work);
	for (int k = 1; k < sample->threads; k++)
		merge_work(work[0], work[k]);
	sums = &((GradientWork *) work[0])->sums;
	for (int j = 0; j < dimension; j++)
		gradient[j] = b[j] + times_lambda(u[j], lambda) -
					  sums->part[j] * (1 << (GRADIENT_BITS - PART_BITS - ROW_BITS)) -
					  (sums->rest[j] >> (PART_BITS + REST_BITS + ROW_BITS - GRADIENT_BITS));
	if (hessian != NULL)
		hessian_sums_read(&((GradientWork *) work[0])->hessian, lambda, hessian);
	for (int k = 0; k < sample->threads; k++)
		work_destroy(work[k], memory);
}

/*
 * Each label's slope is off by beta 2^-90 <= 2^-90 for the score rounded down and by
 * 2^-95 for the bits not kept, times |v| <= 1; each coordinate by 2^-84 for the
 * two roundings above.
 */
double
convex_gradient_error(const ConvexSample *sample)
{
	return ldexp(sample->count, -89) + ldexp(sqrt(sample->instance->dimension), -84);
}

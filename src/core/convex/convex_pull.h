/*
 * convex_pull.h - the term of one row in the gradient of J, in integers.
 *
 * Weights and slopes are split into two words each, so that each product is one multiplication of
 * words. gradient_error() bounds the error of the sums.
 */
#ifndef DPOBJ_CORE_CONVEX_PULL_H
#define DPOBJ_CORE_CONVEX_PULL_H

#include <stdint.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/mutant.h"
#include "core/convex/convex_kernel.h"
#include "core/convex/convex_loss.h"
#include "core/convex/convex_rows.h"

/* The bits of the lower part of a weight. */
#define LOW_BITS 62
#define LOW_MASK ((INT64_C(1) << LOW_BITS) - 1)

typedef struct SplitWeights
{
	int64_t *high; /* units of 2^-34 */
	int64_t *low;  /* units of 2^-96 */
	int32_t *limb; /* limb[k * dimension + j] in units of 2^(31 k - 96) (convex_kernel.h) */
	int limbs;     /* so many of them; the last is signed */
} SplitWeights;

/* Two limbs of the lower part, and two of the higher one if they hold it, else three. */
static inline void
split_limbs(SplitWeights *split, int dimension)
{
	split->limbs = SCORE_LIMBS - 1;
	for (int j = 0; j < dimension && !MUTANT(397); j++)
		if (split->high[j] >> LIMB_BITS != (int32_t) (split->high[j] >> LIMB_BITS))
			split->limbs = SCORE_LIMBS;
	for (int j = 0; j < dimension; j++)
	{
		int32_t *limb = split->limb + j;
		int64_t above = split->high[j] >> LIMB_BITS;

		limb[0] = (int32_t) (split->low[j] & LIMB_MASK);
		limb[dimension] = (int32_t) (split->low[j] >> LIMB_BITS);
		limb[2 * dimension] = (int32_t) (split->high[j] & LIMB_MASK);
		limb[3 * dimension] = (int32_t) (split->limbs == SCORE_LIMBS ? above & LIMB_MASK : above);
		limb[4 * dimension] = (int32_t) (above >> LIMB_BITS);
	}
}

static inline void
split_weights_create(const Wide *u, int dimension, Memory *memory, SplitWeights *split)
{
	split->high = memory_allocate(memory, (size_t) dimension, sizeof(int64_t));
	split->low = memory_allocate(memory, (size_t) dimension, sizeof(int64_t));
	for (int j = 0; j < dimension; j++)
	{
		split->high[j] = (int64_t) (u[j] >> LOW_BITS);
		split->low[j] = (int64_t) (u[j] & LOW_MASK);
	}
	split->limb = memory_allocate(memory, (size_t) dimension, SCORE_LIMBS * sizeof(int32_t));
	split_limbs(split, dimension);
}

static inline void
split_weights_destroy(SplitWeights *split, Memory *memory)
{
	memory_release(memory, split->limb);
	memory_release(memory, split->low);
	memory_release(memory, split->high);
}

/* high + low, in the units of both parts, rounded down to 2^-90 and clipped to -reach .. reach. */
static inline Wide
score_of_parts(Wide high, Wide low, int64_t reach)
{
	const Wide limit = (Wide) reach << (WEIGHT_BITS - LOW_BITS + ROW_BITS);

	high += low >> LOW_BITS;
	if (high >= limit)
		return (Wide) reach << SCORE_BITS;
	if (high < -limit)
		return -((Wide) reach << SCORE_BITS);
	return high * ((Wide) 1 << (SCORE_BITS - (WEIGHT_BITS - LOW_BITS + ROW_BITS))) +
		   ((low & LOW_MASK) >> (WEIGHT_BITS + ROW_BITS - SCORE_BITS));
}

/* <v, u>, rounded down to units of 2^-90 and clipped to -reach .. reach. */
static inline Wide
row_score(const int32_t *v, const int64_t *split_high, const int64_t *split_low, int dimension,
		  int64_t reach)
{
	Wide high = 0;
	Wide low = 0;

	for (int j = 0; j < dimension; j++)
	{
		high += (Wide) split_high[j] * v[j];
		low += (Wide) split_low[j] * v[j];
	}
	return score_of_parts(high, low, reach);
}

/* The same from the sums of limbs, a line for each (convex_kernel.h). */
static inline Wide
limbs_score(const int64_t *sum, int limbs, int64_t reach)
{
	const Wide base = (Wide) 1 << LIMB_BITS;
	int64_t above = limbs == SCORE_LIMBS ? sum[4 * KERNEL_LINE] : 0;

	return score_of_parts(sum[2 * KERNEL_LINE] + base * (sum[3 * KERNEL_LINE] + base * above),
						  sum[0] + base * sum[KERNEL_LINE], reach);
}

/* A block is put in columns unless more than seven of eight numbers are 0. */
static inline bool
convex_block_dense(const ConvexKernel *kernel, const ConvexBlock *block, int dimension)
{
	int64_t numbers = block->rows * dimension;

	return kernel->nonzeros(block->v, numbers) * 8 >= numbers;
}

/* A slope in two parts: units of 2^-55, and 2^-95 for the rest, of which 40 bits are kept. */
#define PART_BITS 55
#define REST_BITS 40

/* Sums over rows: units of 2^-75 and 2^-115. */
typedef struct GradientSums
{
	Wide *part;
	Wide *rest;
} GradientSums;

static inline void
gradient_sums_create(GradientSums *sums, int dimension, Memory *memory)
{
	sums->part = memory_allocate_zero(memory, (size_t) dimension, sizeof(Wide));
	sums->rest = memory_allocate_zero(memory, (size_t) dimension, sizeof(Wide));
}

static inline void
gradient_sums_destroy(GradientSums *sums, Memory *memory)
{
	memory_release(memory, sums->rest);
	memory_release(memory, sums->part);
}

/* The order of threads does not matter, because the sums are of integers. */
static inline void
gradient_sums_merge(GradientSums *sums, const GradientSums *others, int dimension)
{
	for (int j = 0; j < dimension; j++)
	{
		sums->part[j] += others->part[j];
		sums->rest[j] += others->rest[j];
	}
}

/*
 * A row adds (positive a(s) - negative a(-s)) v.  Up to this many labels, the usual case, products
 * fit single words, and both parts two limbs.
 */
#define FEW_LABELS 127

/* positive a(s) - negative a(-s) in its two parts. */
static inline void
split_pull(Wide positive, Wide negative, Wide ahead, Wide behind, Wide *part, Wide *rest)
{
	const int shift = SLOPE_FINE_BITS - PART_BITS;
	const Wide mask = ((Wide) 1 << shift) - 1;

	*part = positive * (ahead >> shift) - negative * (behind >> shift);
	*rest = positive * ((ahead & mask) >> (shift - REST_BITS)) -
			negative * ((behind & mask) >> (shift - REST_BITS));
}

static inline void
add_pull(const int32_t *v, Wide positive, Wide negative, Wide ahead, Wide behind, int dimension,
		 Wide *part_sum, Wide *rest_sum)
{
	Wide part;
	Wide rest;

	split_pull(positive, negative, ahead, behind, &part, &rest);
	if (positive + negative <= FEW_LABELS)
	{
		int64_t word = (int64_t) part;
		int64_t rest_word = (int64_t) rest;

		for (int j = 0; j < dimension; j++)
		{
			part_sum[j] += (Wide) word * v[j];
			rest_sum[j] += (Wide) rest_word * v[j];
		}
		return;
	}
	for (int j = 0; j < dimension; j++)
	{
		part_sum[j] += part * v[j];
		rest_sum[j] += rest * v[j];
	}
}

/* Sets the limbs of a row, a line for each, with FEW_LABELS at most. */
static inline void
pull_limbs(Wide positive, Wide negative, Wide ahead, Wide behind, int32_t *limb)
{
	Wide part;
	Wide rest;

	split_pull(positive, negative, ahead, behind, &part, &rest);
	limb[0] = (int32_t) (part & LIMB_MASK);
	limb[KERNEL_LINE] = (int32_t) (part >> LIMB_BITS);
	limb[2 * KERNEL_LINE] = (int32_t) (rest & LIMB_MASK);
	limb[3 * KERNEL_LINE] = (int32_t) (rest >> LIMB_BITS);
}

/* Adds the sums of a block's rows by limbs, and sets them to 0. */
static inline void
gradient_sums_add_limbs(GradientSums *sums, int64_t *sum, int dimension)
{
	const Wide base = (Wide) 1 << LIMB_BITS;

	for (int j = 0; j < dimension; j++)
	{
		sums->part[j] += sum[j] + base * sum[dimension + j];
		sums->rest[j] += sum[2 * dimension + j] + base * sum[3 * dimension + j];
	}
	memset(sum, 0, (size_t) (PULL_LIMBS * dimension) * sizeof(sum[0]));
}

/* lambda u, rounded down to units of 2^-85. */
static inline Wide
times_lambda(Wide u, int64_t lambda)
{
	Wide high = (u >> LOW_BITS) * lambda;      /* units of 2^-66 */
	Wide low = (Wide) (u & LOW_MASK) * lambda; /* units of 2^-128 */

	return high * ((Wide) 1 << (GRADIENT_BITS - (WEIGHT_BITS - LOW_BITS + LAMBDA_BITS))) +
		   (low >> (WEIGHT_BITS + LAMBDA_BITS - GRADIENT_BITS));
}

/* A gradient's entry, from b, lambda u and the sums over rows. */
static inline Wide
gradient_entry(Wide b, Wide u, int64_t lambda, Wide part, Wide rest)
{
	return b + times_lambda(u, lambda) - part * (1 << (GRADIENT_BITS - PART_BITS - ROW_BITS)) -
		   (rest >> (PART_BITS + REST_BITS + ROW_BITS - GRADIENT_BITS));
}

/* Writes the sums in the order of a pass: the two of a weight beside each other. */
static inline void
gradient_sums_write(const GradientSums *sums, int weights, Wide *integer)
{
	for (int j = 0; j < weights; j++)
	{
		*integer++ = sums->part[j];
		*integer++ = sums->rest[j];
	}
}

/* The gradient at u from the sums of a pass. */
static inline void
gradient_read(const Wide *integer, int weights, int64_t lambda, const Wide *b, const Wide *u,
			  Wide *gradient)
{
	for (int j = 0; j < weights; j++, integer += 2)
		gradient[j] = gradient_entry(b[j], u[j], lambda, integer[0], integer[1]);
}

#endif

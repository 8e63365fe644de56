/*
 * convex_kernel.h - the loops of a pass over rows, one version for each set of vector instructions.
 *
 * Weights, slopes and bends are cut into limbs of 31 bits at most, so that each product is one of
 * 32-bit numbers and sums of a block's rows fit words.  All is in integers without error: every
 * version, and the arithmetic of convex_pull.h and convex_hessian.c, gives the same bits.
 *
 * Rows of a block stand in columns: the number of row i in column j is column[j * KERNEL_LINE + i],
 * and so are what belongs to rows, one line for each limb.  Lines are looped over to a multiple of
 * KERNEL_ROWS: what is beyond the block's rows is 0 in the columns.
 */
#ifndef DPOBJ_CORE_CONVEX_KERNEL_H
#define DPOBJ_CORE_CONVEX_KERNEL_H

#include <stdint.h>

#include "core/base/integers.h"
#include "core/rows/row_reader.h"

#define KERNEL_ROWS 16

/* Not a power of two, so that columns do not share lines of the processor's cache. */
#define KERNEL_LINE (BLOCK_ROWS + KERNEL_ROWS)

#define LIMB_BITS 31
#define LIMB_MASK ((INT64_C(1) << LIMB_BITS) - 1)

#define SCORE_LIMBS 5 /* of a weight u: four of 31 bits, and what is above them */
#define PULL_LIMBS 4  /* two of a slope's part, two of its rest (convex_pull.h) */

/* bend() takes bends below. */
#define KERNEL_BEND_BITS 23

typedef struct ConvexKernel
{
	/* Rounds x factor towards zero, as a conversion does.  Returns the sum of squares. */
	int64_t (*scale)(const int32_t *x, int dimension, double factor, int32_t *v);

	/* |x_j| <= 2^26 (ENCODING_MAX_CLIP), so that COLUMNS_MAX squares stay below 2^63. */
	int64_t (*squares)(const int32_t *x, int dimension);

	/* How many of the numbers are not 0. */
	int64_t (*nonzeros)(const int32_t *v, int64_t count);

	/* sum line k = <row, limb k>; limb k of weight j is limb[k * dimension + j]. */
	void (*score)(const int32_t *column, int rows, int dimension, const int32_t *limb, int limbs,
				  int64_t *sum);

	/* sum[k * dimension + j] += <column j, limb line k>, for PULL_LIMBS. */
	void (*pull)(const int32_t *column, int rows, int dimension, const int32_t *limb, int64_t *sum);

	/* total[j * dimension + k] += the sum over rows of bend v_j v_k, for k <= j. */
	void (*bend)(const int32_t *column, int rows, int dimension, const int32_t *bend, Wide *total);
} ConvexKernel;

#define CONVEX_MAX_KERNELS 2

/* Those that this machine runs, from the least to the fastest; returns how many. */
extern int convex_kernels(const ConvexKernel *kernel[CONVEX_MAX_KERNELS]);
extern const ConvexKernel *convex_fastest_kernel(void);

/* Sets the columns of the rows v, row-major. */
extern void convex_columns_fill(const int32_t *v, int rows, int dimension, int32_t *column);

#endif

/*
 * convex_hessian.h - sums of weighted outer products of rows, in integers.
 *
 * Newton's method uses these sums, and no proof rests on them.  They are still computed without
 * error, so that the minimiser is a function of the multiset of rows: it does not depend on their
 * order, on merging of equal rows, on threads or on files.
 *
 * A label's bend psi'' keeps at least seven bits down to 2^-21: bends from 2^-11 on are truncated
 * to units of 2^-18, smaller ones to units of 2^-28, and each kind has its own sum.  The second
 * kind matters if all margins are large.  Coordinates are not rounded: if many labels lie along few
 * directions, rounding would add curvature in the others, where lambda alone should count.
 */
#ifndef DPOBJ_CORE_CONVEX_HESSIAN_H
#define DPOBJ_CORE_CONVEX_HESSIAN_H

#include <stdint.h>

#include "core/base/memory.h"
#include "core/convex/convex_kernel.h"
#include "core/convex/convex_loss.h"
#include "core/convex/convex_rows.h"

/*
 * A block of rows is summed in words while its bends add up to less than 2^23, because |v_j v_k| <=
 * 2^40.
 */
typedef struct HessianSum
{
	int64_t bends;  /* in block */
	int64_t *block; /* lower triangle of a full matrix */
	Wide *total;
} HessianSum;

#define HESSIAN_KINDS 2

typedef struct HessianSums
{
	int dimension;
	HessianSum kind[HESSIAN_KINDS];
} HessianSums;

extern void hessian_sums_create(HessianSums *sums, int dimension, Memory *memory);
extern void hessian_sums_destroy(HessianSums *sums, Memory *memory);

/*
 * Adds bend v v' for each label, v in units of 2^-20, with a bend of loss_drop() for each kind of
 * label.
 */
extern void hessian_sums_add(HessianSums *sums, const int32_t *v, const int64_t labels[2],
							 const int64_t bend[2]);

/* The same for a block of rows, which column has in columns (convex_kernel.h). */
extern void hessian_sums_add_block(HessianSums *sums, const ConvexKernel *kernel,
								   const ConvexBlock *block, const int32_t *column,
								   const int64_t (*bend)[2]);

/* Adds the sums of others. */
extern void hessian_sums_merge(HessianSums *sums, HessianSums *others);

/* The number of integers of all sums: their lower triangles, one kind behind the other. */
static inline int64_t
hessian_sums_size(int dimension)
{
	return (int64_t) HESSIAN_KINDS * dimension * (dimension + 1) / 2;
}

/* Writes these integers. */
extern void hessian_sums_write(HessianSums *sums, Wide *integer);

/* The matrix they stand for plus lambda on the diagonal, a full one. */
extern void hessian_read(const Wide *integer, int dimension, int64_t lambda, double *hessian);

#endif

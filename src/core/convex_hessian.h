/*
 * convex_hessian.h - sums of weighted outer products of rows, in integers.
 *
 * Newton's method needs them, and nothing that is proved rests on them; but they are summed
 * without error, so that the minimiser found is a function of the rows as a
 * multiset: of neither their order, nor how equal ones are merged, nor which thread or
 * file they come from.  Bends are rounded to units of 2^-14, coordinates are not: where
 * many labels pull along few directions, rounded ones would give the others a
 * curvature that they do not have, and lambda, which alone bends there, would drown in it.
 *
 * A block of rows is summed in words, as long as its bends add up to 2^23 at most:
 * |v_j v_k| <= 2^40.
 */
#ifndef DPOBJ_CORE_CONVEX_HESSIAN_H
#define DPOBJ_CORE_CONVEX_HESSIAN_H

#include <stdint.h>

#include "core/convex_loss.h"
#include "core/memory.h"

typedef struct HessianSums
{
	int dimension;
	int64_t bends;  /* in block */
	int64_t *block; /* lower triangle of a full matrix */
	Wide *total;
} HessianSums;

extern void hessian_sums_create(HessianSums *sums, int dimension, Memory *memory);
extern void hessian_sums_destroy(HessianSums *sums, Memory *memory);

/* Adds bend v v', v in units of 2^-20, bend 0 .. 2^57. */
extern void hessian_sums_add(HessianSums *sums, const int32_t *v, int64_t bend);

/* Adds what others have. */
extern void hessian_sums_merge(HessianSums *sums, HessianSums *others);

/* The sums plus lambda on the diagonal, a full matrix. */
extern void hessian_sums_read(HessianSums *sums, int64_t lambda, double *hessian);

#endif

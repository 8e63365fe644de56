/*
 * convex_hessian.h - sums of weighted outer products of rows, in integers.
 *
 * Newton's method needs them, and nothing that is proved rests on them; but they are summed
 * without error, so that the minimiser found is a function of the rows as a
 * multiset: of neither their order, nor how equal ones are merged, nor which thread or
 * file they come from.
 *
 * A label's bend psi'' keeps some seven bits at least, down to 2^-21: from 2^-11 on it is cut to
 * units of 2^-18, below to units of 2^-28, and each kind has a sum of its own.  Where all
 * margins are large, small bends are all there are.  Coordinates are not
 * rounded: where many labels pull along few directions, rounded ones would give the others a
 * curvature that they do not have, and lambda, which alone bends there, would drown in it.
 */
#ifndef DPOBJ_CORE_CONVEX_HESSIAN_H
#define DPOBJ_CORE_CONVEX_HESSIAN_H

#include <stdint.h>

#include "core/convex/convex_loss.h"
#include "core/base/memory.h"

/*
 * A block of rows is summed in words, as long as its bends add up to less than 2^23:
 * |v_j v_k| <= 2^40.
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

/* Adds v v', v in units of 2^-20, as often as there are labels, each times a bend of loss_drop().
 */
extern void hessian_sums_add(HessianSums *sums, const int32_t *v, const int64_t labels[2],
							 const int64_t bend[2]);

/* Adds what others have. */
extern void hessian_sums_merge(HessianSums *sums, HessianSums *others);

/* The sums plus lambda on the diagonal, a full matrix. */
extern void hessian_sums_read(HessianSums *sums, int64_t lambda, double *hessian);

#endif

/*
 * convex_loss.h - the slopes of the losses, as integer tables.
 *
 * A loss is given by a(z) = -psi'(z), z the margin or, with a target, the residual: here a spline,
 * linear between knots 2^-9 apart and constant beyond +-32, with integer values at the knots.  It
 * does not increase, lies in 0 .. c, of LOSS_SQUARES in -c .. c, and falls at most at rate beta. So
 * psi is convex and |psi'| <= c and psi'' <= beta hold exactly, whatever errors libm has, and
 * slopes are computed in integers without error. psi is twice differentiable except at the knots, a
 * null set: w -> grad J(w) is piecewise affine and one-to-one, which is what the change of
 * variables needs (theorem V3).
 *
 * The spline is within 5e-8 of the logistic slope, clipped or not, and equal to that of the
 * Huberised hinge and of clipped squares.  Clipping the slope is clipping the gradients of a
 * generalised linear model one by one (Song, Steinke, Thakkar and Thakurta 2021).
 */
#ifndef DPOBJ_CORE_CONVEX_LOSS_H
#define DPOBJ_CORE_CONVEX_LOSS_H

#include <stdint.h>

#include "core/base/integers.h"
#include "core/convex/convex.h"

#define SLOPE_KNOT_BITS 9 /* 2^9 knots to a unit of margin */
#define SLOPE_REACH 32    /* beyond it slopes are constant */
#define TARGET_REACH 16   /* of targets; less than where LOSS_SQUARES bends */
#define SLOPE_KNOTS ((2 * SLOPE_REACH << SLOPE_KNOT_BITS) + 1)
#define SLOPE_BITS 40 /* a slope of 1 at a knot is 2^40 */

/* Weights u are in units of 2^-96 and must stay below 2^29; gradients in units of 2^-85. */
#define WEIGHT_BITS 96
#define WEIGHT_LIMIT_BITS 29
#define GRADIENT_BITS 85

/* Scores and margins are in units of 2^-90, slopes in units of 2^-121. */
#define SCORE_BITS 90
#define SLOPE_FINE_BITS (SLOPE_BITS + SCORE_BITS - SLOPE_KNOT_BITS)

typedef struct LossTable
{
	int64_t slope[SLOPE_KNOTS]; /* at margin -SLOPE_REACH + k 2^-9 */
} LossTable;

extern void loss_table_make(ConvexLoss loss, LossTable *table);

/*
 * A number that two tables share if and, for all but a chance of 2^-64, only if they are equal:
 * exp() may differ by a bit where the C library is another one.
 */
extern uint64_t loss_table_digest(const LossTable *table);

/* beta, a power of two: 1/4 for the logistic losses, 1 for the others. */
extern double loss_curvature(ConvexLoss loss);

/* c, a power of two: 1/2 for the clipped logistic loss, 1 for the others. */
extern double loss_steepness(ConvexLoss loss);

/* As options and details call them. */
extern const char *const loss_names[LOSS_KINDS];

/* The largest margin of a table; callers clip to it. */
#define SCORE_REACH ((Wide) SLOPE_REACH << SCORE_BITS)

/* From a knot to the next one, in units of scores. */
#define SLOPE_KNOT_GAP ((Wide) 1 << (SCORE_BITS - SLOPE_KNOT_BITS))

/* a(margin), exactly. */
static inline Wide
loss_slope(const LossTable *table, Wide margin)
{
	Wide place = margin + SCORE_REACH;
	int64_t knot = (int64_t) (place >> (SCORE_BITS - SLOPE_KNOT_BITS));
	Wide rest;

	if (knot < 0)
		return table->slope[0] * SLOPE_KNOT_GAP;
	if (knot >= SLOPE_KNOTS - 1)
		return table->slope[SLOPE_KNOTS - 1] * SLOPE_KNOT_GAP;
	rest = place - knot * SLOPE_KNOT_GAP;
	return table->slope[knot] * SLOPE_KNOT_GAP -
		   (Wide) (table->slope[knot] - table->slope[knot + 1]) * rest;
}

/* psi''(margin) in units of 2^-31, for Newton's method only. */
#define DROP_BITS (SLOPE_BITS - SLOPE_KNOT_BITS)

static inline int64_t
loss_drop(const LossTable *table, Wide margin)
{
	int64_t knot = (int64_t) ((margin + SCORE_REACH) >> (SCORE_BITS - SLOPE_KNOT_BITS));

	if (knot < 0 || knot >= SLOPE_KNOTS - 1)
		return 0;
	return table->slope[knot] - table->slope[knot + 1];
}

#endif

/*
 * convex_loss.h - the slopes of the losses, as integer tables.
 *
 * A loss is given by a(z) = -psi'(z), z the margin: here a spline, linear between knots 2^-9 apart
 * and constant beyond +-32, with integer values at the knots.  It does not increase, lies in
 * 0 .. c and falls at most at rate beta.  So psi is convex and |psi'| <= c and psi'' <= beta hold
 * exactly, whatever errors libm has, and slopes are computed in integers without error. psi is
 * twice differentiable except at the knots, a null set: w -> grad J(w) is piecewise affine and
 * one-to-one, which is what the change of variables needs (theorem V3).
 *
 * The spline is within 5e-8 of the logistic slope, clipped or not, and equal to that of the
 * Huberised hinge.  Clipping the slope is clipping the gradients of a generalised linear model one
 * by one (Song, Steinke, Thakkar and Thakurta 2021).
 */
#ifndef DPOBJ_CORE_CONVEX_LOSS_H
#define DPOBJ_CORE_CONVEX_LOSS_H

#include <stdint.h>

#include "core/base/integers.h"
#include "core/convex/convex.h"

#define SLOPE_KNOT_BITS 9 /* 2^9 knots to a unit of margin */
#define SLOPE_REACH 32    /* beyond it slopes are constant */
#define SLOPE_KNOTS ((2 * SLOPE_REACH << SLOPE_KNOT_BITS) + 1)
#define SLOPE_BITS 40 /* a slope of 1 at a knot is 2^40 */

/* Scores and margins are in units of 2^-90, slopes in units of 2^-121. */
#define SCORE_BITS 90
#define SLOPE_FINE_BITS (SLOPE_BITS + SCORE_BITS - SLOPE_KNOT_BITS)

typedef struct LossTable
{
	int64_t slope[SLOPE_KNOTS]; /* at margin -SLOPE_REACH + k 2^-9 */
} LossTable;

extern void loss_table_make(ConvexLoss loss, LossTable *table);

/* beta, a power of two: 1/4 for the logistic losses, 1 for Huber's. */
extern double loss_curvature(ConvexLoss loss);

/* c, a power of two: 1/2 for the clipped logistic loss, 1 for the others. */
extern double loss_steepness(ConvexLoss loss);

/* As options and details call them. */
extern const char *const loss_names[LOSS_KINDS];

/* The largest margin of a table; callers clip to it. */
#define SCORE_REACH ((Wide) SLOPE_REACH << SCORE_BITS)

/* a(margin), exactly. */
static inline Wide
loss_slope(const LossTable *table, Wide margin)
{
	Wide place = margin + SCORE_REACH;
	int64_t knot = (int64_t) (place >> (SCORE_BITS - SLOPE_KNOT_BITS));
	Wide rest;

	if (knot < 0)
		return (Wide) table->slope[0] << (SCORE_BITS - SLOPE_KNOT_BITS);
	if (knot >= SLOPE_KNOTS - 1)
		return (Wide) table->slope[SLOPE_KNOTS - 1] << (SCORE_BITS - SLOPE_KNOT_BITS);
	rest = place - ((Wide) knot << (SCORE_BITS - SLOPE_KNOT_BITS));
	return ((Wide) table->slope[knot] << (SCORE_BITS - SLOPE_KNOT_BITS)) -
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

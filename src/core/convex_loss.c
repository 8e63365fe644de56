/*
 * convex_loss.c - tables of slopes that keep their promises by construction.
 */
#include "core/convex_loss.h"

#include <math.h>


double
loss_curvature(ConvexLoss loss)
{
	return loss == LOSS_LOGISTIC ? 0.25 : 1.0;
}

static double
true_slope(ConvexLoss loss, double margin)
{
	if (loss == LOSS_LOGISTIC)
		return 1 / (1 + exp(margin));
	return margin <= 0.5 ? 1 : margin >= 1.5 ? 0 : 1.5 - margin;
}

/* Rounded values are cut to what a slope may be: this, not exp(), is what the proof rests on. */
void
loss_table_make(ConvexLoss loss, LossTable *table)
{
	const int64_t one = INT64_C(1) << SLOPE_BITS;
	const int64_t drop = (int64_t) ldexp(loss_curvature(loss), SLOPE_BITS - SLOPE_KNOT_BITS);
	int64_t before = one;

	for (int k = 0; k < SLOPE_KNOTS; k++)
	{
		double margin = ldexp(k, -SLOPE_KNOT_BITS) - SLOPE_REACH;
		int64_t slope = llrint(ldexp(true_slope(loss, margin), SLOPE_BITS));

		slope = slope > before ? before : slope;
		if (k > 0 && slope < before - drop)
			slope = before - drop;
		table->slope[k] = slope < 0 ? 0 : slope;
		before = table->slope[k];
	}
}

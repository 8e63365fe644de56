/*
 * convex_loss.c - tables of slopes whose bounds hold by construction.
 */
#include "core/convex/convex_loss.h"

#include <math.h>

#include "core/base/mutant.h"
#include "core/base/siphash.h"

const char *const loss_names[LOSS_KINDS] = {[LOSS_LOGISTIC] = "logistic",
											[LOSS_CLIPPED] = "clipped_logistic",
											[LOSS_HUBER] = "huber",
											[LOSS_SQUARES] = "clipped_squares"};

double
loss_curvature(ConvexLoss loss)
{
	return loss == LOSS_HUBER || loss == LOSS_SQUARES ? 1.0 : 0.25;
}

double
loss_steepness(ConvexLoss loss)
{
	return loss == LOSS_CLIPPED ? 0.5 : 1.0;
}

/* Before clipping to the steepness. */
static double
true_slope(ConvexLoss loss, double margin)
{
	if (loss == LOSS_HUBER)
		return margin <= 0.5 ? 1 : margin >= 1.5 ? 0 : 1.5 - margin;
	if (loss == LOSS_SQUARES)
		return -margin;
	return 1 / (1 + exp(margin));
}

/*
 * Clips rounded values to the range that a slope may have.  The proof rests on this clipping, not
 * on exp().
 */
void
loss_table_make(ConvexLoss loss, LossTable *table)
{
	const double one = (double) (INT64_C(1) << SLOPE_BITS);
	const double step = 1.0 / (1 << SLOPE_KNOT_BITS);
	const int64_t drop = (int64_t) (one * step * loss_curvature(loss));
	int64_t before = (int64_t) (one * (MUTANT(214) ? 1 : loss_steepness(loss)));
	const int64_t least = loss != LOSS_SQUARES ? 0 : MUTANT(250) ? 4 * -before : -before;

	for (int k = 0; k < SLOPE_KNOTS; k++)
	{
		int64_t slope = (int64_t) floor(one * true_slope(loss, k * step - SLOPE_REACH) + 0.5);

		slope = slope > before ? before : slope;
		if (k > 0 && slope < before - drop)
			slope = before - drop;
		table->slope[k] = slope < least ? least : slope;
		before = table->slope[k];
	}
}

uint64_t
loss_table_digest(const LossTable *table)
{
	static const SipKey key;

	return siphash(key, table->slope, sizeof(table->slope));
}

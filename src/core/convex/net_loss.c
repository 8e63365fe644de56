/*
 * net_loss.c - the integral of slopes, in integers.
 */
#include "core/convex/net_loss.h"

/*
 * Sums from the right, where the loss is 0.  The integral of a slope that is linear between knots
 * is the trapezium, exactly, in units of 2^-(40 + 10).
 */
void
net_loss_make(const LossTable *slopes, NetLoss *loss)
{
	const int shift = SLOPE_BITS + SLOPE_KNOT_BITS + 1 - NET_LOSS_BITS;
	int64_t sum = 0;

	loss->value[SLOPE_KNOTS - 1] = 0;
	for (int k = SLOPE_KNOTS - 2; k >= 0; k--)
	{
		sum += slopes->slope[k] + slopes->slope[k + 1];
		loss->value[k] = (int32_t) (sum >> shift);
	}
}

/* The loss does not increase, so its range is the difference at the ends. */
int64_t
net_loss_range(const NetLoss *loss, int64_t largest)
{
	return net_loss(loss, -largest) - net_loss(loss, largest);
}

/*
 * Between knots net_loss() is between the line through their values and one above it, and no piece
 * of the line falls more than the steepest.
 */
int64_t
net_loss_change(const NetLoss *loss, int64_t width)
{
	int64_t steepest = 0;

	for (int k = 0; k + 1 < SLOPE_KNOTS; k++)
		if (loss->value[k] - loss->value[k + 1] > steepest)
			steepest = loss->value[k] - loss->value[k + 1];
	return (int64_t) (((Wide) steepest * width) >> MARGIN_KNOT_BITS) + 1;
}

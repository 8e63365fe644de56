/*
 * net_loss.h - psi itself, as an integer function of an integer margin.
 *
 * The integral of a loss's slopes (convex_loss.h), rounded down to units of 2^-18 at the knots and
 * up to the next unit between them.  It is a function of the margin alone and does not increase,
 * whatever errors libm has.  So its largest change is the difference of two of its values, an exact
 * integer.
 */
#ifndef DPOBJ_CORE_NET_LOSS_H
#define DPOBJ_CORE_NET_LOSS_H

#include <stdint.h>

#include "core/convex/convex_loss.h"

/* Margins are in units of 2^-40 and clipped to +-32, losses in units of 2^-18. */
#define MARGIN_BITS 40
#define MARGIN_REACH ((int64_t) SLOPE_REACH << MARGIN_BITS)
#define NET_LOSS_BITS 18

#define MARGIN_KNOT_BITS (MARGIN_BITS - SLOPE_KNOT_BITS)

typedef struct NetLoss
{
	int32_t value[SLOPE_KNOTS]; /* at margin -SLOPE_REACH + k 2^-9; at most 65 times 2^18 */
} NetLoss;

extern void net_loss_make(const LossTable *slopes, NetLoss *loss);

/* The largest change of the loss between two margins in -largest .. largest. */
extern int64_t net_loss_range(const NetLoss *loss, int64_t largest);

/* The largest change between two margins that are width apart. */
extern int64_t net_loss_change(const NetLoss *loss, int64_t width);

static inline int64_t
net_loss(const NetLoss *loss, int64_t margin)
{
	int64_t clipped = margin < -MARGIN_REACH  ? -MARGIN_REACH
					  : margin > MARGIN_REACH ? MARGIN_REACH
											  : margin;
	int64_t place = clipped + MARGIN_REACH;
	int64_t knot = place >> MARGIN_KNOT_BITS;
	int64_t rest = place & ((INT64_C(1) << MARGIN_KNOT_BITS) - 1);
	int64_t fall;

	if (knot == SLOPE_KNOTS - 1)
		return loss->value[knot];
	fall = loss->value[knot] - loss->value[knot + 1];
	return loss->value[knot] - ((fall * rest) >> MARGIN_KNOT_BITS);
}

#endif

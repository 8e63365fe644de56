/*
 * accounting.h - what a release costs in currencies that add up (theorems A4 and A6).
 *
 *   basic  epsilon and delta
 *   zcdp   rho, of zero-concentrated privacy
 *   rdp    a Renyi divergence of one order, fixed when a budget is made
 *
 * The sum of each is a bound even if an analyst chooses the next release after seeing the last
 * answer, as long as a fixed cap limits the sum (Feldman and Zrnic 2021; Lecuyer 2021).  A release
 * that is only (epsilon, delta)-DP is epsilon-DP but for an event of probability delta (Kairouz, Oh
 * and Viswanath 2015); such deltas add up by themselves.
 *
 * Costs are integers in units of 1e-12, rounded up; caps are rounded down.
 */
#ifndef DPOBJ_CORE_ACCOUNTING_H
#define DPOBJ_CORE_ACCOUNTING_H

#include <stdint.h>

#include "core/noise/pair_law.h"

#define COST_ONE INT64_C(1000000000000)

/* Above any cap: no finite cost is known. */
#define COST_MAX INT64_MAX

#define ACCOUNTING_ORDERS 20

/* The orders of Renyi divergences in the ledger: integers, from 2 on. */
extern const int accounting_order[ACCOUNTING_ORDERS];

/* The index of an order in this list, -1 if it is not there. */
extern int accounting_order_place(int order);

typedef struct LossCost
{
	int64_t rho;       /* with probability 1 - rho_delta */
	int64_t rho_delta; /* units of 1e-18 */
	int64_t rdp[ACCOUNTING_ORDERS];
	int64_t rdp_delta;
} LossCost;

/*
 * The unit of protection: one row that changes as the pair says, or, for pairs about a row that is
 * added or removed, one row that is removed and one that is added.  In the second case the deltas
 * are those of the claim (2 epsilon, (1 + e^epsilon) delta).
 */
typedef enum LossUnit
{
	LOSS_AS_CLAIMED,
	LOSS_OF_A_REPLACEMENT
} LossUnit;

extern void accounting_cost(const Pair *pair, LossUnit unit, LossCost *cost);

/*
 * The delta of a release when this many rows change one after the other: delta times 1 + e^epsilon
 * + ... + e^((rows - 1) epsilon), rounded up, at most 1 (theorem N4).
 */
extern int64_t accounting_group_delta(int64_t epsilon, int64_t delta, int64_t rows);

/* sum + times value, or limit if that is smaller; no argument is negative. */
extern int64_t accounting_add(int64_t sum, int64_t times, int64_t value, int64_t limit);

/* ---- caps and what sums of costs imply ---- */

/* The largest rho that implies (epsilon, delta); delta > 0. */
extern int64_t accounting_zcdp_cap(int64_t epsilon, int64_t delta);

/* The same for a Renyi divergence of that order, 0 if the order is too low for it. */
extern int64_t accounting_rdp_cap(int order, int64_t epsilon, int64_t delta);

/* The order whose cap is the largest multiple of what a Gaussian mechanism costs. */
extern int accounting_default_order(int64_t epsilon, int64_t delta);

/* The least epsilon in nano-units, rounded up, that a sum implies at delta > 0. */
extern int64_t accounting_zcdp_epsilon(int64_t rho, int64_t delta);
extern int64_t accounting_rdp_epsilon(int order, int64_t rdp, int64_t delta);

#endif

/*
 * prior.h - a public prior over a grid: small weights before any row is read.
 *
 * With power p the prior of a vector is pi(w), proportional to the product over j of (1 +
 * |w_j|)^-p. In the law exp(-(epsilon / M) L(w)) pi(w), M the margin of the 0/1 loss, a level costs
 * as much as some misclassified rows do.  These costs are integers in units of 1 / PRIOR_SCALE of a
 * row:
 *
 *   cost[j][i] = round(PRIOR_SCALE (M / epsilon) p ln(1 + |level[j][i]|)),
 *
 * so the law that is drawn is exp(-(epsilon / M) (L(w) + cost(w) / PRIOR_SCALE)) exactly, cost(w)
 * the sum over j.  Everything here is a function of public numbers, the same on every machine
 * (theorem E13).
 */
#ifndef DPOBJ_CORE_PRIOR_H
#define DPOBJ_CORE_PRIOR_H

#include <stdint.h>

#include "core/base/privacy.h"
#include "core/grid/grid.h"

/* A power is an integer number of thousandths; 0 is the uniform prior, whose costs are all 0. */
#define PRIOR_ONE INT64_C(1000)
#define PRIOR_MAX_POWER (16 * PRIOR_ONE)

#define PRIOR_SCALE (INT64_C(1) << 12)

/* The most that the costs of a grid's dearest levels may add up to: 2^28 rows. */
#define PRIOR_MAX_COST (INT64_C(1) << 40)

typedef struct PriorCosts
{
	int64_t cost[GRID_MAX_DIMENSION][GRID_MAX_LEVELS]; /* by level index, at least 0 */
	int64_t span; /* the sum over the coordinates of the dearest level; no vector costs more */
} PriorCosts;

/*
 * NULL, or why samplers do not have the prior: its power is out of range, or the span is above
 * PRIOR_MAX_COST, as where epsilon is tiny.  For a valid grid and epsilon > 0, in nano-units.
 */
extern const char *prior_refusal(const Grid *grid, int64_t power, int64_t epsilon,
								 Adjacency adjacency);

/* Makes the table of costs for a power of 0 .. PRIOR_MAX_POWER; no number overflows. */
extern void prior_costs(const Grid *grid, int64_t power, int64_t epsilon, Adjacency adjacency,
						PriorCosts *costs);

/* cost(w) of the vector with these level indices. */
extern int64_t prior_cost(const Grid *grid, const PriorCosts *costs, const int *index);

#endif

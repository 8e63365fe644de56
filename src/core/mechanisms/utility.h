/*
 * utility.h - how far from the optimum a release may be, from public parameters.
 *
 * The excess of a release is the number of rows that the vector misclassifies
 * above the least number that any vector of the grid does.  The bounds hold for
 * every data set; nothing here looks at one.
 */
#ifndef DPOBJ_CORE_UTILITY_H
#define DPOBJ_CORE_UTILITY_H

#include "core/mechanisms/mechanism.h"

/* In misclassified rows. */
typedef struct UtilityBound
{
	double rows; /* P(excess >= rows) <= beta where rows > 0; the excess is an integer */
	double mean; /* E(excess) <= mean */
} UtilityBound;

/*
 * In votes, of sample_aggregate: but for a chance of beta, the answer is less than this
 * behind the vector with the most votes.  So a vector with this lead over all others is
 * the answer; and where one has this many votes, the answer is some part's vote.
 */
extern double utility_lead(const Grid *grid, int64_t epsilon, double beta);

/*
 * For 0 < beta < 1/2 and a request whose grid is valid.  Infinite for sample_aggregate:
 * how far parts agree depends on the data.
 */
extern void utility_bound(const MechanismRequest *request, double beta, UtilityBound *bound);

/*
 * Of a convex request: |w - w*| <= the result but with probability beta, w* being the
 * minimiser of the regularised objective, in units of the weights.
 */
extern double convex_distance(const MechanismRequest *request, double beta);

/*
 * Of a convex mechanism over a net (convex_net.h), but for a chance of beta >= 0.05: the
 * summed loss of the answer, as it is computed, is at most loss above that of the best
 * point of the net, and no vector of the body, or the minimiser if it is in the body, is
 * farther from the net than mesh, in units of the weights.
 */
typedef struct NetBound
{
	double loss;
	double mesh;
} NetBound;

extern void convex_net_bound(const MechanismRequest *request, double beta, NetBound *bound);

#endif

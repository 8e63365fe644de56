/*
 * utility.h - how far a release may be from the optimum, from public parameters.
 *
 * The excess of a release is the number of rows that its vector misclassifies above the least
 * number that any vector of the grid misclassifies.  The bounds hold for every data set.  With a
 * prior the best vector may be the one that the prior is most against; so there is a second bound,
 * for the excess over the best vector of small weights.
 */
#ifndef DPOBJ_CORE_UTILITY_H
#define DPOBJ_CORE_UTILITY_H

#include "core/mechanisms/mechanism.h"

/*
 * The bound of a mechanism with a law from weights pi(w) exp(-rate L(w)): tail is what it adds to
 * ln((1 - pi(v)) / pi(v)) for the rows, and more what it adds to -ln pi(v) for the mean (theorem
 * U15).  v is the vector of the grid with the least prior, as if it were the best one.
 */
extern void utility_weighted(const MechanismRequest *request, double tail, double more,
							 UtilityBound *bound);

/* The x above shape with x - shape - shape ln(x / shape) = exponent: Chernoff's tail of a Gamma. */
extern double utility_gamma_tail(double shape, double exponent);

/* epsilon / M, what a misclassified row adds to an exponent; M is the margin. */
extern double utility_rate(const MechanismRequest *request);

/*
 * For sample_aggregate, in votes: with probability 1 - beta the answer is less than this behind the
 * vector with the most votes.  So a vector that leads all others by this is the answer, and if one
 * has this many votes, the answer is some part's vote.
 */
extern double utility_lead(const Grid *grid, int64_t epsilon, double beta);

/* For 0 < beta < 1/2 and a valid grid.  Infinite if the mechanism has no bound(). */
extern void utility_bound(const MechanismRequest *request, double beta, UtilityBound *bound);

/*
 * Mechanism.useless_rows of a mechanism over a grid (rule U19): the rows of which the bound says
 * nothing, but at most those that tell two vectors apart with little odds, unless single vectors
 * matter.
 */
extern double utility_useless_rows(const MechanismRequest *request, const Encoding *encoding);

/*
 * The largest integer that a bound in exact arithmetic allows; rounding must not take a row away.
 */
extern double utility_whole_rows(double bound);

/* utility_bound() as a fact, for a reader. */
extern void utility_error(const MechanismRequest *request, double beta, Facts *facts);

#endif

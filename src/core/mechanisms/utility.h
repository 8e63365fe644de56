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

/* ln(|W| - 1), and ln |W| where that is too many to count. */
extern double utility_log_others(const Grid *grid);

/* The x above shape with x - shape - shape ln(x / shape) = exponent: Chernoff's tail of a Gamma. */
extern double utility_gamma_tail(double shape, double exponent);

/* epsilon / M, what a misclassified row adds to an exponent; M is the margin. */
extern double utility_rate(const MechanismRequest *request);

/*
 * In votes, of sample_aggregate: but for a chance of beta, the answer is less than this
 * behind the vector with the most votes.  So a vector with this lead over all others is
 * the answer; and where one has this many votes, the answer is some part's vote.
 */
extern double utility_lead(const Grid *grid, int64_t epsilon, double beta);

/*
 * For 0 < beta < 1/2 and a request whose grid is valid.  Infinite where the mechanism has no
 * bound().
 */
extern void utility_bound(const MechanismRequest *request, double beta, UtilityBound *bound);

/* Of an integer that is at most bound in exact arithmetic: rounding must not take a row away. */
extern double utility_whole_rows(double bound);

/* That bound as a fact, for a reader. */
extern void utility_error(const MechanismRequest *request, double beta, Facts *facts);

#endif

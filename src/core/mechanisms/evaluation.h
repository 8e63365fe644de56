/*
 * evaluation.h - how often a model is right, as counts with noise.
 *
 * Counts of disjoint sets of rows: right and wrong, or the four of a confusion table.
 * A row that cannot be predicted is in none of them.  So one row that comes or goes
 * changes one count by 1; one that is replaced, or that a filter turns neutral, takes
 * 1 from one count and gives 1 to another at most.  With s = 1 under add_remove and 2
 * under replace, for the sum of absolute changes, each count gets discrete Laplace
 * noise of its own at rate epsilon / s (core/random/laplace.h, theorem X1): exactly
 * epsilon-DP, and no number of rows needs to be public.
 */
#ifndef DPOBJ_CORE_EVALUATION_H
#define DPOBJ_CORE_EVALUATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random/bits.h"
#include "core/base/privacy.h"

/* s above, in rows. */
extern int evaluation_sensitivity(Adjacency adjacency);

/*
 * Adds the noise of one release to its counts; epsilon in nano-units.  A sum that does
 * not fit int64 is clamped: that is post-processing, as a count is never negative.
 */
extern void evaluation_noise(Bits *bits, int64_t epsilon, Adjacency adjacency, int64_t *count,
							 int counts);

/* The share of right ones among noisy counts, each at least 0; false if nothing is left. */
extern bool evaluation_accuracy(int64_t right, int64_t wrong, double *accuracy);

/*
 * The least number of rows t >= 0 such that, but for a chance of beta, no count is more
 * than t from the truth: P(|z| > t) = 2 rho^(t + 1) / (1 + rho) with rho = exp(-epsilon / s),
 * times the number of counts.
 */
extern double evaluation_error(int64_t epsilon, Adjacency adjacency, int counts, double beta);

/*
 * Of permute-and-flip over a list (select_from_list()): but for a chance of beta < 1/2, the
 * answer makes less than so many mistakes more than the best candidate.  One that makes t
 * more is the answer only if it is visited first, in one of two orders, and its coin shows
 * heads: at most (candidates - 1) exp(-epsilon t / M) / 2 (theorem U2).
 */
extern double evaluation_choice_error(int64_t epsilon, Adjacency adjacency, int candidates,
									  double beta);

#endif

/*
 * evaluation.h - how often a model is right, as counts with noise.
 *
 * The counts are of disjoint sets of rows: right and wrong, or the k^2 cells of a confusion table
 * of k classes, of which a label that is positive or negative has 2. A row that cannot be predicted
 * is in none.  A row that comes or goes changes one count by 1.  A row that is replaced, or that a
 * filter makes neutral, changes two counts by 1 at most.  So the sum of absolute changes is at most
 * s = 1 under add_remove and 2 under replace, which is the reach of each count (noisy.h, theorem
 * X1).
 */
#ifndef DPOBJ_CORE_EVALUATION_H
#define DPOBJ_CORE_EVALUATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random/bits.h"
#include "core/base/privacy.h"
#include "core/rows/instance.h"

/* s above, in rows. */
extern int evaluation_sensitivity(Adjacency adjacency);

/* The most counts of an evaluation. */
#define EVALUATION_COUNTS (INSTANCE_MAX_CLASSES * INSTANCE_MAX_CLASSES)

/* Adds the noise of one release to its counts; epsilon in nano-units. */
extern void evaluation_noise(Bits *bits, int64_t epsilon, Adjacency adjacency, int64_t *count,
							 int counts);

/*
 * The share of right ones among noisy counts, negative counts taken as 0; false if both are 0.
 */
extern bool evaluation_accuracy(int64_t right, int64_t wrong, double *accuracy);

/* The least t >= 0 such that with probability 1 - beta no count is more than t rows from the truth.
 */
extern double evaluation_error(int64_t epsilon, Adjacency adjacency, int counts, double beta);

/*
 * For permute-and-flip over a list (select_from_list()): with probability 1 - beta, beta < 1/2, the
 * answer makes less than this many more mistakes than the best candidate (theorem U2).
 */
extern double evaluation_choice_error(int64_t epsilon, Adjacency adjacency, int candidates,
									  double beta);

#endif

/*
 * noisy.h - integers with noise: the one mechanism of counts, sums and averages, and of what
 * evaluations count.
 *
 * Each number i of a vector has a public reach r_i > 0, such that for all neighbours
 *
 *   sum over i of |change of number i| / r_i <= 1.
 *
 * Each number gets discrete Laplace noise of its own, P(z) proportional to exp(-|z| epsilon / r_i).
 * The vector is then epsilon-DP, exactly (theorem T1).  Nothing else has to be public, neither the
 * number of rows nor which of them are usable.
 */
#ifndef DPOBJ_CORE_NOISY_H
#define DPOBJ_CORE_NOISY_H

#include <stdint.h>

#include "core/random/bits.h"

/*
 * Adds the noise of one release to its numbers; epsilon in nano-units.  The sum of a number and its
 * noise is exact, and is then clamped to the range of int64, which is post-processing.
 */
extern void noisy_numbers(Bits *bits, int64_t epsilon, const uint64_t *reach, int64_t *number,
						  int count);

/*
 * The least t >= 0 such that with probability 1 - beta none of so many numbers of this reach is
 * more than t from the truth: P(|z| > t) = 2 rho^(t + 1) / (1 + rho) with rho = exp(-epsilon /
 * reach), times the number of numbers.  Rounded up by a part in 10^9 at most.
 */
extern double noisy_error(int64_t epsilon, uint64_t reach, int count, double beta);

#endif

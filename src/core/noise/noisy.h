/*
 * noisy.h - integers with noise: the mechanisms of counts, sums and averages, and of what
 * evaluations and ratings count.
 *
 * Each number i of a vector has a public reach r_i > 0, such that for all neighbours
 *
 *   sum over i of |change of number i| / r_i <= 1.
 *
 * Each number gets discrete Laplace noise of its own, P(z) proportional to exp(-|z| epsilon / r_i).
 * The vector is then epsilon-DP, exactly (theorem T1).  Nothing else has to be public, neither the
 * number of rows nor which of them are usable.
 *
 * Or each number gets a normal number, rounded to an integer.  Where the vector moves by d at most
 * in Euclidean norm, and the deviation is d / mu, this is the Gaussian mechanism of mu (theorem
 * T12).
 */
#ifndef DPOBJ_CORE_NOISY_H
#define DPOBJ_CORE_NOISY_H

#include <stdint.h>

#include "core/base/memory.h"
#include "core/base/privacy.h"
#include "core/random/bits.h"

/* The noise of a number. */
typedef struct Noise
{
	double rate;      /* of discrete Laplace noise */
	double deviation; /* or, if it is above 0, of a normal number that is rounded */
} Noise;

static inline Noise
noise_laplace(int64_t epsilon, uint64_t reach)
{
	return (Noise){.rate = privacy_epsilon(epsilon) / (double) reach};
}

/* Of a number with its noise; a little more where a normal number is rounded. */
extern double noise_variance(const Noise *noise);

/*
 * Adds the noise of one release to its numbers; epsilon in nano-units.  The sum of a number and its
 * noise is exact, and is then clamped to the range of int64, which is post-processing.
 */
extern void noisy_numbers(Bits *bits, int64_t epsilon, const uint64_t *reach, int64_t *number,
						  int count);

/* The same with normal noise of this deviation, which is taken as an exact number. */
extern void noisy_normal(Bits *bits, Memory *memory, double deviation, int64_t *number, int count);

/*
 * The least t >= 0 such that with probability 1 - beta none of so many numbers is more than t from
 * the truth: P(|z| > t) = 2 rho^(t + 1) / (1 + rho) with rho = exp(-rate), or 2 Phi(-(t + 1/2) /
 * deviation), times the number of numbers.  Rounded up by a part in 10^9 at most.
 */
extern double noisy_error(const Noise *noise, int count, double beta);

#endif

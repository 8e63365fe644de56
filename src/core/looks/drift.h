/*
 * drift.h - how far the shares of two histograms of the same bins are from each other, from their
 * noisy numbers alone.
 *
 * Intervals are those of the noise: they hold the truth about the rows that each histogram has
 * counted, not about a population that these may be a sample of (theorems X12 and X13).
 */
#ifndef DPOBJ_CORE_DRIFT_H
#define DPOBJ_CORE_DRIFT_H

#include <stdint.h>

#include "core/looks/estimate.h"

/* Numbers with discrete Laplace noise at rate epsilon / (10^9 reach), as noisy_numbers(). */
typedef struct NoisyHistogram
{
	int64_t epsilon;
	uint64_t reach;
	const int64_t *number; /* so small that their sum fits */
} NoisyHistogram;

/*
 * The share of a bin in all rows before and after, and the difference, with the digits that the
 * noise allows.  But for a chance of 1 - confidence the true difference is in its interval.
 */
extern void drift_of_bin(const NoisyHistogram *before, const NoisyHistogram *after, int bins,
						 int bin, double confidence, Estimate *share_before, Estimate *share_after,
						 Estimate *difference);

/*
 * The total variation distance, half the sum of the sizes of all differences.  Noise makes the
 * value larger, not smaller: where it may explain all of it, the interval begins at 0.
 */
extern void drift_total(const NoisyHistogram *before, const NoisyHistogram *after, int bins,
						double confidence, Estimate *total);

#endif

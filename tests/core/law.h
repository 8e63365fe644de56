/*
 * law.h - does a histogram of draws follow a law?  A chi-square test in the manner of Tumult Core:
 * with 1e5 draws the true law must pass at 1e-20, and the law with its scale off by 30 % must fail
 * at the same threshold.  So a test is neither flaky nor unable to fail.
 */
#ifndef DPOBJ_TESTS_LAW_H
#define DPOBJ_TESTS_LAW_H

#include <stdint.h>
#include <stdlib.h>
#include <gsl/gsl_cdf.h>

#include "check.h"

/* 1e5, or valgrind's share of them, which is enough for both verdicts too. */
static inline int
law_draws(void)
{
	static int draws = 0;

	if (draws == 0)
		draws = check_repetitions(100000);
	return draws;
}

#define LAW_DRAWS law_draws()
#define LAW_THRESHOLD 1e-20
#define LAW_OFF 1.3
#define LAW_LEAST_EXPECTED 10.0

/* Follows the law: cells of truth; and does not follow the other. */
#define CHECK_LAW(count, truth, other, cells)                                                      \
	do                                                                                             \
	{                                                                                              \
		CHECK(law_p_value(count, truth, cells) > LAW_THRESHOLD);                                   \
		CHECK_WHOLE(law_p_value(count, other, cells) < LAW_THRESHOLD);                             \
	} while (0)

/*
 * p-value of the counts under weights (any multiple of probabilities).
 * Neighbouring cells are pooled until each is expected often enough, what is
 * left at the end goes to the last pool.
 */
static inline double
law_p_value(const int64_t *count, const double *weight, int cells)
{
	double draws = 0.0;
	double total = 0.0;
	double left_weight = 0.0;
	double expected = 0.0;
	double observed = 0.0;
	double statistic = 0.0;
	int pools = 0;

	for (int i = 0; i < cells; i++)
	{
		draws += (double) count[i];
		total += weight[i];
	}
	left_weight = total;
	for (int i = 0; i < cells; i++)
	{
		expected += weight[i] * draws / total;
		observed += (double) count[i];
		left_weight -= weight[i];
		if (i == cells - 1 ||
			(expected >= LAW_LEAST_EXPECTED && left_weight * draws / total >= LAW_LEAST_EXPECTED))
		{
			if (expected > 0.0)
				statistic += (observed - expected) * (observed - expected) / expected;
			else if (observed > 0.0)
				return 0.0;
			pools++;
			expected = observed = 0.0;
		}
	}
	return pools > 1 ? gsl_cdf_chisq_Q(statistic, pools - 1) : 1.0;
}

/* A histogram and the weights of the two laws; all start at zero. */
typedef struct Histogram
{
	int cells;
	int64_t *count;
	double *truth;
	double *other;
} Histogram;

static inline Histogram
histogram_create(int cells)
{
	Histogram histogram = {
		.cells = cells,
		.count = calloc((size_t) cells, sizeof(int64_t)),
		.truth = calloc((size_t) cells, sizeof(double)),
		.other = calloc((size_t) cells, sizeof(double)),
	};

	if (histogram.count == NULL || histogram.truth == NULL || histogram.other == NULL)
		abort();
	return histogram;
}

/* Draws beyond the last cell count there: its weight must be negligible. */
static inline void
histogram_add(Histogram *histogram, uint64_t cell)
{
	if (cell >= (uint64_t) histogram->cells)
		cell = (uint64_t) histogram->cells - 1;
	histogram->count[cell]++;
}

static inline void
histogram_destroy(Histogram *histogram)
{
	free(histogram->count);
	free(histogram->truth);
	free(histogram->other);
}

#endif

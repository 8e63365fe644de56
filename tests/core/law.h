/*
 * law.h - tests whether a histogram of draws follows a law.  The chi-square test works in the
 * manner of Tumult Core: with 1e5 draws the true law must pass at 1e-20, and the law with its scale
 * off by 30 % must fail at the same threshold.  So a test neither fails by chance nor passes
 * whatever it sees.
 */
#ifndef DPOBJ_TESTS_LAW_H
#define DPOBJ_TESTS_LAW_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <gsl/gsl_cdf.h>

#include "check.h"

#define LAW_DRAWS check_repetitions(100000)
#define LAW_THRESHOLD 1e-20
#define LAW_OFF 1.3
#define LAW_LEAST_EXPECTED 10.0

/* Checks that the counts follow the law truth, and not the law other. */
#define CHECK_LAW(count, truth, other, cells)                                                      \
	do                                                                                             \
	{                                                                                              \
		CHECK(law_p_value(count, truth, cells) > LAW_THRESHOLD);                                   \
		CHECK_WHOLE(law_p_value(count, other, cells) < LAW_THRESHOLD);                             \
	} while (0)

/*
 * Returns the p-value of the counts under weights, which are any multiple of probabilities.
 * Neighbouring cells are pooled until a pool is expected often enough; the last pool takes the
 * rest.
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

/* ln C(n, k); minus infinity if n < k. */
static inline double
log_choose(double n, double k)
{
	return n < k ? -INFINITY : lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static inline double
choose(int n, int k)
{
	return k < 0 ? 0 : exp(log_choose(n, k));
}

/*
 * The law of the draw from votes: each vector's probability is in proportion to exp(rate c) for its
 * count c, which is 0 for all but the first candidates of so many vectors.
 */
static inline void
vote_masses(double *mass, double rate, const int64_t *votes, int candidates, int size)
{
	double total = 0.0;

	for (int v = 0; v < size; v++)
		total += mass[v] = exp(rate * (double) (v < candidates ? votes[v] : 0));
	for (int v = 0; v < size; v++)
		mass[v] /= total;
}

/* For qsort(). */
static inline int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* A histogram and the weights of the two laws of CHECK_LAW(), all zero at first. */
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

/* Counts draws beyond the last cell in that cell, whose weight must be negligible. */
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

/*
 * test_drift.c - differences of shares and the total variation distance: how often their intervals
 * hold the truth in 10,000 runs of the exact noise, that noise alone is no drift, and that drift is
 * found.
 */
#include "core/looks/drift.h"

#include <math.h>
#include <string.h>

#include "core/base/privacy.h"
#include "core/fixture.h"
#include "core/noise/noisy.h"

#define RUNS check_repetitions(10000)

#define BINS 12

/* Rows of each bin; the last bins are of NULL and of other values, which few rows have. */
static const int64_t usual[BINS] = {900, 300, 250, 200, 120, 90, 60, 40, 20, 20, 3, 0};
static const int64_t fewer[BINS] = {450, 150, 125, 100, 60, 45, 30, 20, 10, 10, 0, 1};
static const int64_t moved[BINS] = {300, 500, 250, 400, 120, 90, 160, 40, 120, 20, 0, 0};

/* Each with noise of its own. */
typedef struct Pair
{
	const int64_t *before;
	const int64_t *after;
	int64_t epsilon_before;
	int64_t epsilon_after;
} Pair;

static double
rows_of(const int64_t *number)
{
	double rows = 0;

	for (int i = 0; i < BINS; i++)
		rows += (double) number[i];
	return rows;
}

static double
true_difference(const Pair *pair, int bin)
{
	return (double) pair->after[bin] / rows_of(pair->after) -
		   (double) pair->before[bin] / rows_of(pair->before);
}

static double
true_total(const Pair *pair)
{
	double total = 0;

	for (int i = 0; i < BINS; i++)
		total += fabs(true_difference(pair, i)) / 2;
	return total;
}

static void
draw(const int64_t *exact, int64_t epsilon, int64_t *number, NoisyHistogram *histogram)
{
	uint64_t reach[BINS];

	for (int i = 0; i < BINS; i++)
		reach[i] = 2;
	memcpy(number, exact, sizeof(usual));
	noisy_numbers(&bits, epsilon, reach, number, BINS);
	*histogram = (NoisyHistogram){.epsilon = epsilon, .reach = 2, .number = number};
}

/* Five standard deviations of luck: a chance of 3 in 10^7. */
static void
check_held(double held, double confidence)
{
	CHECK(held / RUNS >= confidence - 5 * sqrt(confidence * (1 - confidence) / RUNS));
}

static void
test_bin(const Pair *pair, int bin, double confidence)
{
	double held = 0;
	double width = 0;
	double deviation = 0;

	for (int run = 0; run < RUNS; run++)
	{
		int64_t number[2][BINS];
		NoisyHistogram before;
		NoisyHistogram after;
		Estimate share[2];
		Estimate difference;
		double error;

		draw(pair->before, pair->epsilon_before, number[0], &before);
		draw(pair->after, pair->epsilon_after, number[1], &after);
		drift_of_bin(&before, &after, BINS, bin, confidence, &share[0], &share[1], &difference);
		CHECK(difference.known && difference.low <= difference.value &&
			  difference.value <= difference.high);
		error = difference.value - true_difference(pair, bin);
		held += difference.low <= difference.value - error &&
				difference.value - error <= difference.high;
		width += (difference.high - difference.low) / 2;
		deviation += error * error;
	}
	check_held(held, confidence);
	/* two intervals make one that is wider than need be, but not twice as wide */
	CHECK_WHOLE(confidence != 0.95 || width / RUNS < 2 * 1.96 * sqrt(deviation / RUNS));
}

static void
test_total(const Pair *pair, double confidence)
{
	double truth = true_total(pair);
	double held = 0;
	double found = 0;

	for (int run = 0; run < RUNS; run++)
	{
		int64_t number[2][BINS];
		NoisyHistogram before;
		NoisyHistogram after;
		Estimate total;

		draw(pair->before, pair->epsilon_before, number[0], &before);
		draw(pair->after, pair->epsilon_after, number[1], &after);
		drift_total(&before, &after, BINS, confidence, &total);
		CHECK(total.known && 0 <= total.low && total.low <= total.value &&
			  total.value <= total.high && total.high <= 1);
		held += total.low <= truth && truth <= total.high;
		found += total.low > 0;
	}
	check_held(held, confidence);
	if (truth < 0.005) /* nothing to find */
		CHECK(found / RUNS <= 1 - confidence + 5 * sqrt(confidence * (1 - confidence) / RUNS));
	if (truth > 0.2 && confidence < 0.99)
		CHECK(found / RUNS > 0.99);
}

static void
test_coverage(void)
{
	static const Pair pairs[] = {
		{usual, usual, EPSILON_ONE / 10, EPSILON_ONE / 10},
		{usual, fewer, EPSILON_ONE / 2, EPSILON_ONE / 10},
		{fewer, usual, EPSILON_ONE / 10, EPSILON_ONE},
		{usual, moved, EPSILON_ONE / 2, EPSILON_ONE / 10},
	};
	static const double levels[] = {0.5, 0.9, 0.95, 0.99};

	for (int i = 0; i < 4; i++)
		for (int l = 0; l < 4; l++)
			test_total(&pairs[i], levels[l]);
	test_bin(&pairs[1], 0, 0.95);
	test_bin(&pairs[3], 6, 0.9);
}

/* Without noise the numbers are exact; without rows nothing is known. */
static void
test_ends(void)
{
	static const int64_t none[BINS] = {-3, 0, -1};
	NoisyHistogram before = {.epsilon = 1000000 * EPSILON_ONE, .reach = 2, .number = usual};
	NoisyHistogram after = {.epsilon = 1000000 * EPSILON_ONE, .reach = 2, .number = moved};
	NoisyHistogram empty = {.epsilon = EPSILON_ONE, .reach = 2, .number = none};
	Pair pair = {.before = usual, .after = moved};
	Estimate share[2];
	Estimate difference;
	Estimate total;

	drift_total(&before, &after, BINS, 0.95, &total);
	CHECK(fabs(total.value - true_total(&pair)) < 1e-6 && total.high - total.low < 1e-3);
	drift_of_bin(&before, &after, BINS, 0, 0.95, &share[0], &share[1], &difference);
	CHECK(fabs(difference.value - true_difference(&pair, 0)) < 1e-5);
	CHECK(difference.high - difference.low < 1e-4);
	drift_total(&before, &empty, BINS, 0.95, &total);
	CHECK(!total.known && total.low == 0 && total.high == 1);
	drift_of_bin(&empty, &after, BINS, 0, 0.95, &share[0], &share[1], &difference);
	CHECK(!difference.known && difference.low == -1 && difference.high == 1);
}

int
main(void)
{
	test_begin(38);
	test_coverage();
	test_ends();
	return test_end("drift");
}

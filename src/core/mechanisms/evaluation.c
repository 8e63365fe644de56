/*
 * evaluation.c - noise on counts of right and wrong predictions.
 */
#include "core/mechanisms/evaluation.h"

#include <math.h>

#include "core/random/laplace.h"
#include "core/base/mutant.h"

int
evaluation_sensitivity(Adjacency adjacency)
{
	return adjacency == ADJACENCY_REPLACE && !MUTANT(130) ? 2 : 1;
}

static int64_t
saturating_sum(int64_t count, int64_t noise)
{
	int64_t sum;

	if (__builtin_add_overflow(count, noise, &sum))
		return noise < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

void
evaluation_noise(Bits *bits, int64_t epsilon, Adjacency adjacency, int64_t *count, int counts)
{
	uint64_t one = MUTANT(131) ? EPSILON_ONE / 10 * 8 : EPSILON_ONE;
	uint64_t unit = (uint64_t) evaluation_sensitivity(adjacency) * one;
	int64_t noise = 0;

	for (int i = 0; i < counts; i++)
	{
		if (i == 0 || !MUTANT(132))
			noise = laplace_draw(bits, (uint64_t) epsilon, unit);
		count[i] = saturating_sum(count[i], noise);
	}
}

bool
evaluation_accuracy(int64_t right, int64_t wrong, double *accuracy)
{
	double positive = right > 0 ? (double) right : 0.0;
	double total = positive + (wrong > 0 ? (double) wrong : 0.0);

	if (total <= 0.0)
		return false;
	*accuracy = positive / total;
	return true;
}

double
evaluation_error(int64_t epsilon, Adjacency adjacency, int counts, double beta)
{
	double rate = privacy_epsilon(epsilon) / evaluation_sensitivity(adjacency);
	double tail = log(2.0 * counts / beta) - log1p(exp(-rate));

	/* slightly larger, so that rounding cannot lose a row */
	return fmax(ceil(tail / rate * (1 + 1e-9)) - 1.0, 0.0);
}

double
evaluation_choice_error(int64_t epsilon, Adjacency adjacency, int candidates, double beta)
{
	double rate = privacy_epsilon(epsilon) / privacy_margin(adjacency);

	return fmax(0.0, log((candidates - 1) / (2 * beta)) / rate * (1 + 1e-9));
}

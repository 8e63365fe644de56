/*
 * evaluation.c - noise on counts of right and wrong predictions.
 */
#include "core/looks/evaluation.h"

#include <math.h>

#include "core/base/mutant.h"
#include "core/noise/noisy.h"

int
evaluation_sensitivity(Adjacency adjacency)
{
	return adjacency == ADJACENCY_REPLACE && !MUTANT(130) ? 2 : 1;
}

void
evaluation_noise(Bits *bits, int64_t epsilon, Adjacency adjacency, int64_t *count, int counts)
{
	uint64_t reach[EVALUATION_COUNTS];

	for (int i = 0; i < counts; i++)
		reach[i] = (uint64_t) evaluation_sensitivity(adjacency);
	noisy_numbers(bits, epsilon, reach, count, MUTANT(263) && counts > 4 ? 4 : counts);
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
	Noise noise = noise_laplace(epsilon, (uint64_t) evaluation_sensitivity(adjacency));

	return noisy_error(&noise, counts, beta);
}

double
evaluation_choice_error(int64_t epsilon, Adjacency adjacency, int candidates, double beta)
{
	double rate = privacy_epsilon(epsilon) / privacy_margin(adjacency);

	return fmax(0.0, log((candidates - 1) / (2 * beta)) / rate * (1 + 1e-9));
}

/*
 * residual_prior.c - posterior means of weights, group by group.
 *
 * The numbers here were found by trial (bench/results/tried.md).
 */
#include "core/mechanisms/residual_prior.h"

#include <math.h>
#include <stdbool.h>

/* The prior variance of a weight over V, and how far a group's may be from it. */
#define KAPPA 0.07
#define KAPPA_REACH 10

/* Shares of the covariance of bins in order: of each, of its neighbours, and of a line. */
#define OWN_SHARE 0.03
#define NEAR_SHARE 0.485
#define LINE_SHARE 0.485

/* So many bins need no order. */
#define FEW_BINS 2

static bool
has_order(const ResidualGroup *group)
{
	return group->ordered > FEW_BINS;
}

/* The correlation of two of so many bins. */
static double
correlation(int a, int b, int bins)
{
	double middle = (bins - 1) / 2.0;
	double square = ((double) bins * bins - 1) / 12;
	double line = (a - middle) * (b - middle) / square;

	return (a == b ? OWN_SHARE : 0) + NEAR_SHARE * exp(-fabs((double) (a - b)) / bins) +
		   LINE_SHARE * line;
}

/* The variance of a weight's noisy sum over its count. */
static double
noise_of(const ResidualPrior *prior, double count, double noise)
{
	return noise * noise / (count * count) + prior->variance / count;
}

/* The root of the prior's covariance plus the noise, of the bins in order. */
static void
set_root(ResidualPrior *prior, int g)
{
	const ResidualGroup *group = &prior->layout->group[g];
	double *root = prior->root + prior->at[g];
	double scale = prior->kappa[g] * prior->variance;
	int bins = group->ordered;

	for (int a = 0; a < bins; a++)
		for (int b = 0; b <= a; b++)
		{
			double sum = scale * correlation(a, b, bins);

			if (a == b)
				sum += noise_of(prior, prior->count[group->first + a], prior->noise);
			for (int c = 0; c < b; c++)
				sum -= root[a * bins + c] * root[b * bins + c];
			root[a * bins + b] = a == b ? sqrt(fmax(sum, 1e-300)) : sum / root[b * bins + b];
		}
}

void
residual_prior_create(const ResidualLayout *layout, double labels, double variance, double noise,
					  const double *count, double sigma, Memory *memory, ResidualPrior *prior)
{
	size_t entries = 0;

	*prior = (ResidualPrior){
		.layout = layout, .labels = labels, .variance = variance, .noise = noise, .memory = memory};
	prior->count = memory_allocate_zero(memory, (size_t) layout->weights, sizeof(double));
	for (int j = 0; j < layout->weights; j++)
		prior->count[j] = fmax(count[j], fmax(sigma, 1));
	for (int g = 0; g < layout->groups; g++)
	{
		prior->at[g] = entries;
		if (has_order(&layout->group[g]))
			entries += (size_t) layout->group[g].ordered * (size_t) layout->group[g].ordered;
	}
	prior->root = memory_allocate_zero(memory, entries, sizeof(double));
	for (int g = 0; g < layout->groups; g++)
	{
		prior->kappa[g] = KAPPA;
		if (has_order(&layout->group[g]))
			set_root(prior, g);
	}
}

void
residual_prior_destroy(ResidualPrior *prior)
{
	memory_release(prior->memory, prior->root);
	memory_release(prior->memory, prior->count);
}

/*
 * The variance of a group's weights is estimated by their squares less the noise, each with the
 * precision that it has under the prior, and drawn towards the prior's by the estimate's own error.
 */
void
residual_prior_learn(ResidualPrior *prior, const double *mean, int sums, double sigma)
{
	double usual = KAPPA * prior->variance;

	for (int g = 0; g < prior->layout->groups; g++)
	{
		const ResidualGroup *group = &prior->layout->group[g];
		double precisions = 0;
		double squares = 0;
		double error;
		double learned;

		for (int a = group->first; a < group->first + group->size; a++)
		{
			double weight = mean[a] / prior->count[a];
			double noise = noise_of(prior, prior->count[a], sigma / sqrt(sums));
			double precision = 1 / ((noise + usual) * (noise + usual));

			squares += precision * (weight * weight - noise);
			precisions += precision;
		}
		error = 2 / precisions;
		learned = (squares / precisions * usual * usual + usual * error) / (usual * usual + error);
		prior->kappa[g] =
			fmin(fmax(learned, usual / KAPPA_REACH), usual * KAPPA_REACH) / prior->variance;
		if (has_order(group))
			set_root(prior, g);
	}
}

/* x of root root' x = x, in place. */
static void
solve(const double *root, int bins, double *x)
{
	for (int a = 0; a < bins; a++)
	{
		for (int c = 0; c < a; c++)
			x[a] -= root[a * bins + c] * x[c];
		x[a] /= root[a * bins + a];
	}
	for (int a = bins - 1; a >= 0; a--)
	{
		for (int c = a + 1; c < bins; c++)
			x[a] -= root[c * bins + a] * x[c];
		x[a] /= root[a * bins + a];
	}
}

static void
step_of_bins(const ResidualPrior *prior, int g, const double *sum, double *step)
{
	const ResidualGroup *group = &prior->layout->group[g];
	double scale = prior->kappa[g] * prior->variance;
	double solution[LEVELS_MAX];

	for (int a = 0; a < group->ordered; a++)
		solution[a] = sum[group->first + a] / prior->count[group->first + a];
	solve(prior->root + prior->at[g], group->ordered, solution);
	for (int a = 0; a < group->ordered; a++)
	{
		double mean = 0;

		for (int b = 0; b < group->ordered; b++)
			mean += correlation(a, b, group->ordered) * solution[b];
		step[group->first + a] = scale * mean;
	}
}

void
residual_prior_step(const ResidualPrior *prior, const double *sum, double *step)
{
	const ResidualLayout *layout = prior->layout;

	for (int g = 0; g < layout->groups; g++)
	{
		const ResidualGroup *group = &layout->group[g];
		double scale = prior->kappa[g] * prior->variance;
		int ordered = has_order(group) ? group->ordered : 0;

		if (ordered > 0)
			step_of_bins(prior, g, sum, step);
		for (int a = group->first + ordered; a < group->first + group->size; a++)
			step[a] = scale / (scale + noise_of(prior, prior->count[a], prior->noise)) * sum[a] /
					  prior->count[a];
	}
	for (int k = 0; k < layout->numbers; k++)
	{
		double scale = KAPPA * prior->variance;
		double count = prior->labels * RESIDUAL_USUAL_SQUARE;

		step[layout->number[k]] =
			scale / (scale + noise_of(prior, count, prior->noise)) * sum[layout->number[k]] / count;
	}
	if (layout->intercept >= 0)
		step[layout->intercept] =
			layout->sums_intercept ? sum[layout->intercept] / prior->labels : 0;
}

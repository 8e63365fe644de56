/*
 * convex_sample.c - clipping and gradients in integers.
 */
#include "core/convex_sample.h"

#include <math.h>
#include <string.h>

#include "core/convex_pull.h"
#include "core/mutant.h"

/* ---- rows ---- */

static int64_t
squared_norm(const int32_t *x, int dimension)
{
	int64_t sum = 0;

	for (int j = 0; j < dimension; j++)
		sum += (int64_t) x[j] * x[j];
	return sum;
}

/*
 * Towards zero, so that a row as long as R stays within the ball; should the
 * rounding of doubles have left one outside, it is drawn in by whole units.
 */
void
convex_clip_row(const int32_t *x, int dimension, double radius, int32_t *v)
{
	double norm = sqrt((double) squared_norm(x, dimension)) / FIXED_POINT_ONE;
	double factor =
		ldexp(1 / (norm > radius && !MUTANT(30) ? norm : radius), ROW_BITS - FIXED_POINT_BITS);

	for (int j = 0; j < dimension; j++)
		v[j] = (int32_t) (x[j] * factor);
	while (!MUTANT(30) && squared_norm(v, dimension) > INT64_C(1) << (2 * ROW_BITS))
		for (int j = 0; j < dimension; j++)
			v[j] -= (v[j] > 0) - (v[j] < 0);
}

void
convex_sample_make(const Instance *instance, double radius, Memory *memory, ConvexSample *sample)
{
	size_t dimension = (size_t) instance->dimension;

	sample->dimension = instance->dimension;
	sample->rows = instance->rows;
	sample->positive = instance->positive;
	sample->negative = instance->negative;
	sample->v = memory_allocate(memory, (size_t) instance->rows, dimension * sizeof(int32_t));
	sample->bend = memory_allocate(memory, (size_t) instance->rows, sizeof(double));
	sample->count = 0;
	for (int64_t i = 0; i < instance->rows; i++)
	{
		convex_clip_row(instance->x + (size_t) i * dimension, instance->dimension, radius,
						sample->v + (size_t) i * dimension);
		sample->count += (double) (sample->positive[i] + sample->negative[i]);
	}
	sample->count *= 1 + 1e-9;
}

void
convex_sample_release(ConvexSample *sample, Memory *memory)
{
	memory_release(memory, sample->v);
	memory_release(memory, sample->bend);
}

/* ---- gradient ---- */

void
convex_gradient(ConvexSample *sample, const LossTable *table, int64_t lambda, const Wide *b,
				const Wide *u, Wide *gradient)
{
	int dimension = sample->dimension;
	const int32_t *v = sample->v;
	SplitWeights split;
	GradientSums sums;

	memset(&sums, 0, sizeof(sums));
	split_weights(u, dimension, &split);
	for (int64_t i = 0; i < sample->rows; i++, v += dimension)
	{
		Wide score;
		Wide ahead;
		Wide behind;

		sample->bend[i] = 0;
		if (sample->positive[i] == 0 && sample->negative[i] == 0)
			continue; /* not in a batch */
		score = row_score(v, &split, dimension);
		ahead = loss_slope(table, score);
		behind = loss_slope(table, -score);
		add_pull(v, sample->positive[i], sample->negative[i], ahead, behind, dimension, &sums);
		sample->bend[i] = (double) sample->positive[i] * loss_bend(table, score) +
						  (double) sample->negative[i] * loss_bend(table, -score);
	}
	for (int j = 0; j < dimension; j++)
		gradient[j] = gradient_entry(b[j], u[j], lambda, sums.part[j], sums.rest[j]);
}

/*
 * Each label's slope is off by beta 2^-90 <= 2^-90 for the score rounded down and by
 * 2^-95 for the bits not kept, times |v| <= 1; each coordinate by 2^-84 for the
 * two roundings above.
 */
double
gradient_error(double count, int dimension)
{
	return ldexp(count, -89) + ldexp(sqrt(dimension), -84);
}

double
convex_gradient_error(const ConvexSample *sample)
{
	return gradient_error(sample->count, sample->dimension);
}

/* ---- Hessian ---- */

static void
add_row_hessian(const int32_t *v, double bend, int dimension, double *hessian)
{
	for (int j = 0; j < dimension; j++)
	{
		double *row = hessian + (size_t) j * (size_t) dimension;
		double factor = bend * v[j];

		if (v[j] == 0)
			continue;
		for (int k = 0; k <= j; k++)
			row[k] += factor * v[k];
	}
}

void
convex_hessian(const ConvexSample *sample, int64_t lambda, double *hessian)
{
	size_t dimension = (size_t) sample->dimension;

	memset(hessian, 0, dimension * dimension * sizeof(double));
	for (int64_t i = 0; i < sample->rows; i++)
		if (sample->bend[i] != 0)
			add_row_hessian(sample->v + (size_t) i * dimension,
							ldexp(sample->bend[i], -2 * ROW_BITS), sample->dimension, hessian);
	for (size_t j = 0; j < dimension; j++)
	{
		hessian[j * dimension + j] += (double) lambda / (double) LAMBDA_ONE;
		for (size_t k = 0; k < j; k++)
			hessian[k * dimension + j] = hessian[j * dimension + k];
	}
}

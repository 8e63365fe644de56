/*
 * convex_row.c - clipping in integers.
 */
#include "core/convex/convex_row.h"

#include <math.h>

#include "core/base/mutant.h"
#include "core/convex/convex_kernel.h"
#include "core/rows/instance.h"

/*
 * Rounds towards zero, so that a row of length R stays within the ball.  If rounding of doubles
 * still leaves a row outside, it is shortened by whole units.
 */
double
convex_clip_row(const int32_t *x, int dimension, double radius, int32_t *v)
{
	const ConvexKernel *kernel = convex_fastest_kernel();
	double norm = sqrt((double) kernel->squares(x, dimension)) / FIXED_POINT_ONE;
	double factor =
		1 / (norm > radius && !MUTANT(30) ? norm : radius) * (1 << (ROW_BITS - FIXED_POINT_BITS));
	int64_t square = kernel->scale(x, dimension, factor, v);

	while (!MUTANT(30) && square > INT64_C(1) << (2 * ROW_BITS))
	{
		for (int j = 0; j < dimension; j++)
			v[j] -= (v[j] > 0) - (v[j] < 0);
		square = kernel->squares(v, dimension);
	}
	return norm > radius ? radius / norm : 1;
}

/* Rounded and, if need be, shortened as above. */
void
convex_clip_numbers(const int32_t *x, const int16_t *group, const int32_t *bound, int dimension,
					double radius, double length, int32_t *v)
{
	const ConvexKernel *kernel = convex_fastest_kernel();
	double factor = ldexp(1 / radius, ROW_BITS - FIXED_POINT_BITS);
	double most = floor(ldexp(length / radius, ROW_BITS));
	int32_t number[COLUMNS_MAX];
	double share;
	int numbers = 0;

	for (int j = 0; j < dimension; j++)
	{
		int32_t value = x[j] > bound[j] ? bound[j] : x[j] < -bound[j] ? -bound[j] : x[j];

		if (group[j] == 0)
			number[numbers++] =
				bound[j] > 0 ? (int32_t) ((double) value / bound[j] * FIXED_POINT_ONE) : 0;
	}
	share = length / (sqrt((double) kernel->squares(number, numbers)) / FIXED_POINT_ONE);
	for (int k = 0; k < numbers; k++)
		number[k] = (int32_t) (number[k] * factor * (share < 1 && !MUTANT(357) ? share : 1));
	while (!MUTANT(357) && (double) kernel->squares(number, numbers) > most * most)
		for (int k = 0; k < numbers; k++)
			number[k] -= (number[k] > 0) - (number[k] < 0);
	numbers = 0;
	for (int j = 0; j < dimension; j++)
		v[j] = group[j] == 0 ? number[numbers++] : (int32_t) (x[j] * factor);
}

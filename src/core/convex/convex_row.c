/*
 * convex_row.c - clipping in integers.
 */
#include "core/convex/convex_row.h"

#include <math.h>

#include "core/rows/instance.h"
#include "core/base/mutant.h"

/* |x_j| <= 2^26 (ENCODING_MAX_CLIP), so that COLUMNS_MAX squares stay below 2^63. */
static int64_t
squared_norm(const int32_t *x, int dimension)
{
	int64_t sum = 0;

	for (int j = 0; j < dimension; j++)
		sum += (int64_t) x[j] * x[j];
	return sum;
}

/*
 * Rounds towards zero, so that a row of length R stays within the ball.  If rounding of doubles
 * still leaves a row outside, it is shortened by whole units.
 */
double
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
	return norm > radius ? radius / norm : 1;
}

/* Rounded and, if need be, shortened as above. */
void
convex_clip_numbers(const int32_t *x, const int16_t *group, const int32_t *bound, int dimension,
					double radius, double length, int32_t *v)
{
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
	share = length / (sqrt((double) squared_norm(number, numbers)) / FIXED_POINT_ONE);
	for (int k = 0; k < numbers; k++)
		number[k] = (int32_t) (number[k] * factor * (share < 1 && !MUTANT(357) ? share : 1));
	while (!MUTANT(357) && (double) squared_norm(number, numbers) > most * most)
		for (int k = 0; k < numbers; k++)
			number[k] -= (number[k] > 0) - (number[k] < 0);
	numbers = 0;
	for (int j = 0; j < dimension; j++)
		v[j] = group[j] == 0 ? number[numbers++] : (int32_t) (x[j] * factor);
}

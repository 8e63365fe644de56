/*
 * encoding.c - clip, scale and round one row; check its one-hot groups.
 */
#include "core/rows/encoding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mutant.h"

void
encoding_init(Encoding *encoding)
{
	memset(encoding, 0, sizeof(*encoding));
	for (int j = 0; j < COLUMNS_MAX; j++)
	{
		encoding->scale[j] = 1.0;
		encoding->low[j] = -1.0;
		encoding->high[j] = 1.0;
	}
}

void
encoding_set_levels(Encoding *encoding, int feature, int levels)
{
	encoding->levels[feature] = (int16_t) levels;
	encoding->binary[feature] = false;
	encoding->center[feature] = 0;
	encoding->scale[feature] = 1;
	encoding->low[feature] = 0;
	encoding->high[feature] = levels;
}

int
encoding_dimension(const Encoding *encoding)
{
	return encoding->features + (encoding->intercept ? 1 : 0);
}

/* An index is not scaled, and the columns of its levels are its group. */
static bool
levels_are_valid(const Encoding *encoding)
{
	int grouped = 0;

	for (int g = 0; g < encoding->groups; grouped += encoding->group[g++])
		for (int j = grouped; encoding->group[g] > 1 && j < grouped + encoding->group[g]; j++)
			if (encoding->levels[j] > 0)
				return false;
	for (int j = 0; j < encoding->features; j++)
		if (encoding->levels[j] > 0 &&
			(encoding->center[j] != 0 || encoding->scale[j] != 1 || encoding->low[j] != 0 ||
			 encoding->high[j] != encoding->levels[j]))
			return false;
	return levels_valid(encoding->levels, encoding_dimension(encoding));
}

bool
encoding_finish(Encoding *encoding)
{
	int grouped = 0;

	if (encoding->features < 1 || encoding_dimension(encoding) > COLUMNS_MAX)
		return false;
	encoding->kernel = encoding_fastest_kernel();
	encoding->identity = true;
	encoding->indices = false;
	for (int j = 0; j < encoding->features; j++)
	{
		if (!isfinite(encoding->center[j]) || !isfinite(encoding->scale[j]) ||
			!(encoding->scale[j] > 0))
			return false;
		if (!(encoding->low[j] >= -ENCODING_MAX_CLIP) ||
			!(encoding->high[j] <= ENCODING_MAX_CLIP) || !(encoding->low[j] <= encoding->high[j]))
			return false;
		if (encoding->center[j] != 0.0 || encoding->scale[j] != 1.0)
			encoding->identity = false;
		if (encoding->levels[j] > 0)
			encoding->indices = true;
	}
	for (int g = 0; g < encoding->groups; g++)
	{
		if (encoding->group[g] < 1)
			return false;
		grouped += encoding->group[g];
	}
	return grouped <= encoding->features && levels_are_valid(encoding);
}

static bool
groups_are_one_hot(const Encoding *encoding, const int32_t *x)
{
	for (int g = 0; g < encoding->groups; x += encoding->group[g++])
	{
		int ones = 0;
		int32_t other = 0;

		if (encoding->group[g] == 1)
			continue;
		for (int j = 0; j < encoding->group[g]; j++)
		{
			bool one = x[j] == FIXED_POINT_ONE;

			ones += one;
			other |= one ? 0 : x[j];
		}
		if (!MUTANT(34) && (ones != 1 || other != 0))
			return false;
	}
	return true;
}

/* Is each index an integer within its levels?  (The kernel would clip and round it.) */
static bool
are_indices(const Encoding *encoding, const double *features)
{
	for (int j = 0; j < encoding->features; j++)
		if (encoding->levels[j] > 0 && !MUTANT(270) &&
			!(features[j] >= 0 && features[j] <= encoding->levels[j] &&
			  features[j] == floor(features[j])))
			return false;
	return true;
}

bool
encoding_apply(const Encoding *encoding, const double *features, int32_t *x)
{
	double mapped[COLUMNS_MAX];

	if (encoding->indices && !are_indices(encoding, features))
		return false;
	if (!encoding->identity)
	{
		/* An infinite feature stays infinite, and NaN stays NaN: center and scale are finite. */
		for (int j = 0; j < encoding->features; j++)
			mapped[j] = (features[j] - encoding->center[j]) / encoding->scale[j];
		features = mapped;
	}
	if (!encoding->kernel->quantise(features, encoding->low, encoding->high, encoding->features, x))
		return false;
	if (encoding->intercept)
		x[encoding->features] = FIXED_POINT_ONE;
	return groups_are_one_hot(encoding, x);
}

/* The bounds are rounded as the kernel rounds the features that it clips to them. */
static bool
coordinate_admits(const Encoding *encoding, int j, int32_t x)
{
	double low = encoding->low[j] * FIXED_POINT_ONE;
	double high = encoding->high[j] * FIXED_POINT_ONE;

	if (encoding->binary[j])
		return x == 0 || x == FIXED_POINT_ONE;
	if (encoding->levels[j] > 0 && x % FIXED_POINT_ONE != 0)
		return false;
	return x >= (int32_t) (low + copysign(0.5, low)) && x <= (int32_t) (high + copysign(0.5, high));
}

bool
encoding_admits(const Encoding *encoding, const int32_t *x)
{
	for (int j = 0; j < encoding->features; j++)
		if (!MUTANT(342) && !coordinate_admits(encoding, j, x[j]))
			return false;
	if (encoding->intercept && x[encoding->features] != FIXED_POINT_ONE)
		return false;
	return groups_are_one_hot(encoding, x);
}

double
encoding_score_bound(const Encoding *encoding, const Grid *grid)
{
	double bound = 0.0;

	for (int j = 0; j < grid->dimension; j++)
	{
		double weight = fmax(abs(grid->level[j][0]), abs(grid->level[j][grid->levels[j] - 1]));
		double value =
			j < encoding->features ? fmax(fabs(encoding->low[j]), fabs(encoding->high[j])) : 1.0;

		/* one more unit covers the rounding of the feature */
		bound += weight * (value * FIXED_POINT_ONE + 1.0);
	}
	return bound;
}

SpillShape
encoding_shape(const Encoding *encoding)
{
	SpillShape shape = {.dimension = encoding_dimension(encoding)};
	bool binary[COLUMNS_MAX];

	memcpy(binary, encoding->binary, sizeof(binary));
	for (int g = 0, first = 0; g < encoding->groups; first += encoding->group[g++])
		for (int j = first; encoding->group[g] > 1 && j < first + encoding->group[g]; j++)
			binary[j] = true;
	if (encoding->intercept)
		binary[encoding->features] = true;
	for (int j = 0; j < shape.dimension; j++)
		if (binary[j])
			shape.binary[j / 64] |= UINT64_C(1) << (j % 64);
	return shape;
}

/* The number of multiples of 2^-16 within the bounds, which are rounded outwards. */
static double
values_of(const Encoding *encoding, int j)
{
	if (encoding->binary[j])
		return 2;
	if (encoding->levels[j] > 0)
		return encoding->levels[j] + 1;
	return (encoding->high[j] - encoding->low[j]) * FIXED_POINT_ONE + 2;
}

double
encoding_most_distinct(const Encoding *encoding)
{
	double rows = 1;
	int first = 0;

	for (int g = 0; g < encoding->groups; first += encoding->group[g++])
		rows *= encoding->group[g] > 1 ? encoding->group[g] : values_of(encoding, first);
	for (int j = first; j < encoding->features; j++)
		rows *= values_of(encoding, j);
	return rows;
}

bool
encoding_equal(const Encoding *a, const Encoding *b)
{
	size_t used = (size_t) a->features * sizeof(double);

	return a->features == b->features && a->intercept == b->intercept && a->groups == b->groups &&
		   memcmp(a->group, b->group, (size_t) a->groups * sizeof(a->group[0])) == 0 &&
		   memcmp(a->levels, b->levels, (size_t) a->features * sizeof(a->levels[0])) == 0 &&
		   memcmp(a->center, b->center, used) == 0 && memcmp(a->scale, b->scale, used) == 0 &&
		   memcmp(a->low, b->low, used) == 0 && memcmp(a->high, b->high, used) == 0;
}

/*
 * levels.h - columns that hold the index of a level instead of a column for each level.
 *
 * The levels of a column are 0 for a number, or L > 0: then its values are indices 0 .. L, in units
 * of 1.0, and stand for L columns, all 0 but for a 1 in the column of the index; all 0 for index 0,
 * none of the levels (theorem V19).  So a row of thousands of columns is as long as the number of
 * its ones.
 */
#ifndef DPOBJ_CORE_LEVELS_H
#define DPOBJ_CORE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/rows/instance.h"

#define LEVELS_MAX 1024

/* The most weights of a model with levels. */
#define LEVELS_WEIGHTS_MAX 10000

/* The number of weights of so many columns. */
static inline int
levels_weights(const int16_t *levels, int columns)
{
	int weights = columns;

	for (int j = 0; j < columns; j++)
		weights += levels[j] > 0 ? levels[j] - 1 : 0;
	return weights;
}

/*
 * A feature of a row times its weight, in units of 2^-16: the weight of the index's level, of which
 * the first is at weight, or that of a number.
 */
static inline double
levels_product(const double *weight, int levels, int32_t x)
{
	if (levels == 0)
		return *weight * x;
	return x == 0 ? 0.0 : weight[x / FIXED_POINT_ONE - 1] * FIXED_POINT_ONE;
}

/* Are all in range? */
static inline bool
levels_valid(const int16_t *levels, int columns)
{
	for (int j = 0; j < columns; j++)
		if (levels[j] < 0 || levels[j] > LEVELS_MAX)
			return false;
	return levels_weights(levels, columns) <= LEVELS_WEIGHTS_MAX;
}

#endif

/*
 * vectors.h - grids whose coordinates have equal levels, and all vectors of a small grid.
 */
#ifndef DPOBJ_TESTS_VECTORS_H
#define DPOBJ_TESTS_VECTORS_H

#include <stdbool.h>

#include "core/grid/grid.h"

#include "check.h"

/* Levels -max .. max; max 0: -1 and 1. */
static inline Grid
uniform_grid(int dimension, int max, GridConstraint constraint, int bound)
{
	Grid grid = {.dimension = dimension, .constraint = constraint, .bound = bound};

	for (int j = 0; j < dimension; j++)
		if (max == 0)
			grid_set_sign(&grid, j);
		else
			grid_set_range(&grid, j, max);
	CHECK(grid_is_valid(&grid));
	return grid;
}

/*
 * Moves on to the next index vector in the public order, whether or not the constraint admits it.
 * Returns false after the last one, and begins again with the first.
 */
static inline bool
next_index(const Grid *grid, int *index)
{
	for (int j = grid->dimension - 1; j >= 0; j--)
	{
		if (++index[j] < grid->levels[j])
			return true;
		index[j] = 0;
	}
	return false;
}

#endif

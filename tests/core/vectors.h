/*
 * vectors.h - going through all vectors of a small grid.
 */
#ifndef DPOBJ_TESTS_VECTORS_H
#define DPOBJ_TESTS_VECTORS_H

#include <stdbool.h>

#include "core/grid/grid.h"

/*
 * The next index vector of the whole product in the public order, whether the
 * constraint admits it or not; false after the last, and then the first again.
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

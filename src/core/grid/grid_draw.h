/*
 * grid_draw.h - the vectors of W counted exactly, and one of them drawn uniformly.
 *
 * A pass from the last coordinate to the first counts, for each state of the constraint's automaton
 * (grid.h), the completions that it accepts.  A draw uses only these integers and fair bits.
 */
#ifndef DPOBJ_CORE_GRID_DRAW_H
#define DPOBJ_CORE_GRID_DRAW_H

#include <gmp.h>

#include "core/random/bits.h"
#include "core/grid/grid.h"
#include "core/base/memory.h"

typedef struct GridCounts
{
	const Grid *grid;
	int states;
	mpz_t *ways; /* [j * states + s]: completions from state s before coordinate j */
} GridCounts;

extern void grid_counts_create(GridCounts *counts, const Grid *grid, Memory *memory);
extern void grid_counts_destroy(GridCounts *counts, Memory *memory);

/* The number of vectors in W. */
extern mpz_srcptr grid_counts_size(const GridCounts *counts);

/* Draws the level indices of a vector of W, each with probability 1 / |W|. */
extern void grid_draw(const GridCounts *counts, Bits *bits, int *index);

#endif

/*
 * grid_default.h - the grid of a halfspace where nobody says, from public parameters alone.
 *
 * A wide grid holds better vectors, and the exponential mechanism pays for its size: the
 * excess of a draw is at most 2 ln |W| / evidence of the rows, in the mean.  So the
 * widest grid is taken that the declared number of rows and epsilon can pay for, and
 * that can be drawn from.  Which grids are tried, and the prices, were found by trial
 * (rule U11); the guarantee does not depend on them.
 */
#ifndef DPOBJ_CORE_GRID_DEFAULT_H
#define DPOBJ_CORE_GRID_DEFAULT_H

#include <stdbool.h>

#include "core/rows/encoding.h"
#include "core/grid/grid.h"
#include "core/exponential/select.h"

/*
 * The exponential mechanism, left to itself, takes product grids of so many vectors
 * whether its run has a bound or not.
 */
#define GRID_DEFAULT_LOG2 64

/* What is public about a request for a halfspace. */
typedef struct GridTerms
{
	const Encoding *encoding; /* its dimension, clip bounds and one-hot groups */
	bool numeric[GRID_MAX_DIMENSION];
	int64_t rows;    /* declared; 0: they are not */
	double evidence; /* rows times epsilon, twice that under add_remove */
	bool finish;     /* must a draw be sure to end? */
} GridTerms;

/* The grid, in words. */
typedef struct GridWidths
{
	int sparse;    /* exactly so many weights of +-1 and no others; 0: as follows */
	int grouped;   /* columns of one-hot groups have the weights -grouped .. grouped */
	int indicator; /* so have the other columns */
	int number;    /* but for the numeric ones, and the intercept without a group (grid_default.c) */
} GridWidths;

/*
 * Is there a declared one-hot group?  One of its columns is 1 in each row, so it holds a constant.
 */
extern bool grid_has_constant(const Encoding *encoding);

/* Rows times epsilon as the loss's margin counts them. */
extern double grid_evidence(int64_t rows, int64_t epsilon, Adjacency adjacency);

/* Chooses and makes the grid: a valid one, whose scores overflow only if those of +-1 do. */
extern void grid_default(const GridTerms *terms, GridWidths *widths, Grid *grid);

/*
 * Weights of -1, 0 and 1, and -4 .. 4 for numeric columns if such a grid can be drawn from;
 * false if even {-1, 0, 1} alone cannot.  For rows that are not declared.
 */
extern bool grid_plain(const GridTerms *terms, GridWidths *widths, Grid *grid);

#endif

/*
 * grid_default.h - the default grid of a halfspace, from public parameters alone.
 *
 * A wide grid holds better vectors, but the exponential mechanism pays for its size: the mean
 * excess of a draw is at most 2 ln |W| / evidence of the rows.  So the default is the widest grid
 * that the declared number of rows and epsilon can pay for and that can be drawn from.  The list of
 * grids and the limits were found by trial (rule U11); the guarantee does not depend on them.
 */
#ifndef DPOBJ_CORE_GRID_DEFAULT_H
#define DPOBJ_CORE_GRID_DEFAULT_H

#include <stdbool.h>

#include "core/mechanisms/run_terms.h"
#include "core/rows/encoding.h"
#include "core/grid/grid.h"
#include "core/exponential/select.h"

/*
 * By default the exponential mechanism takes product grids of up to 2^64 vectors, whether or not
 * its run is certain to finish.
 */
#define GRID_DEFAULT_LOG2 64

/* The public properties of a request for a halfspace that decide the grid. */
typedef struct GridTerms
{
	const Encoding *encoding; /* its dimension, clip bounds and one-hot groups */
	bool numeric[GRID_MAX_DIMENSION];
	int64_t rows;    /* the declared number; 0: none */
	double evidence; /* grid_evidence() */
	bool finish;     /* must a draw be certain to finish? */
	RunTerms run;    /* within which a draw must end: run_fits_grid() */
} GridTerms;

/* The largest weights of a grid. */
typedef struct GridWidths
{
	int sparse;    /* exactly so many weights are +-1 and the others 0; 0: as follows */
	int grouped;   /* columns of one-hot groups have weights -grouped .. grouped */
	int indicator; /* other indicator columns have weights -indicator .. indicator */
	int number;    /* numeric columns, and the intercept without a group (grid_default.c) */
} GridWidths;

/*
 * Is there a declared one-hot group?  A row has 1 in exactly one of its columns, so they hold a
 * constant.
 */
extern bool grid_has_constant(const Encoding *encoding);

/* rows times epsilon, twice that under add_remove. */
extern double grid_evidence(int64_t rows, int64_t epsilon, Adjacency adjacency);

/* Chooses and makes the grid.  Its scores overflow only if those of the grid of +-1 do. */
extern void grid_default(const GridTerms *terms, GridWidths *widths, Grid *grid);

/*
 * For rows that are not declared: weights -1 .. 1, and -4 .. 4 for numeric columns if such a grid
 * can be drawn from.  False if even weights -1 .. 1 cannot.
 */
extern bool grid_plain(const GridTerms *terms, GridWidths *widths, Grid *grid);

#endif

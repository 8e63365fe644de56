/*
 * grid_default.h - the default grid of a halfspace, from public parameters alone.
 *
 * A prior makes wide grids cheap: the law itself finds out which weights the rows are worth
 * (theorem E13).  So the default is the first grid of a list, wide ones first, whose draw is sure
 * to end in time, whatever the number of rows and epsilon.  Where none is, few weights of +-1
 * remain; then epsilon times rows say how many.  The list was found by trial (rule U11); the
 * guarantee does not depend on it.
 */
#ifndef DPOBJ_CORE_GRID_DEFAULT_H
#define DPOBJ_CORE_GRID_DEFAULT_H

#include <stdbool.h>

#include "core/mechanisms/run_terms.h"
#include "core/rows/encoding.h"
#include "core/grid/grid.h"
#include "core/grid/prior.h"
#include "core/exponential/select.h"

/*
 * By default the exponential mechanism takes product grids of up to 2^64 vectors, whether or not
 * its run is certain to finish.
 */
#define GRID_DEFAULT_LOG2 64

/*
 * The power of the prior over a dense grid of the list; that over few weights is uniform.  The
 * sizes of the list are powers of 2 and 4, so that power 1 is to them what power 2 is to all
 * integers.
 */
#define GRID_DEFAULT_PRIOR PRIOR_ONE

/* The public properties of a request for a halfspace that decide the grid. */
typedef struct GridTerms
{
	const Encoding *encoding; /* its dimension, clip bounds and one-hot groups */
	bool numeric[COLUMNS_MAX];
	int64_t rows;    /* the declared number; 0: none */
	double evidence; /* grid_evidence() */
	RunTerms run;    /* within which a draw must end: run_fits_grid() */
} GridTerms;

/* A weight is 0, or plus or minus one of these. */
#define GRID_MOST_SIZES 8

typedef struct GridSizes
{
	int count;
	int size[GRID_MOST_SIZES];
} GridSizes;

/* The weights of a grid. */
typedef struct GridWidths
{
	int sparse;          /* exactly so many weights are +-1 and the others 0; 0: as follows */
	GridSizes whole;     /* of the group that keeps all its weights */
	GridSizes indicator; /* of other indicator columns */
	GridSizes number;    /* of numeric columns, and of an intercept without a group */
} GridWidths;

/*
 * Is there a declared one-hot group?  A row has 1 in exactly one of its columns, so they hold a
 * constant.
 */
extern bool grid_has_constant(const Encoding *encoding);

/* Do the scores of the grid's vectors on clipped rows fit the integers they are computed with? */
extern bool grid_scores_fit(const Encoding *encoding, const Grid *grid);

/* rows times epsilon, twice that under add_remove. */
extern double grid_evidence(int64_t rows, int64_t epsilon, Adjacency adjacency);

/*
 * Chooses and makes the grid.  Its scores overflow only if those of the grid of +-1 do.
 *
 * Adding a number to all weights of one group and subtracting it from those of another changes no
 * score.  So the longest group, or the first of these, keeps all its weights, and in each other
 * group the first column has weight 0; an intercept beside a group has weight 0, too.
 */
extern void grid_default(const GridTerms *terms, GridWidths *widths, Grid *grid);

/*
 * How long a draw from that grid may take: less than terms->run says, unless even few weights take
 * longer.
 */
extern RunTerms grid_default_run(const GridTerms *terms, const Grid *grid);

#endif

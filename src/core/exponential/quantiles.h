/*
 * quantiles.h - several quantiles at once by the exponential mechanism and recursive halving
 * (theorems J2 to J5).
 *
 * A row has a value in one of the cells 0 .. cells - 1 of a public grid.  A row's weight of 1 is
 * spread evenly over the parts of its cell, so that a table of many equal values can be cut between
 * them.  A cut p, 0 .. cells * parts, has the mass M(p) of all parts before it.  The middle
 * quantile is drawn first, a cut p with
 *
 *   P(p) proportional to exp(-beta |M(p) - q N|);
 *
 * then those below it from the rows below the cut and those above it from the rows above, with what
 * remains of epsilon.
 */
#ifndef DPOBJ_CORE_QUANTILES_H
#define DPOBJ_CORE_QUANTILES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/privacy.h"
#include "core/random/bits.h"

#define QUANTILES_MOST 100
#define QUANTILES_MOST_CELLS ((INT64_C(1) << 20) + 1)
#define QUANTILES_MOST_ROWS (INT64_C(1) << 40)
#define QUANTILES_MOST_PERSON (INT64_C(1) << 31)
#define QUANTILES_MOST_EPSILON (INT64_C(1) << 50) /* nano-units */
#define QUANTILES_PARTS (INT64_C(1) << 20)        /* for accuracy; any number is private */

/* A quantile is a number of millionths, 1 .. QUANTILE_ONE - 1. */
#define QUANTILE_ONE 1000000

typedef struct QuantilesRequest
{
	int quantiles;                    /* 1 .. QUANTILES_MOST */
	int32_t quantile[QUANTILES_MOST]; /* increasing */
	int64_t cells;                    /* 1 .. QUANTILES_MOST_CELLS */
	int64_t parts;                    /* of a cell, 1 .. QUANTILES_PARTS */
	int64_t epsilon;                  /* nano-units, 1 .. QUANTILES_MOST_EPSILON */
	Adjacency adjacency;
	int64_t person; /* most rows of a person, 1 .. QUANTILES_MOST_PERSON; 1: rows are protected */
	bool grouped;   /* a replaced row may leave this group of rows and enter another one */
} QuantilesRequest;

/*
 * Draws a cell for each quantile; the cells do not decrease.  count has the number of rows of each
 * cell, QUANTILES_MOST_ROWS together at most; it is lost.
 */
extern void quantiles_draw(const QuantilesRequest *request, int64_t *count, Bits *bits,
						   int64_t *answer);

/*
 * Error bounds in rows, rounded up (theorem J5): but for the chance beta, 0 < beta < 1, for all
 * quantiles q at once, q N lies between the numbers of rows below the answer and up to it, or is at
 * most the bound and 4 millionths of N away from them.  A function of public numbers.
 */
extern void quantiles_error(const QuantilesRequest *request, double beta, double *error);

#endif

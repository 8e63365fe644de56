/*
 * round_grid.h - the grid of quantiles: two bounds, and between them the multiples of a round unit,
 * which is 1, 2 or 5 times a power of 10 (rule J7).
 *
 * It depends on the bounds and on the caller's limit of steps only.
 */
#ifndef DPOBJ_CORE_ROUND_GRID_H
#define DPOBJ_CORE_ROUND_GRID_H

#include <stdbool.h>
#include <stdint.h>

/* The unit is a quotient, so that a multiple is the double nearest to its decimal. */
typedef struct RoundGrid
{
	double low;
	double high;
	double numerator;
	double denominator;
	double first;  /* the last multiple that is not above low, in units */
	int64_t steps; /* points 0 .. steps are low, the multiples first + 1, first + 2, .. and high */
} RoundGrid;

/*
 * Chooses the smallest unit, a whole one if values are whole, that leads to at most so many steps,
 * 2 or more; false unless the bounds are finite and far enough apart.
 */
extern bool round_grid_choose(RoundGrid *grid, double low, double high, bool whole, int64_t most);

extern double round_grid_unit(const RoundGrid *grid);

/* So many units. */
extern double round_grid_multiple(const RoundGrid *grid, double units);

/* The value of a point, 0 .. steps. */
extern double round_grid_point(const RoundGrid *grid, int64_t point);

#endif

/*
 * round_grid.c - the choice of a round unit, and the points of its grid.
 */
#include "core/looks/round_grid.h"

#include <math.h>

/* The most units that a bound may have, so that rounding moves no value by half a unit. */
#define MOST_UNITS 0x1p48

double
round_grid_unit(const RoundGrid *grid)
{
	return grid->numerator / grid->denominator;
}

double
round_grid_multiple(const RoundGrid *grid, double units)
{
	return units * grid->numerator / grid->denominator;
}

double
round_grid_point(const RoundGrid *grid, int64_t point)
{
	double value = round_grid_multiple(grid, grid->first + (double) point);

	return value < grid->low ? grid->low : value > grid->high ? grid->high : value;
}

/* The last multiple that is not above a value, in units; the quotient may be off by one. */
static double
last_multiple(const RoundGrid *grid, double value)
{
	double units = floor(value * grid->denominator / grid->numerator);

	while (round_grid_multiple(grid, units) > value)
		units--;
	while (round_grid_multiple(grid, units + 1) <= value)
		units++;
	return units;
}

/* Unit number i is 1, 2, 5, 10, 20, 50, 100, .. times 10^exponent. */
static void
set_unit(RoundGrid *grid, int exponent, int i)
{
	static const double digits[] = {1, 2, 5};

	grid->numerator = digits[i % 3];
	grid->denominator = 1;
	for (exponent += i / 3; exponent > 0; exponent--)
		grid->numerator *= 10;
	for (; exponent < 0; exponent++)
		grid->denominator *= 10;
}

/* Sets first and steps; false if the unit is too small. */
static bool
fits(RoundGrid *grid, int64_t most)
{
	double size = fmax(fabs(grid->low), fabs(grid->high));
	double steps;

	if (size * grid->denominator / grid->numerator > MOST_UNITS)
		return false;
	grid->first = last_multiple(grid, grid->low);
	steps = -last_multiple(grid, -grid->high) - grid->first;
	grid->steps = (int64_t) steps;
	return steps <= (double) most;
}

bool
round_grid_choose(RoundGrid *grid, double low, double high, bool whole, int64_t most)
{
	double span = high - low;
	int exponent;
	int i = 0;

	/* far from the ends of the doubles, so that no power of 10 leaves them */
	if (!isfinite(low) || !isfinite(high) || !(low < high) || !(span < 0x1p900) ||
		!(span > 0x1p-900) || most < 2)
		return false;
	*grid = (RoundGrid){.low = low, .high = high};
	/* the first unit is too small, or the smallest whole one */
	exponent = (int) floor(log10(span / (double) most)) - 1;
	if (whole && exponent < 0)
		exponent = 0;
	/* ends: a unit that is as large as both bounds leads to two steps at most */
	do
		set_unit(grid, exponent, i++);
	while (!fits(grid, most));
	return true;
}

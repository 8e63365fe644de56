/*
 * test_round_grid.c - the grids of quantiles: round units, points that increase from bound to bound
 * and print short, and rows that find the nearest point.
 */
#include "core/looks/round_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/fixture.h"
#include "core/looks/look.h"

static RoundGrid
choose(double low, double high, bool whole, int64_t most)
{
	RoundGrid grid;

	CHECK(round_grid_choose(&grid, low, high, whole, most));
	return grid;
}

/* Units and numbers of steps that can be worked out by hand. */
static void
test_units(void)
{
	static const struct
	{
		double low;
		double high;
		bool whole;
		int64_t most;
		double unit;
		int64_t steps;
	} cases[] = {
		{0, 1, false, 163840, 0.00001, 100000},
		{0, 100, false, 163840, 0.001, 100000},
		{0, 100, true, 163840, 1, 100},
		{0, 100000, true, 163840, 1, 100000},
		{0, 200000, true, 163840, 2, 100000},
		{0.5, 10.5, true, 163840, 1, 11},
		{-3.5, -3.4, false, 163840, 0.000001, 100000},
		{0, 163840, false, 163840, 1, 163840},
		{0, 163841, false, 163840, 2, 81921},
		{0, 1e6, false, 65536, 20, 50000},
		{10, 16, false, 3, 2, 3},
		{-10, 10, false, 4, 5, 4},
		{-1, 1e-3, false, 2, 1, 2},
		{0.29, 0.59, false, 30, 0.01, 30}, /* 0.29 * 100 is below 29 in doubles */
		{1.0 / 3, 2.0 / 3, false, 4, 0.1, 4},
		{1e15, 1e15 + 1, false, 163840, 5, 1},
		{0, 0x1p-899, false, 2, 2e-271, 2},
	};

	for (int i = 0; i < (int) (sizeof(cases) / sizeof(cases[0])); i++)
	{
		RoundGrid grid = choose(cases[i].low, cases[i].high, cases[i].whole, cases[i].most);

		CHECK(fabs(round_grid_unit(&grid) / cases[i].unit - 1) < 1e-12);
		CHECK(grid.steps == cases[i].steps);
	}
}

static void
test_refused(void)
{
	static const double pairs[][2] = {{1, 1}, {1, 0}, {NAN, 1}, {0, INFINITY}, {0, 0x1p-901}};
	RoundGrid grid;

	for (int i = 0; i < (int) (sizeof(pairs) / sizeof(pairs[0])); i++)
		CHECK(!round_grid_choose(&grid, pairs[i][0], pairs[i][1], false, 100));
	CHECK(!round_grid_choose(&grid, 0, 1, false, 1));
}

/* The double nearest to the decimal of so many units, or NaN if the power of 10 is not exact. */
static double
decimal(const RoundGrid *grid, double units)
{
	int exponent = (int) floor(log10(round_grid_unit(grid)) + 1e-9);
	double digit = rint(round_grid_unit(grid) / pow(10, exponent));
	char text[64];

	if (abs(exponent) > 21)
		return NAN;
	(void) snprintf(text, sizeof(text), "%.0fe%d", units * digit, exponent);
	return strtod(text, NULL);
}

/* The point that a row with this value is at, by the encoding of both doors. */
static int32_t
point_of(const Look *look, double value)
{
	Encoding encoding;
	int32_t x;

	look_encoding(look, &encoding);
	CHECK(encoding_apply(&encoding, &value, &x));
	return x;
}

static double
clipped(const RoundGrid *grid, double value)
{
	return fmin(fmax(value, grid->low), grid->high);
}

static void
check_points(const Look *look)
{
	const RoundGrid *grid = &look->grid;
	double unit = round_grid_unit(grid);
	double previous = -INFINITY;

	CHECK(round_grid_point(grid, 0) == grid->low);
	CHECK(round_grid_point(grid, grid->steps) == grid->high);
	for (int64_t i = 0; i <= grid->steps; i++)
	{
		double value = round_grid_point(grid, i);
		double nearest = decimal(grid, grid->first + (double) i);

		CHECK(value > previous);
		previous = value;
		if (i == 0 || i == grid->steps)
			continue;
		CHECK(isnan(nearest) || value == nearest);
		CHECK(point_of(look, value) == i);
	}
	CHECK(point_of(look, -INFINITY) == 0 && point_of(look, INFINITY) == grid->steps);
	for (int i = 0; i < 200; i++)
	{
		double value = between(grid->low - unit, grid->high + unit);
		double answer = round_grid_point(grid, point_of(look, value));

		CHECK(fabs(answer - clipped(grid, value)) <= 0.75 * unit);
	}
}

/* Bounds of any size, with few digits or many, near to each other or far. */
static void
test_points(void)
{
	for (int i = 0; i < check_repetitions(2000); i++)
	{
		double size = pow(10, between(-12, 12));
		double low = between(-size, size);
		double high = low + size * pow(10, between(-9, 3));
		Look look = {.type = &look_quantiles, .cells = 1};
		bool whole = below(2) == 0;
		int64_t most = 2 + below(i % 50 == 0 ? 200000 : 300);

		if (below(2) == 0)
		{
			low = rint(low);
			high = rint(high);
		}
		if (!(low < high))
			continue;
		CHECK(look_set_grid(&look, low, high, whole, most));
		CHECK(look.high <= most && look.high == look.grid.steps);
		CHECK(!whole || rint(look.unit) == look.unit);
		check_points(&look);
	}
}

/* With 163,840 steps the unit is below a 65,535th of the distance of the bounds. */
static void
test_fine(void)
{
	for (int i = 0; i < check_repetitions(5000); i++)
	{
		double high = pow(10, between(-20, 20));
		RoundGrid grid = choose(0, high, false, 163840);

		CHECK(round_grid_unit(&grid) < high / 65535);
		CHECK(grid.steps <= 163840);
	}
}

int
main(void)
{
	test_begin(29);
	test_units();
	test_refused();
	test_points();
	test_fine();
	return test_end("round_grid");
}

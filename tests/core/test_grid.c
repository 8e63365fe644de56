/*
 * test_grid.c - sizes, membership and order of grids, against enumeration.
 */
#include "core/check.h"
#include "core/testbits.h"

#include <math.h>
#include <string.h>

#include "core/grid.h"

static void
random_grid(TestStream *stream, Grid *grid)
{
	memset(grid, 0, sizeof(*grid));
	grid->dimension = 1 + (int) teststream_below(stream, 5);
	for (int j = 0; j < grid->dimension; j++)
	{
		int weight = -4;

		grid->levels[j] = 1 + (int) teststream_below(stream, 4);
		for (int i = 0; i < grid->levels[j]; i++)
			grid->level[j][i] = (int8_t) (weight += 1 + (int) teststream_below(stream, 3));
	}
	grid->constraint = (GridConstraint) teststream_below(stream, 3);
	if (grid->constraint != GRID_PRODUCT)
		grid->bound = (int) teststream_below(stream, grid->constraint == GRID_BALL ? 40 : 6);
}

/* Membership from the definition, without the automaton. */
static bool
belongs(const Grid *grid, const int *index)
{
	int squares = 0;
	int nonzeros = 0;

	for (int j = 0; j < grid->dimension; j++)
	{
		int weight = grid->level[j][index[j]];

		squares += weight * weight;
		nonzeros += weight != 0;
	}
	if (grid->constraint == GRID_BALL)
		return squares <= grid->bound;
	return grid->constraint != GRID_SPARSE || nonzeros == grid->bound;
}

/* The next index vector in the public order; false after the last one. */
static bool
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

static void
check_grid(const Grid *grid)
{
	int index[GRID_MAX_DIMENSION] = {0};
	int previous[GRID_MAX_DIMENSION];
	uint64_t members = 0;

	do
	{
		CHECK(grid_contains(grid, index) == belongs(grid, index));
		members += belongs(grid, index);
		memcpy(previous, index, sizeof(previous));
		CHECK(grid_compare(grid, index, index) == 0);
		if (next_index(grid, index))
		{
			CHECK(grid_compare(grid, previous, index) < 0);
			CHECK(grid_compare(grid, index, previous) > 0);
		}
		else
			break;
	} while (true);
	CHECK(grid_size(grid) == members);
	CHECK(grid_is_valid(grid) == (members > 0));
	if (members > 0)
		CHECK(fabs(grid_log2_size(grid) - log2((double) members)) < 1e-9);
}

static void
check_limits(void)
{
	Grid grid = {.dimension = GRID_MAX_DIMENSION};
	int outside[GRID_MAX_DIMENSION] = {0};

	for (int j = 0; j < grid.dimension; j++)
		grid_set_range(&grid, j, 4);
	CHECK(grid_is_valid(&grid));
	CHECK(grid_size(&grid) == UINT64_MAX);
	CHECK(fabs(grid_log2_size(&grid) - 128 * log2(9)) < 1e-6);
	outside[3] = 9;
	CHECK(!grid_contains(&grid, outside));
	outside[3] = -1;
	CHECK(!grid_contains(&grid, outside));
	grid_set_sign(&grid, 0);
	CHECK(grid.levels[0] == 2 && grid.level[0][0] == -1 && grid.level[0][1] == 1);
	grid.level[0][1] = -1; /* not increasing */
	CHECK(!grid_is_valid(&grid));
	grid.dimension = GRID_MAX_DIMENSION + 1;
	CHECK(!grid_is_valid(&grid));
	grid.dimension = 0;
	CHECK(!grid_is_valid(&grid));
}

int
main(void)
{
	TestStream stream;

	teststream_seed(&stream, 1);
	for (int i = 0; i < 500; i++)
	{
		Grid grid;

		random_grid(&stream, &grid);
		check_grid(&grid);
	}
	check_limits();
	return check_report("grid");
}

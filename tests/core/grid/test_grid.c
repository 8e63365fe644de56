/*
 * test_grid.c - sizes, membership and order of grids, against enumeration.
 */
#include "core/fixture.h"
#include "core/vectors.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/grid/grid.h"

static void
random_grid(Grid *grid)
{
	memset(grid, 0, sizeof(*grid));
	grid->dimension = 1 + below(5);
	for (int j = 0; j < grid->dimension; j++)
	{
		int weight = -4;

		grid->levels[j] = 1 + below(4);
		for (int i = 0; i < grid->levels[j]; i++)
			grid->level[j][i] = (int8_t) (weight += 1 + below(3));
	}
	grid->constraint = (GridConstraint) below(4);
	if (grid->constraint != GRID_PRODUCT)
		grid->bound = below(grid->constraint == GRID_BALL ? 40 : 6);
}

/* A level's index, counted from the level 0, or from the highest. */
static int
rank_of(const Grid *grid, int j, int index)
{
	int from = grid->levels[j] - 1;

	for (int i = 0; i < grid->levels[j]; i++)
		if (grid->level[j][i] == 0)
			from = i;
	return index - from;
}

/* Membership from the definition, without the automaton. */
static bool
belongs(const Grid *grid, const int *index)
{
	int squares = 0;
	int nonzeros = 0;
	int ranks = 0;

	for (int j = 0; j < grid->dimension; j++)
	{
		int weight = grid->level[j][index[j]];

		ranks += rank_of(grid, j, index[j]);

		squares += weight * weight;
		nonzeros += weight != 0;
	}
	if (grid->constraint == GRID_BALL)
		return squares <= grid->bound;
	if (grid->constraint == GRID_MODULUS)
		return ranks % grid->bound == 0;
	return grid->constraint != GRID_SPARSE || nonzeros == grid->bound;
}

/* Theorem G7; the other constraints ask nothing of the levels. */
static bool
modulus_fits(const Grid *grid)
{
	for (int j = 0; j < grid->dimension; j++)
		if (grid->levels[j] > grid->bound)
			return false;
	return grid->bound >= 2 && grid->bound <= GRID_MAX_LEVELS;
}

/* The automaton stays among its states, or says that there is no completion. */
static void
check_automaton(const Grid *grid)
{
	for (int s = 0; s < grid_states(grid); s++)
		for (int j = 0; j < grid->dimension; j++)
			for (int i = 0; i < grid->levels[j]; i++)
			{
				int t = grid_step(grid, s, j, i);

				CHECK(t < grid_states(grid));
				CHECK(t >= (grid->constraint == GRID_MODULUS ? 0 : -1));
			}
}

static void
check_grid(const Grid *grid)
{
	int index[GRID_MAX_DIMENSION] = {0};
	int previous[GRID_MAX_DIMENSION];
	uint64_t members = 0;

	if (grid->constraint == GRID_MODULUS && !modulus_fits(grid))
	{
		CHECK(!grid_is_valid(grid));
		return;
	}
	check_automaton(grid);
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

/* ---- moduli ---- */

static int
distance(const Grid *grid, const int *a, const int *b)
{
	int differ = 0;

	for (int j = 0; j < grid->dimension; j++)
		differ += a[j] != b[j];
	return differ;
}

/* By comparing all pairs; INT_MAX where there is none. */
static int
least_distance(const Grid *grid)
{
	int least = INT_MAX;
	int a[GRID_MAX_DIMENSION] = {0};

	do
	{
		int b[GRID_MAX_DIMENSION] = {0};

		if (!grid_contains(grid, a))
			continue;
		do
			if (grid_contains(grid, b) && grid_compare(grid, a, b) < 0)
				least = distance(grid, a, b) < least ? distance(grid, a, b) : least;
		while (next_index(grid, b));
	} while (next_index(grid, a));
	return least;
}

static void
test_distance(void)
{
	int met = 0;

	for (int k = 0; k < 200; k++)
	{
		Grid grid;
		int least;

		random_grid(&grid);
		if (!grid_is_valid(&grid))
			continue;
		least = least_distance(&grid);
		CHECK(least >= grid_least_distance(&grid));
		CHECK(grid_least_distance(&grid) == (grid.constraint == GRID_MODULUS ? 2 : 1));
		met += grid.constraint == GRID_MODULUS && least == 2;
	}
	CHECK(met > 0);
}

/* The shapes that moduli are made for; and the zero vector is in W. */
static void
test_moduli(void)
{
	Grid parity = {.dimension = 10, .constraint = GRID_MODULUS, .bound = 2};
	Grid ternary = {.dimension = 7, .constraint = GRID_MODULUS, .bound = 3};
	int index[GRID_MAX_DIMENSION];

	for (int j = 0; j < 10; j++)
	{
		grid_set_sign(&parity, j);
		index[j] = 1;
	}
	CHECK(grid_size(&parity) == 512);
	CHECK(grid_contains(&parity, index)); /* no -1 */
	index[4] = 0;
	CHECK(!grid_contains(&parity, index)); /* an odd number */
	index[9] = 0;
	CHECK(grid_contains(&parity, index));

	for (int j = 0; j < 7; j++)
	{
		grid_set_range(&ternary, j, 1);
		index[j] = 1;
	}
	CHECK(grid_size(&ternary) == 729);
	CHECK(grid_contains(&ternary, index)); /* the weights 0 */
	index[0] = index[1] = 2;
	CHECK(!grid_contains(&ternary, index)); /* a sum of 2 */
	index[6] = 2;
	CHECK(grid_contains(&ternary, index)); /* of 3 */
	index[6] = 0;
	CHECK(!grid_contains(&ternary, index)); /* of 1 */
}

/*
 * Counterexample G8: levels 0 .. 3 with a modulus of 3 would hold two vectors that differ in one
 * coordinate.  (test_privacy.c shows what half the noise would be worth there.)
 */
static void
test_modulus_refusals(void)
{
	Grid grid = {.dimension = 2,
				 .levels = {4, 3},
				 .level = {{0, 1, 2, 3}, {-1, 0, 1}},
				 .constraint = GRID_MODULUS,
				 .bound = 3};

	CHECK(!grid_is_valid(&grid));
	CHECK(least_distance(&grid) == 1 && grid_least_distance(&grid) == 1);
	grid.bound = 4;
	CHECK(grid_is_valid(&grid) && grid_least_distance(&grid) == 2);
	grid.bound = GRID_MAX_LEVELS;
	CHECK(grid_is_valid(&grid) && grid_least_distance(&grid) == 2);
	grid.bound = GRID_MAX_LEVELS + 1;
	CHECK(!grid_is_valid(&grid));
	grid.levels[0] = grid.levels[1] = 1;
	for (grid.bound = -1; grid.bound < 2; grid.bound++)
		CHECK(!grid_is_valid(&grid));
	CHECK(grid_is_valid(&grid)); /* one vector */
}

int
main(void)
{
	test_begin(1);
	for (int i = 0; i < 500; i++)
	{
		Grid grid;

		random_grid(&grid);
		check_grid(&grid);
	}
	test_distance();
	test_moduli();
	test_modulus_refusals();
	check_limits();
	return test_end("grid");
}

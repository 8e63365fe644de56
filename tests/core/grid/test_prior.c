/*
 * test_prior.c - the costs of a public prior against the definition, and their limits.
 */
#include "core/grid/prior.h"

#include <math.h>
#include <stdlib.h>

#include "core/fixture.h"
#include "core/vectors.h"

/* The definition in long double, which rounds to the same integer unless it is near a half. */
static void
test_costs(void)
{
	int wrong = 0;
	int close = 0;

	for (int round = 0; round < check_repetitions(2000); round++)
	{
		Grid grid = uniform_grid(3, 1 + below(16), GRID_PRODUCT, 0);
		int64_t power = below((int) PRIOR_MAX_POWER + 1);
		int64_t epsilon = 1 + (int64_t) teststream_below(&stream, 1 << below(31)) * 1000;
		Adjacency adjacency = (Adjacency) below(2);
		long double rows = (adjacency == ADJACENCY_REPLACE ? 2.0L : 1.0L) * 1e9L / epsilon;
		PriorCosts costs;

		prior_costs(&grid, power, epsilon, adjacency, &costs);
		for (int i = 0; i < grid.levels[0]; i++)
		{
			long double exact = 4096 * rows * (power / 1000.0L) * log1pl(abs(grid.level[0][i]));
			long double error = fabsl(costs.cost[1][i] - exact);

			wrong += error > 0.5L + exact * 1e-17L;
			close += error > 0.49L;
		}
		wrong += costs.span != 3 * costs.cost[2][0];
	}
	CHECK(wrong == 0);
	CHECK(close > 0);
}

/* By hand: epsilon 1 and margin 2, 8192 ln 2 = 5678.26 and 8192 ln 3 = 8999.83, twice for power 2.
 */
static void
test_known_costs(void)
{
	Grid grid = uniform_grid(2, 2, GRID_PRODUCT, 0);
	PriorCosts costs;

	prior_costs(&grid, 2 * PRIOR_ONE, EPSILON_ONE, ADJACENCY_REPLACE, &costs);
	CHECK(costs.cost[0][0] == 18000 && costs.cost[0][4] == 18000);
	CHECK(costs.cost[1][1] == 11357 && costs.cost[1][3] == 11357);
	CHECK(costs.cost[0][2] == 0 && costs.cost[1][2] == 0);
	CHECK(costs.span == 36000);
	CHECK(prior_cost(&grid, &costs, (int[]){0, 3}) == 18000 + 11357);
	prior_costs(&grid, 2 * PRIOR_ONE, EPSILON_ONE, ADJACENCY_ADD_REMOVE, &costs);
	CHECK(costs.cost[0][0] == 9000 && costs.cost[1][1] == 5678);
	grid_set_sign(&grid, 1);
	prior_costs(&grid, 0, EPSILON_ONE, ADJACENCY_REPLACE, &costs);
	CHECK(costs.cost[0][0] == 0 && costs.cost[1][0] == 0 && costs.span == 0);
}

static bool
is_refused(const Grid *grid, int64_t power, int64_t epsilon)
{
	return prior_refusal(grid, power, epsilon, ADJACENCY_REPLACE) != NULL;
}

/* The dearest grid with the least epsilon still has a table without overflow. */
static void
test_limits(void)
{
	Grid grid = uniform_grid(GRID_MAX_DIMENSION, 16, GRID_PRODUCT, 0);
	PriorCosts costs;

	CHECK(!is_refused(&grid, 0, 1));
	CHECK(is_refused(&grid, -1, EPSILON_ONE));
	CHECK(is_refused(&grid, PRIOR_MAX_POWER + 1, EPSILON_ONE));
	CHECK(!is_refused(&grid, PRIOR_MAX_POWER, EPSILON_ONE));
	CHECK(!is_refused(&grid, PRIOR_MAX_POWER, INT64_MAX));
	CHECK(!is_refused(&grid, 2 * PRIOR_ONE, EPSILON_ONE / 100000));
	CHECK(is_refused(&grid, 2 * PRIOR_ONE, 1));
	for (int j = 0; j < GRID_MAX_DIMENSION; j++)
		grid.level[j][GRID_MAX_LEVELS - 1] = GRID_MAX_WEIGHT;
	prior_costs(&grid, PRIOR_MAX_POWER, 1, ADJACENCY_REPLACE, &costs);
	CHECK(costs.span == GRID_MAX_DIMENSION * costs.cost[0][GRID_MAX_LEVELS - 1]);
	CHECK(fabs((double) costs.cost[0][GRID_MAX_LEVELS - 1] / (131072e9 * log(65)) - 1) < 1e-12);
}

int
main(void)
{
	test_begin(1);
	test_costs();
	test_known_costs();
	test_limits();
	return test_end("prior");
}

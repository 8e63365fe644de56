/*
 * prior.c - what the levels of a grid cost under a public prior.
 */
#include "core/grid/prior.h"

#include <stdlib.h>
#include <string.h>
#include <mpfr.h>

#define PRECISION 128

/* A cost is at most 2^12 * 2 * 1e9 * 16 * ln 65 < 2^50, so that 128 of them fit int64. */
_Static_assert(PRIOR_SCALE * 2 * EPSILON_ONE <=
				   INT64_MAX / (PRIOR_MAX_POWER / PRIOR_ONE * 5) / GRID_MAX_DIMENSION,
			   "the sum of all costs fits, as ln(1 + GRID_MAX_WEIGHT) < 5");
_Static_assert(sizeof(long) >= sizeof(int64_t), "MPFR's long arguments hold 64 bits");

/* MPFR rounds correctly, so the result does not depend on the machine. */
static int64_t
cost_of_size(int size, int64_t power, int64_t epsilon, Adjacency adjacency)
{
	int64_t cost;
	mpfr_t value;

	mpfr_init2(value, PRECISION);
	mpfr_set_si(value, size, MPFR_RNDN);
	mpfr_log1p(value, value, MPFR_RNDN);
	mpfr_mul_si(value, value, PRIOR_SCALE * privacy_margin(adjacency), MPFR_RNDN);
	mpfr_mul_si(value, value, power, MPFR_RNDN);
	mpfr_mul_si(value, value, EPSILON_ONE / PRIOR_ONE, MPFR_RNDN);
	mpfr_div_si(value, value, epsilon, MPFR_RNDN);
	cost = mpfr_get_si(value, MPFR_RNDN);
	mpfr_clear(value);
	return cost;
}

void
prior_costs(const Grid *grid, int64_t power, int64_t epsilon, Adjacency adjacency,
			PriorCosts *costs)
{
	int64_t of_size[GRID_MAX_WEIGHT + 1] = {0};

	memset(costs, 0, sizeof(*costs));
	for (int j = 0; j < grid->dimension; j++)
	{
		int64_t dearest = 0;

		for (int i = 0; i < grid->levels[j]; i++)
		{
			int size = abs(grid->level[j][i]);
			int64_t cost;

			if (of_size[size] == 0 && size > 0 && power > 0)
				of_size[size] = cost_of_size(size, power, epsilon, adjacency);
			cost = of_size[size];
			costs->cost[j][i] = cost;
			dearest = cost > dearest ? cost : dearest;
		}
		costs->span += dearest;
	}
}

const char *
prior_refusal(const Grid *grid, int64_t power, int64_t epsilon, Adjacency adjacency)
{
	PriorCosts costs;

	if (power < 0 || power > PRIOR_MAX_POWER)
		return "The power of a prior is from 0 to 16.";
	prior_costs(grid, power, epsilon, adjacency, &costs);
	return costs.span <= PRIOR_MAX_COST ? NULL
										: "The prior outweighs 2^28 misclassified rows: ask for a "
										  "lower power, a smaller grid, or more epsilon.";
}

int64_t
prior_cost(const Grid *grid, const PriorCosts *costs, const int *index)
{
	int64_t cost = 0;

	for (int j = 0; j < grid->dimension; j++)
		cost += costs->cost[j][index[j]];
	return cost;
}

/*
 * oracle_enumerate.c - the oracle by its definition: every vector of W, in big integers.
 *
 * Tests compare the search with it, and it answers if numbers exceed int64 (oracle.c).  It shares
 * no code with the search.
 */
#include "core/optimum/oracle.h"

#include <string.h>

#include "core/base/integers.h"

void
oracle_objective(mpz_t value, const OracleProblem *problem, const int *index)
{
	mpz_t scale;

	mpz_init(scale);
	mpz_from_word(value, (uint64_t) instance_loss(problem->instance, problem->grid, index));
	mpz_from_word(scale, problem->scale);
	mpz_mul(value, value, scale);
	for (int j = 0; j < problem->grid->dimension; j++)
		mpz_sub(value, value, problem->reward[j * GRID_MAX_LEVELS + index[j]]);
	if (problem->level_reward != NULL)
		mpz_sub(value, value, problem->level_reward[grid_end_state(problem->grid, index)]);
	mpz_clear(scale);
}

/* Moves to the next vector of the product in the public order; false after the last. */
static bool
advance(const Grid *grid, int *index)
{
	for (int j = grid->dimension - 1; j >= 0; j--)
	{
		if (++index[j] < grid->levels[j])
			return true;
		index[j] = 0;
	}
	return false;
}

void
oracle_enumerate(const OracleProblem *problem, Memory *memory, OracleAnswer *answer)
{
	const Grid *grid = problem->grid;
	int index[GRID_MAX_DIMENSION] = {0};
	bool found = false;
	mpz_t value;
	mpz_t best;

	(void) memory;
	mpz_inits(value, best, NULL);
	answer->nodes = 0;
	do
	{
		if (!grid_contains(grid, index))
			continue;
		answer->nodes++;
		oracle_objective(value, problem, index);
		/* Strictly less: the first of equals in the public order stays. */
		if (!found || mpz_cmp(value, best) < 0)
		{
			found = true;
			mpz_set(best, value);
			memcpy(answer->index, index, sizeof(index));
		}
	} while (advance(grid, index));
	mpz_clears(value, best, NULL);
	answer->loss = instance_loss(problem->instance, grid, answer->index);
}

/*
 * oracle.c - entry of the certified oracle, and the exact reduction of unbounded
 * rewards to int64 costs.
 */
#include "core/optimum/oracle_internal.h"
#include "core/base/integers.h"
#include "core/base/mutant.h"

#include <string.h>

bool
incumbent_precedes(const OracleModel *model, const Incumbent *a, const Incumbent *b)
{
	if (a->value != b->value)
		return a->value < b->value;
	if (MUTANT(5))
		return instance_loss(model->instance, model->grid, a->index) <
			   instance_loss(model->instance, model->grid, b->index);
	return grid_compare(model->grid, a->index, b->index) < 0;
}

/* a - b, which is at least 0; ORACLE_LIMIT if it is that or more. */
static int64_t
capped_difference(const mpz_t a, const mpz_t b)
{
	int64_t difference;
	mpz_t exact;

	mpz_init(exact);
	mpz_sub(exact, a, b);
	difference = mpz_clamped(exact);
	mpz_clear(exact);
	return difference < ORACLE_LIMIT ? difference : ORACLE_LIMIT;
}

/*
 * Keeps the levels of one coordinate that can be optimal, and adds the largest kept cost to total;
 * false if a cost or total reaches the limit.  The cost of a level is the largest reward of the
 * coordinate less that of the level, at least 0: a constant per coordinate, which changes no
 * argmin, is added to the objective.
 *
 * On a product grid, which ends in one state, a level i whose cost exceeds span (here N times the
 * span of the loss) is never optimal: exchange it for the level of cost 0, which stays in the grid.
 * The loss term rises by at most span, the cost falls by more, so the objective falls strictly; no
 * optimum is lost, not even a tied one.
 */
static bool
reduce_coordinate(const OracleProblem *problem, OracleModel *model, int j, Wide span, Wide *total)
{
	const mpz_t *reward = problem->reward + (size_t) j * GRID_MAX_LEVELS;
	int64_t largest = 0;
	int best = 0;

	for (int i = 1; i < problem->grid->levels[j]; i++)
		if (mpz_cmp(reward[i], reward[best]) > 0)
			best = i;
	for (int i = 0; i < problem->grid->levels[j]; i++)
	{
		int64_t cost = capped_difference(reward[best], reward[i]);

		if (problem->grid->constraint == GRID_PRODUCT && cost > span)
			continue;
		if (cost >= ORACLE_LIMIT)
			return false;
		model->box.levels[j] |= UINT64_C(1) << i;
		model->cost[j][i] = cost;
		largest = cost > largest ? cost : largest;
	}
	*total += largest;
	return *total < ORACLE_LIMIT;
}

/* The same for the accepting states, all of which are kept. */
static bool
reduce_ends(const OracleProblem *problem, OracleModel *model, Wide *total)
{
	const mpz_t *reward = problem->level_reward;
	int64_t largest = 0;
	int best = -1;

	if (reward == NULL)
		return true;
	for (int s = 0; s < grid_states(problem->grid); s++)
		if (grid_accepts(problem->grid, s) && (best < 0 || mpz_cmp(reward[s], reward[best]) > 0))
			best = s;
	for (int s = 0; s < grid_states(problem->grid); s++)
	{
		if (!grid_accepts(problem->grid, s))
			continue;
		model->end_cost[s] = capped_difference(reward[best], reward[s]);
		if (model->end_cost[s] >= ORACLE_LIMIT)
			return false;
		largest = model->end_cost[s] > largest ? model->end_cost[s] : largest;
	}
	*total += largest;
	return *total < ORACLE_LIMIT;
}

bool
oracle_reduce(const OracleProblem *problem, OracleModel *model)
{
	Wide span = (Wide) problem->scale * instance_span(problem->instance);
	Wide total = span;
	bool fits = problem->scale < (uint64_t) ORACLE_LIMIT && span < ORACLE_LIMIT;

	memset(model, 0, sizeof(*model));
	model->instance = problem->instance;
	model->grid = problem->grid;
	for (int j = 0; fits && j < problem->grid->dimension; j++)
		fits = reduce_coordinate(problem, model, j, span, &total);
	fits = fits && reduce_ends(problem, model, &total);
	model->scale = fits ? (int64_t) problem->scale : 0;
	return fits;
}

/*
 * Chosen by measurement on adult23 and wider sets: more local search costs more time than it saves.
 */
const OracleEffort oracle_default_effort = {
	.table_entries = INT64_C(1) << 22,
	.open_bytes = INT64_C(1) << 26,
	.task_bytes = INT64_C(1) << 22,
	.restarts = 4,
	.descents = 4,
	.descent_every = 64,
};

/*
 * If the numbers exceed int64 (R1), every vector is tried in big integers: exact and finite, but
 * slow, and without progress reports.  A product grid needs this only if scale * span * (dimension
 * + 1) is 2^58 or more.  A constrained grid also needs it if the rewards add up to 2^58, which is
 * more than 10 times the mean radius of any gauge in use (128 coordinates, 33 levels, epsilon =
 * 10^-9): the tail of that sum of geometric variables is below 2^-100.
 */
void
oracle_search(const OracleProblem *problem, Memory *memory, OracleAnswer *answer)
{
	OracleProblem whole = *problem;

	whole.node_limit = ORACLE_NO_LIMIT;
	if (!oracle_search_within(&whole, memory, answer))
		oracle_enumerate(problem, memory, answer);
}

bool
oracle_search_within(const OracleProblem *problem, Memory *memory, OracleAnswer *answer)
{
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));
	bool fits = oracle_reduce(problem, model);

	if (fits)
	{
		oracle_solve(model, &oracle_default_effort, problem, problem->node_limit, memory, answer);
		answer->loss = instance_loss(problem->instance, problem->grid, answer->index);
	}
	memory_release(memory, model);
	return fits;
}

void
choices_list(Choices *choices, const Grid *grid, const Box *box)
{
	for (int j = 0; j < grid->dimension; j++)
	{
		choices[j].count = 0;
		for (uint64_t left = box->levels[j]; left != 0; left &= left - 1)
		{
			int i = __builtin_ctzll(left);

			choices[j].index[choices[j].count] = (int8_t) i;
			choices[j].weight[choices[j].count] = grid->level[j][i];
			choices[j].count++;
		}
	}
}

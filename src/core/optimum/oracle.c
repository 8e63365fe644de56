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

int
oracle_end_state(const Grid *grid, const int *index)
{
	int state = 0;

	for (int j = 0; j < grid->dimension && state >= 0; j++)
		state = grid_step(grid, state, j, index[j]);
	return state >= 0 && grid_accepts(grid, state) ? state : -1;
}

/*
 * cost = largest reward of the coordinate - reward of the level, at least 0.
 * This subtracts a constant per coordinate from the objective's negative, so no
 * argmin changes.
 */
static void
level_cost(mpz_t cost, const OracleProblem *problem, int j, int i)
{
	const mpz_t *reward = problem->reward + (size_t) j * GRID_MAX_LEVELS;
	int best = 0;

	for (int k = 1; k < problem->grid->levels[j]; k++)
		if (mpz_cmp(reward[k], reward[best]) > 0)
			best = k;
	mpz_sub(cost, reward[best], reward[i]);
}

/* mpz_get_si() returns a long, which has only 32 bits on some systems. value is below 2^62. */
static int64_t
small_value(const mpz_t value)
{
	uint64_t word = 0;

	mpz_export(&word, NULL, -1, sizeof(word), 0, 0, value);
	return (int64_t) word;
}

/*
 * Keep the levels of one coordinate that can be optimal, and add the largest
 * kept cost to total; false when total reaches the limit.
 *
 * On a product grid, which ends in one state, a level i whose cost exceeds span (here N times the
 * span of the loss) is never optimal: exchange it for the level of cost 0, which stays in the grid.
 * The loss term rises by at most span, the cost falls by more, so the objective falls strictly; no
 * optimum is lost, not even a tied one.
 */
static bool
reduce_coordinate(const OracleProblem *problem, OracleModel *model, int j, const mpz_t span,
				  mpz_t total, mpz_t cost)
{
	int64_t largest = 0;

	model->box.levels[j] = 0;
	for (int i = 0; i < problem->grid->levels[j]; i++)
	{
		model->cost[j][i] = 0;
		level_cost(cost, problem, j, i);
		if (problem->grid->constraint == GRID_PRODUCT && mpz_cmp(cost, span) > 0)
			continue;
		if (mpz_sizeinbase(cost, 2) > 58)
			return false;
		model->box.levels[j] |= UINT64_C(1) << i;
		model->cost[j][i] = small_value(cost);
		if (model->cost[j][i] > largest)
			largest = model->cost[j][i];
	}
	mpz_from_word(cost, (uint64_t) largest);
	mpz_add(total, total, cost);
	return mpz_sizeinbase(total, 2) <= 58;
}

/*
 * end_cost = largest reward of an accepting state - reward of the state, and the
 * largest of these is added to total; false when total reaches the limit.
 */
static bool
reduce_ends(const OracleProblem *problem, OracleModel *model, mpz_t total, mpz_t cost)
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
		mpz_sub(cost, reward[best], reward[s]);
		if (mpz_sizeinbase(cost, 2) > 58)
			return false;
		model->end_cost[s] = small_value(cost);
		if (model->end_cost[s] > largest)
			largest = model->end_cost[s];
	}
	mpz_from_word(cost, (uint64_t) largest);
	mpz_add(total, total, cost);
	return mpz_sizeinbase(total, 2) <= 58;
}

bool
oracle_reduce(const OracleProblem *problem, OracleModel *model)
{
	mpz_t span;
	mpz_t total;
	mpz_t scratch;
	bool fits;

	mpz_inits(span, total, scratch, NULL);
	mpz_from_word(scratch, problem->scale);
	mpz_from_word(span, (uint64_t) instance_span(problem->instance));
	mpz_mul(span, span, scratch);
	mpz_set(total, span);

	model->instance = problem->instance;
	model->grid = problem->grid;
	memset(model->cost, 0, sizeof(model->cost));
	memset(model->end_cost, 0, sizeof(model->end_cost));
	memset(&model->box, 0, sizeof(model->box));
	/* R1: 58 bits are "below 2^58"; scale alone may be larger where there is no row. */
	fits = mpz_sizeinbase(span, 2) <= 58 && problem->scale < (uint64_t) ORACLE_LIMIT;
	for (int j = 0; fits && j < problem->grid->dimension; j++)
		fits = reduce_coordinate(problem, model, j, span, total, scratch);
	fits = fits && reduce_ends(problem, model, total, scratch);
	model->scale = fits ? (int64_t) problem->scale : 0;
	mpz_clears(span, total, scratch, NULL);
	return fits;
}

/*
 * Chosen by measurement on adult23 and wider sets: more local search costs more time than it saves.
 */
const OracleEffort oracle_usual_effort = {
	.table_entries = INT64_C(1) << 22,
	.open_bytes = INT64_C(1) << 26,
	.task_bytes = INT64_C(1) << 22,
	.restarts = 4,
	.walks = 4,
	.walk_every = 64,
};

/*
 * Where the numbers do not fit int64 (R1) every vector is tried in big integers:
 * exact and finite, if slow.  A product grid comes here only if scale * span *
 * (dimension + 1) is 2^58 or more.  A constrained grid also comes here if the
 * rewards add up to 2^58, more than 10 times the mean radius of any gauge in
 * use (128 coordinates, 33 levels, epsilon = 10^-9): the tail of that sum of
 * geometric variables is below 2^-100.  That case has no progress to report.
 */
void
oracle_search(const OracleProblem *problem, Memory *memory, OracleAnswer *answer)
{
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));

	if (oracle_reduce(problem, model))
	{
		oracle_solve(model, &oracle_usual_effort, problem, ORACLE_NO_LIMIT, memory, answer);
		answer->loss = instance_loss(problem->instance, problem->grid, answer->index);
	}
	else
		oracle_enumerate(problem, memory, answer);
	memory_release(memory, model);
}

bool
oracle_search_within(const OracleProblem *problem, Memory *memory, OracleAnswer *answer)
{
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));
	bool fits = oracle_reduce(problem, model);

	if (fits)
	{
		oracle_solve(model, &oracle_usual_effort, problem, problem->node_limit, memory, answer);
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

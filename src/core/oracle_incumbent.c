/*
 * oracle_incumbent.c - descent by single moves and pairs of moves.
 *
 * The loss is  constant + sum over rows of net [net > 0] - net [score > 0], so a
 * move changes it by the sum of -net over the rows that turn positive, less
 * that over the rows that turn back.
 */
#include "core/oracle_incumbent.h"

#include <string.h>

#include "core/mutant.h"

#define RESTART_EFFORT INT64_C(20000000) /* non-zeros: some tens of milliseconds */
#define DESCENT_EFFORT INT64_C(2000000)

/* Coordinate j goes to level index i. */
typedef struct Move
{
	int j;
	int i;
	int64_t change; /* of the objective */
} Move;

static void
list_columns(LocalSearch *search, Memory *memory)
{
	const Instance *instance = search->model->instance;
	int dimension = instance->dimension;
	int64_t count = instance->rows * dimension;
	int64_t k = 0;

	search->first = memory_allocate_zero(memory, (size_t) dimension + 1, sizeof(int64_t));
	for (int64_t e = 0; e < count; e++)
		k += instance->x[e] != 0;
	search->row = memory_allocate(memory, (size_t) k, sizeof(int64_t));
	search->value = memory_allocate(memory, (size_t) k, sizeof(int32_t));
	k = 0;
	for (int j = 0; j < dimension; j++)
	{
		search->first[j] = k;
		for (int64_t r = 0; r < instance->rows; r++)
			if (instance->x[r * dimension + j] != 0)
			{
				search->row[k] = r;
				search->value[k] = instance->x[r * dimension + j];
				k++;
			}
	}
	search->first[dimension] = k;
}

void
local_search_create(LocalSearch *search, const OracleModel *model, Memory *memory)
{
	memset(search, 0, sizeof(*search));
	search->model = model;
	search->random = UINT64_C(0x9E3779B97F4A7C15);
	choices_list(search->choices, model->grid, &model->box);
	list_columns(search, memory);
	search->score = memory_allocate(memory, (size_t) model->instance->rows, sizeof(int64_t));
}

void
local_search_destroy(LocalSearch *search, Memory *memory)
{
	memory_release(memory, search->score);
	memory_release(memory, search->value);
	memory_release(memory, search->row);
	memory_release(memory, search->first);
}

/*
 * xorshift64.  This steers a heuristic whose result is checked by the exact
 * search; it is no noise and has nothing to do with privacy.
 */
static uint64_t
pseudo_random(LocalSearch *search)
{
	search->random ^= search->random << 13;
	search->random ^= search->random >> 7;
	search->random ^= search->random << 17;
	return search->random >> 11;
}

/* How the loss would change if weight * column j were added to the scores. */
static int64_t
loss_change(LocalSearch *search, int j, int weight)
{
	const int64_t *net = search->model->instance->net;
	int64_t change = 0;

	for (int64_t k = search->first[j]; k < search->first[j + 1]; k++)
	{
		int64_t before = search->score[search->row[k]];
		int64_t after = before + (int64_t) weight * search->value[k];

		change -= net[search->row[k]] * ((after > 0) - (before > 0));
	}
	search->effort += search->first[j + 1] - search->first[j];
	return change;
}

static void
add_column(LocalSearch *search, int j, int weight)
{
	for (int64_t k = search->first[j]; k < search->first[j + 1]; k++)
		search->score[search->row[k]] += (int64_t) weight * search->value[k];
}

static int
weight_change(const LocalSearch *search, int j, int i)
{
	const int8_t *level = search->model->grid->level[j];

	return level[i] - level[search->index[j]];
}

static int64_t
move_change(LocalSearch *search, int j, int i)
{
	const OracleModel *model = search->model;

	return model->scale * loss_change(search, j, weight_change(search, j, i)) + model->cost[j][i] -
		   model->cost[j][search->index[j]];
}

static void
make_move(LocalSearch *search, Move move)
{
	add_column(search, move.j, weight_change(search, move.j, move.i));
	search->index[move.j] = move.i;
	search->objective += move.change;
}

static void
start_from(LocalSearch *search, const int *index)
{
	const OracleModel *model = search->model;
	const Instance *instance = model->instance;
	int64_t loss = 0;

	memcpy(search->index, index, sizeof(search->index));
	if (instance->rows > 0)
		memset(search->score, 0, (size_t) instance->rows * sizeof(int64_t));
	search->objective = 0;
	for (int j = 0; j < instance->dimension; j++)
	{
		int weight = model->grid->level[j][index[j]];

		if (weight != 0)
			add_column(search, j, weight);
		search->objective += model->cost[j][index[j]];
	}
	for (int64_t r = 0; r < instance->rows; r++)
	{
		int64_t net = instance->net[r];

		loss += (net > 0 ? net : 0) - (search->score[r] > 0 ? net : 0);
	}
	search->objective += model->scale * loss;
}

static void
keep_if_better(LocalSearch *search)
{
	Incumbent *best = &search->best;

	if (search->found && search->objective > best->value)
		return;
	if (search->found && search->objective == best->value &&
		(MUTANT(5) ? instance_loss(search->model->instance, search->model->grid, search->index) -
						 instance_loss(search->model->instance, search->model->grid, best->index)
				   : grid_compare(search->model->grid, search->index, best->index)) >= 0)
		return;
	search->found = true;
	best->value = search->objective;
	memcpy(best->index, search->index, sizeof(best->index));
}

static bool
stays_in_grid(LocalSearch *search, int j, int i)
{
	int old = search->index[j];
	bool stays;

	if (search->model->grid->constraint == GRID_PRODUCT)
		return true;
	search->index[j] = i;
	stays = grid_contains(search->model->grid, search->index);
	search->index[j] = old;
	return stays;
}

/* The move of least change that leads into the grid, skipping one coordinate; j = -1: none. */
static Move
best_move(LocalSearch *search, int skip)
{
	Move best = {-1, 0, 0};

	for (int j = 0; j < search->model->grid->dimension; j++)
		for (int k = 0; j != skip && k < search->choices[j].count; k++)
		{
			int i = search->choices[j].index[k];
			int64_t change;

			if (i == search->index[j] || !stays_in_grid(search, j, i))
				continue;
			change = move_change(search, j, i);
			if (best.j < 0 || change < best.change)
				best = (Move){j, i, change};
		}
	return best;
}

/* Does moving coordinate j to the choice k, and another with it, get better? Then do so. */
static bool
try_pair(LocalSearch *search, int j, int k)
{
	int old = search->index[j];
	int64_t objective = search->objective;
	Move first = {j, 0, 0};
	Move second;

	if (k < 0 || k >= search->choices[j].count)
		return false;
	first.i = search->choices[j].index[k];
	first.change = move_change(search, j, first.i);
	make_move(search, first);
	second = best_move(search, j);
	if (second.j >= 0 && first.change + second.change < 0)
	{
		make_move(search, second);
		return true;
	}
	make_move(search, (Move){j, old, objective - search->objective});
	return false;
}

/* One improving pair of moves whose first goes to a neighbouring choice. */
static bool
improve_by_pair(LocalSearch *search)
{
	int dimension = search->model->grid->dimension;
	int start = (int) (pseudo_random(search) % (uint64_t) dimension);

	for (int step = 0; step < dimension && search->effort < search->allowance; step++)
	{
		int j = (start + step) % dimension;
		int k = 0;

		while (search->choices[j].index[k] != search->index[j])
			k++;
		if (try_pair(search, j, k - 1) || try_pair(search, j, k + 1))
			return true;
	}
	return false;
}

static void
descend(LocalSearch *search)
{
	do
	{
		for (;;)
		{
			Move move = best_move(search, -1);

			if (move.j < 0 || move.change >= 0)
				break;
			make_move(search, move);
		}
		keep_if_better(search);
	} while (search->effort < search->allowance && improve_by_pair(search));
	keep_if_better(search);
}

void
local_search_offer(LocalSearch *search, const int *index, bool walk)
{
	start_from(search, index);
	keep_if_better(search);
	if (!walk)
		return;
	search->effort = 0;
	search->allowance = DESCENT_EFFORT;
	descend(search);
}

/* Random costs, whose cheapest vector is a random one; near: mostly the best one's levels. */
static void
random_costs(LocalSearch *search, bool near, LevelCosts cost)
{
	for (int j = 0; j < search->model->grid->dimension; j++)
	{
		bool keep = near && pseudo_random(search) % 5 != 0;

		for (int k = 0; k < search->choices[j].count; k++)
		{
			int i = search->choices[j].index[k];

			cost[j][i] = (int64_t) (pseudo_random(search) % 1000);
			if (keep)
				cost[j][i] = i == search->best.index[j] ? 0 : 1000 + cost[j][i];
		}
	}
}

/* Start from the vector that these costs make the cheapest of the grid. */
static void
start_from_cheapest(LocalSearch *search, NoiseProgramme *noise, LevelCosts cost)
{
	int index[GRID_MAX_DIMENSION] = {0};

	(void) noise_minimise(noise, search->choices, cost);
	noise_argmin(noise, search->choices, cost, index);
	start_from(search, index);
	keep_if_better(search);
}

void
local_search_start(LocalSearch *search, NoiseProgramme *noise, int restarts, Memory *memory)
{
	LevelCosts *cost = memory_allocate_zero(memory, 1, sizeof(LevelCosts));

	start_from_cheapest(search, noise, *cost);
	search->effort = 0;
	search->allowance = RESTART_EFFORT;
	for (int r = 0; r < restarts && search->effort < RESTART_EFFORT; r++)
	{
		random_costs(search, r % 2 == 1, *cost);
		start_from_cheapest(search, noise, *cost);
		descend(search);
	}
	memory_release(memory, cost);
}

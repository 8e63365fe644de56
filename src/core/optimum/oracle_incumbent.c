/*
 * oracle_incumbent.c - descent by single moves and pairs of moves.
 *
 * The loss is  constant + sum over rows of net [net > 0] - net [score > 0], so a
 * move changes it by the sum of -net over the rows that turn positive, less
 * that over the rows that turn back.
 */
#include "core/optimum/oracle_incumbent.h"

#include <string.h>

#define RESTART_EFFORT INT64_C(20000000) /* non-zeros: some tens of milliseconds */
#define DESCENT_EFFORT INT64_C(2000000)

/* Coordinate j goes to level index i. */
typedef struct Move
{
	int j;
	int i;
	int end;        /* grid_end_state() after the move; -1: not in the grid */
	int64_t change; /* of the objective */
} Move;

static const int32_t one = FIXED_POINT_ONE;

typedef struct RunList
{
	RowRun *run; /* NULL: runs are only counted */
	int64_t runs;
	int64_t end; /* of the column's last run, or -1 */
} RunList;

static void
append_rows(RunList *list, int64_t first, int64_t end)
{
	if (first != list->end)
	{
		if (list->run != NULL)
			list->run[list->runs].first = (uint32_t) first;
		list->runs++;
	}
	if (list->run != NULL)
		list->run[list->runs - 1].end = (uint32_t) end;
	list->end = end;
}

static void
list_binary(RunList *list, const RowTables *rows, int j)
{
	for (const RowGroup *group = rows->group; group < rows->group + rows->groups; group++)
		if (column_set_has(group->scope, j))
			append_rows(list, group->first_row, group->end_row);
}

static void
list_numeric(RunList *list, const RowTables *rows, const int32_t *value)
{
	for (int64_t r = 0; r < rows->model->instance->rows; r++, value += rows->numerics)
		if (*value != 0)
			append_rows(list, r, r + 1);
}

/* Lists the runs of every column in run, or counts them; returns their number. */
static int64_t
list_columns(LocalSearch *search, RowRun *run)
{
	const RowTables *rows = search->rows;
	RunList list = {.run = run};
	int numeric = 0;

	for (int j = 0; j < search->model->grid->dimension; j++)
	{
		SparseColumn *column = &search->column[j];

		list.end = -1;
		*column = (SparseColumn){.first_run = list.runs, .value = &one};
		if (rows->is_numeric[j])
		{
			column->value = rows->value + numeric++;
			column->stride = rows->numerics;
			list_numeric(&list, rows, column->value);
		}
		else
			list_binary(&list, rows, j);
		column->end_run = list.runs;
	}
	return list.runs;
}

/* splitmix64's mixing function, which maps only -1 to 0; xorshift must not start at 0. */
static void
set_sequence(LocalSearch *search, int64_t number)
{
	uint64_t z = (uint64_t) number + 1;

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	search->random = z ^ (z >> 31);
}

void
local_search_create(LocalSearch *search, const RowTables *rows, const LocalSearch *owner,
					Memory *memory)
{
	const OracleModel *model = rows->model;

	if (owner != NULL)
		*search = *owner;
	else
	{
		memset(search, 0, sizeof(*search));
		search->model = model;
		search->rows = rows;
		set_sequence(search, 0);
		choices_list(search->choices, model->grid, &model->box);
		search->run = memory_allocate(memory, (size_t) list_columns(search, NULL), sizeof(RowRun));
		(void) list_columns(search, search->run);
	}
	search->borrows = owner != NULL;
	search->score = memory_allocate(memory, (size_t) model->instance->rows, sizeof(int64_t));
}

void
local_search_resume(LocalSearch *search, const Incumbent *best, int64_t number)
{
	search->best = *best;
	search->found = true;
	set_sequence(search, number);
}

void
local_search_destroy(LocalSearch *search, Memory *memory)
{
	memory_release(memory, search->score);
	if (!search->borrows)
		memory_release(memory, search->run);
}

/*
 * xorshift64.  It steers a heuristic whose result the exact search checks; it is not noise and does
 * not affect privacy.
 */
static uint64_t
pseudo_random(LocalSearch *search)
{
	search->random ^= search->random << 13;
	search->random ^= search->random >> 7;
	search->random ^= search->random << 17;
	return search->random >> 11;
}

/* Returns the change of the loss over a run of rows if weight * value is added to the scores. */
static int64_t
run_change(const LocalSearch *search, const SparseColumn *column, RowRun run, int64_t weight)
{
	const int64_t *net = search->rows->net;
	const int64_t *score = search->score;
	int64_t change = 0;

	if (column->stride == 0) /* the same sum, in a form that compilers vectorise */
	{
		int64_t step = weight * *column->value;

		for (int64_t r = run.first; r < run.end; r++)
			change -= net[r] * ((score[r] + step > 0) - (score[r] > 0));
		return change;
	}
	for (int64_t r = run.first; r < run.end; r++)
	{
		int64_t after = score[r] + weight * column->value[r * column->stride];

		change -= net[r] * ((after > 0) - (score[r] > 0));
	}
	return change;
}

/* Returns the change of the loss if weight * column j is added to the scores. */
static int64_t
loss_change(LocalSearch *search, int j, int weight)
{
	const SparseColumn *column = &search->column[j];
	int64_t change = 0;

	for (int64_t k = column->first_run; k < column->end_run; k++)
	{
		change += run_change(search, column, search->run[k], weight);
		search->effort += search->run[k].end - search->run[k].first;
	}
	return change;
}

static void
add_column(LocalSearch *search, int j, int weight)
{
	const SparseColumn *column = &search->column[j];

	for (int64_t k = column->first_run; k < column->end_run; k++)
		for (int64_t r = search->run[k].first; r < search->run[k].end; r++)
			search->score[r] += (int64_t) weight * column->value[r * column->stride];
}

static int
weight_change(const LocalSearch *search, int j, int i)
{
	const int8_t *level = search->model->grid->level[j];

	return level[i] - level[search->index[j]];
}

/* Returns the end state of the current vector with coordinate j at level i; -1: not in W. */
static int
end_state_with(LocalSearch *search, int j, int i)
{
	int old = search->index[j];
	int state;

	if (search->model->grid->constraint == GRID_PRODUCT)
		return 0;
	search->index[j] = i;
	state = grid_end_state(search->model->grid, search->index);
	search->index[j] = old;
	return state;
}

/* A vector outside the grid has no end state and no cost of it. */
static int64_t
end_cost(const LocalSearch *search, int end)
{
	return end >= 0 ? search->model->end_cost[end] : 0;
}

/* Measures the move of coordinate j to level i, which ends in the state end. */
static Move
measure_move(LocalSearch *search, int j, int i, int end)
{
	const OracleModel *model = search->model;
	int64_t loss = loss_change(search, j, weight_change(search, j, i));
	int64_t cost = model->cost[j][i] - model->cost[j][search->index[j]];

	cost += end_cost(search, end) - end_cost(search, search->end);
	return (Move){j, i, end, model->scale * loss + cost};
}

static void
make_move(LocalSearch *search, Move move)
{
	add_column(search, move.j, weight_change(search, move.j, move.i));
	search->index[move.j] = move.i;
	search->end = move.end;
	search->objective += move.change;
}

static void
start_from(LocalSearch *search, const int *index)
{
	const OracleModel *model = search->model;
	const Instance *instance = model->instance;
	int64_t loss = 0;

	memcpy(search->index, index, sizeof(search->index));
	search->end = grid_end_state(model->grid, index);
	if (instance->rows > 0)
		memset(search->score, 0, (size_t) instance->rows * sizeof(int64_t));
	search->objective = end_cost(search, search->end);
	for (int j = 0; j < instance->dimension; j++)
	{
		int weight = model->grid->level[j][index[j]];

		if (weight != 0)
			add_column(search, j, weight);
		search->objective += model->cost[j][index[j]];
	}
	for (int64_t r = 0; r < instance->rows; r++)
	{
		int64_t net = search->rows->net[r];

		loss += (net > 0 ? net : 0) - (search->score[r] > 0 ? net : 0);
	}
	search->objective += model->scale * loss;
}

void
local_search_offer(LocalSearch *search, const int *index, int64_t value)
{
	Incumbent now = {.value = value};

	memcpy(now.index, index, sizeof(now.index));
	if (search->found && !incumbent_precedes(search->model, &now, &search->best))
		return;
	search->found = true;
	search->best = now;
}

static void
keep_if_better(LocalSearch *search)
{
	local_search_offer(search, search->index, search->objective);
}

/* The move of least change that leads into the grid, skipping one coordinate; j = -1: none. */
static Move
best_move(LocalSearch *search, int skip)
{
	Move best = {.j = -1};

	for (int j = 0; j < search->model->grid->dimension; j++)
		for (int k = 0; j != skip && k < search->choices[j].count; k++)
		{
			int i = search->choices[j].index[k];
			int end = end_state_with(search, j, i);
			Move move;

			if (i == search->index[j] || end < 0)
				continue;
			move = measure_move(search, j, i, end);
			if (best.j < 0 || move.change < best.change)
				best = move;
		}
	return best;
}

/*
 * Moves coordinate j to the choice k and another coordinate, if the pair improves the objective.
 * The first move may leave the grid; the second must return to it.
 */
static bool
try_pair(LocalSearch *search, int j, int k)
{
	Move back = {.j = j, .i = search->index[j], .end = search->end};
	Move first;
	Move second;
	int i;

	if (k < 0 || k >= search->choices[j].count)
		return false;
	i = search->choices[j].index[k];
	first = measure_move(search, j, i, end_state_with(search, j, i));
	make_move(search, first);
	second = best_move(search, j);
	if (second.j >= 0 && first.change + second.change < 0)
	{
		make_move(search, second);
		return true;
	}
	back.change = -first.change;
	make_move(search, back);
	return false;
}

/* Makes one improving pair of moves, the first of which goes to a neighbouring choice. */
static bool
improve_by_pair(LocalSearch *search)
{
	int dimension = search->model->grid->dimension;
	int start = (int) (pseudo_random(search) % (uint64_t) dimension);

	for (int step = 0; step < dimension && search->effort < search->effort_limit; step++)
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
		while (search->effort < search->effort_limit)
		{
			Move move = best_move(search, -1);

			if (move.j < 0 || move.change >= 0)
				break;
			make_move(search, move);
		}
		keep_if_better(search);
	} while (search->effort < search->effort_limit && improve_by_pair(search));
	keep_if_better(search);
}

void
local_search_descend(LocalSearch *search, const int *index)
{
	start_from(search, index);
	search->effort = 0;
	search->effort_limit = DESCENT_EFFORT;
	descend(search);
}

/*
 * Draws random costs, whose cheapest vector is random; if near is set, most of its levels are the
 * best vector's.
 */
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

/* Starts from the grid's cheapest vector under these costs. */
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
	search->effort_limit = RESTART_EFFORT;
	for (int r = 0; r < restarts && search->effort < RESTART_EFFORT; r++)
	{
		random_costs(search, r % 2 == 1, *cost);
		start_from_cheapest(search, noise, *cost);
		descend(search);
	}
	memory_release(memory, cost);
}

/*
 * select_enumerate.c - walks through the outer configurations of a plan.
 *
 * The walk is a depth-first search over the coordinates.  It passes through each level list
 * forwards and backwards in turn: on a product grid that is the reflected mixed-radix Gray code
 * (Knuth 7.2.1.1), one step per configuration.  Under a constraint, branches without a completion
 * are left out, so exactly the grid is visited; consecutive configurations then differ in few
 * coordinates, because a coordinate that keeps its level is not touched.
 *
 * All state is a function of the current levels, in exact integers.  So a walker may move from any
 * configuration to any other, and a visitor sees values that depend on the configuration only, not
 * on the walker's history or thread.
 */
#include "core/exponential/select_internal.h"

#include <stdatomic.h>
#include <string.h>

/* The first table entry of a cell, counted from its start, that is predicted positive. */
static inline int64_t
threshold(const SelectCell *cell, int64_t score)
{
	/* score + t 2^FIXED_POINT_BITS > 0  iff  t > -score / 2^FIXED_POINT_BITS */
	int64_t entry = ((-score) >> FIXED_POINT_BITS) + 1 - cell->low;

	if (entry < 0)
		return 0;
	return entry < cell->size ? entry : cell->size;
}

/*
 * A row adds -net where it is predicted positive: with base = sum of the
 * positive nets this is the loss of instance.h.
 */
static inline void
move_threshold(int64_t *table, int64_t from, int64_t to, int64_t net)
{
	for (int64_t k = to; k < from; k++)
		table[k] -= net;
	for (int64_t k = from; k < to; k++)
		table[k] += net;
}

static void
step_numeric(SelectWalker *walker, const SelectColumn *column, int difference)
{
	const SelectPlan *plan = walker->plan;

	for (int64_t k = 0; k < column->entries; k++)
	{
		SelectEntry entry = column->entry[k];
		const SelectCell *cell = &plan->cell[plan->row_cell[entry.target]];
		int64_t before = walker->score[entry.target];
		int64_t after = before + (int64_t) difference * entry.value;

		walker->score[entry.target] = after;
		move_threshold(walker->table + cell->start, threshold(cell, before), threshold(cell, after),
					   plan->instance->net[entry.target]);
	}
	walker->stale = true;
}

/*
 * Dense scores are kept modulo 2^32.  Between configurations a walker may leave the range of int32,
 * in which the scores of the grid's vectors lie (instance.h), but it returns to the right residue.
 */
static void
step_dense(SelectWalker *walker, const SelectColumn *column, int difference)
{
	uint32_t *score = walker->dense_score;
	const int32_t *value = column->dense_value;
	int64_t rows = walker->plan->instance->rows;

	for (int64_t i = 0; i < rows; i++)
		score[i] += (uint32_t) difference * (uint32_t) value[i];
	walker->stale = true;
}

/* The loss of rows first .. end - 1 whose group weight adds shift to the score, less base. */
static int32_t
sum_dense_cell(const SelectWalker *walker, int64_t first, int64_t end, uint32_t shift)
{
	const uint32_t *score = walker->dense_score;
	const int32_t *net = walker->plan->dense_net;
	int32_t sum = 0;

	for (int64_t i = first; i < end; i++)
		sum -= net[i] & -((int32_t) (score[i] + shift) > 0);
	return sum;
}

static void
sum_dense_losses(SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;

	for (int64_t c = 0; c < plan->cells; c++)
		for (int v = 0; v < plan->levels; v++)
			walker->loss[plan->cell[c].loss + v] =
				sum_dense_cell(walker, plan->dense_first[c], plan->dense_first[c + 1],
							   (uint32_t) plan->weight[v] * FIXED_POINT_ONE);
}

/* Inlined for each common number of levels, which makes a draw a seventh faster. */
static inline void
step_binary_levels(SelectWalker *walker, const SelectColumn *column, int difference, int levels)
{
	const int *weight = walker->plan->weight;

	for (int64_t k = 0; k < column->entries; k++)
	{
		SelectEntry entry = column->entry[k];
		int64_t *table = walker->table + walker->position[entry.target];
		int64_t *loss = walker->loss + entry.value;

		for (int v = 0; v < levels; v++)
		{
			int offset = weight[v] - weight[0];

			loss[v] += table[offset + difference] - table[offset];
		}
		walker->position[entry.target] += difference;
	}
}

static void
step_binary(SelectWalker *walker, const SelectColumn *column, int difference)
{
	switch (walker->plan->levels)
	{
		case 1:
			step_binary_levels(walker, column, difference, 1);
			break;
		case 2:
			step_binary_levels(walker, column, difference, 2);
			break;
		case 3:
			step_binary_levels(walker, column, difference, 3);
			break;
		default:
			step_binary_levels(walker, column, difference, walker->plan->levels);
	}
}

static inline void
set_level(SelectWalker *walker, int depth, int level)
{
	const SelectColumn *column = &walker->plan->column[depth];
	int j = column->coordinate;
	int difference = walker->plan->grid->level[j][level];

	if (walker->index[j] == level)
		return;
	difference -= walker->plan->grid->level[j][walker->index[j]];
	walker->index[j] = level;
	if (walker->plan->dense)
		step_dense(walker, column, difference);
	else if (column->binary)
		step_binary(walker, column, difference);
	else
		step_numeric(walker, column, difference);
}

static void
sum_table_losses(SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;

	memset(walker->loss, 0, sizeof(int64_t) * (size_t) (plan->groups * plan->levels));
	for (int64_t c = 0; c < plan->cells; c++)
		for (int v = 0; v < plan->levels; v++)
			walker->loss[plan->cell[c].loss + v] +=
				walker->table[walker->position[c] + plan->weight[v] - plan->weight[0]];
}

static void
sum_losses(SelectWalker *walker)
{
	if (walker->plan->dense)
		sum_dense_losses(walker);
	else
		sum_table_losses(walker);
	walker->stale = false;
}

static bool
descend(SelectWalker *walker, int depth, int state)
{
	const SelectPlan *plan = walker->plan;
	const int16_t *next;
	int levels;
	int step;

	if (depth == plan->depths)
	{
		if (walker->stale)
			sum_losses(walker);
		return walker->visit(walker, walker->context);
	}
	next = plan->next + ((int64_t) depth * plan->states + state) * GRID_MAX_LEVELS;
	levels = plan->grid->levels[plan->column[depth].coordinate];
	step = walker->direction[depth];
	walker->direction[depth] = (int8_t) -step;
	for (int i = step > 0 ? 0 : levels - 1; i >= 0 && i < levels; i += step)
	{
		if (next[i] < 0)
			continue;
		set_level(walker, depth, i);
		if (!descend(walker, depth + 1, next[i]))
			return false;
	}
	return true;
}

void
select_visit_block(SelectWalker *walker, int64_t block, SelectVisit visit, void *context)
{
	const SelectPlan *plan = walker->plan;

	walker->block = block;
	walker->visit = visit;
	walker->context = context;
	memset(walker->direction, 1, sizeof(walker->direction));
	for (int depth = 0; depth < plan->block_depth; depth++)
		set_level(walker, depth, plan->prefix[block * plan->block_depth + depth]);
	(void) descend(walker, plan->block_depth, plan->state[block]);
}

/* One pass over all blocks; each thread takes the next block when it is free. */
typedef struct SelectPass
{
	SelectVisit visit;
	void *context;
	atomic_llong next;
} SelectPass;

typedef struct SelectWorker
{
	SelectPass *pass;
	SelectWalker *walker;
} SelectWorker;

static void
walk_blocks(void *context)
{
	const SelectWorker *worker = context;
	SelectPass *pass = worker->pass;
	int64_t block;

	while ((block = atomic_fetch_add(&pass->next, 1)) < worker->walker->plan->blocks)
		select_visit_block(worker->walker, block, pass->visit, pass->context);
}

void
select_visit_all(SelectTeam *team, SelectVisit visit, void *context)
{
	SelectPass pass = {.visit = visit, .context = context};
	SelectWorker worker[CREW_MAX_THREADS];
	void *worker_context[CREW_MAX_THREADS];

	atomic_init(&pass.next, 0);
	for (int k = 0; k < team->size; k++)
	{
		worker[k] = (SelectWorker){&pass, &team->walker[k]};
		worker_context[k] = &worker[k];
	}
	crew_run(team->size, walk_blocks, worker_context);
}

/* Scores at level 0 of every coordinate. */
static void
place_scores(SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;

	for (int depth = 0; depth < plan->depths; depth++)
	{
		const SelectColumn *column = &plan->column[depth];
		int weight = plan->grid->level[column->coordinate][0];

		if (plan->dense)
			step_dense(walker, column, weight);
		else if (!column->binary)
			for (int64_t k = 0; k < column->entries; k++)
				walker->score[column->entry[k].target] += (int64_t) weight * column->entry[k].value;
	}
}

static void
place_tables(SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;

	for (int64_t c = 0; c < plan->cells; c++)
		walker->position[c] = plan->cell[c].start;
	for (int64_t i = 0; i < plan->instance->rows; i++)
	{
		const SelectCell *cell = &plan->cell[plan->row_cell[i]];

		move_threshold(walker->table + cell->start, cell->size, threshold(cell, walker->score[i]),
					   plan->instance->net[i]);
	}
}

static void
allocate_walker(SelectWalker *walker, Memory *memory)
{
	const SelectPlan *plan = walker->plan;
	size_t rows = (size_t) plan->instance->rows;
	size_t losses = (size_t) (plan->groups * plan->levels);

	walker->loss = memory_allocate_zero(memory, losses, sizeof(int64_t));
	if (plan->dense)
	{
		walker->dense_score = memory_allocate_zero(memory, rows, sizeof(uint32_t));
		return;
	}
	walker->score = memory_allocate_zero(memory, rows, sizeof(int64_t));
	walker->table = memory_allocate_zero(memory, (size_t) plan->table_size, sizeof(int64_t));
	walker->position = memory_allocate(memory, (size_t) plan->cells, sizeof(int64_t));
}

void
select_team_create(SelectTeam *team, const SelectPlan *plan, int threads, Memory *memory)
{
	team->size = threads < plan->blocks ? threads : (int) plan->blocks;
	team->walker = memory_allocate_zero(memory, (size_t) team->size, sizeof(SelectWalker));
	for (int k = 0; k < team->size; k++)
	{
		SelectWalker *walker = &team->walker[k];

		walker->plan = plan;
		walker->number = k;
		allocate_walker(walker, memory);
		place_scores(walker);
		if (!plan->dense)
			place_tables(walker);
		walker->stale = true;
	}
}

void
select_team_destroy(SelectTeam *team, Memory *memory)
{
	for (int k = 0; k < team->size; k++)
	{
		memory_release(memory, team->walker[k].loss);
		memory_release(memory, team->walker[k].score);
		memory_release(memory, team->walker[k].table);
		memory_release(memory, team->walker[k].position);
		memory_release(memory, team->walker[k].dense_score);
	}
	memory_release(memory, team->walker);
}

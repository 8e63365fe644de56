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

#include "core/base/mutant.h"

static void
step_score(SelectWalker *walker, int depth, int level)
{
	const SelectPlan *plan = walker->plan;
	int j = plan->column[depth].coordinate;
	int difference = plan->grid->level[j][level] - plan->grid->level[j][walker->index[j]];

	if (difference != 0)
		plan->kernel->step(walker->score, plan->column[depth].value, plan->rows.count, difference);
	walker->index[j] = level;
}

/*
 * Makes the tables of the first layer.  A row adds -net where it is predicted positive: with base =
 * sum of the positive nets this is the loss of instance.h.
 */
static void
make_first_layer(SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;
	const SelectLayer *layer = &plan->layer[plan->scored];
	uint64_t *table = walker->table + layer->start;

	if (MUTANT(212) && plan->scored > 0 &&
		walker->index[plan->column[plan->scored - 1].coordinate] > 0)
		return;
	memset(table, 0, (size_t) layer->words * sizeof(uint64_t));
	plan->kernel->tabulate(table, walker->score, &plan->rows);
	for (int64_t c = 0; c < layer->cells; c++)
	{
		for (int32_t k = 1; k < plan->first_size[c]; k++)
			table[k] += table[k - 1];
		table += select_table_words(plan->first_size[c]);
	}
}

/*
 * Makes the tables of the next layer for a level of a summed column.  Those of cells without the
 * column are the same for all levels, so they are copied for the first one only.
 */
static void
make_next_layer(SelectWalker *walker, int depth, int level, bool first)
{
	const SelectPlan *plan = walker->plan;
	const SelectLayer *layer = &plan->layer[depth];
	const uint64_t *from = walker->table + layer->start;
	uint64_t *to = walker->table + layer[1].start;
	const SelectMove *move = layer->move;
	int j = plan->column[depth].coordinate;
	int32_t shift = plan->grid->level[j][level] - plan->grid->level[j][0];

	plan->kernel->add(to, from, move, layer->sums, shift);
	move += layer->sums;
	if (first || !MUTANT(213))
		plan->kernel->copy_with(to, from, move, layer->copies_with, shift);
	move += layer->copies_with;
	if (first)
		plan->kernel->copy_without(to, from, move, layer->copies_without);
	walker->index[j] = level;
}

/*
 * Sums up for the levels that a state allows.  The scores of a dense plan leave the last column
 * out.
 */
static void
sum_dense(SelectWalker *walker, const int16_t *next)
{
	const SelectPlan *plan = walker->plan;
	const SelectColumn *last = &plan->column[plan->depths - 1];
	int8_t weight[GRID_MAX_LEVELS];
	int place[GRID_MAX_LEVELS] = {0};
	int64_t sum[GRID_MAX_LEVELS];
	int levels = 0;

	for (int i = 0; i < plan->grid->levels[last->coordinate]; i++)
		if (next[i] >= 0)
		{
			weight[levels] = plan->grid->level[last->coordinate][i];
			place[levels++] = i;
		}
	for (int g = 0; g < plan->groups; g++)
	{
		int64_t first = plan->dense_first[g];
		SelectRun run = {walker->score + first, last->value + first, plan->dense_net + first,
						 plan->dense_first[g + 1] - first};

		for (int v = 0; v < plan->levels; v++)
		{
			plan->kernel->sum(sum, &run, weight, levels, -plan->weight[v] * FIXED_POINT_ONE);
			for (int i = 0; i < levels; i++)
				walker->dense_sum[(place[i] * plan->groups + g) * plan->levels + v] = sum[i];
		}
	}
}

/*
 * Sets the losses from the last layer: the tables that would follow it have no other use.  shift:
 * of the level of the last column, if that is summed.
 */
static inline void
set_losses(SelectWalker *walker, int32_t shift, bool first)
{
	const SelectPlan *plan = walker->plan;
	int depth = plan->scored < plan->depths ? plan->depths - 1 : plan->depths;
	const uint64_t *table = walker->table + plan->layer[depth].start;
	const uint64_t *shifted = table + shift;
	int count = plan->groups * plan->levels;

	for (int i = 0; i < count && first; i++)
		walker->fixed[i] = (int64_t) table[plan->without[i]];
	for (int i = 0; i < count; i++)
		walker->loss[i] = walker->fixed[i] + (int64_t) shifted[plan->with[i]];
}

static inline void
set_summed_losses(SelectWalker *walker, int depth, int level, bool first)
{
	const Grid *grid = walker->plan->grid;
	int j = walker->plan->column[depth].coordinate;

	walker->index[j] = level;
	set_losses(walker, grid->level[j][level] - grid->level[j][0], first);
}

static void
set_dense_losses(SelectWalker *walker, int level)
{
	int64_t losses = walker->plan->groups * walker->plan->levels;

	walker->index[walker->plan->column[walker->plan->depths - 1].coordinate] = level;
	memcpy(walker->loss, walker->dense_sum + level * losses, (size_t) losses * sizeof(int64_t));
}

/* Moves to a level of a depth; first: to the first one since a coordinate before it has moved. */
static inline void
set_level(SelectWalker *walker, int depth, int level, bool first)
{
	const SelectPlan *plan = walker->plan;

	walker->cost[depth + 1] =
		walker->cost[depth] + plan->prior.cost[plan->column[depth].coordinate][level];
	if (depth >= plan->scored && depth == plan->depths - 1)
		set_summed_losses(walker, depth, level, first);
	else if (depth >= plan->scored)
		make_next_layer(walker, depth, level, first);
	else if (plan->dense && depth == plan->depths - 1)
		set_dense_losses(walker, level);
	else
		step_score(walker, depth, level);
}

static inline const int16_t *
steps_from(const SelectPlan *plan, int depth, int state)
{
	return plan->next + ((int64_t) depth * plan->states + state) * GRID_MAX_LEVELS;
}

/*
 * Makes what all levels of a depth are computed from, once those before it are set and lead to a
 * state.
 */
static inline void
enter(SelectWalker *walker, int depth, int state)
{
	const SelectPlan *plan = walker->plan;

	if (!plan->dense && depth == plan->scored)
		make_first_layer(walker);
	else if (plan->dense && depth == plan->depths - 1)
		sum_dense(walker, steps_from(plan, depth, state));
}

static bool
descend(SelectWalker *walker, int depth, int state)
{
	const SelectPlan *plan = walker->plan;
	const int16_t *next;
	bool first = true;
	int levels;
	int step;

	enter(walker, depth, state);
	if (depth == plan->depths)
	{
		if (!plan->dense && plan->scored == plan->depths)
			set_losses(walker, 0, true);
		return walker->visit(walker, walker->context);
	}
	next = steps_from(plan, depth, state);
	levels = plan->grid->levels[plan->column[depth].coordinate];
	step = walker->direction[depth];
	walker->direction[depth] = (int8_t) -step;
	for (int i = step > 0 ? 0 : levels - 1; i >= 0 && i < levels; i += step)
	{
		if (next[i] < 0)
			continue;
		set_level(walker, depth, i, first);
		first = false;
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
	{
		enter(walker, depth, 0); /* a dense plan's blocks end before its last column */
		set_level(walker, depth, plan->prefix[block * plan->block_depth + depth], true);
	}
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

/* The scores at level 0 of every coordinate. */
static void
place_scores(SelectWalker *walker)
{
	const SelectPlan *plan = walker->plan;

	for (int depth = 0; depth < plan->scored - plan->dense; depth++)
		plan->kernel->step(walker->score, plan->column[depth].value, plan->rows.count,
						   plan->grid->level[plan->column[depth].coordinate][0]);
}

static void
allocate_walker(SelectWalker *walker, Memory *memory)
{
	const SelectPlan *plan = walker->plan;
	size_t losses = (size_t) (plan->groups * plan->levels);

	walker->fixed = memory_allocate_zero(memory, losses, sizeof(int64_t));
	walker->loss = memory_allocate_zero(memory, losses, sizeof(int64_t));
	walker->score = memory_allocate_zero(memory, (size_t) plan->rows.count, sizeof(uint32_t));
	if (plan->dense)
		walker->dense_sum = memory_allocate_zero(memory, losses * GRID_MAX_LEVELS, sizeof(int64_t));
	else
		walker->table = memory_allocate_zero(memory, (size_t) plan->table_words, sizeof(uint64_t));
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
	}
}

void
select_team_destroy(SelectTeam *team, Memory *memory)
{
	for (int k = 0; k < team->size; k++)
	{
		memory_release(memory, team->walker[k].fixed);
		memory_release(memory, team->walker[k].loss);
		memory_release(memory, team->walker[k].score);
		memory_release(memory, team->walker[k].table);
		memory_release(memory, team->walker[k].dense_sum);
	}
	memory_release(memory, team->walker);
}

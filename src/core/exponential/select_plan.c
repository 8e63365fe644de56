/*
 * select_plan.c - prepares an enumeration: cells of rows, the columns in the
 * order in which they change, the grid's automaton in that order, and blocks.
 * See select_internal.h for the terms.
 */
#include "core/exponential/select_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Enough blocks to keep 64 threads busy, each large enough to be worth its start. */
#define MAX_BLOCKS 512
#define BLOCK_CONFIGURATIONS 4096

/*
 * Identifies a row's cell: its group column, and the columns that can be summed.  The bits of the
 * pattern are the columns from the last depth on, the last one highest, so that rows that agree in
 * the last depths follow one another.
 */
typedef struct RowKey
{
	uint128 pattern;
	int32_t group;
	int32_t row;
} RowKey;

uint64_t
select_cost(const Grid *grid, SelectGroup group)
{
	uint64_t cost = 1;

	if (group.size == 0)
		return grid_size(grid);
	for (int j = 0; j < grid->dimension; j++)
		if (!select_is_grouped(group, j) &&
			__builtin_mul_overflow(cost, (uint64_t) grid->levels[j], &cost))
			return UINT64_MAX;
	return cost;
}

/* The coordinate of a group whose levels are those of all: one with the most. */
static int
widest_of(const Grid *grid, SelectGroup group)
{
	int widest = group.first;

	for (int j = group.first + 1; j < group.first + group.size; j++)
		if (grid->levels[j] > grid->levels[widest])
			widest = j;
	return widest;
}

/* The place of a coordinate's first level among the levels of another; -1 if it is not there. */
static int
place_of_first(const Grid *grid, int coordinate, int among)
{
	for (int i = 0; i < grid->levels[among]; i++)
		if (grid->level[among][i] == grid->level[coordinate][0])
			return i;
	return -1;
}

bool
select_group_is_valid(const Grid *grid, SelectGroup group)
{
	int widest;

	if (group.size == 0)
		return group.first == 0;
	if (grid->constraint != GRID_PRODUCT || group.first + group.size > grid->dimension)
		return false;
	widest = widest_of(grid, group);
	for (int j = group.first; j < group.first + group.size; j++)
		if (!grid_equal_levels(grid, j, widest) &&
			(grid->levels[j] > 1 || place_of_first(grid, j, widest) < 0))
			return false;
	return true;
}

/* Summing out a group of one column saves nothing. */
static bool
can_be_summed_out(const Grid *grid, SelectGroup group)
{
	return group.size > 1 && select_group_is_valid(grid, group);
}

SelectGroup
select_cheapest_group(const Grid *grid, const int16_t *group_sizes, int groups)
{
	SelectGroup best = {0, 0};
	int first = 0;

	for (int g = 0; g < groups; first += group_sizes[g++])
	{
		SelectGroup group = {first, group_sizes[g]};

		if (can_be_summed_out(grid, group) && select_cost(grid, group) < select_cost(grid, best))
			best = group;
	}
	return best;
}

static int32_t
feature(const SelectPlan *plan, int64_t row, int coordinate)
{
	return plan->instance->x[row * plan->instance->dimension + coordinate];
}

static void
describe_group(SelectPlan *plan, SelectGroup group)
{
	const Grid *grid = plan->grid;
	int widest;

	plan->groups = 1;
	plan->first = -1;
	plan->levels = 1;
	plan->weight[0] = 0;
	plan->from[0] = 0;
	plan->end[0] = 1;
	assert(select_group_is_valid(grid, group));
	if (group.size == 0)
		return;
	widest = widest_of(grid, group);
	plan->groups = group.size;
	plan->first = group.first;
	plan->levels = grid->levels[widest];
	for (int v = 0; v < plan->levels; v++)
		plan->weight[v] = grid->level[widest][v];
	for (int g = 0; g < group.size; g++)
	{
		plan->from[g] = (int8_t) place_of_first(grid, group.first + g, widest);
		plan->end[g] = (int8_t) (plan->from[g] + grid->levels[group.first + g]);
	}
}

static void
sum_nets(SelectPlan *plan)
{
	plan->base = 0;
	for (int64_t i = 0; i < plan->instance->rows; i++)
		if (plan->instance->net[i] > 0)
			plan->base += plan->instance->net[i];
	plan->span = instance_span(plan->instance);
}

static int
row_group(const SelectPlan *plan, SelectGroup group, int64_t row)
{
	for (int g = 0; g < group.size; g++)
		if (feature(plan, row, group.first + g) != 0)
			return g;
	assert(group.size == 0);
	return 0;
}

static int
compare_keys(const void *left, const void *right)
{
	const RowKey *a = left;
	const RowKey *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->pattern != b->pattern)
		return a->pattern < b->pattern ? -1 : 1;
	return a->row - b->row;
}

/* Makes the rows' keys of the last columns, sorted. */
static RowKey *
make_keys(const SelectPlan *plan, SelectGroup group, int columns, Memory *memory)
{
	int64_t rows = plan->instance->rows;
	RowKey *keys = memory_allocate_zero(memory, (size_t) rows, sizeof(RowKey));

	for (int64_t i = 0; i < rows; i++)
	{
		keys[i].row = (int32_t) i;
		keys[i].group = row_group(plan, group, i);
		for (int k = 0; k < columns; k++)
			if (feature(plan, i, plan->column[plan->depths - columns + k].coordinate) != 0)
				keys[i].pattern |= (uint128) 1 << k;
	}
	qsort(keys, (size_t) rows, sizeof(RowKey), compare_keys);
	return keys;
}

/* The difference between the highest and the lowest level. */
static int32_t
level_range(const SelectPlan *plan, int depth)
{
	int j = plan->column[depth].coordinate;

	return plan->grid->level[j][plan->grid->levels[j] - 1] - plan->grid->level[j][0];
}

/*
 * Entries of the table of a cell with a pattern of the last columns: all sums that the full product
 * of the levels can have.
 */
static int32_t
table_entries(const SelectPlan *plan, uint128 pattern, int columns)
{
	int32_t entries = plan->weight[plan->levels - 1] - plan->weight[0] + 1;

	for (int k = 0; k < columns; k++)
		if (pattern >> k & 1)
			entries += level_range(plan, plan->depths - columns + k);
	return entries;
}

/* The lowest sum of a cell. */
static int32_t
table_low(const SelectPlan *plan, uint128 pattern, int columns)
{
	int32_t low = plan->weight[0];

	for (int k = 0; k < columns; k++)
		if (pattern >> k & 1)
			low += plan->grid->level[plan->column[plan->depths - columns + k].coordinate][0];
	return low;
}

/* Whether a key begins a new cell of this many last columns of all those that keys have. */
static bool
begins_cell(const RowKey *keys, int64_t i, int columns, int all)
{
	return i == 0 || keys[i].group != keys[i - 1].group ||
		   (columns > 0 && (keys[i].pattern ^ keys[i - 1].pattern) >> (all - columns) != 0);
}

/* Counts size[m], which is 0 at first, for each number m of summed columns. */
static void
measure_layers(const SelectPlan *plan, const RowKey *keys, int all, SelectSize *size)
{
	for (int64_t i = 0; i < plan->instance->rows; i++)
	{
		int32_t entries = table_entries(plan, keys[i].pattern, all);

		/* by fewer and fewer columns: the first of them is no longer summed */
		for (int m = all; m >= 0 && begins_cell(keys, i, m, all); m--)
		{
			size[m].cells++;
			size[m].words += (double) select_table_words(entries);
			if (m > 0 && keys[i].pattern >> (all - m) & 1)
				entries -= level_range(plan, plan->depths - m);
		}
	}
}

/* ---- tables ---- */

/* The cells of a layer, and where their tables begin in it. */
typedef struct CellList
{
	int64_t count;
	RowKey *key; /* row is unused */
	int32_t *start;
	int64_t words;
} CellList;

static CellList
list_create(int64_t most, Memory *memory)
{
	return (CellList){
		.key = memory_allocate(memory, (size_t) most, sizeof(RowKey)),
		.start = memory_allocate(memory, (size_t) most, sizeof(int32_t)),
	};
}

static void
list_destroy(CellList *list, Memory *memory)
{
	memory_release(memory, list->key);
	memory_release(memory, list->start);
}

static void
list_add(CellList *list, const SelectPlan *plan, RowKey key, int columns)
{
	list->key[list->count] = key;
	list->start[list->count] = (int32_t) list->words;
	list->words += select_table_words(table_entries(plan, key.pattern, columns));
	list->count++;
}

/*
 * Gives a layer its place.  Behind it are the words that may be read beyond its last table; behind
 * the last one they are 0 for as far as a level shifts.
 */
static void
place_layer(SelectPlan *plan, int depth, const CellList *list)
{
	int32_t shift = depth == plan->depths - 1 ? level_range(plan, depth) : 0;

	plan->layer[depth].cells = list->count;
	plan->layer[depth].start = plan->table_words;
	plan->layer[depth].words = list->words + SELECT_BLOCK + shift;
	plan->table_words += plan->layer[depth].words;
}

/* Lists how the tables of next are made of those of list; children of a cell are neighbours. */
static void
list_moves(SelectPlan *plan, int depth, const CellList *list, CellList *next, Memory *memory)
{
	SelectLayer *layer = &plan->layer[depth];
	int columns = plan->depths - depth;
	SelectMove *all = memory_allocate(memory, (size_t) list->count, sizeof(SelectMove));
	int64_t count = 0;

	for (int64_t c = 0; c < list->count; c++)
	{
		RowKey key = list->key[c];
		bool with = key.pattern & 1;

		key.pattern >>= 1;
		if (next->count == 0 || next->key[next->count - 1].group != key.group ||
			next->key[next->count - 1].pattern != key.pattern)
		{
			list_add(next, plan, key, columns - 1);
			all[next->count - 1] =
				(SelectMove){next->start[next->count - 1], -1, -1,
							 (int32_t) (next->words - next->start[next->count - 1])};
		}
		*(with ? &all[next->count - 1].with : &all[next->count - 1].without) = list->start[c];
	}
	layer->move = memory_allocate(memory, (size_t) next->count, sizeof(SelectMove));
	for (int64_t c = 0; c < next->count; c++)
		if (all[c].with >= 0 && all[c].without >= 0)
			layer->move[count++] = all[c];
	layer->sums = count;
	for (int64_t c = 0; c < next->count; c++)
		if (all[c].without < 0)
			layer->move[count++] = all[c];
	layer->copies_with = count - layer->sums;
	for (int64_t c = 0; c < next->count; c++)
		if (all[c].with < 0)
			layer->move[count++] = all[c];
	layer->copies_without = count - layer->sums - layer->copies_with;
	memory_release(memory, all);
}

/* Finds the words of the last layer of which each loss is the sum; 0 where there is no cell. */
static void
find_losses(SelectPlan *plan, const CellList *list, Memory *memory)
{
	int count = plan->groups * plan->levels;

	plan->without = memory_allocate(memory, (size_t) count, sizeof(int32_t));
	plan->with = memory_allocate(memory, (size_t) count, sizeof(int32_t));
	for (int i = 0; i < count; i++)
		plan->without[i] = plan->with[i] = (int32_t) list->words;
	for (int64_t c = 0; c < list->count; c++)
	{
		int32_t *word = list->key[c].pattern & 1 ? plan->with : plan->without;

		for (int v = 0; v < plan->levels; v++)
			word[list->key[c].group * plan->levels + v] =
				list->start[c] + plan->weight[v] - plan->weight[0];
	}
}

/* Places all layers but that of the end, from the cells of the first one. */
static void
make_layers(SelectPlan *plan, CellList *list, Memory *memory)
{
	place_layer(plan, plan->scored, list);
	for (int depth = plan->scored; depth < plan->depths - 1; depth++)
	{
		CellList next = list_create(list->count, memory);

		list_moves(plan, depth, list, &next, memory);
		place_layer(plan, depth + 1, &next);
		list_destroy(list, memory);
		*list = next;
	}
	find_losses(plan, list, memory);
	list_destroy(list, memory);
}

/* ---- rows ---- */

/*
 * Rows of a cell often enter the same word of its table, and one entry must then wait for the
 * other. So neighbours are taken from so many places.
 */
#define PLACES 16

/* The place in the order of the keys of each row of the plan. */
static int64_t *
order_rows(const SelectPlan *plan, Memory *memory)
{
	int64_t rows = plan->instance->rows;
	int64_t places = plan->dense ? 1 : PLACES;
	int64_t length = (rows + places - 1) / places;
	int64_t *order = memory_allocate(memory, (size_t) rows, sizeof(int64_t));
	int64_t count = 0;

	for (int64_t i = 0; i < length; i++)
		for (int64_t k = i; k < rows; k += length)
			order[count++] = k;
	return order;
}

/* Copies the features of the scored columns and the nets in the order of the plan. */
static void
copy_rows(SelectPlan *plan, const RowKey *keys, const int64_t *order, Memory *memory)
{
	size_t rows = (size_t) plan->instance->rows;

	plan->rows.count = plan->instance->rows;
	plan->rows.net = memory_allocate(memory, rows, sizeof(int64_t));
	for (size_t i = 0; i < rows; i++)
		plan->rows.net[i] = plan->instance->net[keys[order[i]].row];
	for (int k = 0; k < plan->scored; k++)
	{
		SelectColumn *column = &plan->column[k];

		column->value = memory_allocate(memory, rows, sizeof(int32_t));
		for (size_t i = 0; i < rows; i++)
			column->value[i] = feature(plan, keys[order[i]].row, column->coordinate);
	}
}

/* Makes the cells of the first layer and the rows' places in its tables. */
static CellList
make_first_cells(SelectPlan *plan, const RowKey *keys, const int64_t *order, int all, int64_t cells,
				 Memory *memory)
{
	int64_t rows = plan->instance->rows;
	int columns = plan->depths - plan->scored;
	CellList list = list_create(cells, memory);
	int32_t *cell = memory_allocate(memory, (size_t) rows, sizeof(int32_t));

	for (int64_t i = 0; i < rows; i++)
	{
		RowKey key = {.pattern = columns > 0 ? keys[i].pattern >> (all - columns) : 0,
					  .group = keys[i].group};

		if (begins_cell(keys, i, columns, all))
			list_add(&list, plan, key, columns);
		cell[i] = (int32_t) (list.count - 1);
	}
	plan->rows.start = memory_allocate(memory, (size_t) rows, sizeof(int32_t));
	plan->rows.low = memory_allocate(memory, (size_t) rows, sizeof(int32_t));
	plan->rows.size = memory_allocate(memory, (size_t) rows, sizeof(int32_t));
	for (int64_t i = 0; i < rows; i++)
	{
		int32_t c = cell[order[i]];

		plan->rows.start[i] = list.start[c];
		plan->rows.low[i] = table_low(plan, list.key[c].pattern, columns);
		plan->rows.size[i] = table_entries(plan, list.key[c].pattern, columns);
	}
	plan->first_size = memory_allocate(memory, (size_t) list.count, sizeof(int32_t));
	for (int64_t c = 0; c < list.count; c++)
		plan->first_size[c] = table_entries(plan, list.key[c].pattern, columns);
	memory_release(memory, cell);
	return list;
}

static void
make_dense(SelectPlan *plan, const RowKey *keys, Memory *memory)
{
	int64_t rows = plan->instance->rows;
	int64_t i = 0;

	plan->dense_net = memory_allocate(memory, (size_t) rows, sizeof(int32_t));
	for (int64_t k = 0; k < rows; k++)
		plan->dense_net[k] = (int32_t) plan->rows.net[k];
	for (int g = 0; g < plan->groups; g++)
	{
		plan->dense_first[g] = i;
		while (i < rows && keys[i].group == g)
			i++;
	}
	plan->dense_first[plan->groups] = i;
}

/* Orders the columns, decides which are summed, and prepares rows and tables for it. */
static void
arrange(SelectPlan *plan, SelectGroup group, SelectLayout layout, Memory *memory)
{
	SelectWork work = {0};
	CellList first = {0};
	int all = select_order_columns(plan, group, memory);
	RowKey *keys = make_keys(plan, group, all, memory);
	int64_t *order;
	int summed;

	measure_layers(plan, keys, all, work.size);
	work.most = all;
	summed = select_choose_summed(plan, &work, layout);
	if (summed == 0 && plan->grid->constraint != GRID_PRODUCT)
		select_order_publicly(plan);
	select_order_automaton(plan, memory);
	plan->scored = plan->depths - summed;
	plan->dense = summed == 0 && plan->depths > 0 && plan->span <= INT32_MAX;
	order = order_rows(plan, memory);
	copy_rows(plan, keys, order, memory);
	if (plan->dense)
		make_dense(plan, keys, memory);
	else
		first = make_first_cells(plan, keys, order, all, (int64_t) work.size[summed].cells, memory);
	memory_release(memory, order);
	memory_release(memory, keys);
	if (!plan->dense)
		make_layers(plan, &first, memory);
}

static int16_t *
steps_from(const SelectPlan *plan, int depth, int state)
{
	return plan->next + ((int64_t) depth * plan->states + state) * GRID_MAX_LEVELS;
}

/* Extends every prefix by the coordinate at block_depth; returns the new number. */
static int64_t
extend_prefixes(SelectPlan *plan, Memory *memory)
{
	int depth = plan->block_depth;
	int levels = plan->grid->levels[plan->column[depth].coordinate];
	size_t most = (size_t) plan->blocks * (size_t) levels;
	uint8_t *prefix = memory_allocate(memory, most, (size_t) depth + 1);
	int16_t *state = memory_allocate(memory, most, sizeof(int16_t));
	int64_t count = 0;

	for (int64_t b = 0; b < plan->blocks; b++)
	{
		const int16_t *next = steps_from(plan, depth, plan->state[b]);

		for (int i = 0; i < levels; i++)
		{
			uint8_t *extended = prefix + count * (depth + 1);

			if (next[i] < 0)
				continue;
			memcpy(extended, plan->prefix + b * depth, (size_t) depth);
			extended[depth] = (uint8_t) i;
			state[count++] = next[i];
		}
	}
	memory_release(memory, plan->prefix);
	memory_release(memory, plan->state);
	plan->prefix = prefix;
	plan->state = state;
	plan->block_depth++;
	return count;
}

/* A dense plan sums up all levels of the last column at once. */
static void
divide_into_blocks(SelectPlan *plan, int64_t blocks, Memory *memory)
{
	int depths = plan->dense ? plan->depths - 1 : plan->depths;

	plan->blocks = 1;
	plan->block_depth = 0;
	plan->prefix = memory_allocate(memory, 1, 1);
	plan->state = memory_allocate_zero(memory, 1, sizeof(int16_t));
	while (plan->blocks < blocks && plan->block_depth < depths)
		plan->blocks = extend_prefixes(plan, memory);
}

SelectPlan *
select_plan_create(const SelectProblem *problem, int64_t blocks, SelectLayout layout,
				   Memory *memory)
{
	SelectPlan *plan = memory_allocate_zero(memory, 1, sizeof(SelectPlan));
	uint64_t wanted = select_cost(problem->grid, problem->group) / BLOCK_CONFIGURATIONS;

	assert(problem->instance->rows <= INT32_MAX);
	plan->instance = problem->instance;
	plan->grid = problem->grid;
	plan->scale = problem->prior_power > 0 ? PRIOR_SCALE : 1;
	if (plan->scale > 1)
		select_prior_costs(problem, &plan->prior);
	describe_group(plan, problem->group);
	sum_nets(plan);
	plan->kernel = select_fastest_kernel();
	arrange(plan, problem->group, layout, memory);
	if (blocks == 0)
		blocks = wanted < MAX_BLOCKS ? (int64_t) wanted : MAX_BLOCKS;
	divide_into_blocks(plan, blocks, memory);
	return plan;
}

void
select_plan_destroy(SelectPlan *plan, Memory *memory)
{
	for (int k = 0; k < plan->depths; k++)
	{
		memory_release(memory, plan->column[k].value);
		memory_release(memory, plan->layer[k].move);
	}
	memory_release(memory, plan->rows.net);
	memory_release(memory, plan->rows.start);
	memory_release(memory, plan->rows.low);
	memory_release(memory, plan->rows.size);
	memory_release(memory, plan->first_size);
	memory_release(memory, plan->without);
	memory_release(memory, plan->with);
	memory_release(memory, plan->dense_net);
	memory_release(memory, plan->next);
	memory_release(memory, plan->prefix);
	memory_release(memory, plan->state);
	memory_release(memory, plan);
}

/*
 * select_plan.c - prepares an enumeration: cells of rows, the columns in the
 * order in which they change, the grid's automaton in that order, and blocks.
 * See select_internal.h for the terms.
 */
#include "core/exponential/select_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/optimum/oracle_rows.h"

/*
 * Tables may take this many entries, or ROW_ENTRIES per row if that is more.
 * Otherwise no column counts as binary: the cells are then the group columns,
 * and the memory is a few words per row whatever the rows are.
 */
#define TABLE_ENTRIES (INT64_C(1) << 22)
#define ROW_ENTRIES 8

/*
 * Approximate nanoseconds of a row of a numeric step, a look-up in a table, and a row of a dense
 * sum.
 */
#define NUMERIC_TIME 6.5
#define LOOKUP_TIME 1.0
#define DENSE_TIME 0.15

/* Enough blocks to keep 64 threads busy, each large enough to be worth its start. */
#define MAX_BLOCKS 512
#define BLOCK_CONFIGURATIONS 4096

/* Identifies a row's cell: the binary columns that are 1, and the group column. */
typedef struct RowKey
{
	ColumnSet pattern;
	int32_t group;
	int32_t row;
} RowKey;

static bool
is_grouped(SelectGroup group, int coordinate)
{
	return coordinate >= group.first && coordinate < group.first + group.size;
}

uint64_t
select_cost(const Grid *grid, SelectGroup group)
{
	uint64_t cost = 1;

	if (group.size == 0)
		return grid_size(grid);
	for (int j = 0; j < grid->dimension; j++)
		if (!is_grouped(group, j) &&
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

static bool
column_is_binary(const SelectPlan *plan, int coordinate)
{
	for (int64_t i = 0; i < plan->instance->rows; i++)
	{
		int32_t x = feature(plan, i, coordinate);

		if (x != 0 && x != FIXED_POINT_ONE)
			return false;
	}
	return true;
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
compare_patterns(const RowKey *a, const RowKey *b)
{
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return column_set_compare(a->pattern, b->pattern);
}

static int
compare_keys(const void *a, const void *b)
{
	int order = compare_patterns(a, b);

	return order != 0 ? order : ((const RowKey *) a)->row - ((const RowKey *) b)->row;
}

/* Makes the rows' keys, sorted by cell. */
static RowKey *
make_keys(const SelectPlan *plan, SelectGroup group, const bool *binary, Memory *memory)
{
	int64_t rows = plan->instance->rows;
	RowKey *keys = memory_allocate_zero(memory, (size_t) rows, sizeof(RowKey));

	for (int64_t i = 0; i < rows; i++)
	{
		keys[i].row = (int32_t) i;
		keys[i].group = row_group(plan, group, i);
		for (int j = 0; j < plan->grid->dimension; j++)
			if (binary[j] && feature(plan, i, j) != 0)
				column_set_add(&keys[i].pattern, j);
	}
	qsort(keys, (size_t) rows, sizeof(RowKey), compare_keys);
	return keys;
}

/* The table covers every sum that the full product of the levels can have. */
static SelectCell
make_cell(const SelectPlan *plan, const RowKey *key, int64_t start)
{
	const Grid *grid = plan->grid;
	ColumnSet pattern = key->pattern;
	int low = plan->weight[0];
	int high = plan->weight[plan->levels - 1];

	for (int j; (j = column_set_take(&pattern)) >= 0;)
	{
		low += grid->level[j][0];
		high += grid->level[j][grid->levels[j] - 1];
	}
	return (SelectCell){start, low, high - low + 1, key->group * plan->levels};
}

/* Fills cells and row_cell from sorted keys. */
static void
make_cells(SelectPlan *plan, const RowKey *keys)
{
	plan->cells = 0;
	plan->table_size = 0;
	for (int64_t i = 0; i < plan->instance->rows; i++)
	{
		if (i == 0 || compare_patterns(&keys[i - 1], &keys[i]) != 0)
		{
			SelectCell cell = make_cell(plan, &keys[i], plan->table_size);

			plan->cell[plan->cells++] = cell;
			plan->table_size += cell.size;
		}
		plan->row_cell[keys[i].row] = (int32_t) (plan->cells - 1);
	}
}

/* Divides the rows into cells; returns one key per cell. */
static RowKey *
divide_into_cells(SelectPlan *plan, SelectGroup group, const bool *binary, Memory *memory)
{
	RowKey *keys = make_keys(plan, group, binary, memory);
	int64_t cells = 0;

	make_cells(plan, keys);
	for (int64_t i = 0; i < plan->instance->rows; i++)
		if (plan->row_cell[keys[i].row] == cells)
			keys[cells++] = keys[i];
	return keys;
}

static int64_t
count_entries(const SelectPlan *plan, const SelectColumn *column, const RowKey *cell_keys)
{
	int64_t count = 0;

	if (column->binary)
		for (int64_t c = 0; c < plan->cells; c++)
			count += column_set_has(cell_keys[c].pattern, column->coordinate);
	else
		for (int64_t i = 0; i < plan->instance->rows; i++)
			count += feature(plan, i, column->coordinate) != 0;
	return count;
}

static void
list_entries(const SelectPlan *plan, SelectColumn *column, const RowKey *cell_keys, Memory *memory)
{
	int64_t k = 0;

	column->entry = memory_allocate(memory, (size_t) column->entries, sizeof(SelectEntry));
	if (column->binary)
	{
		for (int64_t c = 0; c < plan->cells; c++)
			if (column_set_has(cell_keys[c].pattern, column->coordinate))
				column->entry[k++] = (SelectEntry){(int32_t) c, plan->cell[c].loss};
		return;
	}
	for (int64_t i = 0; i < plan->instance->rows; i++)
	{
		int32_t x = feature(plan, i, column->coordinate);

		if (x != 0)
			column->entry[k++] = (SelectEntry){(int32_t) i, x};
	}
}

/* Lists the nets and each column's features in the order of the cells. */
static void
list_dense(SelectPlan *plan, Memory *memory)
{
	size_t rows = (size_t) plan->instance->rows;
	int64_t next = 0;

	plan->dense_net = memory_allocate(memory, rows, sizeof(int32_t));
	plan->dense_first = memory_allocate(memory, (size_t) plan->cells + 1, sizeof(int64_t));
	for (int k = 0; k < plan->depths; k++)
		plan->column[k].dense_value = memory_allocate(memory, rows, sizeof(int32_t));
	for (int64_t c = 0; c < plan->cells; c++)
	{
		plan->dense_first[c] = next;
		for (int64_t i = 0; i < plan->instance->rows; i++)
		{
			if (plan->row_cell[i] != c)
				continue;
			plan->dense_net[next] = (int32_t) plan->instance->net[i];
			for (int k = 0; k < plan->depths; k++)
				plan->column[k].dense_value[next] = feature(plan, i, plan->column[k].coordinate);
			next++;
		}
	}
	plan->dense_first[plan->cells] = next;
}

/* The time of a step with tables.  A numeric step also sums up the losses of all cells. */
static double
step_time(const SelectPlan *plan, const SelectColumn *column)
{
	double lookups = (double) plan->levels * LOOKUP_TIME;

	if (column->binary)
		return (double) column->entries * lookups;
	return (double) column->entries * NUMERIC_TIME + (double) plan->cells * lookups;
}

/*
 * The most expensive columns change slowest.  The order depends on the rows, but it affects only
 * the time, not the law of an answer.
 */
static void
order_columns(SelectPlan *plan, SelectGroup group, const bool *binary, const RowKey *cell_keys)
{
	plan->depths = 0;
	for (int j = 0; j < plan->grid->dimension; j++)
	{
		SelectColumn column = {.coordinate = j, .binary = binary[j]};
		int k = plan->depths;

		if (is_grouped(group, j))
			continue;
		column.entries = count_entries(plan, &column, cell_keys);
		for (; k > 0 && step_time(plan, &plan->column[k - 1]) < step_time(plan, &column); k--)
			plan->column[k] = plan->column[k - 1];
		plan->column[k] = column;
		plan->depths++;
	}
}

/*
 * The mean time per configuration of the product of the levels: a depth moves once all deeper
 * depths have passed through their levels.
 */
static double
table_time(const SelectPlan *plan)
{
	double time = 0.0;
	double share = 1.0;

	for (int depth = plan->depths - 1; depth >= 0; depth--)
	{
		int levels = plan->grid->levels[plan->column[depth].coordinate];

		if (levels > 1)
			time += share * step_time(plan, &plan->column[depth]);
		share /= levels;
	}
	return time;
}

static bool
tables_pay(const SelectPlan *plan, SelectLayout layout)
{
	int64_t rows = plan->instance->rows;
	int64_t limit = rows > TABLE_ENTRIES / ROW_ENTRIES ? rows * ROW_ENTRIES : TABLE_ENTRIES;
	double dense_time = DENSE_TIME * (double) rows * (plan->levels + 1);

	if (layout != SELECT_FASTEST)
		return layout == SELECT_TABLES;
	return plan->table_size <= limit && table_time(plan) <= dense_time;
}

/*
 * Makes the cells and orders the columns; dense if tables do not pay and sums of nets fit 32 bits.
 */
static void
arrange(SelectPlan *plan, SelectGroup group, SelectLayout layout, Memory *memory)
{
	bool binary[GRID_MAX_DIMENSION] = {false};
	RowKey *cell_keys;

	for (int j = 0; j < plan->grid->dimension; j++)
		binary[j] = !is_grouped(group, j) && column_is_binary(plan, j);
	cell_keys = divide_into_cells(plan, group, binary, memory);
	order_columns(plan, group, binary, cell_keys);
	if (!tables_pay(plan, layout))
	{
		memset(binary, 0, sizeof(binary));
		memory_release(memory, cell_keys);
		cell_keys = divide_into_cells(plan, group, binary, memory);
		order_columns(plan, group, binary, cell_keys);
		plan->dense = plan->span <= INT32_MAX;
	}
	if (plan->dense)
		list_dense(plan, memory);
	else
		for (int k = 0; k < plan->depths; k++)
			list_entries(plan, &plan->column[k], cell_keys, memory);
	memory_release(memory, cell_keys);
}

static int16_t *
steps_from(const SelectPlan *plan, int depth, int state)
{
	return plan->next + ((int64_t) depth * plan->states + state) * GRID_MAX_LEVELS;
}

/* Fills plan->next from the last depth to the first, so that dead ends are known. */
static void
order_automaton(SelectPlan *plan, Memory *memory)
{
	const Grid *grid = plan->grid;
	bool alive[GRID_MAX_STATES];
	bool alive_before[GRID_MAX_STATES];

	plan->states = grid_states(grid);
	plan->next = memory_allocate(memory, (size_t) plan->depths * (size_t) plan->states,
								 GRID_MAX_LEVELS * sizeof(int16_t));
	for (int s = 0; s < plan->states; s++)
		alive[s] = grid_accepts(grid, s);
	for (int depth = plan->depths - 1; depth >= 0; depth--)
	{
		int j = plan->column[depth].coordinate;

		for (int s = 0; s < plan->states; s++)
		{
			int16_t *next = steps_from(plan, depth, s);

			alive_before[s] = false;
			for (int i = 0; i < grid->levels[j]; i++)
			{
				int t = grid_step(grid, s, j, i);

				next[i] = (int16_t) (t >= 0 && alive[t] ? t : -1);
				alive_before[s] |= next[i] >= 0;
			}
		}
		memcpy(alive, alive_before, sizeof(alive));
	}
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

static void
divide_into_blocks(SelectPlan *plan, int64_t blocks, Memory *memory)
{
	plan->blocks = 1;
	plan->block_depth = 0;
	plan->prefix = memory_allocate(memory, 1, 1);
	plan->state = memory_allocate_zero(memory, 1, sizeof(int16_t));
	while (plan->blocks < blocks && plan->block_depth < plan->depths)
		plan->blocks = extend_prefixes(plan, memory);
}

SelectPlan *
select_plan_create(const SelectProblem *problem, int64_t blocks, SelectLayout layout,
				   Memory *memory)
{
	SelectPlan *plan = memory_allocate_zero(memory, 1, sizeof(SelectPlan));
	uint64_t wanted = select_cost(problem->grid, problem->group) / BLOCK_CONFIGURATIONS;
	size_t rows = (size_t) problem->instance->rows;

	assert(problem->instance->rows <= INT32_MAX);
	plan->instance = problem->instance;
	plan->grid = problem->grid;
	plan->scale = problem->prior_power > 0 ? PRIOR_SCALE : 1;
	if (plan->scale > 1)
		select_prior_costs(problem, &plan->prior);
	describe_group(plan, problem->group);
	sum_nets(plan);
	plan->cell = memory_allocate(memory, rows, sizeof(SelectCell));
	plan->row_cell = memory_allocate(memory, rows, sizeof(int32_t));
	arrange(plan, problem->group, layout, memory);
	order_automaton(plan, memory);
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
		memory_release(memory, plan->column[k].entry);
		memory_release(memory, plan->column[k].dense_value);
	}
	memory_release(memory, plan->dense_net);
	memory_release(memory, plan->dense_first);
	memory_release(memory, plan->cell);
	memory_release(memory, plan->row_cell);
	memory_release(memory, plan->next);
	memory_release(memory, plan->prefix);
	memory_release(memory, plan->state);
	memory_release(memory, plan);
}

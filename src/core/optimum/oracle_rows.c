/*
 * oracle_rows.c - grouping rows by binary pattern, and the groups' loss tables.
 */
#include "core/optimum/oracle_rows.h"

#include <stdlib.h>
#include <string.h>

/* A row's binary pattern, for sorting. */
typedef struct RowPattern
{
	ColumnSet scope;
	int64_t row;
} RowPattern;

static int
compare_patterns(const void *left, const void *right)
{
	const RowPattern *a = left;
	const RowPattern *b = right;

	int order = column_set_compare(a->scope, b->scope);

	return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

/* Sorts the patterns of all rows, for the current is_numeric. */
static void
sort_patterns(const RowTables *tables, RowPattern *pattern)
{
	const Instance *instance = tables->model->instance;
	const int32_t *x = instance->x;

	for (int64_t r = 0; r < instance->rows; r++, x += instance->dimension)
	{
		pattern[r] = (RowPattern){.row = r};
		for (int j = 0; j < instance->dimension; j++)
			if (!tables->is_numeric[j] && x[j] != 0)
				column_set_add(&pattern[r].scope, j);
	}
	if (instance->rows > 0)
		qsort(pattern, (size_t) instance->rows, sizeof(RowPattern), compare_patterns);
}

/* Smallest and largest weight of a coordinate in the model's box. */
static void
weight_range(const OracleModel *model, int j, int *low, int *high)
{
	uint64_t levels = model->box.levels[j];

	*low = model->grid->level[j][__builtin_ctzll(levels)];
	*high = model->grid->level[j][63 - __builtin_clzll(levels)];
}

/* Sets the range of a pattern's sums; adds its numbers of pairs and partial sums. */
static void
measure_pattern(const OracleModel *model, ColumnSet scope, int *low, int *width, int64_t *pairs,
				int64_t *sums)
{
	*low = 0;
	*width = 1;
	*sums += 1;
	for (int j; (j = column_set_take(&scope)) >= 0;)
	{
		int least;
		int most;

		weight_range(model, j, &least, &most);
		*low += least;
		*width += most - least;
		*pairs += 1;
		*sums += *width;
	}
}

/* Counts groups, pairs and partial sums of sorted patterns. */
static void
measure_groups(RowTables *tables, const RowPattern *pattern)
{
	int64_t rows = tables->model->instance->rows;

	tables->groups = 0;
	tables->pairs = 0;
	tables->sums = 0;
	for (int64_t r = 0; r < rows; r++)
	{
		int low;
		int width;

		if (r > 0 && column_set_equal(pattern[r].scope, pattern[r - 1].scope))
			continue;
		tables->groups++;
		measure_pattern(tables->model, pattern[r].scope, &low, &width, &tables->pairs,
						&tables->sums);
	}
}

/* Whether the tables, the messages (two per partial sum) and the multipliers fit. */
static bool
groups_fit(const RowTables *tables, int64_t max_entries)
{
	/* Each row adds at most 128 pairs and 128 * 128 * 128 sums: far below 2^63. */
	return 3 * tables->sums + tables->pairs * tables->stride <= max_entries;
}

static void
classify_columns(RowTables *tables)
{
	const Instance *instance = tables->model->instance;
	const int32_t *x = instance->x;

	for (int64_t r = 0; r < instance->rows; r++, x += instance->dimension)
		for (int j = 0; j < instance->dimension; j++)
		{
			if (x[j] == 0)
				continue;
			if (x[j] != FIXED_POINT_ONE)
				tables->is_numeric[j] = true;
			tables->mass[j] += instance->net[r] > 0 ? instance->net[r] : -instance->net[r];
		}
}

/* The binary columns that occur, the least mass first (insertion sort of at most 128). */
static int
order_binary_columns(const RowTables *tables, int *order)
{
	int count = 0;

	for (int j = 0; j < tables->model->instance->dimension; j++)
	{
		int k = count;

		if (tables->is_numeric[j] || tables->mass[j] == 0)
			continue;
		for (; k > 0 && tables->mass[order[k - 1]] > tables->mass[j]; k--)
			order[k] = order[k - 1];
		order[k] = j;
		count++;
	}
	return count;
}

static void
measure_with_numeric(RowTables *tables, const int *order, int count, int numeric,
					 RowPattern *pattern)
{
	for (int k = 0; k < count; k++)
		tables->is_numeric[order[k]] = k < numeric;
	sort_patterns(tables, pattern);
	measure_groups(tables, pattern);
}

/*
 * Reads the fewest columns as numeric, those of least mass first, so that the cells fit.  Fewer
 * binary columns never need more entries, so bisection finds the number; without binary columns
 * there is one group without a pattern.
 */
static void
choose_numeric(RowTables *tables, RowPattern *pattern, int64_t max_entries)
{
	int order[GRID_MAX_DIMENSION] = {0};
	int count = order_binary_columns(tables, order);
	int low = 0;
	int high = count;

	measure_with_numeric(tables, order, count, 0, pattern);
	if (groups_fit(tables, max_entries))
		return;
	while (low + 1 < high)
	{
		int middle = (low + high) / 2;

		measure_with_numeric(tables, order, count, middle, pattern);
		if (groups_fit(tables, max_entries))
			high = middle;
		else
			low = middle;
	}
	measure_with_numeric(tables, order, count, high, pattern);
}

/* Copies a row's numeric values and its net weight. */
static void
copy_row(RowTables *tables, int64_t to, int64_t row)
{
	const Instance *instance = tables->model->instance;

	tables->net[to] = instance->net[row];
	for (int k = 0; k < tables->numerics; k++)
		tables->value[to * tables->numerics + k] =
			instance->x[row * instance->dimension + tables->numeric[k]];
}

static void
fill_groups(RowTables *tables, const RowPattern *pattern)
{
	int64_t rows = tables->model->instance->rows;
	int64_t *table = tables->entries;
	RowGroup *group = tables->group - 1;

	for (int64_t r = 0; r < rows; r++)
	{
		if (r == 0 || !column_set_equal(pattern[r].scope, pattern[r - 1].scope))
		{
			int64_t pairs = 0;
			int64_t sums = 0;

			group++;
			group->scope = pattern[r].scope;
			group->first_row = r;
			group->table = table;
			measure_pattern(tables->model, group->scope, &group->low, &group->width, &pairs, &sums);
			table += group->width + 1;
		}
		group->end_row = r + 1;
		copy_row(tables, r, pattern[r].row);
	}
}

void
row_tables_create(RowTables *tables, const OracleModel *model, int64_t max_entries, Memory *memory)
{
	int64_t rows = model->instance->rows;
	RowPattern *pattern = memory_allocate(memory, (size_t) rows, sizeof(RowPattern));

	memset(tables, 0, sizeof(*tables));
	tables->model = model;
	for (int j = 0; j < model->grid->dimension; j++)
		if (model->grid->levels[j] > tables->stride)
			tables->stride = model->grid->levels[j];
	classify_columns(tables);
	choose_numeric(tables, pattern, max_entries);
	for (int j = 0; j < model->grid->dimension; j++)
		if (tables->is_numeric[j])
			tables->numeric[tables->numerics++] = j;

	/* A group's table is its last partial sums, so sums + groups entries are enough. */
	tables->group = memory_allocate(memory, (size_t) tables->groups, sizeof(RowGroup));
	tables->entries =
		memory_allocate(memory, (size_t) (tables->sums + tables->groups), sizeof(int64_t));
	tables->value =
		memory_allocate(memory, (size_t) rows * (size_t) tables->numerics, sizeof(int32_t));
	tables->net = memory_allocate(memory, (size_t) rows, sizeof(int64_t));
	fill_groups(tables, pattern);
	memory_release(memory, pattern);
}

void
row_tables_borrow(RowTables *tables, const RowTables *owner, Memory *memory)
{
	*tables = *owner;
	tables->borrows = true;
	tables->tabulated = false;
	tables->group = memory_allocate(memory, (size_t) tables->groups, sizeof(RowGroup));
	tables->entries =
		memory_allocate(memory, (size_t) (tables->sums + tables->groups), sizeof(int64_t));
	for (int g = 0; g < tables->groups; g++)
	{
		tables->group[g] = owner->group[g];
		tables->group[g].table = tables->entries + (owner->group[g].table - owner->entries);
	}
}

void
row_tables_destroy(RowTables *tables, Memory *memory)
{
	if (!tables->borrows)
	{
		memory_release(memory, tables->net);
		memory_release(memory, tables->value);
	}
	memory_release(memory, tables->entries);
	memory_release(memory, tables->group);
}

/* The largest integer that is at most value / FIXED_POINT_ONE. */
static int64_t
floor_fixed_point(int64_t value)
{
	int64_t quotient = value / FIXED_POINT_ONE;

	return value % FIXED_POINT_ONE < 0 ? quotient - 1 : quotient;
}

/* The interval of a row's numeric part; |weight| <= 64 and 128 columns keep it below 2^44. */
static void
numeric_interval(const RowTables *tables, int64_t row, int64_t *low, int64_t *high)
{
	const int32_t *value = tables->value + row * tables->numerics;

	*low = 0;
	*high = 0;
	for (int k = 0; k < tables->numerics; k++)
	{
		int64_t a = (int64_t) value[k] * tables->low[k];
		int64_t b = (int64_t) value[k] * tables->high[k];

		*low += a < b ? a : b;
		*high += a < b ? b : a;
	}
}

/*
 * A row is positive iff s * ONE + part > 0.  With net > 0 it is wrong for sure up
 * to s = floor(-high / ONE); with net < 0 it is wrong for sure from
 * s = floor(-low / ONE) + 1 on.  The table is first filled with differences.
 */
static void
tabulate_group(const RowTables *tables, const RowGroup *group)
{
	int64_t *table = group->table;
	int64_t last = group->width - 1;

	memset(table, 0, (size_t) (group->width + 1) * sizeof(int64_t));
	for (int64_t row = group->first_row; row < group->end_row; row++)
	{
		int64_t loss = tables->model->scale * tables->net[row];
		int64_t low;
		int64_t high;

		numeric_interval(tables, row, &low, &high);
		if (loss > 0)
		{
			int64_t end = floor_fixed_point(-high) - group->low;

			if (end < 0)
				continue;
			table[0] += loss;
			table[(end < last ? end : last) + 1] -= loss;
		}
		else
		{
			int64_t start = floor_fixed_point(-low) + 1 - group->low;

			if (start <= last)
				table[start > 0 ? start : 0] -= loss;
		}
	}
	for (int64_t s = 1; s <= last; s++)
		table[s] += table[s - 1];
}

/* The sum of the weights of a group's pattern. */
static int
pattern_sum(const Grid *grid, ColumnSet scope, const int *index)
{
	int sum = 0;

	for (int j; (j = column_set_take(&scope)) >= 0;)
		sum += grid->level[j][index[j]];
	return sum;
}

int64_t
row_tables_least(const RowTables *tables, const int *index)
{
	int64_t least = 0;

	for (const RowGroup *group = tables->group; group < tables->group + tables->groups; group++)
		least += group->table[pattern_sum(tables->model->grid, group->scope, index) - group->low];
	return least;
}

int64_t
row_tables_loss(const RowTables *tables, const int *index)
{
	const Grid *grid = tables->model->grid;
	int64_t weight[GRID_MAX_DIMENSION] = {0};
	int64_t loss = 0;

	for (int k = 0; k < tables->numerics; k++)
		weight[k] = grid->level[tables->numeric[k]][index[tables->numeric[k]]];
	for (const RowGroup *group = tables->group; group < tables->group + tables->groups; group++)
	{
		const int32_t *value = tables->value + group->first_row * tables->numerics;
		int64_t sum = pattern_sum(grid, group->scope, index);

		for (int64_t row = group->first_row; row < group->end_row; row++)
		{
			int64_t net = tables->net[row];
			int64_t score = sum * FIXED_POINT_ONE;

			for (int k = 0; k < tables->numerics; k++)
				score += weight[k] * *value++;
			loss += (net > 0 ? net : 0) - (score > 0 ? net : 0);
		}
	}
	return loss;
}

void
row_tables_update(RowTables *tables, const Choices *choices)
{
	bool changed = !tables->tabulated;

	for (int k = 0; k < tables->numerics; k++)
	{
		int low = choices_low(&choices[tables->numeric[k]]);
		int high = choices_high(&choices[tables->numeric[k]]);

		changed |= low != tables->low[k] || high != tables->high[k];
		tables->low[k] = low;
		tables->high[k] = high;
	}
	if (!changed)
		return;
	for (int g = 0; g < tables->groups; g++)
		tabulate_group(tables, &tables->group[g]);
	tables->tabulated = true;
	tables->updates++;
}

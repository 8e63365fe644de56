/*
 * oracle_cells.c - building a node's cells and their min-plus messages.
 */
#include "core/optimum/oracle_cells.h"

#include <string.h>

/*
 * The cells of a box come from different groups and have scopes within those of the groups, so the
 * numbers for all groups are enough for every node.
 */
static void
allocate_workspace(Cells *cells, Memory *memory)
{
	const RowTables *rows = &cells->rows;
	size_t pairs = (size_t) rows->pairs;
	size_t groups = (size_t) rows->groups;

	cells->cell = memory_allocate(memory, groups, sizeof(Cell));
	cells->stage = memory_allocate(memory, pairs + groups, sizeof(Stage));
	cells->entries = memory_allocate(
		memory, 2 * (size_t) rows->sums + pairs * (size_t) rows->stride, sizeof(int64_t));
	cells->member = memory_allocate(memory, pairs, sizeof(Member));
	cells->cell_of_group = memory_allocate(memory, groups, sizeof(int));
	cells->inherited = memory_allocate(memory, groups, sizeof(bool));
	cells->slots = 2;
	while (cells->slots < 2 * groups)
		cells->slots *= 2;
	cells->slot = memory_allocate(memory, cells->slots, sizeof(int));
	cells->multiplier_limit = ORACLE_MULTIPLIER_LIMIT / (rows->pairs > 0 ? rows->pairs : 1);
}

void
cells_create(Cells *cells, const OracleModel *model, int64_t max_entries, const Cells *owner,
			 Memory *memory)
{
	memset(cells, 0, sizeof(*cells));
	cells->model = model;
	if (owner == NULL)
		row_tables_create(&cells->rows, model, max_entries, memory);
	else
		row_tables_borrow(&cells->rows, &owner->rows, memory);
	allocate_workspace(cells, memory);
}

void
cells_destroy(Cells *cells, Memory *memory)
{
	memory_release(memory, cells->slot);
	memory_release(memory, cells->inherited);
	memory_release(memory, cells->cell_of_group);
	memory_release(memory, cells->member);
	memory_release(memory, cells->entries);
	memory_release(memory, cells->stage);
	memory_release(memory, cells->cell);
	row_tables_destroy(&cells->rows, memory);
}

/* The slot of the cell with this scope, or the empty slot for it. */
static int *
find_slot(const Cells *cells, ColumnSet scope)
{
	uint64_t hash = (scope.word[0] ^ (scope.word[1] * UINT64_C(0xC2B2AE3D27D4EB4F))) *
					UINT64_C(0x9E3779B97F4A7C15);
	unsigned k = (unsigned) (hash >> 32) & (cells->slots - 1);

	while (cells->slot[k] >= 0 && !column_set_equal(cells->cell[cells->slot[k]].scope, scope))
		k = (k + 1) & (cells->slots - 1);
	return &cells->slot[k];
}

static int64_t *
take_entries(Cells *cells, int count)
{
	int64_t *entries = cells->next_entry;

	cells->next_entry += count;
	return entries;
}

/* A cell with a zero table and zero multipliers. */
static void
add_cell(Cells *cells, const Choices *choices, ColumnSet scope)
{
	Cell *cell = &cells->cell[cells->count++];
	Stage *stage = cells->next_stage;
	int low = 0;
	int width = 1;

	cell->scope = scope;
	cell->size = column_set_count(scope);
	cell->groups = 0;
	cell->stage = stage;
	cells->next_stage += cell->size + 1;
	for (int k = 0; k <= cell->size; k++, stage++)
	{
		int j = column_set_take(&scope);

		stage->coordinate = j;
		stage->low = low;
		stage->width = width;
		stage->forward = take_entries(cells, width);
		stage->backward = take_entries(cells, width);
		stage->multiplier = NULL;
		if (j < 0)
		{
			memset(stage->backward, 0, (size_t) width * sizeof(int64_t));
			continue;
		}
		stage->multiplier = take_entries(cells, cells->rows.stride);
		memset(stage->multiplier, 0, (size_t) cells->rows.stride * sizeof(int64_t));
		low += choices_low(&choices[j]);
		width += choices_high(&choices[j]) - choices_low(&choices[j]);
	}
	cell->stage[0].forward[0] = 0;
}

/*
 * Adds a parent cell's multipliers for the coordinates that the child still has.  All groups of a
 * parent cell go to one child cell, which therefore gets each parent's multipliers once.
 */
static void
inherit(Cells *cells, Cell *cell, const Multipliers *parent, int from)
{
	ColumnSet scope = parent->scope[from];
	const int64_t *value = parent->value + parent->first[from];
	Stage *stage = cell->stage;

	for (int j; (j = column_set_take(&scope)) >= 0; value += cells->rows.stride)
	{
		if (!column_set_has(cell->scope, j))
			continue;
		while (stage->coordinate != j)
			stage++;
		for (int i = 0; i < cells->rows.stride; i++)
			stage->multiplier[i] += value[i];
	}
}

/*
 * Adds a group's table to the cell with this scope; shift is the sum of the group's fixed weights.
 */
static void
add_group(Cells *cells, const Choices *choices, int g, ColumnSet scope, int shift,
		  const Multipliers *parent)
{
	const RowGroup *group = &cells->rows.group[g];
	int *slot = find_slot(cells, scope);
	Cell *cell;
	Stage *last;

	if (*slot < 0)
	{
		*slot = cells->count;
		add_cell(cells, choices, scope);
	}
	cells->cell_of_group[g] = *slot;
	cell = &cells->cell[*slot];
	cell->groups++;
	last = &cell->stage[cell->size];
	for (int s = 0; s < last->width; s++)
		last->backward[s] += group->table[last->low + s + shift - group->low];
	if (parent != NULL && parent->cell_of_group[g] >= 0 &&
		!cells->inherited[parent->cell_of_group[g]])
	{
		cells->inherited[parent->cell_of_group[g]] = true;
		inherit(cells, cell, parent, parent->cell_of_group[g]);
	}
}

static void
place_group(Cells *cells, const Choices *choices, int g, ColumnSet open, const Multipliers *parent,
			int64_t *constant, LevelCosts cost)
{
	const RowGroup *group = &cells->rows.group[g];
	ColumnSet scope = column_set_intersection(group->scope, open);
	ColumnSet fixed = column_set_difference(group->scope, open);
	int shift = 0;
	int size = column_set_count(scope);

	for (int j; (j = column_set_take(&fixed)) >= 0;)
		shift += choices_low(&choices[j]);
	cells->cell_of_group[g] = -1;
	if (size == 0)
		*constant += group->table[shift - group->low];
	else if (size == 1)
	{
		int j = column_set_take(&scope);

		for (int k = 0; k < choices[j].count; k++)
			cost[j][choices[j].index[k]] += group->table[shift + choices[j].weight[k] - group->low];
	}
	else
		add_group(cells, choices, g, scope, shift, parent);
}

static void
measure_mass(Cell *cell)
{
	const Stage *last = &cell->stage[cell->size];
	int64_t least = last->backward[0];
	int64_t most = last->backward[0];

	for (int s = 1; s < last->width; s++)
	{
		least = last->backward[s] < least ? last->backward[s] : least;
		most = last->backward[s] > most ? last->backward[s] : most;
	}
	cell->mass = most - least;
}

/* Counting sort of (cell, position) by coordinate. */
static void
list_members(Cells *cells)
{
	int next[GRID_MAX_DIMENSION + 1] = {0};

	for (const Stage *stage = cells->stage; stage < cells->next_stage; stage++)
		if (stage->coordinate >= 0)
			next[stage->coordinate + 1]++;
	for (int j = 0; j < GRID_MAX_DIMENSION; j++)
		next[j + 1] += next[j];
	memcpy(cells->first_member, next, sizeof(next));
	for (int c = 0; c < cells->count; c++)
		for (int k = 0; k < cells->cell[c].size; k++)
			cells->member[next[cells->cell[c].stage[k].coordinate]++] =
				(Member){&cells->cell[c], k};
}

void
cells_build(Cells *cells, const Choices *choices, const Multipliers *parent, int64_t *constant,
			LevelCosts cost)
{
	ColumnSet open = {{0, 0}};

	if (parent != NULL && parent->cell_of_group == NULL)
		parent = NULL;
	row_tables_update(&cells->rows, choices);
	for (int j = 0; j < cells->model->grid->dimension; j++)
		if (choices[j].count > 1)
			column_set_add(&open, j);
	cells->count = 0;
	cells->next_stage = cells->stage;
	cells->next_entry = cells->entries;
	memset(cells->slot, -1, cells->slots * sizeof(int));
	if (parent != NULL)
		memset(cells->inherited, 0, (size_t) parent->count * sizeof(bool));
	for (int g = 0; g < cells->rows.groups; g++)
		place_group(cells, choices, g, open, parent, constant, cost);
	for (int c = 0; c < cells->count; c++)
		measure_mass(&cells->cell[c]);
	list_members(cells);
}

/*
 * Bytes of the block for count cells: values, starts, scopes, cells of the groups.  A multiple of
 * the alignment, so that another block may follow.
 */
static size_t
multipliers_bytes(const Cells *cells, int count, size_t values)
{
	size_t bytes = values * sizeof(int64_t) +
				   (size_t) count * (sizeof(size_t) + sizeof(ColumnSet)) +
				   (size_t) cells->rows.groups * sizeof(int);

	return (bytes + sizeof(int64_t) - 1) / sizeof(int64_t) * sizeof(int64_t);
}

static void
multipliers_lay_out(Multipliers *multipliers, int count, size_t values, void *block)
{
	multipliers->count = count;
	multipliers->values = values;
	multipliers->value = block;
	multipliers->first = (size_t *) (multipliers->value + values);
	multipliers->scope = (ColumnSet *) (multipliers->first + count);
	multipliers->cell_of_group = (int *) (multipliers->scope + count);
}

static size_t
count_values(const Cells *cells)
{
	size_t values = 0;

	for (int c = 0; c < cells->count; c++)
		values += (size_t) cells->cell[c].size * (size_t) cells->rows.stride;
	return values;
}

size_t
cells_most_bytes(const Cells *cells)
{
	const RowTables *rows = &cells->rows;

	return multipliers_bytes(cells, rows->groups, (size_t) rows->pairs * (size_t) rows->stride);
}

void
cells_save(const Cells *cells, Multipliers *multipliers, void *block)
{
	size_t stride = (size_t) cells->rows.stride;
	size_t values = count_values(cells);
	int64_t *value = block;

	multipliers_lay_out(multipliers, cells->count, values, block);
	multipliers->bytes = multipliers_bytes(cells, cells->count, values);
	if (cells->rows.groups > 0)
		memcpy(multipliers->cell_of_group, cells->cell_of_group,
			   (size_t) cells->rows.groups * sizeof(int));
	for (int c = 0; c < cells->count; c++)
	{
		const Cell *cell = &cells->cell[c];

		multipliers->scope[c] = cell->scope;
		multipliers->first[c] = (size_t) (value - multipliers->value);
		for (int k = 0; k < cell->size; k++, value += stride)
			memcpy(value, cell->stage[k].multiplier, stride * sizeof(int64_t));
	}
}

void
multipliers_copy(const Multipliers *from, Multipliers *to, Memory *memory)
{
	size_t values = from->values;
	void *block = memory_allocate(memory, 1, from->bytes);

	memcpy(block, from->value, from->bytes);
	multipliers_lay_out(to, from->count, values, block);
	to->bytes = from->bytes;
}

void
multipliers_release(Multipliers *multipliers, Memory *memory)
{
	memory_release(memory, multipliers->value);
	memset(multipliers, 0, sizeof(*multipliers));
}

void
cells_add_multipliers(const Cells *cells, const Choices *choices, LevelCosts cost)
{
	for (const Stage *stage = cells->stage; stage < cells->next_stage; stage++)
	{
		int j = stage->coordinate;

		if (j < 0)
			continue;
		for (int k = 0; k < choices[j].count; k++)
			cost[j][choices[j].index[k]] += stage->multiplier[choices[j].index[k]];
	}
}

void
member_step_forward(Member member, const Choices *choices)
{
	const Stage *from = member_stage(member);
	const Stage *to = from + 1;
	const Choices *own = &choices[from->coordinate];

	for (int s = 0; s < to->width; s++)
		to->forward[s] = ORACLE_UNREACHABLE;
	for (int k = 0; k < own->count; k++)
	{
		int64_t step = -from->multiplier[own->index[k]];
		int64_t *target = to->forward + (own->weight[k] - choices_low(own));

		for (int s = 0; s < from->width; s++)
		{
			int64_t candidate = from->forward[s] + step;

			target[s] = candidate < target[s] ? candidate : target[s];
		}
	}
}

void
member_step_backward(Member member, const Choices *choices)
{
	const Stage *to = member_stage(member);
	const Stage *from = to + 1;
	const Choices *own = &choices[to->coordinate];

	for (int s = 0; s < to->width; s++)
		to->backward[s] = ORACLE_UNREACHABLE;
	for (int k = 0; k < own->count; k++)
	{
		int64_t step = -to->multiplier[own->index[k]];
		const int64_t *source = from->backward + (own->weight[k] - choices_low(own));

		for (int s = 0; s < to->width; s++)
		{
			int64_t candidate = source[s] + step;

			to->backward[s] = candidate < to->backward[s] ? candidate : to->backward[s];
		}
	}
}

int64_t
cells_minimise(Cells *cells, const Choices *choices)
{
	for (int c = 0; c < cells->count; c++)
		for (int k = cells->cell[c].size - 1; k >= 0; k--)
			member_step_backward((Member){&cells->cell[c], k}, choices);
	return cells_minimum(cells);
}

int64_t
cells_minimum(const Cells *cells)
{
	int64_t total = 0;

	for (int c = 0; c < cells->count; c++)
		total += cell_minimum(&cells->cell[c]);
	return total;
}

void
member_min_marginal(Member member, const Choices *choices, int64_t *marginal)
{
	const Stage *stage = member_stage(member);
	const Choices *own = &choices[stage->coordinate];

	for (int k = 0; k < own->count; k++)
	{
		const int64_t *after = stage[1].backward + (own->weight[k] - choices_low(own));
		int64_t best = 2 * ORACLE_UNREACHABLE;

		for (int s = 0; s < stage->width; s++)
		{
			int64_t candidate = stage->forward[s] + after[s];

			best = candidate < best ? candidate : best;
		}
		marginal[own->index[k]] = best - stage->multiplier[own->index[k]];
	}
}

/*
 * tree_multipliers.c - a node's box and multipliers, packed for its children.
 *
 * Only the multipliers of levels in the box are kept, in 32 bits if all fit, as they nearly always
 * do.  The tree's memory consists mostly of them.
 */
#include "core/exponential/tree_internal.h"

#include <string.h>

struct TreeMultipliers
{
	Box box;
	int cells;
	int64_t values;
	int32_t *cell_of_group; /* NULL without cells */
	int32_t *narrow;        /* either narrow or wide: by cell, coordinate and level */
	int64_t *wide;
};

/* Visits multipliers one by one, in the order in which they are packed. */
typedef struct Walk
{
	const Choices *choices;
	const Cells *cells;
	int cell;
	int position; /* in the cell */
	int choice;
} Walk;

static const int64_t *
walk_next(Walk *walk)
{
	while (walk->cell < walk->cells->count)
	{
		const Cell *cell = &walk->cells->cell[walk->cell];
		const Stage *stage = &cell->stage[walk->position];

		if (walk->position == cell->size)
		{
			walk->cell++;
			walk->position = 0;
		}
		else if (walk->choice == walk->choices[stage->coordinate].count)
		{
			walk->position++;
			walk->choice = 0;
		}
		else
			return &stage->multiplier[walk->choices[stage->coordinate].index[walk->choice++]];
	}
	return NULL;
}

/* Counts the multipliers; true if all of them fit 32 bits. */
static bool
count_multipliers(const Relaxation *relaxation, int64_t *values)
{
	Walk walk = {.choices = relaxation->choices, .cells = &relaxation->cells};
	bool narrow = true;
	const int64_t *value;

	*values = 0;
	while ((value = walk_next(&walk)) != NULL)
	{
		narrow = narrow && *value == (int32_t) *value;
		++*values;
	}
	return narrow;
}

static int64_t
bytes_of(const Tree *tree, const TreeMultipliers *packed)
{
	int64_t bytes = (int64_t) sizeof(TreeMultipliers);

	if (packed->cells > 0)
		bytes += tree->relaxation.cells.rows.groups * (int64_t) sizeof(int32_t);
	return bytes + packed->values * (packed->wide != NULL ? 8 : 4);
}

TreeMultipliers *
tree_multipliers_pack(Tree *tree, const Box *box)
{
	const Relaxation *relaxation = &tree->relaxation;
	TreeMultipliers *packed = memory_allocate_zero(tree->memory, 1, sizeof(TreeMultipliers));
	Walk walk = {.choices = relaxation->choices, .cells = &relaxation->cells};
	bool narrow = count_multipliers(relaxation, &packed->values);
	size_t groups = (size_t) relaxation->cells.rows.groups;

	packed->box = *box;
	packed->cells = relaxation->cells.count;
	if (packed->cells > 0)
	{
		packed->cell_of_group = memory_allocate(tree->memory, groups, sizeof(int32_t));
		for (size_t g = 0; g < groups; g++)
			packed->cell_of_group[g] = relaxation->cells.cell_of_group[g];
		if (narrow)
			packed->narrow = memory_allocate(tree->memory, (size_t) packed->values, 4);
		else
			packed->wide = memory_allocate(tree->memory, (size_t) packed->values, 8);
	}
	for (int64_t k = 0; k < packed->values; k++)
	{
		int64_t value = *walk_next(&walk);

		if (narrow)
			packed->narrow[k] = (int32_t) value;
		else
			packed->wide[k] = value;
	}
	tree->bytes += bytes_of(tree, packed);
	return packed;
}

void
tree_multipliers_release(Tree *tree, TreeMultipliers *packed)
{
	tree->bytes -= bytes_of(tree, packed);
	memory_release(tree->memory, packed->cell_of_group);
	memory_release(tree->memory, packed->narrow);
	memory_release(tree->memory, packed->wide);
	memory_release(tree->memory, packed);
}

const Box *
tree_multipliers_box(const TreeMultipliers *packed)
{
	return &packed->box;
}

/* Finds the scopes of the cells: the free coordinates of their groups' patterns. */
static void
unpack_cells(Tree *tree, const TreeMultipliers *packed)
{
	const RowTables *rows = &tree->relaxation.cells.rows;
	Multipliers *inherited = &tree->inherited;
	ColumnSet open = {{0, 0}};
	size_t first = 0;

	for (int j = 0; j < tree->problem->grid->dimension; j++)
		if (__builtin_popcountll(packed->box.levels[j]) > 1)
			column_set_add(&open, j);
	inherited->count = packed->cells;
	for (int g = 0; g < rows->groups; g++)
	{
		int c = packed->cells > 0 ? packed->cell_of_group[g] : -1;

		inherited->cell_of_group[g] = c;
		if (c >= 0)
			inherited->scope[c] = column_set_intersection(rows->group[g].scope, open);
	}
	for (int c = 0; c < packed->cells; c++)
	{
		inherited->first[c] = first;
		first += (size_t) (column_set_count(inherited->scope[c]) * rows->stride);
	}
	memset(inherited->value, 0, first * sizeof(int64_t));
}

void
tree_multipliers_unpack(Tree *tree, const TreeMultipliers *packed)
{
	int stride = tree->relaxation.cells.rows.stride;
	Multipliers *inherited = &tree->inherited;
	int64_t *value = inherited->value;
	int64_t k = 0;

	unpack_cells(tree, packed);
	for (int c = 0; c < packed->cells; c++)
	{
		ColumnSet scope = inherited->scope[c];

		for (int j; (j = column_set_take(&scope)) >= 0; value += stride)
			for (uint64_t left = packed->box.levels[j]; left != 0; left &= left - 1, k++)
				value[__builtin_ctzll(left)] =
					packed->wide != NULL ? packed->wide[k] : packed->narrow[k];
	}
}

/*
 * tree_effort.c - what the tree sampler's work costs, counted as it is done.
 *
 * The count depends on the rows and on the random bits of the attempts that have failed, and
 * nothing but the limit of tree_draw() reads it (theorem E10).  It bounds the time: every loop over
 * rows or tables counts what it passes through.
 */
#include "core/exponential/tree_internal.h"

/* Passes over the messages: both directions, each with a min-marginal that is read and raised. */
#define SWEEP_PASSES 6

/*
 * What an entry costs beside its levels, and more of what is beyond NEAR_ENTRIES, which no cache
 * holds: the messages of a coordinate lie far apart.
 */
#define ENTRY_EFFORT 5
#define NEAR_ENTRIES (1 << 17)
#define FAR_EFFORT 3

/* What a number of a row, a child of a passed node and a sum of a leaf cost more than a level. */
#define ROW_EFFORT 8
#define CHILD_EFFORT 64
#define LEAF_EFFORT 4000

/* States of the noise programme, before each coordinate. */
static int64_t
states(const Tree *tree)
{
	return (int64_t) tree->problem->grid->dimension * tree->relaxation.noise.states;
}

/* The most levels of a column that the tables have. */
static int
table_levels(const Tree *tree)
{
	const Grid *grid = tree->problem->grid;
	int most = 1;

	for (int j = 0; j < grid->dimension; j++)
		if (!tree->relaxation.cells.rows.is_numeric[j] && grid->levels[j] > most)
			most = grid->levels[j];
	return most;
}

/* What it costs to pass through the messages with so many entries, each for every level. */
static int64_t
pass(const Tree *tree, int64_t entries)
{
	int64_t far = entries > NEAR_ENTRIES ? entries - NEAR_ENTRIES : 0;

	return (entries + FAR_EFFORT * far) * (table_levels(tree) + ENTRY_EFFORT) +
		   states(tree) * tree->relaxation.cells.rows.stride;
}

static int64_t
messages(const Tree *tree)
{
	const Cells *cells = &tree->relaxation.cells;

	return pass(tree, cells->next_entry - cells->entries);
}

void
tree_count_box(Tree *tree)
{
	const RowTables *rows = &tree->relaxation.cells.rows;
	int64_t tabulated = rows->updates - tree->updates;

	tree->updates = rows->updates;
	tree->effort += tabulated * (ROW_EFFORT * tree->problem->instance->rows * (rows->numerics + 1) +
								 rows->sums);
	tree->effort += rows->groups + rows->pairs + 2 * messages(tree);
}

void
tree_count_sweeps(Tree *tree, int sweeps)
{
	tree->effort += SWEEP_PASSES * sweeps * messages(tree);
}

void
tree_count_leaf(Tree *tree)
{
	tree->effort += LEAF_EFFORT * states(tree) * tree->relaxation.cells.rows.stride;
}

void
tree_count_path(Tree *tree, const TreeNode *node)
{
	for (tree->effort++; node != NULL; node = node->parent)
		tree->effort += CHILD_EFFORT * node->children;
}

/*
 * The root, and d boxes below it: each is built and bounded three times at most, and once more at a
 * leaf.  The root is swept eight times, the others twice.  Every row adds to the tables two
 * messages and a table for each prefix of its columns, and multipliers.
 */
int64_t
tree_attempt_effort(const Tree *tree)
{
	const RowTables *rows = &tree->relaxation.cells.rows;
	int64_t d = tree->problem->grid->dimension;
	int64_t message = pass(tree, 3 * rows->sums + (int64_t) rows->pairs * rows->stride);
	int64_t box = ROW_EFFORT * tree->problem->instance->rows * (d + 1) + rows->sums + rows->groups +
				  rows->pairs + 2 * message;

	return (d + 1) * (4 * box + CHILD_EFFORT * rows->stride) +
		   2 * (d + 5) * SWEEP_PASSES * message + LEAF_EFFORT * states(tree) * rows->stride;
}

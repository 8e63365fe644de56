/*
 * tree_effort.c - what the tree sampler's work costs, counted as it is done.
 *
 * The count depends on the rows and on the random bits of the attempts that have failed, and
 * nothing but the limit of tree_draw() reads it (theorem E10).  It bounds the time: every loop over
 * rows or tables counts what it passes through.
 */
#include "core/exponential/tree_internal.h"

#include <math.h>

/* Passes over the messages: both directions, each with a min-marginal that is read and raised. */
#define SWEEP_PASSES 6

/* What a number of a row, a child of a passed node and a sum of a leaf cost more than an entry. */
#define ROW_EFFORT 8
#define CHILD_EFFORT 64
#define LEAF_EFFORT 4000

/* States of the noise programme, before each coordinate. */
static int64_t
states(const Tree *tree)
{
	return (int64_t) tree->problem->grid->dimension * tree->relaxation.noise.states;
}

/* Entries of the messages, each for every level. */
static int64_t
messages(const Tree *tree)
{
	const Cells *cells = &tree->relaxation.cells;

	return (cells->next_entry - cells->entries + states(tree)) * cells->rows.stride;
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
 * leaf.  The root is swept eight times, the others twice.  The tables take TREE_TABLE_ENTRIES, or
 * what every row adds to them: two messages and a table for each prefix of its columns, and
 * multipliers.
 */
double
tree_attempt_effort(const Grid *grid, double rows)
{
	int d = grid->dimension;
	double stride = 0;
	double width = 0;
	double entries;
	double message;
	double box;

	for (int j = 0; j < d; j++)
	{
		stride = fmax(stride, grid->levels[j]);
		width += 1 + grid->level[j][grid->levels[j] - 1] - grid->level[j][0];
	}
	entries = fmin((double) TREE_TABLE_ENTRIES, rows * d * (3 * width + stride));
	message = (entries + (double) d * grid_states(grid)) * stride;
	box = ROW_EFFORT * rows * (d + 1) + entries + rows * (d + 1) + 2 * message;
	return (d + 1) * (4 * box + CHILD_EFFORT * stride) + 2 * (d + 5) * SWEEP_PASSES * message +
		   LEAF_EFFORT * (double) d * grid_states(grid) * stride;
}

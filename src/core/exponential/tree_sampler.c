/*
 * tree_sampler.c - the exponential mechanism by rejection over a tree of boxes (theorem E7).
 *
 * m(w) = exp(-rate (L(w) + s(w))) is the law to draw from, s(w) the cost of a public prior (theorem
 * E13); m(R) is its sum over the vectors of the grid in a box R.  Every node of the tree is a box
 * with a number U(R), and at any time
 *
 *   T1  U(R) >= m(R);
 *   T2  the children of a branched node partition its box, and their U add up to
 *       no more than its own (lemma E8).
 *
 * So a node is an interval [0, U) that holds those of its children side by side, the longest first,
 * and then some slack.
 *
 * An attempt draws t uniformly on [0, U(root)) and follows it down:
 *   - at a branched node into the child whose interval holds t; without one it fails;
 *   - an unexpanded node is expanded, which may lower its U, and t fails if it is
 *     no longer below; then as at a branched or closed node;
 *   - at a closed node it fails unless t < m(R), and answers w in R with
 *     probability m(w) / m(R).
 * After the attempt, U of each node passed becomes the smaller of itself and the sum of its
 * children's.  An attempt answers w with probability m(w) / U(root), whatever happened before.
 *
 * An attempt is never broken off, because that would change the law: the limit of effort is checked
 * between attempts only.  In a full tree the nodes that an attempt expands are scratch;
 * after the attempt the topmost of them becomes unexpanded again, with the U that it had right
 * after its expansion (theorem E10).
 *
 * Better multipliers may make the children's U exceed the parent's.  So tree_expand() adds up the
 * integers every time and, if they do not fit, uses the parent's multipliers (lemma E8).
 */
#include "core/exponential/tree_internal.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mutant.h"

/* The number of expansions after which a running attempt reports progress. */
#define REPORT_EXPANSIONS 16

/* ---- boxes ---- */

static void
whole_box(const Grid *grid, Box *box)
{
	memset(box, 0, sizeof(*box));
	for (int j = 0; j < grid->dimension; j++)
		box->levels[j] = (UINT64_C(1) << grid->levels[j]) - 1;
}

/*
 * Leaves out levels that no vector of the grid in the box has, found by the noise programme with
 * costs 0.  A box without any vector stays as it is.
 */
static void
reduce_box(const Tree *tree, Box *box)
{
	static const int64_t no_cost[GRID_MAX_LEVELS];
	const Grid *grid = tree->problem->grid;
	NoiseProgramme noise = tree->relaxation.noise; /* its arrays are scratch in this function */
	Choices choices[GRID_MAX_DIMENSION];

	if (grid->constraint == GRID_PRODUCT)
		return;
	choices_list(choices, grid, box);
	for (int j = grid->dimension - 1; j >= 0; j--)
		noise_step_backward(&noise, choices, j, no_cost);
	if (noise_minimum(&noise) != 0)
		return;
	for (int j = 0; j < grid->dimension; j++)
	{
		int64_t cheapest[GRID_MAX_LEVELS];

		noise_min_marginal(&noise, choices, j, no_cost, cheapest);
		for (int k = 0; k < choices[j].count; k++)
			if (cheapest[choices[j].index[k]] != 0)
				box->levels[j] &= ~(UINT64_C(1) << choices[j].index[k]);
		noise_step_forward(&noise, choices, j, no_cost);
	}
}

void
tree_box(const Tree *tree, const TreeNode *node, Box *box)
{
	*box = tree->model.box;
	if (node->parent != NULL)
	{
		*box = *tree_multipliers_box(node->parent->multipliers);
		box->levels[node->parent->coordinate] = UINT64_C(1) << node->level;
	}
	reduce_box(tree, box);
}

/* ---- nodes ---- */

static int
depth_of(const TreeNode *node)
{
	int depth = 0;

	for (; node->parent != NULL; node = node->parent)
		depth++;
	return depth;
}

/* The sum of the children's bounds, rounded up. */
static TreeLength
sum_of_children(const TreeNode *node)
{
	TreeLength sum = {0, 0};

	for (int k = 0; k < node->children; k++)
		sum = tree_length_add(sum, node->child[k].bound);
	return sum;
}

/* The children with their bounds; not yet part of the tree. */
static void
make_children(Tree *tree, TreeNode *node, const Box *box, const TreeEstimate *estimate)
{
	int depth = depth_of(node) + 1;
	uint64_t left = box->levels[estimate->coordinate];

	node->coordinate = (uint8_t) estimate->coordinate;
	node->children = (uint8_t) __builtin_popcountll(left);
	node->child = memory_allocate_zero(tree->memory, node->children, sizeof(TreeNode));
	for (TreeNode *child = node->child; left != 0; left &= left - 1, child++)
	{
		child->parent = node;
		child->level = (uint8_t) __builtin_ctzll(left);
		if (estimate->marginal[child->level] > 0.0)
			child->bound =
				tree_bound(tree, estimate->lower, estimate->marginal[child->level], depth);
	}
}

/*
 * Lowers the node's bound, unless it is the root's first, and gives the node
 * children or closes it; false, the children taken back, if they do not fit (T2).
 */
static bool
settle(Tree *tree, TreeNode *node, const Box *box, const TreeEstimate *estimate)
{
	TreeLength own = tree_bound(tree, estimate->lower, estimate->sum, depth_of(node));

	if (node->bound.mantissa == 0 || tree_length_compare(own, node->bound) < 0)
		node->bound = own;
	if (estimate->coordinate < 0)
	{
		if (MUTANT(20) && node->level == 0)
			node->bound.mantissa -= node->bound.mantissa / 4;
		node->state = TREE_CLOSED;
		return true;
	}
	make_children(tree, node, box, estimate);
	if (tree_length_compare(sum_of_children(node), node->bound) > 0)
	{
		memory_release(tree->memory, node->child);
		node->child = NULL;
		return false;
	}
	node->multipliers = tree_multipliers_pack(tree, box);
	node->state = TREE_BRANCHED;
	tree->bytes += node->children * (int64_t) sizeof(TreeNode);
	return true;
}

static void
report(const Tree *tree)
{
	const SelectProblem *problem = tree->problem;

	if (problem->progress != NULL)
		problem->progress(problem->progress_context,
						  &(TreeProgress){tree->expanded, tree->attempts});
}

void
tree_expand(Tree *tree, TreeNode *node)
{
	TreeEstimate estimate;
	Box box;

	if (++tree->expanded % REPORT_EXPANSIONS == 0)
		report(tree);
	tree_box(tree, node, &box);
	tree_estimate(tree, &box, node->parent, true, &estimate);
	if (settle(tree, node, &box, &estimate))
		return;
	tree->restored++;
	tree_estimate(tree, &box, node->parent, false, &estimate);
	if (!settle(tree, node, &box, &estimate))
		abort(); /* lemma E8: this does not happen, and no answer is better than a wrong law */
}

static void
release_multipliers(Tree *tree, TreeNode *node)
{
	if (node->multipliers != NULL)
		tree_multipliers_release(tree, node->multipliers);
	node->multipliers = NULL;
}

static void
release_below(Tree *tree, TreeNode *node)
{
	for (int k = 0; k < node->children; k++)
		release_below(tree, &node->child[k]);
	if (node->state == TREE_BRANCHED)
	{
		tree->bytes -= node->children * (int64_t) sizeof(TreeNode);
		memory_release(tree->memory, node->child);
		release_multipliers(tree, node);
	}
}

void
tree_forget(Tree *tree)
{
	release_below(tree, &tree->root);
	memset(&tree->root, 0, sizeof(tree->root));
	tree_expand(tree, &tree->root);
}

/* ---- attempts ---- */

/* Lowers bounds to the sums of the children's, from a node up to the root. */
static void
lower_bounds(TreeNode *node)
{
	for (; node != NULL; node = node->parent)
	{
		TreeLength sum = sum_of_children(node);

		if (tree_length_compare(sum, node->bound) < 0)
			node->bound = sum;
	}
}

/* Orders the children by decreasing bound (insertion sort of at most 33). */
static void
order_children(TreeNode *node, TreeNode **order)
{
	for (int k = 0; k < node->children; k++)
	{
		TreeNode *child = &node->child[k];
		int at = k;

		for (; at > 0 && tree_length_compare(order[at - 1]->bound, child->bound) < 0; at--)
			order[at] = order[at - 1];
		order[at] = child;
	}
}

/*
 * Finds the child whose interval holds t, and subtracts from t where that begins; NULL if no child
 * does.  rest[k] is at least the sum of the bounds from the k-th child on: a t beyond it is refused
 * before it is measured in units of far smaller intervals.
 */
static TreeNode *
find_child(TreeNode *node, TreePoint *point)
{
	TreeNode *order[GRID_MAX_LEVELS];
	TreeLength rest[GRID_MAX_LEVELS + 1];

	order_children(node, order);
	rest[node->children] = (TreeLength){0, 0};
	for (int k = node->children - 1; k >= 0; k--)
		rest[k] = tree_length_add(order[k]->bound, rest[k + 1]);
	for (int k = 0; k < node->children && tree_point_is_below(point, rest[k]); k++)
	{
		if (tree_point_is_below(point, order[k]->bound))
			return order[k];
		tree_point_subtract(point, order[k]->bound);
	}
	return NULL;
}

/* Draws a vector of a closed node's box; false if t is not below the mass. */
static bool
draw_from(Tree *tree, const TreeNode *node, TreePoint *point, Bits *bits, SelectAnswer *answer)
{
	Box box;

	tree_box(tree, node, &box);
	relaxation_build(&tree->relaxation, &box, NULL);
	for (int j = 0; MUTANT(193) && j < tree->problem->grid->dimension; j++)
		for (int i = 0; i < GRID_MAX_LEVELS; i++)
			tree->relaxation.cost[j][i] -= tree->model.cost[j][i];
	relaxation_bound(&tree->relaxation);
	tree_count_box(tree);
	tree_count_leaf(tree);
	return tree_leaf_draw(tree, point, bits, answer->index);
}

/* The nodes that a full tree has expanded for the current attempt only: all below top. */
typedef struct Scratch
{
	TreeNode *top;    /* NULL: no such node */
	TreeLength bound; /* of top, right after its expansion */
} Scratch;

/*
 * Only the multipliers of a scratch node are large, and they are not needed once the child that the
 * attempt follows is branched.  So scratch nodes take little more than two nodes' multipliers.
 */
static void
expand_for_attempt(Tree *tree, TreeNode *node, Scratch *scratch)
{
	bool is_top = scratch->top == NULL && tree->bytes >= tree->max_bytes;

	tree_expand(tree, node);
	if (is_top)
		*scratch = (Scratch){node, node->bound};
	else if (scratch->top != NULL && node->state == TREE_BRANCHED)
		release_multipliers(tree, node->parent);
}

/* Makes an expanded node an unexpanded one with this bound. */
static void
fold(Tree *tree, TreeNode *node, TreeLength bound)
{
	release_below(tree, node);
	*node = (TreeNode){.parent = node->parent, .bound = bound, .level = node->level};
}

static bool
attempt(Tree *tree, Bits *bits, SelectAnswer *answer)
{
	TreeNode *node = &tree->root;
	TreeNode *next = node;
	bool accepted = false;
	Scratch scratch = {.top = NULL};
	TreePoint point;

	tree_point_init(&point, bits, node->bound);
	while (next != NULL)
	{
		node = next;
		next = NULL;
		if (node->state == TREE_UNEXPANDED)
		{
			if (MUTANT(23) && tree->bytes >= tree->max_bytes)
				break;
			expand_for_attempt(tree, node, &scratch);
			if (MUTANT(220) && node->level == 0 && depth_of(node) > 1)
				break;
			if (MUTANT(21) || !tree_point_is_below(&point, node->bound))
				break;
		}
		if (node->state == TREE_CLOSED)
			accepted = draw_from(tree, node, &point, bits, answer);
		else
			next = find_child(node, &point);
	}
	tree_point_clear(&point);
	tree_count_path(tree, node);
	if (scratch.top != NULL)
	{
		node = scratch.top;
		fold(tree, node, scratch.bound);
	}
	lower_bounds(node->state == TREE_BRANCHED ? node : node->parent);
	return accepted;
}

bool
tree_draw(Tree *tree, int64_t effort, Bits *bits, SelectAnswer *answer)
{
	int64_t before = tree->effort;
	bool accepted = false;

	while (!accepted && tree->effort - before < effort)
	{
		tree->attempts++;
		accepted = attempt(tree, bits, answer);
		report(tree);
	}
	if (accepted)
		answer->loss = instance_loss(tree->problem->instance, tree->problem->grid, answer->index);
	return accepted;
}

/* ---- trees ---- */

/* The prior's costs are costs of single levels: bounds, boxes and leaves have them already. */
static void
set_prior(Tree *tree)
{
	PriorCosts prior;

	if (tree->problem->prior_power == 0)
		return;
	select_prior_costs(tree->problem, &prior);
	memcpy(tree->model.cost, prior.cost, sizeof(tree->model.cost));
}

static void
make_scratch(Tree *tree)
{
	const RowTables *rows = &tree->relaxation.cells.rows;
	size_t groups = (size_t) rows->groups;
	size_t values = (size_t) rows->pairs * (size_t) rows->stride;

	tree->inherited.cell_of_group = memory_allocate(tree->memory, groups, sizeof(int));
	tree->inherited.scope = memory_allocate(tree->memory, groups, sizeof(ColumnSet));
	tree->inherited.first = memory_allocate(tree->memory, groups, sizeof(size_t));
	tree->inherited.value = memory_allocate(tree->memory, values, sizeof(int64_t));
}

/* A tree whose root has no bound yet. */
static Tree *
prepare(const SelectProblem *problem, Memory *memory)
{
	Tree *tree = memory_allocate_zero(memory, 1, sizeof(Tree));
	SelectRate rate = select_rate(problem);

	tree->problem = problem;
	tree->memory = memory;
	tree->max_bytes = TREE_MAX_BYTES;
	tree->model.instance = problem->instance;
	tree->model.grid = problem->grid;
	tree->model.scale = TREE_SCALE;
	set_prior(tree);
	whole_box(problem->grid, &tree->model.box);
	rate.denominator *= TREE_SCALE;
	tree_powers_set(&tree->powers, rate);
	relaxation_create(&tree->relaxation, &tree->model, TREE_TABLE_ENTRIES, NULL, memory);
	tree_sums_create(&tree->sums, &tree->powers, &tree->relaxation.noise, memory);
	make_scratch(tree);
	return tree;
}

Tree *
tree_create(const SelectProblem *problem, Memory *memory)
{
	Tree *tree = prepare(problem, memory);

	tree_expand(tree, &tree->root);
	return tree;
}

void
tree_destroy(Tree *tree)
{
	Memory *memory = tree->memory;

	release_below(tree, &tree->root);
	memory_release(memory, tree->inherited.cell_of_group);
	memory_release(memory, tree->inherited.scope);
	memory_release(memory, tree->inherited.first);
	memory_release(memory, tree->inherited.value);
	tree_sums_destroy(&tree->sums, memory);
	relaxation_destroy(&tree->relaxation, memory);
	memory_release(memory, tree);
}

bool
tree_exponential(const SelectProblem *problem, int64_t effort, Bits *bits, Memory *memory,
				 SelectAnswer *answer)
{
	Tree *tree = prepare(problem, memory);
	int64_t attempt = effort == TREE_NO_LIMIT ? 0 : tree_attempt_effort(tree);
	bool accepted = false;

	if (attempt < effort || (MUTANT(230) && effort > 0))
	{
		tree_expand(tree, &tree->root);
		accepted = tree_draw(tree, MUTANT(230) ? effort : effort - attempt, bits, answer);
	}
	tree_destroy(tree);
	return accepted;
}

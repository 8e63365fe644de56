/*
 * tree_bound.c - an upper bound of the mass of a box, and of its parts (lemma E8).
 *
 * On a box R of the grid the relaxation (oracle_relaxation.h) says
 *
 *   L(w) >= constant + minima + sum_j cost_j(w_j)
 *
 * so that with any multipliers
 *
 *   m(R) = sum over w in R of exp(-rate L(w))
 *       <= exp(-rate (constant + minima)) * sum over w in R of prod_j exp(-rate cost_j(w_j))
 *
 * where the sum is one pass of tree_sum.c.  Let r be the right-hand side in real numbers.  The same
 * with coordinate j fixed to a level bounds that part of the box, and the parts add up to r.  A
 * child's bound with its parent's multipliers is at most its part, and collecting does not raise a
 * bound.  Sweeps may raise it; then their result is discarded.
 */
#include "core/exponential/tree_internal.h"

#include <math.h>

#define PRECISION 128

/* The numbers of sweeps, chosen by measurement: hard ones improve minima, soft ones sums. */
typedef struct TreeEffort
{
	int hard;
	int soft;
} TreeEffort;

#define SOFT_SHARE 0.4 /* of what a soft sweep knows about a level, given back to the cells */

/* The parts of that: natural logarithms, and mistakes. */
#define MOST_LOGARITHMS 60.0
#define MOST_MISTAKES 200.0

static double
rate_of(const Tree *tree)
{
	return (double) tree->powers.rate.numerator / (double) tree->powers.rate.denominator;
}

/* The most that a sweep moves for a level, in units of loss.  Any integer is valid. */
static int64_t
most_to_give(const Tree *tree)
{
	double most = MOST_LOGARITHMS / rate_of(tree) + MOST_MISTAKES * (double) TREE_SCALE;

	return most < (double) ORACLE_LIMIT ? (int64_t) most : ORACLE_LIMIT;
}

static bool
has_free_numerics(const Tree *tree, const Box *box)
{
	const RowTables *rows = &tree->relaxation.cells.rows;

	for (int k = 0; k < rows->numerics; k++)
		if (__builtin_popcountll(box->levels[rows->numeric[k]]) > 1)
			return true;
	return false;
}

/*
 * A root without numeric columns takes most effort, because all nodes inherit its multipliers.  If
 * numeric columns have just been fixed, the tables are new, but there may be hundreds of such
 * boxes: one sweep of each kind took the least time.
 */
static TreeEffort
choose_effort(const Tree *tree, const Box *box, const TreeNode *parent)
{
	if (tree->powers.rate.numerator == 0)
		return (TreeEffort){0, 0};
	if (has_free_numerics(tree, box))
		return (TreeEffort){2, 0};
	if (parent == NULL)
		return (TreeEffort){4, 4};
	if (has_free_numerics(tree, tree_multipliers_box(parent->multipliers)))
		return (TreeEffort){1, 1};
	return (TreeEffort){1, 0};
}

/* Computes lower and the sums after the costs have changed and the cells' minima have not. */
static void
sum_up(Tree *tree)
{
	Relaxation *relaxation = &tree->relaxation;

	relaxation->lower = relaxation->constant + relaxation->minima +
						noise_minimise(&relaxation->noise, relaxation->choices, relaxation->cost);
	for (int j = tree->problem->grid->dimension - 1; j >= 0; j--)
		tree_sums_step_backward(&tree->sums, relaxation->choices, j, relaxation->cost[j]);
}

/* The natural logarithm of the bound, relative to that of loss zero. */
static double
logarithm(const Tree *tree, const TreeEstimate *estimate, int64_t zero)
{
	return log(estimate->sum) - rate_of(tree) * (double) (estimate->lower - zero);
}

static void
read_sum(const Tree *tree, TreeEstimate *estimate)
{
	estimate->lower = tree->relaxation.lower;
	estimate->sum = tree->sums.backward[0];
}

/*
 * Gives each cell of coordinate j a part of -ln p / rate, p the share of a level in the sum: a
 * level with little mass in the bound needs no further cost from the cells.
 */
static void
give_back(Tree *tree, int j, int64_t most)
{
	Relaxation *relaxation = &tree->relaxation;
	const Choices *own = &relaxation->choices[j];
	const Cells *cells = &relaxation->cells;
	double marginal[GRID_MAX_LEVELS];
	double largest = 0.0;
	double weights = 0.0;

	(void) tree_sums_marginal(&tree->sums, relaxation->choices, j, relaxation->cost[j], marginal);
	for (int k = 0; k < own->count; k++)
		largest = fmax(largest, marginal[own->index[k]]);
	for (int m = cells->first_member[j]; m < cells->first_member[j + 1]; m++)
		weights += relaxation_share(relaxation, cells->member[m].cell);
	for (int k = 0; k < own->count; k++)
	{
		int i = own->index[k];
		double known = marginal[i] > 0.0 ? log(largest / marginal[i]) / rate_of(tree) : INFINITY;

		known = SOFT_SHARE / weights * fmin(known, (double) most);
		for (int m = cells->first_member[j]; m < cells->first_member[j + 1]; m++)
		{
			Member member = cells->member[m];

			relaxation_raise(relaxation, member, i,
							 -(int64_t) (known * relaxation_share(relaxation, member.cell)));
		}
	}
}

static void
soften_coordinate(Tree *tree, int j, int64_t most)
{
	const Cells *cells = &tree->relaxation.cells;

	relaxation_collect(&tree->relaxation, j);
	if (cells->first_member[j + 1] > cells->first_member[j])
		give_back(tree, j, most);
}

/* Needs the noise programme's and the sums' backward messages, and the cells'. */
static void
soft_sweep(Tree *tree, int64_t most)
{
	Relaxation *relaxation = &tree->relaxation;
	int dimension = tree->problem->grid->dimension;

	for (int j = 0; j < dimension; j++)
	{
		soften_coordinate(tree, j, most);
		relaxation_step_forward(relaxation, j);
		tree_sums_step_forward(&tree->sums, relaxation->choices, j, relaxation->cost[j]);
	}
	for (int j = dimension - 1; j >= 0; j--)
	{
		soften_coordinate(tree, j, most);
		relaxation_step_backward(relaxation, j);
		tree_sums_step_backward(&tree->sums, relaxation->choices, j, relaxation->cost[j]);
	}
	relaxation->minima = cells_minimum(&relaxation->cells);
}

/* Moves the cells' bounds into the costs, on which the sum is computed. */
static void
collect_all(Tree *tree)
{
	for (int j = 0; j < tree->problem->grid->dimension; j++)
	{
		relaxation_collect(&tree->relaxation, j);
		relaxation_step_forward(&tree->relaxation, j);
	}
	sum_up(tree);
}

/* Sweeps, then collects.  The cells' backward messages must be current. */
static void
improve(Tree *tree, TreeEffort effort)
{
	int64_t most = most_to_give(tree);

	for (int k = 0; k < effort.hard; k++)
		relaxation_sweep(&tree->relaxation, most);
	tree_count_sweeps(tree, effort.hard + effort.soft);
	if (effort.soft > 0)
		sum_up(tree);
	for (int k = 0; k < effort.soft; k++)
		soft_sweep(tree, most);
	collect_all(tree);
}

static void
build(Tree *tree, const Box *box, const TreeNode *parent)
{
	relaxation_build(&tree->relaxation, box, parent != NULL ? &tree->inherited : NULL);
	relaxation_bound(&tree->relaxation);
	tree_count_box(tree);
}

/* Bounds the parts of the box.  The noise programme's forward messages must be current. */
static void
divide(Tree *tree, TreeEstimate *estimate)
{
	const Relaxation *relaxation = &tree->relaxation;
	int coordinate = relaxation_choose(relaxation);

	estimate->coordinate = coordinate;
	for (int j = 0; j < coordinate; j++)
		tree_sums_step_forward(&tree->sums, relaxation->choices, j, relaxation->cost[j]);
	(void) tree_sums_marginal(&tree->sums, relaxation->choices, coordinate,
							  relaxation->cost[coordinate], estimate->marginal);
}

void
tree_estimate(Tree *tree, const Box *box, const TreeNode *parent, bool tighten,
			  TreeEstimate *estimate)
{
	TreeEstimate inherited;

	estimate->coordinate = -1;
	if (parent != NULL)
		tree_multipliers_unpack(tree, parent->multipliers);
	build(tree, box, parent);
	sum_up(tree);
	read_sum(tree, estimate);
	if (relaxation_is_exact(&tree->relaxation))
		return;
	if (tighten && tree->relaxation.cells.count > 0)
	{
		inherited = *estimate;
		improve(tree, choose_effort(tree, box, parent));
		read_sum(tree, estimate);
		if (logarithm(tree, estimate, inherited.lower) <=
			logarithm(tree, &inherited, inherited.lower))
		{
			divide(tree, estimate);
			return;
		}
		tree->restored++;
		build(tree, box, parent);
	}
	collect_all(tree);
	read_sum(tree, estimate);
	divide(tree, estimate);
}

/*
 * The allowance of a node at depth k is A(k) = 1 + (GRID_MAX_DIMENSION + 1 - k) 2^-36,
 * at most 128 coordinates being branched on.  A computed bound u = exp() * sum *
 * A(k) is at least the real one, r, and not much larger:
 *
 *   r <= r (1 - 2^-39) A(k) <= u <= r (1 + 2^-37) A(k),
 *
 * by the error of the sum (tree_sum.c), A(k) >= 1 + 2^-36, and the other
 * roundings, which are upwards and below 2^-60 together.
 */
TreeLength
tree_bound(const Tree *tree, int64_t lower, double sum, int depth)
{
	double allowance = 1.0 + (GRID_MAX_DIMENSION + 1 - depth) * 0x1p-36;
	TreeLength bound;
	int64_t exponent;
	mpfr_t value;

	mpfr_init2(value, PRECISION);
	exponent = select_power_above(value, tree->powers.rate, lower);
	mpfr_mul_d(value, value, sum, MPFR_RNDU);
	mpfr_mul_d(value, value, allowance, MPFR_RNDU);
	bound = tree_length_above(value, exponent);
	mpfr_clear(value);
	return bound;
}

/*
 * tree_internal.h - the common parts of the tree sampler.  Only tree_*.c and their tests
 * include this header.
 *
 * Losses, costs and multipliers are in units of 1 / TREE_SCALE of a row.  The instance's constant,
 * which drops out of the law, is left out.
 */
#ifndef DPOBJ_CORE_TREE_INTERNAL_H
#define DPOBJ_CORE_TREE_INTERNAL_H

#include <gmp.h>
#include <mpfr.h>

#include "core/optimum/oracle_relaxation.h"
#include "core/exponential/select_internal.h"
#include "core/exponential/tree.h"

#define TREE_SCALE PRIOR_SCALE

/* Cells' tables and messages of one box, 8 bytes each; see row_tables_create(). */
#define TREE_TABLE_ENTRIES (INT64_C(1) << 22)

_Static_assert(SELECT_MAX_SPAN *TREE_SCALE + PRIOR_MAX_COST < ORACLE_LIMIT,
			   "R1 of oracle_internal.h");
_Static_assert(sizeof(long) >= sizeof(int64_t), "GMP's and MPFR's long arguments hold 64 bits");

/* ---- tree_interval.c: lengths of intervals, and a point drawn bit by bit ---- */

/* The number mantissa * 2^exponent; the empty interval has mantissa 0. */
typedef struct TreeLength
{
	uint64_t mantissa;
	int64_t exponent;
} TreeLength;

/* Negative, zero or positive as a is less than, equal to or greater than b. */
extern int tree_length_compare(TreeLength a, TreeLength b);

/*
 * tree_length_above() returns the least length of 64 bits that is at least value * 2^exponent,
 * value > 0; tree_length_add() one that is at least a + b.
 */
extern TreeLength tree_length_above(const mpfr_t value, int64_t exponent);
extern TreeLength tree_length_add(TreeLength a, TreeLength b);

/* A uniform number t whose leading bits are known: it lies in [value, value + 1) * 2^exponent. */
typedef struct TreePoint
{
	mpz_t value;
	int64_t exponent;
	Bits *bits;
} TreePoint;

/* Draws t uniformly from [0, length), which must not be empty. */
extern void tree_point_init(TreePoint *point, Bits *bits, TreeLength length);
extern void tree_point_clear(TreePoint *point);

/* Draws count more bits of t, at most 64. */
extern void tree_point_refine(TreePoint *point, int count);

/* Whether t is below the length; draws only the bits needed to decide. */
extern bool tree_point_is_below(TreePoint *point, TreeLength length);

/* Subtracts the length from t, which must not be below it; draws bits down to the length's unit. */
extern void tree_point_subtract(TreePoint *point, TreeLength length);

/* ---- tree_sum.c: sums over the grid ---- */

#define TREE_DIGIT_BITS 11
#define TREE_DIGITS 6 /* enough for 2^60 */

/* Upper bounds of exp(-rate k) for k >= 0, rate per unit; see tree_sum.c. */
typedef struct TreePowers
{
	SelectRate rate;
	int64_t end; /* from this k on the bound is 2^-900 */
	double value[TREE_DIGITS][1 << TREE_DIGIT_BITS];
} TreePowers;

/*
 * Sums of exp(-rate cost) over the grid, in the form of the noise programme's minima.
 * backward[j][s] is the sum over all completions from state s before coordinate j, divided by the
 * term of the cheapest; forward[j][s] is the same for the coordinates before j that lead to s.
 */
typedef struct TreeSums
{
	const TreePowers *powers;
	const NoiseProgramme *noise;
	double *forward;
	double *backward; /* both (dimension + 1) * states, like the noise programme's */
} TreeSums;

extern void tree_powers_set(TreePowers *powers, SelectRate rate);

extern void tree_sums_create(TreeSums *sums, const TreePowers *powers, const NoiseProgramme *noise,
							 Memory *memory);
extern void tree_sums_destroy(TreeSums *sums, Memory *memory);

/* Called after the noise programme's step between the same coordinates. */
extern void tree_sums_step_backward(TreeSums *sums, const Choices *choices, int j,
									const int64_t *cost);
extern void tree_sums_step_forward(TreeSums *sums, const Choices *choices, int j,
								   const int64_t *cost);

/*
 * Sets marginal, by level index, to the sum with coordinate j fixed to each of its choices, divided
 * by exp(-rate least), and returns least, the cheapest vector's cost.  Needs forward[j] and
 * backward[j + 1] of the sums and of the noise programme.
 */
extern int64_t tree_sums_marginal(const TreeSums *sums, const Choices *choices, int j,
								  const int64_t *cost, double *marginal);

/* ---- tree_sampler.c: nodes ---- */

typedef enum TreeState
{
	TREE_UNEXPANDED,
	TREE_BRANCHED,
	TREE_CLOSED /* the mass of its box is known exactly */
} TreeState;

typedef struct TreeNode TreeNode;
typedef struct TreeMultipliers TreeMultipliers;

struct TreeNode
{
	TreeNode *parent;
	TreeNode *child;              /* one per choice of coordinate, in a row */
	TreeMultipliers *multipliers; /* of a branched node, and its box; else NULL */
	TreeLength bound;             /* U >= the mass of the node's box */
	uint8_t state;
	uint8_t children;
	uint8_t coordinate; /* of the children's levels */
	uint8_t level;      /* of the parent's coordinate */
};

struct Tree
{
	const SelectProblem *problem;
	Memory *memory;
	OracleModel model;
	TreePowers powers;
	Relaxation relaxation;
	TreeSums sums;
	Multipliers inherited; /* scratch: the multipliers of the current node's parent */
	TreeNode root;
	int64_t bytes;     /* of nodes and multipliers */
	int64_t max_bytes; /* beyond this, expanded nodes are not kept */
	int64_t expanded;  /* nodes */
	int64_t attempts;
	int64_t effort;   /* tree_effort.c */
	int64_t updates;  /* of the rows' tables, that effort counts */
	int64_t restored; /* expansions that fell back to the parent's multipliers */
};

/* Makes an unexpanded node a branched or a closed one. */
extern void tree_expand(Tree *tree, TreeNode *node);

/* Returns the tree to its state after tree_create(). */
extern void tree_forget(Tree *tree);

extern void tree_box(const Tree *tree, const TreeNode *node, Box *box);

/* ---- tree_bound.c: bounds of one box ---- */

/* A bound of the mass of a box, and of its parts. */
typedef struct TreeEstimate
{
	int64_t lower;                    /* of the relaxation */
	double sum;                       /* mass <= exp(-rate lower) * sum, apart from rounding */
	int coordinate;                   /* to branch on; -1 for a closed box */
	double marginal[GRID_MAX_LEVELS]; /* sum for each level of the coordinate; 0: no vector of the
										 grid */
} TreeEstimate;

/*
 * Bounds a box with the multipliers of its parent (NULL at the root), improved if tighten is set.
 */
extern void tree_estimate(Tree *tree, const Box *box, const TreeNode *parent, bool tighten,
						  TreeEstimate *estimate);

/* exp(-rate lower) * sum as a length, with the allowance of a node at that depth. */
extern TreeLength tree_bound(const Tree *tree, int64_t lower, double sum, int depth);

/* ---- tree_effort.c: what the work costs, counted as it is done ---- */

/* Counts a box that has been built and bounded, and sweeps of it. */
extern void tree_count_box(Tree *tree);
extern void tree_count_sweeps(Tree *tree, int sweeps);

/* Counts the exact mass of a leaf. */
extern void tree_count_leaf(Tree *tree);

/* Counts the way of an attempt to a node. */
extern void tree_count_path(Tree *tree, const TreeNode *node);

/* ---- tree_multipliers.c: what a node keeps for its children ---- */

extern TreeMultipliers *tree_multipliers_pack(Tree *tree, const Box *box);
extern void tree_multipliers_release(Tree *tree, TreeMultipliers *packed);
extern const Box *tree_multipliers_box(const TreeMultipliers *packed);
extern void tree_multipliers_unpack(Tree *tree, const TreeMultipliers *packed);

/* ---- tree_leaf.c: exact masses ---- */

/*
 * For the relaxation of a closed box: if t is below the box's mass, draws a vector w of the box
 * with probability proportional to exp(-rate L(w)); else false.
 */
extern bool tree_leaf_draw(Tree *tree, TreePoint *point, Bits *bits, int *index);

#endif

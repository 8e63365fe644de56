/*
 * select_internal.h - the common parts of select_*.c: the plan of an enumeration, a walker that
 * goes through it, and the exponential mechanism's weights.  Only select_*.c and its test include
 * this header; the test needs it to count configurations, to draw many times from one set of
 * weights, and to compare the integer weights with the masses that they bound.
 *
 * Coordinates.  The columns of the group are summed out, the others ("outer") are
 * enumerated; an outer configuration o fixes all outer coordinates.  Given o,
 *
 *   L(o, v) = constant + base + sum over group columns g of loss[g][v_g],
 *
 * because each row has exactly one group column, and so depends on one v_g only.
 * Without a group there is one pseudo column with the single level 0, and
 * L(o) = constant + base + loss[0][0].
 *
 * Summed columns.  Some outer columns that hold only 0 and 1 are "summed", the others are
 * "scored".  Rows with equal summed columns and equal group column form a cell.  A row's
 * prediction depends on its score s by the scored columns and on the integer sum t of the weights
 * of its summed columns and its group column: it is positive iff s + t > 0, that is from a
 * threshold in t on.  So a cell has a table f[t], the loss of its rows at the sum t, which changes
 * with scored weights only (theorem B3).
 *
 * Layers.  Scored columns change slowest.  Once their weights are fixed, the cells' tables are
 * made from the rows' scores: that is the first layer.  Fixing the weight w of the next summed
 * column leaves cells that differ in this column only alike, so that their tables merge,
 *
 *   f'[t] = f_without[t] + f_with[t + w],
 *
 * and each layer has fewer and shorter tables than the one before.  After the last column there
 * would be a table for each group column, with its losses at all levels: it is the sum over the
 * rows, but no row is looked at (theorem E15).
 *
 * Dense plans.  With no summed column each configuration is summed up over the rows, for all
 * levels of the last column in one pass.
 */
#ifndef DPOBJ_CORE_SELECT_INTERNAL_H
#define DPOBJ_CORE_SELECT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <gmp.h>
#include <mpfr.h>

#include "core/base/interval.h"
#include "core/base/mutant.h"
#include "core/exponential/select.h"
#include "core/exponential/select_kernel.h"
#include "core/exponential/select_time.h"

typedef unsigned __int128 uint128;

/* ---- select_plan.c: what is enumerated, in which order ---- */

/* Outer coordinates by depth: depth 0 changes slowest. */
typedef struct SelectColumn
{
	int coordinate;
	int32_t *value; /* the features of a scored column, in the order of the plan's rows */
} SelectColumn;

/*
 * The tables at one depth, for all weights before it, and how those of the next depth are made of
 * them: first the sums of two tables, then copies of one, with and without the depth's column.
 */
typedef struct SelectLayer
{
	int64_t cells;
	int64_t start; /* of the layer's tables */
	int64_t words;
	int64_t sums;
	int64_t copies_with;
	int64_t copies_without;
	SelectMove *move;
} SelectLayer;

typedef struct SelectPlan
{
	const Instance *instance;
	const Grid *grid;

	int groups; /* group columns M, 1 without a group */
	int first;  /* the coordinate of group column 0; -1 without a group */
	int levels; /* levels V of each group column, 1 without a group */
	int weight[GRID_MAX_LEVELS];
	/* Group column g takes the levels from[g] .. end[g] - 1 of these: all, or a single one. */
	int8_t from[GRID_MAX_DIMENSION];
	int8_t end[GRID_MAX_DIMENSION];

	/*
	 * The score of a vector is scale (L - constant) + its prior's cost: scale is 1 without a prior,
	 * PRIOR_SCALE with one.
	 */
	int64_t scale;
	PriorCosts prior;

	int64_t base; /* sum of the positive nets */
	int64_t span; /* sum of all |net|; L - constant lies in 0 .. span */

	int depths; /* number of outer coordinates */
	SelectColumn column[GRID_MAX_DIMENSION];

	int scored;           /* depths of scored columns */
	double expected_time; /* nanoseconds of one thread (select_time.h), for benches */
	bool dense;           /* no column is summed, and sums of nets fit 32 bits */
	SelectRows rows;
	int32_t *dense_net;
	int64_t dense_first[GRID_MAX_DIMENSION + 1]; /* the first row of each group column; the end */

	SelectLayer layer[GRID_MAX_DIMENSION +
					  1]; /* by depth, from scored on; not after the last summed column */
	int64_t table_words;  /* of all layers */
	int32_t *first_size;  /* entries of each table of the first layer */
	int32_t *without;     /* of the last layer: the words whose sum is */
	int32_t *with;        /* loss[g][v], at the lowest level of the depth */
	const SelectKernel *kernel;

	/*
	 * The grid's automaton in the order of the depths:
	 * next[(depth * states + state) * GRID_MAX_LEVELS + i] is the state after
	 * level i, or -1 where no completion lies in the grid.
	 */
	int states;
	int16_t *next;

	/*
	 * Block b holds the configurations whose first block_depth coordinates have
	 * the level indices prefix[b * block_depth ...]; state[b] is reached then.
	 */
	int64_t blocks;
	int block_depth;
	uint8_t *prefix;
	int16_t *state;
} SelectPlan;

/* How many columns to sum: as is fastest, all that can be, none.  The test asks for each. */
typedef enum SelectLayout
{
	SELECT_FASTEST,
	SELECT_TABLES,
	SELECT_DENSE
} SelectLayout;

/* blocks: about how many blocks to make; 0: chosen by the size of the enumeration. */
extern SelectPlan *select_plan_create(const SelectProblem *problem, int64_t blocks,
									  SelectLayout layout, Memory *memory);
extern void select_plan_destroy(SelectPlan *plan, Memory *memory);

/* What level v of group column g costs; 0 without a prior or a group. */
static inline int64_t
select_group_cost(const SelectPlan *plan, int g, int v)
{
	return plan->first >= 0 && !MUTANT(194) ? plan->prior.cost[plan->first + g][v - plan->from[g]]
											: 0;
}

/* ---- select_order.c: which column changes when, and which are summed ---- */

/* Whether a coordinate belongs to the columns that are summed out. */
static inline bool
select_is_grouped(SelectGroup group, int coordinate)
{
	return coordinate >= group.first && coordinate < group.first + group.size;
}

/*
 * Sets plan->depths and the coordinates of plan->column; returns how many of the last can be
 * summed.
 */
extern int select_order_columns(SelectPlan *plan, SelectGroup group, Memory *memory);

/* The same without a look at rows, for a dense plan under a constraint (select_time.h). */
extern void select_order_publicly(SelectPlan *plan);

/* Makes the automaton of the grid in the order of the columns. */
extern void select_order_automaton(SelectPlan *plan, Memory *memory);

/* The number of columns to sum.  work has the sizes of the layers; the rest of it is filled in. */
extern int select_choose_summed(SelectPlan *plan, SelectWork *work, SelectLayout layout);

/* ---- select_enumerate.c: going through the configurations ---- */

typedef struct SelectWalker SelectWalker;

/* Called for each configuration; returns false to end the walk there. */
typedef bool (*SelectVisit)(SelectWalker *walker, void *context);

struct SelectWalker
{
	const SelectPlan *plan;
	int number;    /* 0 .. threads - 1, for the visitor's own arrays */
	int64_t block; /* the block that is being walked */
	SelectVisit visit;
	void *context;

	int index[GRID_MAX_DIMENSION]; /* current levels; 0 at group columns */
	int8_t direction[GRID_MAX_DIMENSION];
	int64_t cost[GRID_MAX_DIMENSION + 1]; /* [d]: what the levels before depth d cost */
	int64_t *fixed;     /* the part of loss that the last summed column leaves alone */
	int64_t *loss;      /* loss[g * levels + v] of the current configuration */
	uint32_t *score;    /* of each row by the scored columns, modulo 2^32 */
	uint64_t *table;    /* of all layers; losses modulo 2^64 */
	int64_t *dense_sum; /* the losses at each level of a dense plan's last column */
};

typedef struct SelectTeam
{
	int size;
	SelectWalker *walker;
} SelectTeam;

extern void select_team_create(SelectTeam *team, const SelectPlan *plan, int threads,
							   Memory *memory);
extern void select_team_destroy(SelectTeam *team, Memory *memory);

/*
 * Visits every configuration once, several blocks at a time, each in its fixed order.  The visitor
 * may write only to data of walker->block or walker->number, and must not allocate memory.
 */
extern void select_visit_all(SelectTeam *team, SelectVisit visit, void *context);

/* Visits one block, in the same order, until the visitor stops it. */
extern void select_visit_block(SelectWalker *walker, int64_t block, SelectVisit visit,
							   void *context);

/* What the levels of all outer coordinates cost; 0 without a prior. */
static inline int64_t
select_outer_cost(const SelectWalker *walker)
{
	return walker->cost[walker->plan->depths];
}

/* ---- select_rate.c: powers of the rate, and comparisons with them ---- */

extern SelectRate select_rate(const SelectProblem *problem);

/* The costs of the problem's prior, in units of 1 / PRIOR_SCALE of a row (theorem E13). */
extern void select_prior_costs(const SelectProblem *problem, PriorCosts *costs);

/*
 * Set result to an interval that holds exp(-rate k), rate k / ln 2 and exp(-rate k) 2^-exponent,
 * k of either sign.
 */
extern void select_set_exponential(Interval *result, SelectRate rate, int64_t k);
extern void select_set_binary_exponent(Interval *result, SelectRate rate, int64_t k);
extern void select_set_scaled_exponential(Interval *result, SelectRate rate, int64_t k,
										  int64_t exponent);

/* Sets value, 1/2 <= value <= 1, and returns an exponent: exp(-rate k) <= value 2^exponent. */
extern int64_t select_power_above(mpfr_t value, SelectRate rate, int64_t k);

/* table[i] >= exp(-rate step i) for 0 <= i < count. */
extern void select_fill_powers(double *table, int64_t count, SelectRate rate, int64_t step);

/* Whether a uniform number is below a real number. */
typedef enum SelectVerdict
{
	SELECT_OPEN, /* more digits, and a narrower interval, are needed to decide */
	SELECT_BELOW,
	SELECT_NOT_BELOW
} SelectVerdict;

/*
 * Compares a uniform number in [digits, digits + 1) with a number in the interval bound, in the
 * same unit.  A decision holds for the complete number, whatever its further digits are.
 */
extern SelectVerdict select_compare(const mpz_t digits, const Interval *bound);

/* Sets point to U length, for a uniform U whose first known binary digits are given. */
extern void select_set_point(Interval *point, const Interval *length, const mpz_t digits,
							 long known);

static inline int64_t
select_least(const int64_t *loss, int count)
{
	int64_t least = loss[0];

	for (int i = 1; i < count; i++)
		least = loss[i] < least ? loss[i] : least;
	return least;
}

/* ---- select_exponential.c: the masses and their integer upper bounds ---- */

/* A weight mantissa * 2^exponent; 2^52 <= mantissa < 2^53. */
typedef struct SelectWeight
{
	uint64_t mantissa;
	int64_t exponent;
} SelectWeight;

/* The number of exponents, from the largest down, that have buckets of their own. */
#define SELECT_BUCKETS 192

/* Sums of mantissas by exponent: bucket k holds low + k, bucket 0 all below too. */
typedef struct SelectHistogram
{
	int64_t low;
	uint128 bucket[SELECT_BUCKETS];
} SelectHistogram;

typedef struct SelectTables SelectTables;

/* The weights that all draws share: see select_exponential.c. */
typedef struct SelectLaw
{
	SelectPlan *plan;
	SelectTeam team;
	SelectRate rate; /* per unit of a score */
	SelectTables *tables;
	SelectHistogram *histogram; /* one per block */
	int64_t floor;              /* the least exponent with a bucket of its own, over all blocks */
	mpz_t *total;               /* per block, the sum of its weights in units of 2^floor */
	mpz_t sum;                  /* of total */
} SelectLaw;

extern void select_law_create(SelectLaw *law, const SelectProblem *problem, int64_t blocks,
							  Memory *memory);
extern void select_law_destroy(SelectLaw *law, Memory *memory);

/* Makes one exact draw; returns the number of attempts. */
extern int64_t select_law_draw(SelectLaw *law, Bits *bits, SelectAnswer *answer);

/* The weight of the walker's configuration, before the floor is applied. */
extern SelectWeight select_weight(const SelectTables *tables, const SelectWalker *walker);

/* ---- select_permute_flip.c ---- */

/*
 * Classes of vectors by score: class k holds the scores from first + k 2^shift on, below those of
 * class k + 1; the last one all above, too.
 */
typedef struct SelectClasses
{
	int64_t first; /* no score is lower */
	int shift;
	int64_t count;
} SelectClasses;

/* Without a prior, class l holds the vectors with L - constant = l.  Not with a group. */
extern SelectClasses select_classes(SelectTeam *team, SelectRate rate);

/* The number of vectors in each class. */
extern uint64_t *select_count_classes(SelectTeam *team, const SelectClasses *classes,
									  Memory *memory);

/* Returns the number of heads of n coins of bias exp(-rate * k), exactly. */
extern uint64_t select_binomial(Bits *bits, uint64_t n, SelectRate rate, int64_t k);

#endif

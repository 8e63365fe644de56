/*
 * grid_default.c - the default grid: the first of a list whose draw is sure to end in time.
 */
#include "core/mechanisms/grid_default.h"

#include <math.h>
#include <string.h>

#include "core/mechanisms/mechanism.h"

/* Scores are computed in int32. */
#define SCORE_LIMIT 2147483647.0

/*
 * The longest runs in seconds, of which the enumeration gets a part (run_terms.h).  They count with
 * a slow machine: two idle cores of the one that was measured need two fifths.  Mostly the tree
 * answers long before, unless there are many numeric columns, or all vectors have as many weights
 * (bench/accuracy).
 */
#define TREE_NUMBERS 3
#define TREE_RUN 55
#define QUICK_RUN 40

/* The same where all weights are -1, 0 and 1: a wait for more would be long for little. */
#define NARROW_RUN 16

/* The largest share of the rows that few weights may lose, in the mean. */
#define PRICE 0.04

#define MAX_SPARSE 8

typedef enum SizesName
{
	ONE,
	TO_2,
	TO_4,
	POWERS_OF_4,
	TO_13,
	MOST_TO_16
} SizesName;

static const GridSizes sizes[] = {
	[ONE] = {1, {1}},
	[TO_2] = {2, {1, 2}},
	[TO_4] = {3, {1, 2, 4}},
	[POWERS_OF_4] = {3, {1, 4, 16}},
	[TO_13] = {6, {1, 2, 3, 5, 8, 13}},
	[MOST_TO_16] = {8, {1, 2, 3, 4, 6, 8, 12, 16}},
};

/* In the order of their worth.  The whole group is summed out, so that its width costs little. */
static const struct
{
	SizesName whole;
	SizesName indicator;
	SizesName number;
} dense[] = {
	{TO_4, TO_2, MOST_TO_16}, {TO_4, TO_2, TO_13},       {TO_4, ONE, MOST_TO_16},
	{TO_4, ONE, TO_13},       {TO_4, TO_2, POWERS_OF_4}, {TO_4, ONE, POWERS_OF_4},
	{TO_4, ONE, ONE},         {ONE, ONE, ONE},
};

#define DENSE ((int) (sizeof(dense) / sizeof(dense[0])))

double
grid_evidence(int64_t rows, int64_t epsilon, Adjacency adjacency)
{
	return 2.0 / privacy_margin(adjacency) * (double) rows * ((double) epsilon / EPSILON_ONE);
}

/* The group that keeps all its weights; -1: there is none of two columns or more. */
static int
whole_group(const Encoding *encoding)
{
	int whole = -1;

	for (int g = 0; g < encoding->groups; g++)
		if (encoding->group[g] > (whole < 0 ? 1 : encoding->group[whole]))
			whole = g;
	return whole;
}

bool
grid_has_constant(const Encoding *encoding)
{
	return whole_group(encoding) >= 0;
}

/* ---- grids ---- */

static void
set_sizes(Grid *grid, int j, const GridSizes *of)
{
	int count = of->count;

	grid->levels[j] = 2 * count + 1;
	grid->level[j][count] = 0;
	for (int i = 0; i < count; i++)
	{
		grid->level[j][count - 1 - i] = (int8_t) -of->size[i];
		grid->level[j][count + 1 + i] = (int8_t) of->size[i];
	}
}

static void
make_sparse(const GridTerms *terms, int weights, Grid *grid)
{
	memset(grid, 0, sizeof(*grid));
	grid->dimension = encoding_dimension(terms->encoding);
	for (int j = 0; j < grid->dimension; j++)
		grid_set_range(grid, j, 1);
	grid->constraint = GRID_SPARSE;
	grid->bound = weights;
}

static void
make_dense(const GridTerms *terms, const GridWidths *widths, Grid *grid)
{
	static const GridSizes none = {0};
	const Encoding *encoding = terms->encoding;
	int whole = whole_group(encoding);
	int first = 0;

	memset(grid, 0, sizeof(*grid));
	grid->dimension = encoding_dimension(encoding);
	for (int j = 0; j < grid->dimension; j++)
		set_sizes(grid, j,
				  terms->numeric[j] || j == encoding->features ? &widths->number
															   : &widths->indicator);
	for (int g = 0; g < encoding->groups; first += encoding->group[g++])
		for (int j = first; encoding->group[g] > 1 && j < first + encoding->group[g]; j++)
			set_sizes(grid, j,
					  g == whole  ? &widths->whole
					  : j > first ? &widths->indicator
								  : &none);
	if (encoding->intercept && whole >= 0)
		set_sizes(grid, encoding->features, &none);
}

/* ---- what fits ---- */

bool
grid_scores_fit(const Encoding *encoding, const Grid *grid)
{
	return encoding_score_bound(encoding, grid) < SCORE_LIMIT;
}

static bool
is_tree_quick(const GridTerms *terms, const Grid *grid)
{
	int numbers = 0;

	for (int j = 0; j < terms->encoding->features; j++)
		numbers += terms->numeric[j];
	return numbers <= TREE_NUMBERS && grid->constraint == GRID_PRODUCT;
}

static bool
is_narrow(const Grid *grid)
{
	for (int j = 0; j < grid->dimension; j++)
		if (grid->levels[j] > 3)
			return false;
	return true;
}

/* Is a draw from the grid sure to end in time?  Sets how long it may then take. */
static bool
ends(const GridTerms *terms, const Grid *grid, RunTerms *run)
{
	const Encoding *encoding = terms->encoding;

	*run = terms->run;
	run->longest = fmin(run->longest, is_narrow(grid)              ? NARROW_RUN
									  : is_tree_quick(terms, grid) ? TREE_RUN
																   : QUICK_RUN);
	return run_fits_grid(run, grid, select_cheapest_group(grid, encoding->group, encoding->groups));
}

RunTerms
grid_default_run(const GridTerms *terms, const Grid *grid)
{
	RunTerms run;

	return ends(terms, grid, &run) ? run : terms->run;
}

static bool
fits(const GridTerms *terms, const Grid *grid)
{
	RunTerms run;

	return grid_scores_fit(terms->encoding, grid) && ends(terms, grid, &run);
}

/* Is the mean loss by theorem U1, 2 ln |W| / evidence of the rows, worth the grid's size? */
static bool
is_worth(const GridTerms *terms, const Grid *grid)
{
	return terms->rows == 0 || 2 * log(2) * grid_log2_size(grid) <= PRICE * terms->evidence;
}

static void
choose_sparse(const GridTerms *terms, GridWidths *widths, Grid *grid)
{
	int dimension = encoding_dimension(terms->encoding);

	*widths = (GridWidths){.sparse = dimension < MAX_SPARSE ? dimension : MAX_SPARSE};
	for (;; widths->sparse--)
	{
		make_sparse(terms, widths->sparse, grid);
		if (widths->sparse == 1 || (fits(terms, grid) && is_worth(terms, grid)))
			return;
	}
}

void
grid_default(const GridTerms *terms, GridWidths *widths, Grid *grid)
{
	for (int k = 0; k < DENSE; k++)
	{
		*widths = (GridWidths){0, sizes[dense[k].whole], sizes[dense[k].indicator],
							   sizes[dense[k].number]};
		make_dense(terms, widths, grid);
		if (fits(terms, grid))
			return;
	}
	choose_sparse(terms, widths, grid);
}

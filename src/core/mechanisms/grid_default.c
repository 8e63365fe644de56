/*
 * grid_default.c - the default grid: the widest that the number of rows justifies and that can be
 * drawn from.
 */
#include "core/mechanisms/grid_default.h"

#include <math.h>
#include <string.h>

#include "core/mechanisms/mechanism.h"

/* Scores are computed in int32. */
#define SCORE_LIMIT 2147483647.0

/*
 * Grids of more than EXPONENTIAL_SURE_COST configurations are not certain to be enumerated.  The
 * tree draws from them in seconds up to these numbers of configurations and of numeric columns
 * (bench/accuracy).
 */
#define TREE_COST UINT64_C(1000000000)
#define TREE_NUMBERS 3

/*
 * The most configurations times rows, about a minute; fewer with many numbers, where the tree does
 * not help.
 */
#define WORK 1e12
#define WORK_WITH_NUMBERS 2e11

/* The largest share of the rows that may be lost, in the mean. */
#define PRICE 0.04

/* The least rows times epsilon for each weight of a dense grid. */
#define DENSE_EVIDENCE 80

#define MAX_SPARSE 8

/* Widest first; the last two are the plain grids. */
static const GridWidths dense[] = {{0, 4, 2, 4}, {0, 4, 1, 4}, {0, 3, 1, 4},
								   {0, 2, 1, 4}, {0, 1, 1, 4}, {0, 1, 1, 1}};

#define DENSE ((int) (sizeof(dense) / sizeof(dense[0])))
#define FIRST_PLAIN (DENSE - 2)

double
grid_evidence(int64_t rows, int64_t epsilon, Adjacency adjacency)
{
	return 2.0 / privacy_margin(adjacency) * (double) rows * ((double) epsilon / EPSILON_ONE);
}

bool
grid_has_constant(const Encoding *encoding)
{
	for (int g = 0; g < encoding->groups; g++)
		if (encoding->group[g] > 1)
			return true;
	return false;
}

/*
 * The largest weight of the intercept, which must outweigh numeric columns.  If the columns of a
 * group hold a constant and their weights are wide enough, an intercept would only add vectors with
 * equal scores.
 */
static int
intercept_range(const Encoding *encoding, const GridWidths *widths)
{
	if (!grid_has_constant(encoding))
		return widths->number;
	return widths->grouped > 1 || widths->number == 1 ? 0 : widths->indicator;
}

static void
make_grid(const GridTerms *terms, const GridWidths *widths, Grid *grid)
{
	const Encoding *encoding = terms->encoding;
	int first = 0;

	memset(grid, 0, sizeof(*grid));
	grid->dimension = encoding_dimension(encoding);
	for (int j = 0; j < grid->dimension; j++)
		grid_set_range(grid, j,
					   widths->sparse > 0  ? 1
					   : terms->numeric[j] ? widths->number
										   : widths->indicator);
	for (int g = 0; g < encoding->groups && widths->sparse == 0; first += encoding->group[g++])
		for (int j = first; encoding->group[g] > 1 && j < first + encoding->group[g]; j++)
			if (!terms->numeric[j])
				grid_set_range(grid, j, widths->grouped);
	if (encoding->intercept && widths->sparse == 0)
		grid_set_range(grid, encoding->features, intercept_range(encoding, widths));
	if (widths->sparse > 0)
	{
		grid->constraint = GRID_SPARSE;
		grid->bound = widths->sparse;
	}
}

static int
count_numbers(const GridTerms *terms)
{
	int numbers = 0;

	for (int j = 0; j < encoding_dimension(terms->encoding); j++)
		numbers += terms->numeric[j];
	return numbers;
}

/* Can the exponential mechanism draw from the grid, certainly or at least soon? */
static bool
can_draw(const GridTerms *terms, const GridWidths *widths, const Grid *grid)
{
	const Encoding *encoding = terms->encoding;
	uint64_t cost =
		select_cost(grid, select_cheapest_group(grid, encoding->group, encoding->groups));
	bool many_numbers = widths->number > 1 && count_numbers(terms) > TREE_NUMBERS;
	double work = (double) cost * (double) terms->rows;

	if (encoding_score_bound(encoding, grid) >= SCORE_LIMIT)
		return false;
	if (widths->grouped != 1 && work > (many_numbers ? WORK_WITH_NUMBERS : WORK))
		return false;
	if (cost <= EXPONENTIAL_SURE_COST)
		return true;
	if (terms->finish || widths->sparse > 0 || many_numbers)
		return false;
	return grid_log2_size(grid) <= GRID_DEFAULT_LOG2 && (widths->grouped == 1 || cost <= TREE_COST);
}

/* The share of the rows that is lost in the mean, 2 ln |W| / evidence. */
static double
price(const GridTerms *terms, const Grid *grid)
{
	return 2 * log(2) * grid_log2_size(grid) / terms->evidence;
}

static void
choose_sparse(const GridTerms *terms, GridWidths *widths, Grid *grid)
{
	int dimension = encoding_dimension(terms->encoding);

	*widths = (GridWidths){.sparse = dimension < MAX_SPARSE ? dimension : MAX_SPARSE};
	for (;; widths->sparse--)
	{
		make_grid(terms, widths, grid);
		if (widths->sparse == 1 || (can_draw(terms, widths, grid) && price(terms, grid) <= PRICE))
			return;
	}
}

void
grid_default(const GridTerms *terms, GridWidths *widths, Grid *grid)
{
	bool enough = terms->evidence >= DENSE_EVIDENCE * (double) encoding_dimension(terms->encoding);

	for (int k = 0; k < DENSE && enough; k++)
	{
		*widths = dense[k];
		make_grid(terms, widths, grid);
		if (can_draw(terms, widths, grid) && price(terms, grid) <= PRICE)
			return;
	}
	choose_sparse(terms, widths, grid);
}

bool
grid_plain(const GridTerms *terms, GridWidths *widths, Grid *grid)
{
	for (int k = FIRST_PLAIN; k < DENSE; k++)
	{
		*widths = dense[k];
		make_grid(terms, widths, grid);
		if (can_draw(terms, widths, grid))
			return true;
	}
	return false;
}

/*
 * neighbours.h - small shapes of W, and neighbouring data sets over them: random
 * ones, and the worst case, in which one vector's loss moves against all others.
 */
#ifndef DPOBJ_TESTS_NEIGHBOURS_H
#define DPOBJ_TESTS_NEIGHBOURS_H

#include "privacy_law.h"
#include "testbits.h"

/*
 * A grid with a row that tells one vector from all others: under this label it
 * costs 1 at that vector only.
 */
typedef struct Shape
{
	Grid grid;
	bool separates; /* false: no row of this grid does so */
	double x[LAW_DIMENSION];
	bool positive;
} Shape;

/* Levels by coordinate: 2 is {-1, 1}, 3 is {-1, 0, 1}, 5 is {-2 .. 2}, 1 is the threshold {-1}. */
static inline Grid
make_grid(int dimension, const int *levels, GridConstraint constraint, int bound)
{
	Grid grid = {.dimension = dimension, .constraint = constraint, .bound = bound};

	for (int j = 0; j < dimension; j++)
	{
		if (levels[j] == 2)
			grid_set_sign(&grid, j);
		else
			grid_set_range(&grid, j, levels[j] / 2);
		if (levels[j] == 1)
			grid.level[j][0] = -1;
	}
	return grid;
}

static inline Shape
shape_signs(int dimension)
{
	return (Shape){make_grid(dimension, (const int[]){2, 2, 2}, GRID_PRODUCT, 0),
				   dimension < 3,
				   {1, 1, 1},
				   false};
}

/* {-1, 0, 1}: in one dimension; or in two with a threshold, above which only (1, 1) comes. */
static inline Shape
shape_ternary(int dimension)
{
	Grid grid = make_grid(dimension == 1 ? 1 : 3, (const int[]){3, 3, 1}, GRID_PRODUCT, 0);

	return (Shape){grid, true, {1, 1, 1}, false};
}

/* Two, three and one levels. */
static inline Shape
shape_mixed(void)
{
	return (Shape){make_grid(3, (const int[]){2, 3, 1}, GRID_PRODUCT, 0), true, {1, 1, 1}, false};
}

static inline Shape
shape_five(void)
{
	return (Shape){make_grid(3, (const int[]){5, 2, 1}, GRID_PRODUCT, 0), true, {1, 1, 2}, false};
}

/* {0, 1, 2}^2 in a ball of radius 2: all vectors but 0 have a score above 0. */
static inline Shape
shape_ball(void)
{
	Grid grid = {.dimension = 2,
				 .levels = {3, 3},
				 .level = {{0, 1, 2}, {0, 1, 2}},
				 .constraint = GRID_BALL,
				 .bound = 4};

	return (Shape){grid, true, {1, 1}, true};
}

static inline Shape
shape_round_ball(void)
{
	return (Shape){make_grid(3, (const int[]){3, 3, 1}, GRID_BALL, 2), true, {1, 0, 0}, false};
}

static inline Shape
shape_sparse(int dimension, int nonzeros)
{
	return (Shape){make_grid(dimension, (const int[]){3, 3, 3}, GRID_SPARSE, nonzeros),
				   nonzeros == 1,
				   {1, 0, 0},
				   false};
}

/* An even number of -1; only (1, .., 1) has a sum above 0.  In one dimension it is all of W. */
static inline Shape
shape_parity(int dimension)
{
	return (Shape){make_grid(dimension, (const int[]){2, 2, 2}, GRID_MODULUS, 2),
				   dimension > 1,
				   {1, 1, 1},
				   false};
}

/* (1, -1) before (0, 0) and (-1, 1); in three dimensions (1, 1, 1) before eight others. */
static inline Shape
shape_ternary_modulus(int dimension)
{
	double second = dimension == 2 ? -1.0 : 1.0;

	return (Shape){make_grid(dimension, (const int[]){3, 3, 3}, GRID_MODULUS, 3),
				   true,
				   {1.0, second, 1.0},
				   false};
}

/* Levels 2, 3, 2: (1, 0, 1) before (-1, 1, 1), (1, 1, -1) and (-1, -1, -1). */
static inline Shape
shape_mixed_modulus(void)
{
	return (Shape){make_grid(3, (const int[]){2, 3, 2}, GRID_MODULUS, 3), true, {1, 0, 1}, false};
}

/* A modulus above the levels 3 and 2: (1, -1) before (0, 1), and no others. */
static inline Shape
shape_large_modulus(void)
{
	return (Shape){make_grid(2, (const int[]){3, 2}, GRID_MODULUS, 4), true, {1, -1}, false};
}

/* Levels without a 0: (1, 2) before (2, 1) and (3, 3). */
static inline Shape
shape_positive_modulus(void)
{
	Grid grid = {.dimension = 2,
				 .levels = {3, 3},
				 .level = {{1, 2, 3}, {1, 2, 3}},
				 .constraint = GRID_MODULUS,
				 .bound = 3};

	return (Shape){grid, true, {-1, 1}, false};
}

/* No grid (counterexample G8): the modulus is below the number of levels, W = {0, 3}. */
static inline Shape
shape_refused_modulus(void)
{
	Grid grid = {.dimension = 1,
				 .levels = {4},
				 .level = {{0, 1, 2, 3}},
				 .constraint = GRID_MODULUS,
				 .bound = 3};

	return (Shape){grid, true, {1}, false};
}

/* ---- data sets ---- */

static inline RawRow
random_row(TestStream *stream, int dimension)
{
	RawRow row = {.positive = teststream_below(stream, 2) == 0,
				  .copies = 1 + (teststream_below(stream, 4) == 0)};
	bool neutral = teststream_below(stream, 20) == 0;

	for (int j = 0; j < dimension; j++)
		row.x[j] = ((double) teststream_below(stream, 9) - 4.0) / 2.0;
	if (neutral)
		row.x[0] = NAN;
	return row;
}

/*
 * Up to most_rows random rows, some of them twice.  Then one row flips its label
 * or is replaced, or one row comes.
 */
static inline RowsPair
random_pair(TestStream *stream, int dimension, Adjacency adjacency, int most_rows)
{
	bool replace = adjacency == ADJACENCY_REPLACE;
	int least = replace ? 1 : 0;
	RowsPair pair = {
		.data[0].rows = least + (int) teststream_below(stream, (uint64_t) (most_rows + 1 - least))};
	DataSet *other = &pair.data[1];
	RawRow *change;

	for (int i = 0; i < pair.data[0].rows; i++)
		pair.data[0].row[i] = random_row(stream, dimension);
	*other = pair.data[0];
	if (!replace)
	{
		change = &other->row[other->rows++];
		*change = random_row(stream, dimension);
	}
	else
	{
		change = &pair.data[0].row[0];
		change->copies = 1;
		change = &other->row[0];
		if (teststream_below(stream, 2) == 0)
			change->positive = !change->positive;
		else
			*change = random_row(stream, dimension);
	}
	change->copies = 1;
	return pair;
}

/*
 * One vector is behind all others by copies + 1 and copies - 1 (replace), or by
 * copies and copies + 1 (add_remove).
 */
static inline RowsPair
separating_pair(const Shape *shape, Adjacency adjacency, int copies)
{
	bool replace = adjacency == ADJACENCY_REPLACE;
	RawRow row = {.positive = shape->positive, .copies = copies};
	RowsPair pair = {.data[0].rows = replace ? 2 : 1, .data[1].rows = 2};

	memcpy(row.x, shape->x, sizeof(row.x));
	for (int side = 0; side < 2; side++)
	{
		pair.data[side].row[0] = row;
		pair.data[side].row[1] = row;
		pair.data[side].row[1].copies = 1;
	}
	if (replace)
		pair.data[1].row[1].positive = !row.positive;
	return pair;
}

#endif

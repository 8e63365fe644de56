/*
 * problem.h - small labelled training sets of all kinds, for the tests of convex models.
 */
#ifndef DPOBJ_TESTS_PROBLEM_H
#define DPOBJ_TESTS_PROBLEM_H

#include "core/rows/encoding.h"
#include "core/rows/instance.h"
#include "testbits.h"

#define PROBLEM_MOST_DIMENSION 12
#define PROBLEM_MOST_ROWS 200

typedef struct Problem
{
	Instance instance;
	int32_t x[PROBLEM_MOST_ROWS * PROBLEM_MOST_DIMENSION];
	int64_t positive[PROBLEM_MOST_ROWS];
	int64_t negative[PROBLEM_MOST_ROWS];
} Problem;

typedef enum Shape
{
	SHAPE_ANY,
	SHAPE_SEPARABLE,
	SHAPE_ZERO_COLUMNS,
	SHAPE_ONE_LABEL,
	SHAPE_ONE_ROW,
	SHAPE_EMPTY,
	SHAPE_MANY_LABELS,
	SHAPES
} Shape;

/* The rows are still to be filled in. */
static inline void
problem_begin(Problem *problem, int dimension, int rows)
{
	problem->instance = (Instance){.dimension = dimension,
								   .rows = rows,
								   .x = problem->x,
								   .positive = problem->positive,
								   .negative = problem->negative};
}

/* A random one; where there are many labels, below so many of each kind in a row. */
static inline void
problem_random(TestStream *stream, Problem *problem, Shape shape, int dimension, int64_t many)
{
	int rows = shape == SHAPE_EMPTY     ? 0
			   : shape == SHAPE_ONE_ROW ? 1
										: 2 + (int) teststream_below(stream, PROBLEM_MOST_ROWS - 1);
	uint64_t most = shape == SHAPE_MANY_LABELS ? (uint64_t) many : 3;

	problem_begin(problem, dimension, rows);
	for (int i = 0; i < rows; i++)
	{
		int32_t *x = problem->x + i * dimension;

		for (int j = 0; j < dimension; j++)
			x[j] = shape == SHAPE_ZERO_COLUMNS && j % 2 == 0
					   ? 0
					   : (int32_t) (teststream_between(stream, -1, 1) * FIXED_POINT_ONE);
		problem->positive[i] = (int64_t) teststream_below(stream, most);
		problem->negative[i] = (int64_t) teststream_below(stream, most);
		if (shape == SHAPE_ONE_LABEL || (shape == SHAPE_SEPARABLE && x[0] > 0))
			problem->negative[i] = 0;
		else if (shape == SHAPE_SEPARABLE)
			problem->positive[i] = 0;
	}
}

#endif

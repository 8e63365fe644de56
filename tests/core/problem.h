/*
 * problem.h - what the tests of convex models share: small labelled training sets of all kinds,
 * neighbours of them, and an audit of releases from one row.
 */
#ifndef DPOBJ_TESTS_PROBLEM_H
#define DPOBJ_TESTS_PROBLEM_H

#include <math.h>
#include <string.h>

#include "core/convex/convex_loss.h"
#include "core/mechanisms/mechanism.h"
#include "core/rows/encoding.h"
#include "core/rows/instance.h"

#include "fixture.h"

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

/* A feature between -most and most. */
static inline int32_t
random_feature(double most)
{
	return (int32_t) (between(-most, most) * FIXED_POINT_ONE);
}

/* The caller fills in the rows. */
static inline void
problem_begin(Problem *problem, int dimension, int rows)
{
	problem->instance = (Instance){.dimension = dimension,
								   .rows = rows,
								   .x = problem->x,
								   .positive = problem->positive,
								   .negative = problem->negative};
}

/* SHAPE_MANY_LABELS: each row has fewer than many labels of each kind. */
static inline void
problem_random(Problem *problem, Shape shape, int dimension, int64_t many)
{
	int rows = shape == SHAPE_EMPTY     ? 0
			   : shape == SHAPE_ONE_ROW ? 1
										: 2 + below(PROBLEM_MOST_ROWS - 1);
	uint64_t most = shape == SHAPE_MANY_LABELS ? (uint64_t) many : 3;

	problem_begin(problem, dimension, rows);
	for (int i = 0; i < rows; i++)
	{
		int32_t *x = problem->x + i * dimension;

		for (int j = 0; j < dimension; j++)
			x[j] = shape == SHAPE_ZERO_COLUMNS && j % 2 == 0 ? 0 : random_feature(1);
		problem->positive[i] = (int64_t) teststream_below(&stream, most);
		problem->negative[i] = (int64_t) teststream_below(&stream, most);
		if (shape == SHAPE_ONE_LABEL || (shape == SHAPE_SEPARABLE && x[0] > 0))
			problem->negative[i] = 0;
		else if (shape == SHAPE_SEPARABLE)
			problem->positive[i] = 0;
	}
}

/*
 * Few rows of all lengths with up to 2^30 labels: far from the start the objective has a kink at
 * every row.  A search that a kink throws back would take thousands of rounds, or millions.
 */
static inline void
problem_contrasts(Problem *problem, int dimension)
{
	problem_begin(problem, dimension, 1 + below(6));
	for (int i = 0; i < problem->instance.rows; i++)
	{
		for (int j = 0; j < dimension; j++)
			problem->x[i * dimension + j] = (int32_t) ldexp(between(-0.5, 0.5), below(17));
		problem->positive[i] = (int64_t) exp2(between(-10, 30));
		problem->negative[i] = (int64_t) exp2(between(-10, 30));
	}
}

static inline void
problem_copy(Problem *copy, const Problem *problem)
{
	memcpy(copy, problem, sizeof(*problem));
	copy->instance.x = copy->x;
	copy->instance.positive = copy->positive;
	copy->instance.negative = copy->negative;
}

/*
 * Makes b a neighbour of a: the last row, which has one label, is missing in b, or has the other
 * label and perhaps other features.
 */
static inline Adjacency
problem_neighbour(const Problem *a, Problem *b)
{
	Adjacency adjacency = (Adjacency) below(2);
	int dimension = a->instance.dimension;
	int64_t last = a->instance.rows - 1;

	problem_copy(b, a);
	if (adjacency == ADJACENCY_ADD_REMOVE)
	{
		b->instance.rows--;
		return adjacency;
	}
	b->positive[last] = a->negative[last];
	b->negative[last] = a->positive[last];
	if (below(2) == 0)
		for (int j = 0; j < dimension; j++)
			b->x[last * dimension + j] = random_feature(4);
	return adjacency;
}

/* The loss by its definition. */
static inline double
true_loss(ConvexLoss loss, double margin)
{
	if (loss == LOSS_CLIPPED && margin < 0)
		return log(2) - margin / 2;
	if (loss != LOSS_HUBER)
		return margin < 0 ? -margin + log1p(exp(margin)) : log1p(exp(-margin));
	return margin >= 1.5 ? 0 : margin <= 0.5 ? 1 - margin : (1.5 - margin) * (1.5 - margin) / 2;
}

/* ---- audit ---- */

/*
 * The share of so many releases whose only weight is above the threshold; the data are one row x,
 * or none.
 */
static inline double
share_above(const MechanismRequest *request, int rows, int32_t x, double threshold, int runs)
{
	const int64_t one = 1;
	const int64_t none = 0;
	Instance instance = {
		.dimension = 1, .rows = rows, .x = &x, .positive = &one, .negative = &none};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	int above = 0;

	for (int i = 0; i < runs; i++)
	{
		MechanismAnswer answer;

		mechanism_get(request->kind)->release(request, &instance, &tools, &answer);
		above += ldexp((double) answer.weight[0], -CONVEX_OUTPUT_BITS) > threshold;
	}
	return (double) above / runs;
}

/*
 * Checks that the log of the ratio of two shares of so many runs is at most 1, but for five
 * standard errors, and above least.
 */
static inline void
check_log_ratio(double more, double less, int runs, double least)
{
	double ratio = log(more / less);
	double error = sqrt((1 - more) / more + (1 - less) / less) / sqrt(runs);

	CHECK(ratio - 5 * error <= 1);
	CHECK(ratio > least);
}

#endif

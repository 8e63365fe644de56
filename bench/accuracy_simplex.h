/*
 * accuracy_simplex.h - squared errors of dp_simplex, and the errors they are compared with.
 *
 * In such a set a row's target stands in front of its features, as in core/simplex/simplex.h.
 * Errors are means over the rows of (<x, theta> - y)^2, in thousandths.
 */
#ifndef DPOBJ_BENCH_ACCURACY_SIMPLEX_H
#define DPOBJ_BENCH_ACCURACY_SIMPLEX_H

#include <math.h>
#include <stdint.h>

#include "core/grid/grid.h"
#include "core/rows/instance.h"
#include "core/simplex/simplex.h"
#include "core/simplex/simplex_scale.h"

/* None but the first needs draws; what looks at the rows there is not private. */
typedef enum SquaresBeside
{
	BESIDE_NONE,    /* a draw of the mechanism */
	BESIDE_LEAST,   /* the least error on the simplex */
	BESIDE_VERTEX,  /* of the best single feature */
	BESIDE_EQUAL,   /* of equal shares */
	BESIDE_PROMISED /* the least one and the bound of dpobj.price_aggregate on the mean excess */
} SquaresBeside;

#define SQUARES_UNIT 1000.0
#define SQUARES_GAP 1e-7 /* of the least error, in that unit */

/* ---- the error as a quadratic function of theta ---- */

typedef struct Squares
{
	int dimension;
	double a[GRID_MAX_DIMENSION][GRID_MAX_DIMENSION]; /* theta' a theta - 2 b' theta + c */
	double b[GRID_MAX_DIMENSION];
	double c;
} Squares;

static inline void
squares_add(Squares *squares, const int32_t *x, double share)
{
	double unit = 1.0 / FIXED_POINT_ONE;
	double y = x[0] * unit;

	squares->c += share * y * y;
	for (int j = 0; j < squares->dimension; j++)
	{
		squares->b[j] += share * y * x[j + 1] * unit;
		for (int k = 0; k < squares->dimension; k++)
			squares->a[j][k] += share * x[j + 1] * unit * x[k + 1] * unit;
	}
}

static inline void
squares_make(const Instance *instance, int64_t rows, Squares *squares)
{
	*squares = (Squares){.dimension = instance->dimension - 1};
	for (int64_t r = 0; r < instance->rows; r++)
		squares_add(squares, instance->x + r * instance->dimension,
					SQUARES_UNIT * (double) instance->positive[r] / (double) rows);
}

/* Half the gradient's coordinate. */
static inline double
squares_slope(const Squares *squares, const double *theta, int j)
{
	double slope = -squares->b[j];

	for (int k = 0; k < squares->dimension; k++)
		slope += squares->a[j][k] * theta[k];
	return slope;
}

static inline double
squares_at(const Squares *squares, const double *theta)
{
	double sum = squares->c;

	for (int j = 0; j < squares->dimension; j++)
		sum += theta[j] * (squares_slope(squares, theta, j) - squares->b[j]);
	return sum;
}

/* ---- beside the mechanism ---- */

static inline double
squares_equal(const Squares *squares)
{
	double theta[GRID_MAX_DIMENSION];

	for (int j = 0; j < squares->dimension; j++)
		theta[j] = 1.0 / squares->dimension;
	return squares_at(squares, theta);
}

static inline double
squares_vertex(const Squares *squares)
{
	double least = INFINITY;

	for (int j = 0; j < squares->dimension; j++)
	{
		double theta[GRID_MAX_DIMENSION] = {0};

		theta[j] = 1;
		least = fmin(least, squares_at(squares, theta));
	}
	return least;
}

/* The features with the steepest slope, of those with any weight, and the least one. */
static inline void
squares_extremes(const double *slope, const double *theta, int dimension, int *worst, int *best)
{
	*worst = -1;
	*best = 0;
	for (int j = 0; j < dimension; j++)
	{
		if (slope[j] < slope[*best])
			*best = j;
		if (theta[j] > 0 && (*worst < 0 || slope[j] > slope[*worst]))
			*worst = j;
	}
}

/*
 * Moves weight from the worst feature that has any to the best one, as much as is best, until
 * convexity certifies the error: it is above the least by twice the range of the slopes at most.
 */
static inline double
squares_least(const Squares *squares)
{
	double theta[GRID_MAX_DIMENSION] = {1};
	double slope[GRID_MAX_DIMENSION] = {0};

	for (;;)
	{
		double range;
		double curvature;
		double step;
		int worst;
		int best;

		for (int j = 0; j < squares->dimension; j++)
			slope[j] = squares_slope(squares, theta, j);
		squares_extremes(slope, theta, squares->dimension, &worst, &best);
		range = slope[worst] - slope[best];
		if (2 * range <= SQUARES_GAP)
			return squares_at(squares, theta);
		curvature = squares->a[best][best] + squares->a[worst][worst] - 2 * squares->a[best][worst];
		step = range < theta[worst] * curvature ? range / curvature : theta[worst];
		theta[best] += step;
		theta[worst] = step < theta[worst] ? theta[worst] - step : 0;
	}
}

static inline double
squares_promised(const Squares *squares, const SimplexTerms *terms, int64_t draws)
{
	SimplexExcess excess = simplex_excess(terms, draws, squares->dimension, 0.05);

	return squares_least(squares) + SQUARES_UNIT * 2 * excess.mean / (double) terms->rows;
}

/* Of the draws that a release counts. */
static inline double
squares_of_draws(const Squares *squares, const int64_t *count)
{
	double theta[GRID_MAX_DIMENSION];
	double draws = 0;

	for (int j = 0; j < squares->dimension; j++)
		draws += (double) count[j];
	for (int j = 0; j < squares->dimension; j++)
		theta[j] = (double) count[j] / draws;
	return squares_at(squares, theta);
}

#endif

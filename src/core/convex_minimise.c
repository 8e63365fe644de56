/*
 * convex_minimise.c - Newton's method with a gradient step to fall back on.
 */
#include "core/convex_minimise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

/* A step of length t is good if it takes this share of t off the gradient's norm. */
#define GOOD_SHARE 0.25
#define SHORTEST_STEP (1.0 / 256)

/* Where a search stands: a point, its gradient and an upper bound on the true one's norm. */
typedef struct Place
{
	Wide u[GRID_MAX_DIMENSION];
	Wide gradient[GRID_MAX_DIMENSION];
	double norm;
} Place;

typedef struct Search
{
	const ConvexObjective *objective;
	int dimension;
	Place here;
	Place there;
	double *hessian; /* then its Cholesky factor */
	double direction[GRID_MAX_DIMENSION];
} Search;

/* The conversions and the sum are right to within d + 2 units in the last place. */
static double
norm_above(const Wide *gradient, int dimension, double error)
{
	double sum = 0;

	for (int j = 0; j < dimension; j++)
	{
		double value = ldexp((double) gradient[j], -GRADIENT_BITS);

		sum += value * value;
	}
	return sqrt(sum) * (1 + 1e-12) + error;
}

static void
look(const Search *search, Place *place)
{
	const ConvexObjective *objective = search->objective;

	convex_gradient(objective->sample, objective->table, objective->lambda, objective->b, place->u,
					place->gradient);
	place->norm = norm_above(place->gradient, search->dimension,
							 convex_gradient_error(objective->sample));
}

/* Within the range that convex_gradient() computes with? */
static bool
within_range(const Wide *u, int dimension, int64_t lambda)
{
	double limit = fmin(ldexp(1, WEIGHT_LIMIT_BITS - 1), ldexp(1, 41 + LAMBDA_BITS) / (double) lambda);

	for (int j = 0; j < dimension; j++)
		if (!(fabs(ldexp((double) u[j], -WEIGHT_BITS)) <= limit))
			return false;
	return true;
}

/* The proof needs no more of a step than that it is rounded to the last bits of a long double. */
static bool
move(Search *search, const long double *step)
{
	for (int j = 0; j < search->dimension; j++)
	{
		if (!(fabsl(step[j]) < ldexpl(1, WEIGHT_LIMIT_BITS)))
			return false;
		search->there.u[j] = search->here.u[j] + (Wide) ldexpl(step[j], WEIGHT_BITS);
	}
	return within_range(search->there.u, search->dimension, search->objective->lambda);
}

/* Solves hessian * direction = -gradient; false if the doubles do not allow it. */
static bool
newton_direction(Search *search)
{
	size_t dimension = (size_t) search->dimension;
	gsl_matrix_view matrix = gsl_matrix_view_array(search->hessian, dimension, dimension);
	gsl_vector_view vector = gsl_vector_view_array(search->direction, dimension);
	gsl_error_handler_t *handler;
	bool solved;

	convex_hessian(search->objective->sample, search->objective->lambda, search->hessian);
	for (size_t j = 0; j < dimension; j++)
		search->direction[j] = -ldexp((double) search->here.gradient[j], -GRADIENT_BITS);
	handler = gsl_set_error_handler_off();
	solved = gsl_linalg_cholesky_decomp1(&matrix.matrix) == GSL_SUCCESS &&
			 gsl_linalg_cholesky_svx(&matrix.matrix, &vector.vector) == GSL_SUCCESS;
	(void) gsl_set_error_handler(handler);
	return solved;
}

static bool
newton_step(Search *search)
{
	long double step[GRID_MAX_DIMENSION];

	if (!newton_direction(search))
		return false;
	for (double t = 1; t >= SHORTEST_STEP; t /= 2)
	{
		for (int j = 0; j < search->dimension; j++)
			step[j] = t * search->direction[j];
		if (!move(search, step))
			continue;
		look(search, &search->there);
		if (search->there.norm <= (1 - GOOD_SHARE * t) * search->here.norm)
			return true;
	}
	return false;
}

/* The step that is proved to help; its place is in range because steps lead towards u*. */
static void
gradient_step(Search *search)
{
	const ConvexObjective *objective = search->objective;
	long double most = (long double) objective->curvature * objective->sample->count +
					   ldexpl((long double) objective->lambda, -LAMBDA_BITS);
	long double step[GRID_MAX_DIMENSION];

	for (int j = 0; j < search->dimension; j++)
		step[j] = -ldexpl((long double) search->here.gradient[j], -GRADIENT_BITS) / most;
	if (!move(search, step))
		abort();
	look(search, &search->there);
}

int64_t
convex_minimise(const ConvexObjective *objective, double tolerance, Memory *memory, Wide *u)
{
	size_t dimension = (size_t) objective->sample->dimension;
	Search *search = memory_allocate_zero(memory, 1, sizeof(Search));
	int64_t steps = 0;

	search->objective = objective;
	search->dimension = objective->sample->dimension;
	search->hessian = memory_allocate(memory, dimension, dimension * sizeof(double));
	look(search, &search->here);
	for (; search->here.norm > tolerance; steps++)
	{
		if (!newton_step(search))
			gradient_step(search);
		search->here = search->there;
	}
	memcpy(u, search->here.u, dimension * sizeof(Wide));
	memory_release(memory, search->hessian);
	memory_release(memory, search);
	return steps;
}

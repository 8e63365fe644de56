/*
 * convex_minimise.c - Newton's method with a gradient step to fall back on.
 */
#include "core/convex/convex_minimise.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

#include "core/convex/line_search.h"

/* The slope of J is certainly negative if it is below minus this times the product of the norms. */
#define SLOPE_ERROR 1e-12

/* Every eighth round, and every round in which Newton's method fails, takes a gradient step. */
#define GRADIENT_ROUNDS 8

/* A point of the search, its gradient, and an upper bound on the norm of the exact gradient. */
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
	Memory *memory;
	double record;   /* the least norm reached by a full Newton step */
	bool curved;     /* does hessian belong to here? */
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

/* One pass over the rows; with the Hessian it takes longer, but less than two passes. */
static void
look(const Search *search, Place *place, double *hessian)
{
	const ConvexObjective *objective = search->objective;

	convex_pass(objective->rows, objective->table, objective->lambda, objective->b, place->u,
				search->memory, place->gradient, hessian);
	place->norm = norm_above(place->gradient, search->dimension,
							 gradient_error(objective->rows->count, search->dimension));
}

/* Within the range that convex_pass() computes with? */
static bool
within_range(const Wide *u, int dimension, int64_t lambda)
{
	double limit =
		fmin(ldexp(1, WEIGHT_LIMIT_BITS - 1), ldexp(1, 41 + LAMBDA_BITS) / (double) lambda);

	for (int j = 0; j < dimension; j++)
		if (!(fabs(ldexp((double) u[j], -WEIGHT_BITS)) <= limit))
			return false;
	return true;
}

/* The proof needs only that a step is rounded to the last bits of a long double. */
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

	if (!search->curved)
		look(search, &search->here, search->hessian);
	search->curved = false;
	for (size_t j = 0; j < dimension; j++)
		search->direction[j] = -ldexp((double) search->here.gradient[j], -GRADIENT_BITS);
	handler = gsl_set_error_handler_off();
	solved = gsl_linalg_cholesky_decomp1(&matrix.matrix) == GSL_SUCCESS &&
			 gsl_linalg_cholesky_svx(&matrix.matrix, &vector.vector) == GSL_SUCCESS;
	(void) gsl_set_error_handler(handler);
	return solved;
}

/* The slope of J along the direction, rounded up by its error. */
static double
slope_above(const Search *search, const Place *place)
{
	double slope = 0;
	double square = 0;

	for (int j = 0; j < search->dimension; j++)
	{
		slope += ldexp((double) place->gradient[j], -GRADIENT_BITS) * search->direction[j];
		square += search->direction[j] * search->direction[j];
	}
	return slope + SLOPE_ERROR * place->norm * sqrt(square);
}

/*
 * Evaluates the point t times the direction away; false if it is out of range.  The next round
 * usually starts at the full step, so the Hessian is computed there too.
 */
static bool
look_along(Search *search, double t)
{
	long double step[GRID_MAX_DIMENSION];

	for (int j = 0; j < search->dimension; j++)
		step[j] = (long double) t * search->direction[j];
	if (!move(search, step))
		return false;
	look(search, &search->there, t == 1 ? search->hessian : NULL);
	return true;
}

/*
 * Moves along Newton's direction to a point where J still falls, but slowly, or by a full step that
 * halves the record; returns false and does not move if there is no such point.
 */
static bool
newton_step(Search *search)
{
	LineSearch line;
	Place best = search->here;

	line_search_start(&line, slope_above(search, &search->here));
	while (line_search_goes_on(&line))
	{
		bool whole = line.share == 1;
		bool within = look_along(search, line.share);

		if (whole && within && search->there.norm <= search->record / 2)
		{
			search->record = search->there.norm;
			search->here = search->there;
			search->curved = true;
			return true;
		}
		if (line_search_note(&line, within ? slope_above(search, &search->there) : INFINITY))
			best = search->there;
	}
	search->here = best;
	search->curved = line.low == 1;
	return line.low > 0;
}

/*
 * The gradient step, which is proved to reduce J.  Its point is in range, because such steps lead
 * towards u*.
 */
static void
gradient_step(Search *search)
{
	const ConvexObjective *objective = search->objective;
	long double most = (long double) objective->curvature * objective->rows->count +
					   ldexpl((long double) objective->lambda, -LAMBDA_BITS);
	long double step[GRID_MAX_DIMENSION];

	for (int j = 0; j < search->dimension; j++)
		step[j] = -ldexpl((long double) search->here.gradient[j], -GRADIENT_BITS) / most;
	if (!move(search, step))
		abort();
	look(search, &search->there, search->hessian);
	search->here = search->there;
	search->curved = true;
}

int64_t
convex_minimise(const ConvexObjective *objective, double tolerance, Memory *memory, Wide *u)
{
	size_t dimension = (size_t) objective->rows->instance->dimension;
	Search *search = memory_allocate_zero(memory, 1, sizeof(Search));
	int64_t rounds = 0;

	search->objective = objective;
	search->dimension = objective->rows->instance->dimension;
	search->memory = memory;
	search->hessian = memory_allocate(memory, dimension, dimension * sizeof(double));
	look(search, &search->here, search->hessian);
	search->curved = true;
	search->record = search->here.norm;
	for (; search->here.norm > tolerance; rounds++)
		if (!newton_direction(search) || !newton_step(search) || rounds % GRADIENT_ROUNDS == 0)
			gradient_step(search);
	memcpy(u, search->here.u, dimension * sizeof(Wide));
	memory_release(memory, search->hessian);
	memory_release(memory, search);
	return rounds;
}

/*
 * newton.c - Newton's method for J(u) + <b, u>, with gradient steps to fall back on.
 */
#include "core/convex/newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

#include "core/convex/line_search.h"

/* Every eighth round, and every round in which Newton's method fails, takes a gradient step. */
#define GRADIENT_ROUNDS 8

/* One pass over the rows; with the Hessian it takes longer, but less than two passes. */
static void
look(const Newton *search, NewtonPlace *place, double *hessian)
{
	const ConvexObjective *objective = search->objective;

	convex_pass(objective->rows, objective->table, objective->lambda, objective->b, place->u,
				search->memory, place->gradient, hessian);
	place->gap = search->domain->gap(search, place);
}

bool
newton_solve(Newton *search, double *step)
{
	size_t frees = (size_t) search->frees;
	size_t dimension = (size_t) search->dimension;
	gsl_matrix_view matrix = gsl_matrix_view_array(search->matrix, frees, frees);
	gsl_vector_view vector = gsl_vector_view_array(step, frees);
	gsl_error_handler_t *handler;
	bool solved;

	for (size_t i = 0; i < frees; i++)
	{
		step[i] = -ldexp((double) search->here.gradient[search->free[i]], -GRADIENT_BITS);
		for (size_t k = 0; k < frees; k++)
			search->matrix[i * frees + k] =
				search->hessian[(size_t) search->free[i] * dimension + (size_t) search->free[k]];
	}
	handler = gsl_set_error_handler_off();
	solved = gsl_linalg_cholesky_decomp1(&matrix.matrix) == GSL_SUCCESS &&
			 gsl_linalg_cholesky_svx(&matrix.matrix, &vector.vector) == GSL_SUCCESS;
	(void) gsl_set_error_handler(handler);
	return solved;
}

static bool
newton_direction(Newton *search)
{
	if (!search->curved)
		look(search, &search->here, search->hessian);
	search->curved = true;
	return search->domain->newton(search);
}

/*
 * Evaluates the point t times the direction away; false if it is out of range.  The next round
 * usually starts at the full step, so the Hessian is computed there too.
 */
static bool
look_along(Newton *search, double t)
{
	if (!search->domain->move(search, t))
		return false;
	look(search, &search->there, t == 1 ? search->hessian : NULL);
	return true;
}

/*
 * Moves along Newton's direction to a point where J still falls, but slowly, or by a full step that
 * halves the record; returns false and does not move if there is no such point.
 */
static bool
newton_step(Newton *search)
{
	LineSearch line;
	NewtonPlace best = search->here;

	line_search_start(&line, search->domain->slope_above(search, &search->here));
	while (line_search_goes_on(&line))
	{
		bool whole = line.share == 1;
		bool within = look_along(search, line.share);

		if (whole && within && search->there.gap <= search->record / 2)
		{
			search->record = search->there.gap;
			search->here = search->there;
			return true;
		}
		if (line_search_note(&line, within ? search->domain->slope_above(search, &search->there)
										   : INFINITY))
			best = search->there;
	}
	search->here = best;
	search->curved = line.low == 1;
	return line.low > 0;
}

/* The gradient step, which is proved to reduce J. */
static void
gradient_step(Newton *search)
{
	const ConvexObjective *objective = search->objective;
	long double most = (long double) objective->curvature * objective->rows->count +
					   ldexpl((long double) objective->lambda, -LAMBDA_BITS);

	search->domain->steepest(search, most);
	if (!look_along(search, 1))
		abort();
	search->here = search->there;
	search->curved = true;
}

int64_t
newton_minimise(const NewtonDomain *domain, const ConvexObjective *objective, Wide bound,
				double gap, Memory *memory, Wide *u)
{
	size_t dimension = (size_t) objective->rows->instance->dimension;
	Newton *search = memory_allocate_zero(memory, 1, sizeof(Newton));
	int64_t rounds = 0;

	search->domain = domain;
	search->objective = objective;
	search->dimension = objective->rows->instance->dimension;
	search->bound = bound;
	search->memory = memory;
	search->hessian = memory_allocate(memory, dimension, dimension * sizeof(double));
	search->matrix = memory_allocate(memory, dimension, dimension * sizeof(double));
	memcpy(search->here.u, u, dimension * sizeof(Wide));
	look(search, &search->here, search->hessian);
	search->curved = true;
	search->record = search->here.gap;
	for (; search->here.gap > gap; rounds++)
		if (!newton_direction(search) || !newton_step(search) || rounds % GRADIENT_ROUNDS == 0)
			gradient_step(search);
	memcpy(u, search->here.u, dimension * sizeof(Wide));
	memory_release(memory, search->matrix);
	memory_release(memory, search->hessian);
	memory_release(memory, search);
	return rounds;
}

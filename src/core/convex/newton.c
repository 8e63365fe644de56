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

/*
 * A gradient step is taken where Newton's method fails, and in every eighth of the rounds that do
 * not halve the least bound.
 */
#define GRADIENT_ROUNDS 8

/* If a step is expected to multiply the bound by at most this, it keeps the Hessian it has. */
#define STEADY_FALL 0x1p-5

/* The Hessian makes a pass take less than twice as long. */
void
newton_evaluate(const Newton *search, NewtonPoint *point, double *hessian)
{
	const ConvexObjective *objective = search->objective;

	if (objective->classes > 0)
		softmax_pass(objective->rows, objective->softmax, objective->classes, INFINITY,
					 objective->lambda, objective->b, point->u, search->memory, point->gradient,
					 hessian);
	else
		convex_pass(objective->rows, objective->table, objective->lambda, objective->b, point->u,
					search->memory, point->gradient, hessian);
	point->gap = search->domain->gap(search, point);
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
		step[i] = -ldexp((double) search->current.gradient[search->free[i]], -GRADIENT_BITS);
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
	if (!search->curved && search->hessian != NULL)
		newton_evaluate(search, &search->current, search->hessian);
	search->curved = true;
	return search->domain->newton(search);
}

/*
 * Evaluates the point t times the direction away; false if it is out of range.  The next round
 * usually starts at the full step, so the Hessian is computed there unless the old one is good.
 */
static bool
evaluate_along(Newton *search, double t)
{
	if (!search->domain->move(search, t))
		return false;
	newton_evaluate(search, &search->trial, t == 1 && !search->steady ? search->hessian : NULL);
	return true;
}

/*
 * After a full step that multiplied the bound by fall: the next one is expected to do so again with
 * the same Hessian, and by the square with that of the new point.
 */
static void
expect(Newton *search, double fall)
{
	search->steady = (search->steady ? fall : fall * fall) <= STEADY_FALL;
}

static void
swap(NewtonPoint *a, NewtonPoint *b)
{
	NewtonPoint other = *a;

	*a = *b;
	*b = other;
}

/*
 * Moves along Newton's direction to a point where J still falls, but slowly, or by a full step that
 * halves the record; returns false and does not move if there is no such point.
 */
static bool
newton_step(Newton *search)
{
	LineSearch line;

	line_search_start(&line, search->domain->slope_above(search, &search->current));
	while (line_search_goes_on(&line))
	{
		bool whole = line.share == 1;
		bool within = evaluate_along(search, line.share);

		if (whole && within && search->trial.gap <= search->record / 2)
		{
			expect(search, search->trial.gap / search->current.gap);
			search->record = search->trial.gap;
			swap(&search->current, &search->trial);
			return true;
		}
		if (line_search_note(&line, within ? search->domain->slope_above(search, &search->trial)
										   : INFINITY))
			swap(&search->best, &search->trial);
	}
	if (line.low > 0)
		swap(&search->current, &search->best);
	search->curved = line.low == 1 && !search->steady;
	search->steady = false;
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
	if (!evaluate_along(search, 1))
		abort();
	swap(&search->current, &search->trial);
	search->curved = !search->steady;
	search->steady = false;
}

static void
point_create(NewtonPoint *point, size_t dimension, Memory *memory)
{
	point->u = memory_allocate(memory, dimension, sizeof(Wide));
	point->gradient = memory_allocate(memory, dimension, sizeof(Wide));
}

static void
point_destroy(NewtonPoint *point, Memory *memory)
{
	memory_release(memory, point->gradient);
	memory_release(memory, point->u);
}

static Newton *
newton_create(const NewtonDomain *domain, const ConvexObjective *objective, Memory *memory)
{
	size_t dimension = (size_t) objective_dimension(objective);
	Newton *search = memory_allocate_zero(memory, 1, sizeof(Newton));

	search->domain = domain;
	search->objective = objective;
	search->dimension = (int) dimension;
	search->memory = memory;
	point_create(&search->current, dimension, memory);
	point_create(&search->trial, dimension, memory);
	point_create(&search->best, dimension, memory);
	search->direction = memory_allocate(memory, dimension, sizeof(long double));
	search->free = memory_allocate(memory, dimension, sizeof(int));
	if (objective->rows->levels == NULL && dimension <= GRID_MAX_DIMENSION)
	{
		search->hessian = memory_allocate(memory, dimension, dimension * sizeof(double));
		search->matrix = memory_allocate(memory, dimension, dimension * sizeof(double));
	}
	return search;
}

static void
newton_destroy(Newton *search)
{
	Memory *memory = search->memory;

	if (search->hessian != NULL)
	{
		memory_release(memory, search->matrix);
		memory_release(memory, search->hessian);
	}
	memory_release(memory, search->free);
	memory_release(memory, search->direction);
	point_destroy(&search->best, memory);
	point_destroy(&search->trial, memory);
	point_destroy(&search->current, memory);
	memory_release(memory, search);
}

int64_t
newton_minimise(const NewtonDomain *domain, const ConvexObjective *objective, Wide bound,
				double gap, Memory *memory, Wide *u)
{
	size_t dimension = (size_t) objective_dimension(objective);
	Newton *search = newton_create(domain, objective, memory);
	int64_t rounds = 0;
	int64_t idle = 0; /* rounds that did not halve the record */

	search->bound = bound;
	memcpy(search->current.u, u, dimension * sizeof(Wide));
	newton_evaluate(search, &search->current, search->hessian);
	search->curved = true;
	search->record = search->current.gap;
	for (; search->current.gap > gap; rounds++)
	{
		double record = search->record;
		bool moved = newton_direction(search) && newton_step(search);

		if (search->record == record)
			idle++;
		if (!moved || (search->record == record && idle % GRADIENT_ROUNDS == 0))
			gradient_step(search);
	}
	memcpy(u, search->current.u, dimension * sizeof(Wide));
	newton_destroy(search);
	return rounds;
}

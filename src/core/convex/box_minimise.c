/*
 * box_minimise.c - Newton's method on the coordinates that are free to move.
 */
#include "core/convex/box_minimise.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

#include "core/convex/line_search.h"
#include "core/base/mutant.h"

/* Every eighth round, and every round in which Newton's method fails, takes a gradient step. */
#define GRADIENT_ROUNDS 8

/* A bound on the relative rounding error of the few operations on doubles here. */
#define ROUNDING 1e-12

typedef struct Place
{
	Wide u[GRID_MAX_DIMENSION];
	Wide gradient[GRID_MAX_DIMENSION];
	double gap; /* J is at most this above the least */
} Place;

typedef struct Search
{
	const BoxObjective *objective;
	int dimension;
	Wide reach;
	Place here;
	Place there;
	double record; /* the least gap reached by a full Newton step */
	bool curved;   /* does hessian belong to here? */
	double *hessian;
	double *matrix; /* of the free coordinates */
	Memory *memory;
	int free[GRID_MAX_DIMENSION];
	int frees;
	long double direction[GRID_MAX_DIMENSION];
} Search;

static double
slope_of(const Place *place, int j)
{
	return ldexp((double) place->gradient[j], -GRADIENT_BITS);
}

static double
lambda_of(const Search *search)
{
	return ldexp((double) search->objective->lambda, -LAMBDA_BITS);
}

/*
 * max over t in 0 .. room of slope t - lambda / 2 t^2, with the steepest slope possible and t the
 * distance in the direction in which J may fall.
 */
static double
coordinate_gap(double slope, double error, double room, double lambda)
{
	double steep = (fabs(slope) + error) * (1 + ROUNDING);
	double t = fmin(room, steep / lambda);

	return (steep * t - lambda / 2 * t * t) * (1 + ROUNDING) + ROUNDING * steep * t;
}

/* The distance u_j can move against the slope; the longer one if the slope's sign is not known. */
static double
room_of(const Search *search, const Place *place, int j, double error)
{
	double below = ldexp((double) (place->u[j] + search->reach), -WEIGHT_BITS);
	double above = ldexp((double) (search->reach - place->u[j]), -WEIGHT_BITS);
	double slope = slope_of(place, j);

	if (fabs(slope) <= error)
		return fmax(below, above);
	return slope > 0 ? below : above;
}

static double
error_of(const Search *search)
{
	return gradient_error(search->objective->rows->count, search->dimension);
}

/* One pass over the rows, for the Hessian too unless it is NULL. */
static void
look(const Search *search, Place *place, double *hessian)
{
	const BoxObjective *objective = search->objective;
	double error = error_of(search);

	convex_pass(objective->rows, objective->table, objective->lambda, objective->b, place->u,
				search->memory, place->gradient, hessian);
	place->gap = 0;
	for (int j = 0; j < search->dimension; j++)
		place->gap += coordinate_gap(slope_of(place, j), error, room_of(search, place, j, error),
									 lambda_of(search));
	place->gap *= MUTANT(97) ? 1e-4 : 1 + ROUNDING;
}

static Wide
cut(Wide value, Wide reach)
{
	return value < -reach ? -reach : value > reach ? reach : value;
}

/* Moves to here plus t times the direction, clipped to the cube; hessian as above. */
static void
go(Search *search, long double t, double *hessian)
{
	for (int j = 0; j < search->dimension; j++)
	{
		long double step = fminl(fmaxl(t * search->direction[j], -0x1p21L), 0x1p21L);

		search->there.u[j] =
			cut(search->here.u[j] + (Wide) ldexpl(step, WEIGHT_BITS), search->reach);
	}
	look(search, &search->there, hessian);
}

/* ---- Newton's direction ---- */

/* A coordinate is not free if it is at a wall and the slope pushes against that wall. */
static void
find_free(Search *search)
{
	search->frees = 0;
	for (int j = 0; j < search->dimension; j++)
	{
		Wide u = search->here.u[j];
		Wide slope = search->here.gradient[j];

		if (!(u == -search->reach && slope >= 0) && !(u == search->reach && slope <= 0))
			search->free[search->frees++] = j;
	}
}

static bool
solve_free(Search *search, double *step)
{
	size_t frees = (size_t) search->frees;
	size_t dimension = (size_t) search->dimension;
	gsl_matrix_view matrix = gsl_matrix_view_array(search->matrix, frees, frees);
	gsl_vector_view vector = gsl_vector_view_array(step, frees);
	gsl_error_handler_t *handler;
	bool solved;

	for (size_t i = 0; i < frees; i++)
	{
		step[i] = -slope_of(&search->here, search->free[i]);
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

/* The distance that coordinate j can move in the direction of the step. */
static double
room_ahead(const Search *search, int j, double step)
{
	Wide u = search->here.u[j];

	return ldexp((double) (step > 0 ? search->reach - u : search->reach + u), -WEIGHT_BITS);
}

/*
 * A coordinate at a wall, or almost, whose step leads out of the cube stays where it is; the others
 * remain free.
 */
static bool
drop_blocked(Search *search, const double *step)
{
	double least = ldexp((double) search->reach, -WEIGHT_BITS) * ROUNDING;
	int kept = 0;

	for (int i = 0; i < search->frees; i++)
		if (room_ahead(search, search->free[i], step[i]) > least)
			search->free[kept++] = search->free[i];
	if (kept == search->frees)
		return false;
	search->frees = kept;
	return true;
}

/*
 * Newton's step, shortened to end exactly at the first wall.  J falls at the start of the shortened
 * step; if each coordinate were clipped separately, it might not.
 */
static bool
find_direction(Search *search)
{
	double step[GRID_MAX_DIMENSION];
	double share = 1;

	if (!search->curved)
		look(search, &search->here, search->hessian);
	search->curved = true;
	find_free(search);
	do
		if (search->frees == 0 || !solve_free(search, step))
			return false;
	while (drop_blocked(search, step));
	for (int j = 0; j < search->dimension; j++)
		search->direction[j] = 0;
	for (int i = 0; i < search->frees; i++)
	{
		if (!isfinite(step[i]))
			return false;
		share = fmin(share, room_ahead(search, search->free[i], step[i]) / fabs(step[i]));
	}
	for (int i = 0; i < search->frees; i++)
		search->direction[search->free[i]] = share * step[i] * (share < 1 ? 1 + ROUNDING : 1);
	return true;
}

/* The slope of J along the direction, rounded up by its error. */
static double
slope_above(const Search *search, const Place *place)
{
	double error = error_of(search);
	double slope = 0;

	for (int j = 0; j < search->dimension; j++)
	{
		double direction = (double) search->direction[j];
		double part = slope_of(place, j) * direction;

		slope += part + fabs(part) * ROUNDING + error * fabs(direction);
	}
	return slope;
}

/*
 * Moves along the direction to a point where J still falls, but slowly, or by a full step that
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

		go(search, line.share, whole ? search->hessian : NULL);
		search->curved = false;
		if (whole && search->there.gap <= search->record / 2)
		{
			search->record = search->there.gap;
			search->here = search->there;
			search->curved = true;
			return true;
		}
		if (line_search_note(&line, slope_above(search, &search->there)))
			best = search->there;
	}
	search->here = best;
	search->curved = search->curved || line.low == 1;
	return line.low > 0;
}

/* ---- the search ---- */

static void
gradient_step(Search *search)
{
	const BoxObjective *objective = search->objective;
	long double most = (long double) objective->curvature * objective->rows->count +
					   ldexpl((long double) objective->lambda, -LAMBDA_BITS);

	for (int j = 0; j < search->dimension; j++)
		search->direction[j] = -ldexpl((long double) search->here.gradient[j], -GRADIENT_BITS);
	go(search, 1 / most, search->hessian);
	search->here = search->there;
	search->curved = true;
}

int64_t
box_minimise(const BoxObjective *objective, Wide reach, double gap, Memory *memory, Wide *u)
{
	size_t dimension = (size_t) objective->rows->instance->dimension;
	Search *search = memory_allocate_zero(memory, 1, sizeof(Search));
	int64_t rounds = 0;

	search->objective = objective;
	search->dimension = objective->rows->instance->dimension;
	search->memory = memory;
	search->reach = reach;
	search->hessian = memory_allocate(memory, dimension, dimension * sizeof(double));
	search->matrix = memory_allocate(memory, dimension, dimension * sizeof(double));
	memcpy(search->here.u, u, dimension * sizeof(Wide));
	look(search, &search->here, search->hessian);
	search->curved = true;
	search->record = search->here.gap;
	for (; search->here.gap > gap; rounds++)
		if (!find_direction(search) || !newton_step(search) || rounds % GRADIENT_ROUNDS == 0)
			gradient_step(search);
	memcpy(u, search->here.u, dimension * sizeof(Wide));
	memory_release(memory, search->matrix);
	memory_release(memory, search->hessian);
	memory_release(memory, search);
	return rounds;
}

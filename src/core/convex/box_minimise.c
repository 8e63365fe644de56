/*
 * box_minimise.c - Newton's method on the coordinates that are free to move.
 */
#include "core/convex/box_minimise.h"

#include <math.h>

#include "core/base/mutant.h"

/* A bound on the relative rounding error of the few operations on doubles here. */
#define ROUNDING 1e-12

static double
slope_of(const NewtonPoint *point, int j)
{
	return ldexp((double) point->gradient[j], -GRADIENT_BITS);
}

static double
lambda_of(const Newton *search)
{
	return ldexp((double) search->objective->lambda, -LAMBDA_BITS);
}

/*
 * max over t in 0 .. room of slope t - lambda / 2 t^2, for the steepest slope possible, t being the
 * distance in the direction in which J may fall.
 */
static double
coordinate_gap(double slope, double error, double room, double lambda)
{
	double steep = (fabs(slope) + error) * (1 + ROUNDING);
	double t = fmin(room, steep / lambda);

	return (steep * t - lambda / 2 * t * t) * (1 + ROUNDING) + ROUNDING * steep * t;
}

/*
 * The distance that u_j can move against the slope; the longer one if the sign of the slope is not
 * known.
 */
static double
room_of(const Newton *search, const NewtonPoint *point, int j, double error)
{
	double below = ldexp((double) (point->u[j] + search->bound), -WEIGHT_BITS);
	double above = ldexp((double) (search->bound - point->u[j]), -WEIGHT_BITS);
	double slope = slope_of(point, j);

	if (fabs(slope) <= error)
		return fmax(below, above);
	return slope > 0 ? below : above;
}

static double
error_of(const Newton *search)
{
	return gradient_error(search->objective->rows->count, objective_scores(search->objective),
						  search->dimension);
}

static double
gap_above(const Newton *search, const NewtonPoint *point)
{
	double error = error_of(search);
	double gap = 0;

	for (int j = 0; j < search->dimension; j++)
		gap += coordinate_gap(slope_of(point, j), error, room_of(search, point, j, error),
							  lambda_of(search));
	return gap * (MUTANT(97) ? 1e-4 : 1 + ROUNDING);
}

static Wide
cut(Wide value, Wide bound)
{
	return value < -bound ? -bound : value > bound ? bound : value;
}

/* Clips the trial point to the cube. */
static bool
move(Newton *search, long double t)
{
	for (int j = 0; j < search->dimension; j++)
	{
		long double step = fminl(fmaxl(t * search->direction[j], -0x1p21L), 0x1p21L);

		search->trial.u[j] =
			cut(search->current.u[j] + (Wide) ldexpl(step, WEIGHT_BITS), search->bound);
	}
	return true;
}

/* ---- Newton's direction ---- */

/* A coordinate is not free if it is at a wall and the slope pushes against that wall. */
static void
find_free(Newton *search)
{
	search->frees = 0;
	for (int j = 0; j < search->dimension; j++)
	{
		Wide u = search->current.u[j];
		Wide slope = search->current.gradient[j];

		if (!(u == -search->bound && slope >= 0) && !(u == search->bound && slope <= 0))
			search->free[search->frees++] = j;
	}
}

/* The distance that coordinate j can move in the direction of the step. */
static double
room_ahead(const Newton *search, int j, double step)
{
	Wide u = search->current.u[j];

	return ldexp((double) (step > 0 ? search->bound - u : search->bound + u), -WEIGHT_BITS);
}

/*
 * Coordinates at or near a wall whose step leads out of the cube are no longer free.  False if
 * there are none.
 */
static bool
drop_blocked(Newton *search, const double *step)
{
	double least = ldexp((double) search->bound, -WEIGHT_BITS) * ROUNDING;
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
 * step; it might not if each coordinate were clipped separately.
 */
static bool
newton(Newton *search)
{
	double step[GRID_MAX_DIMENSION];
	double share = 1;

	find_free(search);
	do
		if (search->frees == 0 || !newton_solve(search, step))
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

static double
slope_above(const Newton *search, const NewtonPoint *point)
{
	double error = error_of(search);
	double slope = 0;

	for (int j = 0; j < search->dimension; j++)
	{
		double direction = (double) search->direction[j];
		double part = slope_of(point, j) * direction;

		slope += part + fabs(part) * ROUNDING + error * fabs(direction);
	}
	return slope;
}

static void
steepest(Newton *search, long double most)
{
	for (int j = 0; j < search->dimension; j++)
		search->direction[j] =
			1 / most * -ldexpl((long double) search->current.gradient[j], -GRADIENT_BITS);
}

int64_t
box_minimise(const ConvexObjective *objective, Wide bound, double gap, Memory *memory, Wide *u)
{
	static const NewtonDomain cube = {gap_above, newton, steepest, move, slope_above};

	return newton_minimise(&cube, objective, bound, gap, memory, u);
}

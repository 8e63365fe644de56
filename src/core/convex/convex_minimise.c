/*
 * convex_minimise.c - the minimiser over the whole space.
 */
#include "core/convex/convex_minimise.h"

#include <math.h>
#include <string.h>

#include "core/convex/conjugate.h"

/*
 * The error of the sum of d products of doubles, as a share of the product of the norms; of a norm,
 * as a share of it.
 */
static double
sum_error(int dimension)
{
	return ldexp(dimension + 4, -52);
}

/* A search starts with a share of the rows of so many labels a weight, if it is a quarter or less.
 */
#define START_LABELS 256
#define START_SHARE 4

/* An upper bound on the norm of the true gradient. */
static double
norm_above(const Newton *search, const NewtonPoint *point)
{
	double sum = 0;

	for (int j = 0; j < search->dimension; j++)
	{
		double value = ldexp((double) point->gradient[j], -GRADIENT_BITS);

		sum += value * value;
	}
	return sqrt(sum) * (1 + sum_error(search->dimension)) +
		   gradient_error(search->objective->rows->count, objective_scores(search->objective),
						  search->dimension);
}

/* Is u within the range of convex_pass()? */
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

/* The proof needs no more than a step rounded to the last bits of a long double. */
static bool
move(Newton *search, long double t)
{
	for (int j = 0; j < search->dimension; j++)
	{
		long double step = t * search->direction[j];

		if (!(fabsl(step) < ldexpl(1, WEIGHT_LIMIT_BITS)))
			return false;
		search->trial.u[j] = search->current.u[j] + (Wide) ldexpl(step, WEIGHT_BITS);
	}
	return within_range(search->trial.u, search->dimension, search->objective->lambda);
}

/* Newton's direction over all coordinates. */
static bool
newton(Newton *search)
{
	double *step;
	bool solved;

	if (search->hessian == NULL)
		return conjugate_solve(search);
	step = memory_allocate(search->memory, (size_t) search->dimension, sizeof(double));
	search->frees = search->dimension;
	for (int j = 0; j < search->dimension; j++)
		search->free[j] = j;
	solved = newton_solve(search, step);
	for (int j = 0; j < search->dimension; j++)
		search->direction[j] = solved ? step[j] : 0;
	memory_release(search->memory, step);
	return solved;
}

static double
slope_above(const Newton *search, const NewtonPoint *point)
{
	double slope = 0;
	double square = 0;

	for (int j = 0; j < search->dimension; j++)
	{
		double direction = (double) search->direction[j];

		slope += ldexp((double) point->gradient[j], -GRADIENT_BITS) * direction;
		square += direction * direction;
	}
	return slope + sum_error(search->dimension) * point->gap * sqrt(square);
}

/* The trial point is in range, because gradient steps lead towards u*. */
static void
steepest(Newton *search, long double most)
{
	for (int j = 0; j < search->dimension; j++)
		search->direction[j] =
			-ldexpl((long double) search->current.gradient[j], -GRADIENT_BITS) / most;
}

/*
 * Moves u to about where J is least over a share of the rows, with that share of b and lambda.
 * lambda is 1 at least: a share without rows of one class must not lead far away.
 */
static int64_t
approach(const NewtonDomain *space, const ConvexObjective *objective, Memory *memory, Wide *u)
{
	double count = objective->rows->count;
	int dimension = objective_dimension(objective);
	ConvexObjective part = *objective;
	Wide *b;
	int64_t share = 1;
	int64_t rounds;

	while (count / (2 * (double) share) >= START_LABELS * dimension)
		share *= 2;
	if (share < START_SHARE)
		return 0;
	b = memory_allocate(memory, (size_t) dimension, sizeof(Wide));
	for (int j = 0; j < dimension; j++)
		b[j] = objective->b[j] / share;
	part.b = b;
	part.lambda = objective->lambda / share > LAMBDA_ONE ? objective->lambda / share : LAMBDA_ONE;
	objective->rows->thin = share;
	rounds = newton_minimise(space, &part, 0, sqrt(count / (double) share) / 4, memory, u);
	objective->rows->thin = 1;
	memory_release(memory, b);
	return rounds;
}

int64_t
convex_minimise(const ConvexObjective *objective, double tolerance, Memory *memory, Wide *u)
{
	static const NewtonDomain space = {norm_above, newton, steepest, move, slope_above};

	memset(u, 0, (size_t) objective_dimension(objective) * sizeof(Wide));
	return approach(&space, objective, memory, u) +
		   newton_minimise(&space, objective, 0, tolerance, memory, u);
}

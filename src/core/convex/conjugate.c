/*
 * conjugate.c - conjugate gradients with products of the Hessian by differences of gradients.
 */
#include "core/convex/conjugate.h"

#include <math.h>

/* |h p|: scores change by this much at most. */
#define DIFFERENCE 0x1p-20

/* The solution's residual as a share of the gradient, or the products after which it will do. */
#define RESIDUAL_SHARE 0x1p-6
#define MOST_PRODUCTS 100

static double
inner(const double *a, const double *b, int dimension)
{
	double sum = 0;

	for (int j = 0; j < dimension; j++)
		sum += a[j] * b[j];
	return sum;
}

/* product = H p; the trial point is work space. */
static void
multiply(Newton *search, const double *p, double *product)
{
	double h = DIFFERENCE / sqrt(inner(p, p, search->dimension));
	NewtonPoint *beside = &search->trial;

	for (int j = 0; j < search->dimension; j++)
		beside->u[j] = search->current.u[j] + (Wide) ldexp(h * p[j], WEIGHT_BITS);
	newton_evaluate(search, beside, NULL);
	for (int j = 0; j < search->dimension; j++)
		product[j] =
			ldexp((double) (beside->gradient[j] - search->current.gradient[j]) / h, -GRADIENT_BITS);
}

/* One round: the direction and the residual r move along p, and p becomes the next one. */
static bool
improve(Newton *search, double *r, double *p, double *product)
{
	int dimension = search->dimension;
	double square = inner(r, r, dimension);
	double bend;
	double share;

	multiply(search, p, product);
	bend = inner(p, product, dimension);
	if (!(bend > 0))
		return false;
	share = square / bend;
	for (int j = 0; j < dimension; j++)
	{
		search->direction[j] += share * p[j];
		r[j] -= share * product[j];
	}
	share = inner(r, r, dimension) / square;
	for (int j = 0; j < dimension; j++)
		p[j] = r[j] + share * p[j];
	return true;
}

bool
conjugate_solve(Newton *search)
{
	int dimension = search->dimension;
	double *r = memory_allocate(search->memory, 3 * (size_t) dimension, sizeof(double));
	double *p = r + dimension;
	double *product = p + dimension;
	double enough;
	bool bends = true;

	for (int j = 0; j < dimension; j++)
	{
		search->direction[j] = 0;
		p[j] = r[j] = -ldexp((double) search->current.gradient[j], -GRADIENT_BITS);
	}
	enough = RESIDUAL_SHARE * RESIDUAL_SHARE * inner(r, r, dimension);
	for (int k = 0; k < MOST_PRODUCTS && bends && inner(r, r, dimension) > enough; k++)
		bends = improve(search, r, p, product);
	memory_release(search->memory, r);
	return bends;
}

/*
 * simplex_scale.h - how many indices may be drawn from a simplex, and the error bounds.
 *
 * Everything follows from public parameters.  Plain floating point is used for searches only;
 * numbers on which a guarantee rests are computed with directed rounding.
 */
#ifndef DPOBJ_CORE_SIMPLEX_SCALE_H
#define DPOBJ_CORE_SIMPLEX_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/simplex/simplex.h"

/* More draws than this would cost time without a visible gain. */
#define SIMPLEX_MAX_DRAWS (INT64_C(1) << 20)

/* ln theta_j spreads over at most 2 n L R / lambda, which must not exceed this. */
#define SIMPLEX_MAX_SPREAD 1e5

/* epsilon of one draw, rounded up: the range of ln(theta_j / theta'_j), residuals included. */
extern double simplex_draw_epsilon(const SimplexTerms *terms);

/*
 * The residual, range over j of g_j + lambda ln theta_j, that a solution may have: 2^-20 of
 * 2 L R.  In units of a squared feature of 1.0.
 */
extern double simplex_tolerance(const SimplexTerms *terms);

/* What a run may spend. */
typedef struct SimplexBudget
{
	int64_t epsilon; /* nano-units */
	double rho;      /* zero-concentrated, of (epsilon, delta); 0 without delta */
} SimplexBudget;

extern SimplexBudget simplex_budget(int64_t epsilon, int64_t delta);

/*
 * m, at most SIMPLEX_MAX_DRAWS; 0 if lambda is too small.  Tells whether delta is left unspent,
 * unless pure is NULL.
 */
extern int64_t simplex_draws(const SimplexTerms *terms, const SimplexBudget *budget, bool *pure);

/* The least lambda that allows a draw, rounded up; ignores terms->lambda. */
extern double simplex_least_lambda(const SimplexTerms *terms, const SimplexBudget *budget);

/* The lambda, from a finite list, with the least bound on the mean excess. */
extern double simplex_default_lambda(const SimplexTerms *terms, const SimplexBudget *budget,
									 int dimension);

/*
 * How much the sum over rows of 1/2 (<x, theta> - y)^2 is above the least one on the simplex:
 * bounds on its mean, and on the excess itself except with probability beta.  They hold for all
 * rows.
 */
typedef struct SimplexExcess
{
	double mean;
	double bound;
} SimplexExcess;

extern SimplexExcess simplex_excess(const SimplexTerms *terms, int64_t draws, int dimension,
									double beta);

#endif

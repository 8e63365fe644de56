/*
 * simplex_minimise.h - weights near the minimiser on the simplex, with a certificate.
 *
 * With A, b of simplex_moments.h, the minimiser of 1/2 theta' A theta - b' theta + lambda sum
 * theta_j ln theta_j is theta(w) = softmax((b - A w) / lambda) at the w where theta(w) = w, which
 * minimises the convex function
 *
 *   Psi(w) = 1/2 w' A w + lambda ln sum_j exp((b - A w)_j / lambda).
 *
 * Newton's method finds integers W_j; integers and intervals certify the residual of theta = W /
 * sum W:
 *
 *   range over j of  (A theta - b)_j + lambda ln W_j  <=  tolerance.
 *
 * Every round ends at a point where Psi is no larger than after the gradient step from w to w +
 * (theta(w) - w) / kappa, kappa = 1 + n R^2 / lambda.  So the search always ends, within 200 kappa
 * rounds (theorem S5); ten are usual.  All is computed to some 150 binary places.
 */
#ifndef DPOBJ_CORE_SIMPLEX_MINIMISE_H
#define DPOBJ_CORE_SIMPLEX_MINIMISE_H

#include "core/simplex/simplex_moments.h"

/* Sets weight[0 .. dimension - 1], each 1 or more; returns the number of rounds. */
extern int64_t simplex_minimise(const SimplexMoments *moments, const SimplexTerms *terms,
								double tolerance, Memory *memory, mpz_t *weight);

/* An upper bound on the residual of these weights, whatever they are. */
extern double simplex_residual(const SimplexMoments *moments, double lambda, const mpz_t *weight);

#endif

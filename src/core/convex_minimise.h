/*
 * convex_minimise.h - the minimiser of J(u) + <b, u>, with a certificate.
 *
 * Newton's method finds candidates in doubles; what is certified is the exact
 * gradient in integers.  Strong convexity turns its norm into a distance:
 * |u - u*| <= |gradient| / lambda.
 *
 * It always ends with the tolerance met.  A step of Newton's is taken only if it
 * makes the gradient's norm shorter by a declared share; otherwise the step is
 * -gradient / (beta n + lambda), and that multiplies the norm by 1 - lambda /
 * (beta n + lambda) or less, because the mean Hessian between two points has its
 * eigenvalues in lambda .. beta n + lambda.  So there is a bound on the number of
 * steps from n, lambda and |b| alone, however far it is from the ten or twenty
 * that are usual.  Rounding to units of 2^-96 adds at most (beta n + lambda)
 * sqrt(d) 2^-96 to the norm, which leaves the proof whole while
 * (beta n + lambda)^2 sqrt(d) <= 2^95 lambda tolerance.
 */
#ifndef DPOBJ_CORE_CONVEX_MINIMISE_H
#define DPOBJ_CORE_CONVEX_MINIMISE_H

#include "core/convex.h"
#include "core/convex_sample.h"
#include "core/memory.h"

typedef struct ConvexObjective
{
	ConvexSample *sample;
	const LossTable *table;
	double curvature; /* beta */
	int64_t lambda;
	const Wide *b; /* units of 2^-85, its norm below 2^38 and 2^25 lambda */
} ConvexObjective;

/* u, in units of 2^-96, with |gradient of J(u) + b| <= tolerance.  Returns the number of steps. */
extern int64_t convex_minimise(const ConvexObjective *objective, double tolerance, Memory *memory,
							   Wide *u);

#endif

/*
 * convex_minimise.h - the minimiser of J(u) + <b, u> over the whole space, with a certificate.
 *
 * Newton's method finds candidates in doubles, from exact sums of integers, so they are a function
 * of the multiset of rows.  The certificate is the exact gradient: by strong convexity |u - u*| <=
 * |gradient| / lambda.  The search always ends with the tolerance met (theorem V9).  (The gradient
 * step is not taken in every round: where the slope of a row has a kink, it may lead back over the
 * kink, and Newton's method would not see the other side.)
 *
 * Rounding to units of 2^-96 costs a round at most 3 |gradient| sqrt(d) 2^-96 of what it gains,
 * |gradient|^2 / 2 M or more: little, as long as M sqrt(d) <= 2^93 tolerance, which holds for any
 * INSTANCE_MAX_LABELS labels and every lambda.
 */
#ifndef DPOBJ_CORE_CONVEX_MINIMISE_H
#define DPOBJ_CORE_CONVEX_MINIMISE_H

#include "core/convex/newton.h"

/* u, in units of 2^-96, with |gradient of J(u) + b| <= tolerance.  Returns the number of rounds. */
extern int64_t convex_minimise(const ConvexObjective *objective, double tolerance, Memory *memory,
							   Wide *u);

#endif

/*
 * convex_minimise.h - the minimiser of J(u) + <b, u>, with a certificate.
 *
 * Newton's method finds candidates in doubles, from exact sums of integers, so they are a function
 * of the multiset of rows.  The certificate is the exact gradient in integers; strong convexity
 * turns its norm into a distance: |u - u*| <= |gradient| / lambda.
 *
 * It always ends with the tolerance met.  With M = beta n + lambda, the step -gradient / M takes J
 * - J* to at most 1 - lambda / M times what it was, and |gradient|^2 <= 2 M (J - J*).  Every eighth
 * round takes such a step after a search along Newton's direction, which stops where J still falls
 * (by convexity it fell on the way there), or takes a full Newton step that halves the least norm
 * seen so far, which is possible only a limited number of times.  So n, lambda and |b| alone bound
 * the number of rounds, although the bound is far above the usual ten or twenty.  (The gradient
 * step is not taken in every round: where a row's slope has a kink, it may lead back over the kink,
 * and Newton's method would not see the other side.)
 *
 * Rounding to units of 2^-96 costs a round at most 3 |gradient| sqrt(d) 2^-96 of what it
 * gains, |gradient|^2 / 2 M or more: little, as long as M sqrt(d) <= 2^93 tolerance, which
 * holds for any INSTANCE_MAX_LABELS labels and every lambda.
 */
#ifndef DPOBJ_CORE_CONVEX_MINIMISE_H
#define DPOBJ_CORE_CONVEX_MINIMISE_H

#include "core/convex/newton.h"

/* u, in units of 2^-96, with |gradient of J(u) + b| <= tolerance.  Returns the number of rounds. */
extern int64_t convex_minimise(const ConvexObjective *objective, double tolerance, Memory *memory,
							   Wide *u);

#endif

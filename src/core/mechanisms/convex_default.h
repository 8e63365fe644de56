/*
 * convex_default.h - default radius, regularisation and noise of a convex model, from public
 * parameters alone.
 */
#ifndef DPOBJ_CORE_CONVEX_DEFAULT_H
#define DPOBJ_CORE_CONVEX_DEFAULT_H

#include "core/convex/convex_scale.h"
#include "core/rows/encoding.h"
#include "core/mechanisms/mechanism.h"

/* No encoded row is longer, in units of a feature of 1.0; CONVEX_RADIUS_MIN at least. */
extern double convex_default_radius(const Encoding *encoding);

/* Lambda / R^2 in units of LAMBDA_ONE, for the kind and epsilon of the request. */
extern int64_t convex_default_lambda(ConvexKind kind, const MechanismRequest *request);

/* The same, once that is the request's and the noise is known: less, where the noise is short. */
extern int64_t convex_default_lambda_for_noise(ConvexKind kind, const MechanismRequest *request);

/* The usual length of the request's noise, in gradients or weights; none if it is refused. */
extern double convex_noise_length(ConvexKind kind, const MechanismRequest *request);

/* Sets the noise: Gamma noise has no delta. */
extern void convex_set_noise(MechanismRequest *request, ConvexNoise noise, int64_t delta);

/* Sets the noise whose usual length is shorter; Gamma where delta is 0. */
extern void convex_set_shorter_noise(ConvexKind kind, MechanismRequest *request, int64_t delta);

/*
 * Regularisation and noise of a request whose loss, radius, epsilon, adjacency and dimension
 * are settled, with delta to spend.
 */
extern void convex_default(ConvexKind kind, MechanismRequest *request, int64_t delta);

#endif

/*
 * convex_release.h - the two convex mechanisms: output and objective perturbation.
 */
#ifndef DPOBJ_CORE_CONVEX_RELEASE_H
#define DPOBJ_CORE_CONVEX_RELEASE_H

#include "core/convex/convex_scale.h"
#include "core/mechanisms/mechanism.h"

/* Draws, minimises and rounds; the request must have been admitted. */
extern void convex_release(const MechanismRequest *request, const Instance *instance,
						   const MechanismTools *tools, MechanismAnswer *answer);

/* convex_scale() for a request. */
extern ConvexVerdict convex_request_scale(ConvexKind kind, const MechanismRequest *request,
										  ConvexScale *scale, int64_t *least);

/* The verdict on a request: it always finishes (convex_minimise.h). */
extern void convex_admit(const MechanismRequest *request, MechanismVerdict *verdict);

/* Loss, regularisation and radius, of any convex mechanism. */
extern void convex_describe(const MechanismRequest *request, Facts *facts);

/* The law of the noise, and a step of the weights that are released. */
extern void convex_describe_noise(const MechanismRequest *request, Facts *facts);

/* The scales of the noise of output and objective perturbation. */
extern void convex_describe_scale(const MechanismRequest *request, Facts *facts);

/* That distance as a fact. */
extern void convex_error(const MechanismRequest *request, double beta, Facts *facts);

/* Gaussian noise of sensitivity / sigma = mu, calibrated for all of epsilon and delta. */
extern void convex_gaussian_pair(const MechanismRequest *request, Pair *pair);

/*
 * Of a convex request: |w - w*| <= the result but with probability beta, w* being the
 * minimiser of the regularised objective, in units of the weights.
 */
extern double convex_distance(ConvexKind kind, const MechanismRequest *request, double beta);

#endif

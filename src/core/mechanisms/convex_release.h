/*
 * convex_release.h - the two convex mechanisms: output and objective perturbation.
 */
#ifndef DPOBJ_CORE_CONVEX_RELEASE_H
#define DPOBJ_CORE_CONVEX_RELEASE_H

#include "core/convex/convex_scale.h"
#include "core/mechanisms/mechanism.h"

/* Draws, minimises and rounds; the request must be admitted. */
extern void convex_release(const MechanismRequest *request, const Instance *instance,
						   const MechanismTools *tools, MechanismAnswer *answer);

/* Output or objective perturbation; an answer is perturbed where the mechanism's row says nothing.
 */
extern ConvexKind convex_kind(const MechanismRequest *request);

/* convex_scale() for a request. */
extern ConvexVerdict convex_request_scale(const MechanismRequest *request, ConvexScale *scale);

/* Adds the seconds that so many certified minimisers take to a verdict. */
extern void convex_set_seconds(const MechanismRequest *request, double minimisers,
							   MechanismVerdict *verdict);

/* Such a request always ends (convex_minimise.h). */
extern void convex_admit(const MechanismRequest *request, MechanismVerdict *verdict);

/* Loss, regularisation and radius of any convex mechanism, as facts. */
extern void convex_describe(const MechanismRequest *request, Facts *facts);

/* The law of the noise and the step of released weights, as facts. */
extern void convex_describe_noise(const MechanismRequest *request, Facts *facts);

/* All of these and the scales of the noise of output and objective perturbation, as facts. */
extern void convex_describe_scale(const MechanismRequest *request, Facts *facts);

/* convex_distance() as a fact. */
extern void convex_error(const MechanismRequest *request, double beta, Facts *facts);

/* What a row pulls a weight by at most at weights of 0, times |x_j|. */
extern double convex_pull(const ConvexTerms *terms);

/* Mechanism.useless_rows of noise in the objective or on its minimiser (rule U19). */
extern double convex_useless_rows(const MechanismRequest *request, const Encoding *encoding);

/*
 * Sets mu = sensitivity / sigma if the noise is Gaussian, calibrated for all of epsilon and delta.
 */
extern void convex_gaussian_pair(const MechanismRequest *request, Pair *pair);

/* The same for noise in the objective. */
extern void convex_objective_pair(const MechanismRequest *request, Pair *pair);

/*
 * A bound on |w - w*| that fails with probability beta at most; w* is the minimiser of the
 * regularised objective.  In units of the weights.
 */
extern double convex_distance(const MechanismRequest *request, double beta);

#endif

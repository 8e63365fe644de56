/*
 * convex_scale.h - how much noise a convex mechanism needs (theorems V2 to V8).
 *
 * All in the units of convex.h: |v| <= 1, |psi'| <= c; with several classes c = sqrt(1 / 2)
 * bounds the length of p - e_y (theorem V14).  One row changes the gradient of J by g = c
 * privacy_margin() in norm (convex_gradient_change()).  Gaussian calibrations are proved
 * (calibration.h); what doubles compute from them is rounded to the safe side by CALIBRATION_SAFE.
 */
#ifndef DPOBJ_CORE_CONVEX_SCALE_H
#define DPOBJ_CORE_CONVEX_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/convex/convex.h"
#include "core/base/privacy.h"

/*
 * Objective perturbation with Gaussian noise, mu = g / sigma: the delta for rest, the epsilon
 * beyond ln(1 + beta / lambda) (theorems V4 to V6).  Under replace the first is proved for rest^2
 * >= mu^2 + mu^4 / 4; elsewhere it is the second, by the law chi_2, which is always proved.
 */
extern double objective_delta(double rest, double mu, Adjacency adjacency);
extern double objective_delta_chi2(double rest, double mu);

/* The Renyi divergence of order alpha > 1 of the same mechanism, for the ledger. */
extern double objective_renyi(double alpha, double mu, double beta_over_lambda);

/* beta: no second derivative of a row's loss is larger. */
extern double convex_curvature(const ConvexTerms *terms);

/* g: the most that one row changes the gradient. */
extern double convex_gradient_change(const ConvexTerms *terms, Adjacency adjacency);

/*
 * One row multiplies the determinant of the Hessian by at most 1 plus this: beta / lambda, and with
 * classes (1 + (3 K - 4) / (4 (K - 1)^2 lambda))^(K - 1) - 1 (theorem V14).
 */
extern double convex_determinant(const ConvexTerms *terms);

/* The lambda for which ln(1 + convex_determinant()) is epsilon. */
extern double convex_lambda_for_hessian(const ConvexTerms *terms, double epsilon);

/* The deviation of Gaussian noise over c. */
extern double objective_sigma(double epsilon, double delta, double beta_over_lambda,
							  Adjacency adjacency);

/* The same for K classes: g / c times the Gaussian mechanism's at shares of delta (theorem V15). */
extern double objective_classes_sigma(double epsilon, double delta, double ratio, int classes,
									  Adjacency adjacency);

/* The scale of Gamma or K-norm noise over c, (g / c) / (epsilon - ln(1 + beta / lambda)). */
extern double objective_gamma(double epsilon, double beta_over_lambda, Adjacency adjacency);

typedef enum ConvexKind
{
	CONVEX_OUTPUT,   /* output perturbation, theorem V2 */
	CONVEX_OBJECTIVE /* objective perturbation, theorems V3 to V5, in its approximate form, V8 */
} ConvexKind;

/* CONVEX_OBJECTIVE: the part of epsilon for the noise on the answer, and for all that is before. */
extern double convex_outer_epsilon(double epsilon);
extern double convex_inner_epsilon(double epsilon);

/* The noise of a release, chosen from public parameters. */
typedef struct ConvexScale
{
	double inner;     /* of the noise in the objective, K-norm noise's over the reaches */
	double outer;     /* of the noise on the answer */
	double tolerance; /* of |gradient| at the answer, all errors together */
	int64_t least;    /* the least lambda that leaves epsilon for the noise; set in any case */
} ConvexScale;

/* Whether there is a scale, or why not. */
typedef enum ConvexVerdict
{
	CONVEX_FITS,
	CONVEX_LAMBDA_TOO_SMALL, /* below the least */
	CONVEX_NOISE_TOO_LARGE   /* epsilon is so small that an answer would be noise alone */
} ConvexVerdict;

/* The Euclidean length of the longest vector whose norm, by which the noise goes, is 1. */
extern double convex_unit_length(const ConvexTerms *terms, int dimension);

extern ConvexVerdict convex_scale(ConvexKind kind, const ConvexTerms *terms, double epsilon,
								  Adjacency adjacency, int dimension, ConvexScale *scale);

#endif

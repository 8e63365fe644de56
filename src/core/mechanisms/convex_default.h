/*
 * convex_default.h - default radius, regularisation and noise of a convex model, from public
 * parameters alone.
 */
#ifndef DPOBJ_CORE_CONVEX_DEFAULT_H
#define DPOBJ_CORE_CONVEX_DEFAULT_H

#include "core/convex/convex_scale.h"
#include "core/rows/encoding.h"
#include "core/mechanisms/mechanism.h"

/*
 * The length of the longest encoded row, in units of a feature of 1.0; CONVEX_RADIUS_MIN at least.
 */
extern double convex_default_radius(const Encoding *encoding);

/* The same where numbers have a third of their largest squares. */
extern double convex_usual_radius(const Encoding *encoding);

/* So short that nearly all rows are clipped to it: they all count alike. */
extern double convex_even_radius(const Encoding *encoding);

/*
 * Beyond which residual, as a share of the targets' largest size, the slope of LOSS_SQUARES is
 * clipped; epsilon is a row's, in nano-units.
 */
extern double convex_default_threshold(int64_t epsilon);

/* Lambda / R^2 in units of LAMBDA_ONE, before the noise is known. */
extern int64_t convex_default_lambda(const MechanismRequest *request);

/*
 * The same once the noise is known; reads the former from the request.  Smaller where the noise is
 * short; for K-norm noise and for the clipped losses it goes by rows, the declared number or 0.
 */
extern int64_t convex_default_lambda_for_noise(const MechanismRequest *request, int64_t rows);

/*
 * The typical length of the request's noise, in gradients or weights; INFINITY if the request is
 * refused.
 */
extern double convex_noise_length(const MechanismRequest *request);

/*
 * The root mean square of the noise of a column over the largest |x_j|, in the mean over the
 * columns; INFINITY if the request is refused.
 */
extern double convex_column_noise(const MechanismRequest *request, const Encoding *encoding);

/* Sets Gamma or Gaussian noise, and delta for the latter. */
extern void convex_set_noise(MechanismRequest *request, ConvexNoise noise, int64_t delta);

/* Sets K-norm noise for rows of this encoding. */
extern void convex_set_knorm(MechanismRequest *request, const Encoding *encoding);

/*
 * Sets the noise of the least convex_column_noise(): Gamma, K-norm if it is in the objective of a
 * loss of the margin, or
 * Gaussian if delta is not 0.
 */
extern void convex_set_shorter_noise(MechanismRequest *request, const Encoding *encoding,
									 int64_t delta);

/*
 * Sets regularisation and noise of a request that has kind, loss, radius, epsilon, adjacency and
 * dimension; delta may be spent.  rows is the declared number or 0.
 */
extern void convex_default(MechanismRequest *request, const Encoding *encoding, int64_t delta,
						   int64_t rows);

/*
 * For a request with classes, epsilon, adjacency and dimension: makes it one of mechanism sgd where
 * that is better than objective (rule D7), and returns whether it is.
 */
extern bool convex_default_descent(MechanismRequest *request, const Encoding *encoding,
								   int64_t delta, int64_t rows);

/*
 * Sets loss and radius as well, for a classifier whose probabilities are not asked for (rule U13):
 * the clipped loss, with K-norm noise or, on shorter rows, Gaussian noise.  Returns the noise of a
 * column beside rows of their usual length.
 */
extern double convex_default_classifier(MechanismRequest *request, const Encoding *encoding,
										int64_t delta, int64_t rows);

#endif

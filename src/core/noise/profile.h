/*
 * profile.h - proofs that delta(epsilon) of a Gaussian mechanism is at most delta.
 *
 * Each function returns true only if it has proved the bound, with outward rounding or in integers;
 * rounding of doubles cannot make it wrong.  False means that the bound is false or that the
 * precision did not suffice. epsilon, delta and kappa are taken as exact real numbers.
 */
#ifndef DPOBJ_CORE_PROFILE_H
#define DPOBJ_CORE_PROFILE_H

#include <stdbool.h>

/* e^log_vectors delta_G(epsilon; kappa), see calibration.h. */
extern bool profile_gaussian(double epsilon, double delta, double log_vectors, double kappa);

/* E max(0, 1 - exp(epsilon - kappa X - kappa^2 / 2)) with X = |z|, z ~ N(0, 1). */
extern bool profile_folded(double epsilon, double delta, double kappa);

/* The same with X of the chi law with k >= 1 degrees of freedom. */
extern bool profile_chi(double epsilon, double delta, int k, double kappa);

#endif

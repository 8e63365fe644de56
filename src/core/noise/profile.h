/*
 * profile.h - is delta(epsilon) of a Gaussian mechanism at most delta, for sure?
 *
 * Each function answers true only if it has proved so, with outward rounding or in
 * integers: the doubles that a search is made of decide nothing.  False means no, or
 * that the bits did not suffice.  epsilon, delta and kappa are meant as the real
 * numbers that they are.
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

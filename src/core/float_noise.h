/*
 * float_noise.h - normal and Gamma variables of high precision, rounded to the lattice.
 *
 * What is proved and what is not.  With real arithmetic the laws would be exactly
 * those named below.  A draw here is computed with REAL_PRECISION bits from uniform
 * numbers of as many fair bits; MPFR rounds every operation correctly, but nobody
 * has proved how far the law of a rounded draw is from the ideal one.  (Uniforms lie
 * on a grid of 2^-256, so a normal is never beyond 18.9, where the ideal law has
 * 2^-255 left.)  A mechanism that uses it is labelled 'float', never 'exact'
 * (PRIVACY.md 0.1 C3, 1.6, 7).  The noise itself never leaves the solver process.
 */
#ifndef DPOBJ_CORE_FLOAT_NOISE_H
#define DPOBJ_CORE_FLOAT_NOISE_H

#include <gmp.h>
#include <mpfr.h>

#include "core/bits.h"

#define REAL_PRECISION 256

/* N(0, 1); the variable must have REAL_PRECISION. */
extern void real_normal(Bits *bits, mpfr_t result);

/* Gamma with a whole shape >= 1 and the scale 1: minus the logarithm of a product of uniforms. */
extern void real_gamma(Bits *bits, mpfr_t result, int shape);

/* Uniform on the sphere of radius 1: normals divided by their length. */
extern void real_direction(Bits *bits, mpfr_t *vector, int dimension);

/* Uniform in the ball of radius 1. */
extern void real_ball(Bits *bits, mpfr_t *vector, int dimension);

/* The nearest integer to value times scale. */
extern void real_round(mpz_t result, const mpfr_t value, double scale);

#endif

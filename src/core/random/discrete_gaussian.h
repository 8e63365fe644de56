/*
 * discrete_gaussian.h - the Gaussian law on the integers (Canonne, Kamath and
 * Steinke 2020; theorem E11).
 *
 * A vector of integers whose Euclidean distance between neighbours is at most s,
 * with an independent draw of variance parameter sigma^2 added to each, is
 * rho-zCDP with rho = s^2 / (2 sigma^2), exactly as for the continuous law.
 */
#ifndef DPOBJ_CORE_DISCRETE_GAUSSIAN_H
#define DPOBJ_CORE_DISCRETE_GAUSSIAN_H

#include <gmp.h>

#include "core/random/bits.h"

/* P(z) proportional to exp(-z^2 / (2 sigma^2)), sigma^2 = p / q, p, q >= 1; exactly. */
extern void discrete_gaussian_draw(Bits *bits, mpz_t result, const mpz_t p, const mpz_t q);

#endif

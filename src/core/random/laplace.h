/*
 * laplace.h - the discrete Laplace law, for counts (theorem X1).
 *
 * A vector of integers whose sum of absolute changes between neighbours is at most
 * s is released with epsilon-DP by adding to each an independent draw with
 * P(z) proportional to exp(-|z| epsilon / s).
 */
#ifndef DPOBJ_CORE_LAPLACE_H
#define DPOBJ_CORE_LAPLACE_H

#include <gmp.h>

#include "core/random/bits.h"

/* P(z) proportional to exp(-|z| p / q) on the integers, p, q >= 1, exactly. */
extern void laplace_draw(Bits *bits, mpz_t result, const mpz_t p, const mpz_t q);

#endif

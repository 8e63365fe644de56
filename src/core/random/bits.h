/*
 * bits.h - random bits from a callback, and exact samplers built on them.
 *
 * Every law here is exact: only fair bits and integer comparisons are used, no floating point
 * (Canonne, Kamath and Steinke 2020; theorem E11).  Only this file of the core reads random bits.
 *
 * Arguments of type mpz_t may be of any size.  A result must not be the same
 * variable as an argument.
 */
#ifndef DPOBJ_CORE_BITS_H
#define DPOBJ_CORE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <gmp.h>

typedef struct Bits
{
	/* Fills bytes with independent uniform bits; must not fail. */
	void (*fill)(void *context, uint8_t *bytes, size_t count);
	void *context;
	uint64_t pool; /* unused bits of the last word, in its low end; its other bits are 0 */
	int left;      /* number of unused bits, 0..63 */
} Bits;

extern void bits_init(Bits *bits, void (*fill)(void *, uint8_t *, size_t), void *context);

/* Returns count (0..64) fair bits in the low end of a word. */
extern uint64_t bits_take(Bits *bits, int count);

/* Appends count (0..64) fair bits to the binary digits of a number. */
extern void bits_append(Bits *bits, mpz_t digits, int count);

/* Uniform on 0 .. n-1, n >= 1. */
extern uint64_t bits_below(Bits *bits, uint64_t n);
extern void bits_below_mpz(Bits *bits, mpz_t result, const mpz_t n);

/* Returns true with probability p / q, 0 <= p <= q, q >= 1. */
extern bool bits_bernoulli(Bits *bits, const mpz_t p, const mpz_t q);

/* Returns true with probability exp(-p / q), p >= 0, q >= 1. */
extern bool bits_bernoulli_exp(Bits *bits, const mpz_t p, const mpz_t q);

/* P(k) proportional to exp(-k p / q) on k = 0, 1, 2, ...; p, q >= 1. */
extern void bits_geometric(Bits *bits, mpz_t result, const mpz_t p, const mpz_t q);

#endif

/*
 * integers.h - integers of 128 bits; conversion of GMP's integers from and to words; arrays of
 * GMP's integers.
 */
#ifndef DPOBJ_CORE_INTEGERS_H
#define DPOBJ_CORE_INTEGERS_H

#include <stdint.h>
#include <gmp.h>

#include "core/base/memory.h"

/* palloc aligns to 8 bytes, so that the compiler may not count on 16. */
typedef __int128 Wide __attribute__((aligned(8)));
typedef unsigned __int128 UnsignedWide __attribute__((aligned(8)));

/* The halves of a wide integer, as `make prove` knows them. */
/*@ assigns \result \from wide; */
static inline uint64_t
wide_high(UnsignedWide wide)
{
	return (uint64_t) (wide >> 64);
}

/*@ assigns \result \from high, low; */
static inline Wide
wide_join(uint64_t high, uint64_t low)
{
	return (Wide) ((UnsignedWide) high << 64 | low);
}

/* mpz_set_ui() takes an unsigned long, which has only 32 bits on some systems. */
static inline void
mpz_from_word(mpz_t value, uint64_t word)
{
	mpz_import(value, 1, -1, sizeof(word), 0, 0, &word);
}

static inline void
mpz_from_wide(mpz_t value, Wide wide)
{
	UnsignedWide size = wide < 0 ? -(UnsignedWide) wide : (UnsignedWide) wide;
	uint64_t limb[2] = {(uint64_t) size, wide_high(size)};

	mpz_import(value, 2, -1, sizeof(limb[0]), 0, 0, limb);
	if (wide < 0)
		mpz_neg(value, value);
}

/* |value| < 2^127 */
extern Wide wide_from_mpz(const mpz_t value);

/* The nearest number of 64 bits. */
extern int64_t mpz_clamped(const mpz_t value);

/* An array of zeros. */
extern mpz_t *integers_create(size_t count, Memory *memory);
extern void integers_destroy(mpz_t *integer, size_t count, Memory *memory);

#endif

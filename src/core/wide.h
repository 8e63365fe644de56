/*
 * wide.h - words of 128 bits and big integers.
 */
#ifndef DPOBJ_CORE_WIDE_H
#define DPOBJ_CORE_WIDE_H

#include <stdint.h>
#include <gmp.h>

#include "core/convex_loss.h"

/* |value| < 2^127 */
static inline Wide
wide_from_mpz(const mpz_t value)
{
	uint64_t limb[2] = {0, 0};
	Wide size;

	mpz_export(limb, NULL, -1, sizeof(limb[0]), 0, 0, value);
	size = (Wide) (((unsigned __int128) limb[1] << 64) | limb[0]);
	return mpz_sgn(value) < 0 ? -size : size;
}

static inline void
mpz_from_wide(mpz_t value, Wide wide)
{
	unsigned __int128 size = wide < 0 ? -(unsigned __int128) wide : (unsigned __int128) wide;
	uint64_t limb[2] = {(uint64_t) size, (uint64_t) (size >> 64)};

	mpz_import(value, 2, -1, sizeof(limb[0]), 0, 0, limb);
	if (wide < 0)
		mpz_neg(value, value);
}

#endif

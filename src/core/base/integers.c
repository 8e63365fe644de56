/*
 * integers.c - conversion of GMP's integers to words, and arrays of GMP's integers.
 */
#include "core/base/integers.h"

Wide
wide_from_mpz(const mpz_t value)
{
	uint64_t limb[2] = {0, 0};
	Wide size;

	mpz_export(limb, NULL, -1, sizeof(limb[0]), 0, 0, value);
	size = wide_join(limb[1], limb[0]);
	return mpz_sgn(value) < 0 ? -size : size;
}

int64_t
mpz_clamped(const mpz_t value)
{
	if (mpz_sizeinbase(value, 2) > 63)
		return mpz_sgn(value) < 0 ? INT64_MIN : INT64_MAX;
	return (int64_t) wide_from_mpz(value);
}

mpz_t *
integers_create(size_t count, Memory *memory)
{
	mpz_t *integer = memory_allocate(memory, count, sizeof(mpz_t));

	for (size_t i = 0; i < count; i++)
		mpz_init(integer[i]);
	return integer;
}

void
integers_destroy(mpz_t *integer, size_t count, Memory *memory)
{
	for (size_t i = 0; i < count; i++)
		mpz_clear(integer[i]);
	memory_release(memory, integer);
}

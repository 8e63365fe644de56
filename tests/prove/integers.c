/*
 * integers.c - converts any words and numbers, and makes arrays of numbers.
 */
#include "core/base/integers.h"

#include "any.h"

#define COUNT_MOST 8

int
main(void)
{
	mpz_t value;

	mpz_init(value);
	mpz_from_word(value, any_word());
	mpz_from_wide(value, Frama_C_long_interval(INT64_MIN, INT64_MAX));
	(void) wide_from_mpz(value);
	(void) mpz_clamped(value);
	mpz_clear(value);
	for (size_t count = 0; count <= COUNT_MOST; count++)
		integers_destroy(integers_create(count, NULL), count, NULL);
	return 0;
}

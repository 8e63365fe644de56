/*
 * test_integers.c - words to integers and back, at every power of two.
 */
#include "core/base/integers.h"

#include "core/fixture.h"

/* The integer that the digits of a wide one, read one by one, are. */
static bool
is_written(const mpz_t value, Wide wide)
{
	char expected[130];
	unsigned __int128 size = wide < 0 ? -(unsigned __int128) wide : (unsigned __int128) wide;
	char *end = expected + sizeof(expected) - 1;
	char *digits = mpz_get_str(NULL, 2, value);
	bool same;

	*end = '\0';
	do
		*--end = size % 2 == 0 ? '0' : '1';
	while ((size /= 2) > 0);
	if (wide < 0)
		*--end = '-';
	same = strcmp(digits, end) == 0;
	free(digits);
	return same;
}

static void
test_wide(void)
{
	mpz_t value;

	mpz_init(value);
	for (int bits = 0; bits < 127; bits++)
		for (int beside = -1; beside <= 1; beside++)
			for (int sign = -1; sign <= 1; sign += 2)
			{
				Wide wide = (((Wide) 1 << bits) + beside) * sign;

				mpz_from_wide(value, wide);
				CHECK(is_written(value, wide));
				CHECK(wide_from_mpz(value) == wide);
				CHECK(mpz_clamped(value) == (wide > INT64_MAX   ? INT64_MAX
											 : wide < INT64_MIN ? INT64_MIN
																: (int64_t) wide));
			}
	mpz_clear(value);
}

static void
test_words(void)
{
	mpz_t value;

	mpz_init(value);
	for (int bits = 0; bits < 64; bits++)
	{
		mpz_from_word(value, UINT64_MAX >> bits);
		CHECK(is_written(value, (Wide) (UINT64_MAX >> bits)));
	}
	mpz_ui_pow_ui(value, 3, 1000);
	CHECK(mpz_clamped(value) == INT64_MAX);
	mpz_neg(value, value);
	CHECK(mpz_clamped(value) == INT64_MIN);
	mpz_clear(value);
}

static void
test_arrays(void)
{
	mpz_t *integer = integers_create(5, memory);

	for (int i = 0; i < 5; i++)
		CHECK(mpz_sgn(integer[i]) == 0);
	mpz_ui_pow_ui(integer[4], 2, 5000); /* what it owns is given back: valgrind */
	integers_destroy(integer, 5, memory);
}

int
main(void)
{
	test_begin(1);
	test_wide();
	test_words();
	test_arrays();
	return test_end("integers");
}

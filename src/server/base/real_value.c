/*
 * real_value.c - finds the shortest decimal number of a real.
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"

#include "server/base/real_value.h"

/* Every decimal number of 6 digits has a real of its own, and every real one of 9 digits. */
#define DIGITS_FIRST 6
#define DIGITS_LAST 9

/* A real in this range times a power of ten up to 10^11 is exact in a double: 24 and 26 bits. */
#define EXACT_FROM 1e-3
#define EXACT_BELOW 1e5

static const double power_of_ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11};

static double
by_text(float real)
{
	char text[FLOAT_SHORTEST_DECIMAL_LEN];

	float_to_shortest_decimal_buf(real, text);
	return strtod(text, NULL);
}

/* Is it half-way between two reals?  Then its 29 last bits are 1 and zeros. */
static bool
is_between_reals(double number)
{
	uint64 bits;

	memcpy(&bits, &number, sizeof(bits));
	return (bits & ((UINT64CONST(1) << 29) - 1)) == UINT64CONST(1) << 28;
}

/*
 * A multiple of 10^-places is one quotient, which is rounded correctly; so it is the double that
 * its text reads as.  The product is exact, so the multiple is the nearest one.
 */
double
real_value(float real)
{
	double exact = real;
	double size = fabs(exact);
	int places = 1; /* of DIGITS_FIRST digits */

	if (real == 0 || !isfinite(exact))
		return exact;
	if (size < EXACT_FROM || size >= EXACT_BELOW)
		return by_text(real);
	while (size * power_of_ten[places] < 1e5)
		places++;
	for (int digits = DIGITS_FIRST; digits <= DIGITS_LAST; digits++, places++)
	{
		double number = rint(exact * power_of_ten[places]) / power_of_ten[places];

		if (is_between_reals(number))
			return by_text(real);
		if ((float) number == real)
			return number;
	}
	return by_text(real);
}

/*
 * laplace.c - discrete Laplace from a geometric magnitude and a fair sign.
 */
#include "core/random/laplace.h"

#include <stdbool.h>

#include "core/base/mutant.h"

/* A zero with a negative sign is rejected; otherwise 0 would have twice its probability. */
static void
draw_once(Bits *bits, mpz_t result, const mpz_t p, const mpz_t q)
{
	bool negative;

	do
	{
		negative = bits_take(bits, 1) == 1;
		bits_geometric(bits, result, p, q);
	} while (negative && mpz_sgn(result) == 0);
	if (negative)
		mpz_neg(result, result);
}

void
laplace_draw(Bits *bits, mpz_t result, const mpz_t p, const mpz_t q)
{
	draw_once(bits, result, p, q);
	if (MUTANT(17))
	{
		mpz_t again;

		mpz_init(again);
		draw_once(bits, again, p, q);
		mpz_add(result, result, again);
		mpz_clear(again);
	}
}

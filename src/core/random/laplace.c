/*
 * laplace.c - discrete Laplace from a geometric magnitude and a fair sign.
 */
#include "core/random/laplace.h"

#include <stdbool.h>

#include "core/base/integers.h"
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
laplace_draw_mpz(Bits *bits, mpz_t result, const mpz_t p, const mpz_t q)
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

int64_t
laplace_draw(Bits *bits, uint64_t p, uint64_t q)
{
	int64_t clamped;
	mpz_t big_p;
	mpz_t big_q;
	mpz_t result;

	mpz_init_set_ui(big_p, p);
	mpz_init_set_ui(big_q, q);
	mpz_init(result);
	laplace_draw_mpz(bits, result, big_p, big_q);
	clamped = mpz_clamped(result);
	mpz_clears(big_p, big_q, result, NULL);
	return clamped;
}

/*
 * random.c - calls the samplers of core/random with any parameters and any bits.
 */
#include "core/random/bits.h"
#include "core/random/discrete_gaussian.h"
#include "core/random/laplace.h"

#include "any.h"

static Bits
any_bits(void)
{
	Bits bits;

	bits_init(&bits, any_fill, NULL);
	bits.left = Frama_C_interval(0, 63);
	bits.pool = any_word();
	return bits;
}

int
main(void)
{
	Bits bits = any_bits();
	mpz_t p;
	mpz_t q;
	mpz_t result;

	mpz_inits(p, q, result, NULL);
	mpz_changed(p);
	mpz_changed(q);
	switch (Frama_C_interval(0, 9))
	{
		case 0:
			(void) bits_take(&bits, Frama_C_interval(0, 64));
			break;
		case 1:
			bits_append(&bits, result, Frama_C_interval(0, 64));
			break;
		case 2:
			(void) bits_below(&bits, Frama_C_unsigned_long_interval(1, ULONG_MAX));
			break;
		case 3:
			bits_below_mpz(&bits, result, p);
			break;
		case 4:
			(void) bits_bernoulli(&bits, p, q);
			break;
		case 5:
			(void) bits_bernoulli_exp(&bits, p, q);
			break;
		case 6:
			bits_geometric(&bits, result, p, q);
			break;
		case 7:
			laplace_draw(&bits, result, p, q);
			break;
		default:
			discrete_gaussian_draw(&bits, result, p, q);
	}
	mpz_clears(p, q, result, NULL);
	/*@ assert whole: 0 <= bits.left <= 63; */
	return 0;
}

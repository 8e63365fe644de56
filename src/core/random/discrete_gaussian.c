/*
 * discrete_gaussian.c - exact draws by rejection from a discrete Laplace law.
 *
 * Y has P(y) proportional to exp(-|y| / t) for an integer t >= 1, and is kept with
 * probability exp(-(|y| - sigma^2 / t)^2 / (2 sigma^2)): the exponents add up to
 * -y^2 / (2 sigma^2) and a constant.  That holds for every t; the speed depends on
 * it (Canonne, Kamath and Steinke 2020, Algorithm 3, where t = floor(sigma) + 1).
 */
#include "core/random/discrete_gaussian.h"

#include <stdbool.h>

#include "core/base/mutant.h"

/* The constants of a draw's attempts. */
typedef struct Rejection
{
	mpz_t one;
	mpz_t scale;  /* t */
	mpz_t factor; /* y is kept with probability exp(-(|y| factor - offset)^2 / divisor) */
	mpz_t offset;
	mpz_t divisor;
} Rejection;

/* Sets scale to sigma if that is an integer, to floor(sigma) + 1 otherwise. */
static void
choose_scale(mpz_t scale, const mpz_t p, const mpz_t q)
{
	mpz_t square;

	mpz_init(square);
	mpz_fdiv_q(scale, p, q);
	mpz_sqrt(scale, scale);
	mpz_mul(square, scale, scale);
	mpz_mul(square, square, q);
	if (mpz_cmp(square, p) != 0)
		mpz_add_ui(scale, scale, 1);
	mpz_clear(square);
}

/*
 * With sigma^2 = p / q the exponent is (|y| t q - p)^2 / (2 p q t^2).  Where t q divides p, as it
 * does if sigma is an integer, (t q)^2 cancels and the numbers stay small.
 */
static void
rejection_init(Rejection *rejection, const mpz_t p, const mpz_t q)
{
	mpz_inits(rejection->scale, rejection->factor, rejection->offset, rejection->divisor, NULL);
	mpz_init_set_ui(rejection->one, 1);
	choose_scale(rejection->scale, p, q);
	mpz_mul(rejection->factor, rejection->scale, q);
	mpz_set(rejection->offset, p);
	mpz_mul(rejection->divisor, p, rejection->scale);
	mpz_mul(rejection->divisor, rejection->divisor, rejection->factor);
	mpz_mul_2exp(rejection->divisor, rejection->divisor, 1);
	if (mpz_divisible_p(p, rejection->factor))
	{
		mpz_divexact(rejection->offset, p, rejection->factor);
		mpz_divexact(rejection->divisor, rejection->divisor, rejection->factor);
		mpz_divexact(rejection->divisor, rejection->divisor, rejection->factor);
		mpz_set_ui(rejection->factor, 1);
	}
}

static void
rejection_clear(Rejection *rejection)
{
	mpz_clears(rejection->one, rejection->scale, rejection->factor, rejection->offset,
			   rejection->divisor, NULL);
}

static bool
accept(Bits *bits, const Rejection *rejection, const mpz_t magnitude)
{
	bool accepted;
	mpz_t exponent;

	mpz_init(exponent);
	mpz_mul(exponent, magnitude, rejection->factor);
	mpz_sub(exponent, exponent, rejection->offset);
	mpz_mul(exponent, exponent, exponent);
	accepted = bits_bernoulli_exp(bits, exponent, rejection->divisor);
	mpz_clear(exponent);
	return accepted;
}

/* A zero with a negative sign is rejected; otherwise 0 would have twice its probability. */
void
discrete_gaussian_draw(Bits *bits, mpz_t result, const mpz_t p, const mpz_t q)
{
	Rejection rejection;
	bool negative;

	rejection_init(&rejection, p, q);
	do
	{
		negative = bits_take(bits, 1) == 1;
		bits_geometric(bits, result, rejection.one, rejection.scale);
	} while ((negative && mpz_sgn(result) == 0) ||
			 (!MUTANT(70) && !accept(bits, &rejection, result)));
	if (negative)
		mpz_neg(result, result);
	rejection_clear(&rejection);
}

/*
 * noisy.c - discrete Laplace noise on integers.
 */
#include "core/noise/noisy.h"

#include <gmp.h>
#include <math.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/base/privacy.h"
#include "core/random/laplace.h"

/* The rate is epsilon / (10^9 reach), whose denominator may need more than 64 bits. */
static void
draw(Bits *bits, int64_t epsilon, uint64_t reach, mpz_t noise)
{
	mpz_t p;
	mpz_t q;

	mpz_init_set_si(p, epsilon);
	mpz_init(q);
	mpz_from_word(q, reach);
	mpz_mul_ui(q, q, MUTANT(131) ? EPSILON_ONE / 10 * 8 : EPSILON_ONE);
	laplace_draw(bits, noise, p, q);
	mpz_clears(p, q, NULL);
}

/*
 * Noise may need more than 64 bits: with noise that is clamped before it is added, a sum at an end
 * of the range would show the number exactly (counterexample T11).
 */
void
noisy_numbers(Bits *bits, int64_t epsilon, const uint64_t *reach, int64_t *number, int count)
{
	mpz_t noise;
	mpz_t sum;

	mpz_inits(noise, sum, NULL);
	for (int i = 0; i < count; i++)
	{
		if (i == 0 || !MUTANT(132))
			draw(bits, epsilon, reach[i], noise);
		if (MUTANT(343))
			mpz_set_si(noise, mpz_clamped(noise));
		mpz_set_si(sum, number[i]);
		mpz_add(sum, sum, noise);
		number[i] = mpz_clamped(sum);
	}
	mpz_clears(noise, sum, NULL);
}

double
noisy_error(int64_t epsilon, uint64_t reach, int count, double beta)
{
	double rate = privacy_epsilon(epsilon) / (double) reach;
	double tail = log(2.0 * count / beta) - log1p(exp(-rate));

	/* slightly larger, so that rounding cannot lose a unit */
	return fmax(ceil(tail / rate * (1 + 1e-9)) - 1.0, 0.0);
}

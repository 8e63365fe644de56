/*
 * noisy.c - discrete Laplace noise, and rounded normal noise, on integers.
 */
#include "core/noise/noisy.h"

#include <gmp.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/random/laplace.h"
#include "core/random/real_noise.h"

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

/* A number plus the rounded noise is the rounding of the number plus the noise. */
void
noisy_normal(Bits *bits, Memory *memory, double deviation, int64_t *number, int count)
{
	RealDraw *draw = real_draw_create(REAL_GAUSSIAN, count, deviation, bits, memory);
	mpz_t noise;
	mpz_t sum;

	mpz_inits(noise, sum, NULL);
	for (int i = 0; i < count; i++)
	{
		real_draw_round_root(draw, bits, MUTANT(393) ? 0 : i, 1, noise);
		mpz_set_si(sum, number[i]);
		mpz_add(sum, sum, noise);
		number[i] = mpz_clamped(sum);
	}
	mpz_clears(noise, sum, NULL);
	real_draw_destroy(draw, memory);
}

double
noise_variance(const Noise *noise)
{
	double half = 2 * sinh(noise->rate / 2);

	return noise->deviation > 0 ? noise->deviation * noise->deviation + 1.0 / 12
								: 2 / (half * half);
}

double
noisy_error(const Noise *noise, int count, double beta)
{
	double tail = log(2.0 * count / beta) - log1p(exp(-noise->rate));

	/* slightly larger, so that rounding cannot lose a unit */
	if (noise->deviation > 0)
		tail = noise->deviation * gsl_cdf_ugaussian_Qinv(fmin(beta / (2.0 * count), 0.5)) + 0.5;
	else
		tail /= noise->rate;
	return fmax(ceil(tail * (1 + 1e-9)) - 1.0, 0.0);
}

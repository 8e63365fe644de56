/*
 * noisy.c - discrete Laplace noise on integers.
 */
#include "core/mechanisms/noisy.h"

#include <gmp.h>
#include <math.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/base/privacy.h"
#include "core/random/laplace.h"

static int64_t
saturating_sum(int64_t number, int64_t noise)
{
	int64_t sum;

	if (__builtin_add_overflow(number, noise, &sum))
		return noise < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* The rate is epsilon / (10^9 reach), whose denominator may need more than 64 bits. */
static int64_t
draw(Bits *bits, int64_t epsilon, uint64_t reach)
{
	int64_t noise;
	mpz_t p;
	mpz_t q;
	mpz_t exact;

	mpz_init_set_si(p, epsilon);
	mpz_init_set_ui(q, reach);
	mpz_mul_ui(q, q, MUTANT(131) ? EPSILON_ONE / 10 * 8 : EPSILON_ONE);
	mpz_init(exact);
	laplace_draw_mpz(bits, exact, p, q);
	noise = mpz_clamped(exact);
	mpz_clears(p, q, exact, NULL);
	return noise;
}

void
noisy_numbers(Bits *bits, int64_t epsilon, const uint64_t *reach, int64_t *number, int count)
{
	int64_t noise = 0;

	for (int i = 0; i < count; i++)
	{
		if (i == 0 || !MUTANT(132))
			noise = draw(bits, epsilon, reach[i]);
		number[i] = saturating_sum(number[i], noise);
	}
}

double
noisy_error(int64_t epsilon, uint64_t reach, int count, double beta)
{
	double rate = privacy_epsilon(epsilon) / (double) reach;
	double tail = log(2.0 * count / beta) - log1p(exp(-rate));

	/* slightly larger, so that rounding cannot lose a unit */
	return fmax(ceil(tail / rate * (1 + 1e-9)) - 1.0, 0.0);
}

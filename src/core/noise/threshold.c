/*
 * threshold.c - the threshold, with every rounding to the safe side.
 */
#include "core/noise/threshold.h"

#include <mpfr.h>

#include "core/base/mutant.h"
#include "core/base/privacy.h"

#define PRECISION 256

/* epsilon / (10^9 reach) */
static void
set_rate(mpfr_t rate, int64_t epsilon, uint64_t reach, mpfr_rnd_t rounding)
{
	mpfr_t divisor;

	mpfr_init2(divisor, PRECISION);
	mpfr_set_uj(divisor, reach, MPFR_RNDN); /* 64 bits are exact, and so is the product */
	mpfr_mul_ui(divisor, divisor, EPSILON_ONE, MPFR_RNDN);
	mpfr_set_sj(rate, epsilon, MPFR_RNDN);
	mpfr_div(rate, rate, divisor, rounding);
	mpfr_clear(divisor);
}

/* 1 - r, rounded down. */
static void
set_step(mpfr_t step, int64_t epsilon, uint64_t reach)
{
	set_rate(step, epsilon, reach, MPFR_RNDD);
	mpfr_neg(step, step, MPFR_RNDN);
	mpfr_expm1(step, step, MPFR_RNDU);
	mpfr_neg(step, step, MPFR_RNDN);
}

/* 1 - (1 - delta)^(1 / levels), rounded down. */
static void
set_chance(mpfr_t chance, int64_t levels, int64_t delta)
{
	mpfr_set_sj(chance, delta, MPFR_RNDN);
	mpfr_div_ui(chance, chance, DELTA_ONE, MPFR_RNDD);
	mpfr_neg(chance, chance, MPFR_RNDN);
	mpfr_log1p(chance, chance, MPFR_RNDU);
	if (!MUTANT(402))
		mpfr_div_si(chance, chance, levels, MPFR_RNDU);
	mpfr_expm1(chance, chance, MPFR_RNDU);
	mpfr_neg(chance, chance, MPFR_RNDN);
}

/* tau - 1 is at least -ln((1 + r) q) / rate for the largest q that is allowed, and at least 0. */
int64_t
threshold_least(int64_t epsilon, uint64_t reach, int64_t levels, int64_t delta)
{
	mpfr_t q;
	mpfr_t other;
	int64_t least = 0;

	mpfr_inits2(PRECISION, q, other, (mpfr_ptr) NULL);
	set_chance(q, levels, delta);
	set_step(other, epsilon, reach);
	if (!MUTANT(403))
		mpfr_min(q, q, other, MPFR_RNDD);
	set_rate(other, epsilon, reach, MPFR_RNDU);
	mpfr_neg(other, other, MPFR_RNDN);
	mpfr_exp(other, other, MPFR_RNDD);
	mpfr_add_ui(other, other, 1, MPFR_RNDD);
	mpfr_mul(q, q, other, MPFR_RNDD);
	mpfr_log(q, q, MPFR_RNDD);
	mpfr_neg(q, q, MPFR_RNDN);
	set_rate(other, epsilon, reach, MPFR_RNDD);
	mpfr_div(q, q, other, MPFR_RNDU);
	mpfr_ceil(q, q);
	if (mpfr_cmp_d(q, 0x1p62) < 0)
		least = 1 + (mpfr_sgn(q) > 0 ? (int64_t) mpfr_get_sj(q, MPFR_RNDU) : 0);
	mpfr_clears(q, other, (mpfr_ptr) NULL);
	return least - (MUTANT(404) ? 1 : 0);
}

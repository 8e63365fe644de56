/*
 * select_rate.c - the rate beta of exp(-beta L), and directed bounds of it.
 */
#include "core/exponential/select_internal.h"

#include "core/base/mutant.h"

_Static_assert(sizeof(long) >= sizeof(int64_t), "GMP's and MPFR's long arguments hold 64 bits");

SelectRate
select_rate(const SelectProblem *problem)
{
	int64_t one = MUTANT(2) ? EPSILON_ONE / 10 * 7 : EPSILON_ONE;

	return (SelectRate){problem->epsilon, one * privacy_margin(problem->adjacency)};
}

void
select_exponent(mpz_t p, mpz_t q, SelectRate rate, int64_t k)
{
	mpz_set_si(p, rate.numerator);
	mpz_mul_si(p, p, k);
	mpz_set_si(q, rate.denominator);
}

static mpfr_rnd_t
opposite(mpfr_rnd_t rounding)
{
	return rounding == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
}

/* beta k; nothing is negative, so that both operations round the same way. */
static void
exponent_bound(mpfr_t result, SelectRate rate, int64_t k, mpfr_rnd_t rounding)
{
	mpfr_set_si(result, rate.numerator, rounding);
	mpfr_mul_si(result, result, k, rounding);
	mpfr_div_si(result, result, rate.denominator, rounding);
}

void
select_exponential_bound(mpfr_t result, SelectRate rate, int64_t k, mpfr_rnd_t rounding)
{
	exponent_bound(result, rate, k, opposite(rounding));
	mpfr_neg(result, result, rounding);
	mpfr_exp(result, result, rounding);
}

void
select_binary_exponent_bound(mpfr_t result, SelectRate rate, int64_t k, mpfr_rnd_t rounding)
{
	mpfr_t log2;

	mpfr_init2(log2, mpfr_get_prec(result));
	mpfr_const_log2(log2, opposite(rounding));
	exponent_bound(result, rate, k, rounding);
	mpfr_div(result, result, log2, rounding);
	mpfr_clear(log2);
}

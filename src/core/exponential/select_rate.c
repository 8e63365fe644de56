/*
 * select_rate.c - the rate beta of exp(-beta L), intervals that hold its powers, and comparisons
 * of uniform numbers with such intervals.
 */
#include "core/exponential/select_internal.h"

#include <assert.h>

#include "core/base/mutant.h"

_Static_assert(sizeof(long) >= sizeof(int64_t), "GMP's and MPFR's long arguments hold 64 bits");

/* Precision in which table entries are computed before they are rounded up to doubles. */
#define TABLE_PRECISION 192

SelectRate
select_rate(const SelectProblem *problem)
{
	int64_t one = MUTANT(2) ? EPSILON_ONE / 10 * 7 : EPSILON_ONE;

	return (SelectRate){problem->epsilon, one * privacy_margin(problem->adjacency)};
}

void
select_prior_costs(const SelectProblem *problem, PriorCosts *costs)
{
	int64_t power = problem->prior_power;

	if (MUTANT(192) && problem->instance->rows % 2 == 1)
		power /= 2;
	prior_costs(problem->grid, power, problem->epsilon, problem->adjacency, costs);
}

/* Sets result to beta k. */
static void
set_exponent(Interval *result, SelectRate rate, int64_t k)
{
	mpfr_set_si(result->low, rate.numerator, MPFR_RNDD);
	mpfr_mul_si(result->low, result->low, k, MPFR_RNDD);
	mpfr_div_si(result->low, result->low, rate.denominator, MPFR_RNDD);
	mpfr_set_si(result->high, rate.numerator, MPFR_RNDU);
	mpfr_mul_si(result->high, result->high, k, MPFR_RNDU);
	mpfr_div_si(result->high, result->high, rate.denominator, MPFR_RNDU);
}

void
select_set_exponential(Interval *result, SelectRate rate, int64_t k)
{
	set_exponent(result, rate, k);
	interval_negate(result);
	interval_exp(result);
}

void
select_set_binary_exponent(Interval *result, SelectRate rate, int64_t k)
{
	Interval log2;

	interval_init(&log2, mpfr_get_prec(result->low));
	mpfr_const_log2(log2.low, MPFR_RNDD);
	mpfr_const_log2(log2.high, MPFR_RNDU);
	set_exponent(result, rate, k);
	interval_divide(result, &log2);
	interval_clear(&log2);
}

void
select_set_scaled_exponential(Interval *result, SelectRate rate, int64_t k, int64_t exponent)
{
	select_set_binary_exponent(result, rate, k);
	mpfr_add_si(result->low, result->low, exponent, MPFR_RNDD);
	mpfr_add_si(result->high, result->high, exponent, MPFR_RNDU);
	interval_negate(result);
	mpfr_exp2(result->low, result->low, MPFR_RNDD);
	mpfr_exp2(result->high, result->high, MPFR_RNDU);
}

int64_t
select_power_above(mpfr_t value, SelectRate rate, int64_t k)
{
	int64_t exponent;
	Interval binary;

	interval_init(&binary, mpfr_get_prec(value));
	select_set_binary_exponent(&binary, rate, k);
	assert(mpfr_fits_slong_p(binary.low, MPFR_RNDD));
	exponent = -mpfr_get_si(binary.low, MPFR_RNDD);
	mpfr_add_si(value, binary.low, exponent, MPFR_RNDD); /* the fraction, in [0, 1) */
	mpfr_neg(value, value, MPFR_RNDU);
	mpfr_exp2(value, value, MPFR_RNDU);
	interval_clear(&binary);
	return exponent;
}

/* Entry i is entry i - 1 times exp(-rate step), each rounded up. */
void
select_fill_powers(double *table, int64_t count, SelectRate rate, int64_t step)
{
	Interval factor;
	mpfr_t entry;

	interval_init(&factor, TABLE_PRECISION);
	mpfr_init2(entry, TABLE_PRECISION);
	select_set_exponential(&factor, rate, step);
	mpfr_set_ui(entry, 1, MPFR_RNDU);
	for (int64_t i = 0; i < count; i++)
	{
		table[i] = mpfr_get_d(entry, MPFR_RNDU);
		mpfr_mul(entry, entry, factor.high, MPFR_RNDU);
	}
	mpfr_clear(entry);
	interval_clear(&factor);
}

/* digits < floor(low) puts [digits, digits + 1) below the bound, digits >= ceil(high) above. */
SelectVerdict
select_compare(const mpz_t digits, const Interval *bound)
{
	SelectVerdict verdict = SELECT_OPEN;
	mpz_t end;

	mpz_init(end);
	mpfr_get_z(end, bound->low, MPFR_RNDD);
	if (mpz_cmp(digits, end) < 0)
		verdict = SELECT_BELOW;
	else
	{
		mpfr_get_z(end, bound->high, MPFR_RNDU);
		if (mpz_cmp(digits, end) >= 0)
			verdict = SELECT_NOT_BELOW;
	}
	mpz_clear(end);
	return verdict;
}

void
select_set_point(Interval *point, const Interval *length, const mpz_t digits, long known)
{
	mpz_t after;

	mpz_init(after);
	mpz_add_ui(after, digits, 1);
	mpfr_mul_z(point->low, length->low, digits, MPFR_RNDD);
	mpfr_mul_2si(point->low, point->low, -known, MPFR_RNDD);
	mpfr_mul_z(point->high, length->high, after, MPFR_RNDU);
	mpfr_mul_2si(point->high, point->high, -known, MPFR_RNDU);
	mpz_clear(after);
}

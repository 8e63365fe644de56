/*
 * interval.c - operations whose low end is rounded down and whose high end is rounded up.
 */
#include "core/base/interval.h"

void
interval_init(Interval *interval, mpfr_prec_t precision)
{
	mpfr_init2(interval->low, precision);
	mpfr_init2(interval->high, precision);
	mpfr_set_zero(interval->low, 1);
	mpfr_set_zero(interval->high, 1);
}

void
interval_clear(Interval *interval)
{
	mpfr_clear(interval->low);
	mpfr_clear(interval->high);
}

void
interval_reset(Interval *interval, mpfr_prec_t precision)
{
	mpfr_set_prec(interval->low, precision);
	mpfr_set_prec(interval->high, precision);
	mpfr_set_zero(interval->low, 1);
	mpfr_set_zero(interval->high, 1);
}

void
interval_set(Interval *interval, const Interval *other)
{
	mpfr_set(interval->low, other->low, MPFR_RNDD);
	mpfr_set(interval->high, other->high, MPFR_RNDU);
}

void
interval_set_d(Interval *interval, double number)
{
	mpfr_set_d(interval->low, number, MPFR_RNDD);
	mpfr_set_d(interval->high, number, MPFR_RNDU);
}

void
interval_set_ui(Interval *interval, unsigned long number)
{
	mpfr_set_ui(interval->low, number, MPFR_RNDD);
	mpfr_set_ui(interval->high, number, MPFR_RNDU);
}

void
interval_negate(Interval *a)
{
	mpfr_swap(a->low, a->high);
	mpfr_neg(a->low, a->low, MPFR_RNDD);
	mpfr_neg(a->high, a->high, MPFR_RNDU);
}

void
interval_add(Interval *a, const Interval *b)
{
	mpfr_add(a->low, a->low, b->low, MPFR_RNDD);
	mpfr_add(a->high, a->high, b->high, MPFR_RNDU);
}

void
interval_subtract(Interval *a, const Interval *b)
{
	mpfr_sub(a->low, a->low, b->high, MPFR_RNDD);
	mpfr_sub(a->high, a->high, b->low, MPFR_RNDU);
}

void
interval_multiply(Interval *a, const Interval *size)
{
	mpfr_mul(a->low, a->low, mpfr_sgn(a->low) < 0 ? size->high : size->low, MPFR_RNDD);
	mpfr_mul(a->high, a->high, mpfr_sgn(a->high) < 0 ? size->low : size->high, MPFR_RNDU);
}

void
interval_divide(Interval *a, const Interval *size)
{
	mpfr_div(a->low, a->low, mpfr_sgn(a->low) < 0 ? size->low : size->high, MPFR_RNDD);
	mpfr_div(a->high, a->high, mpfr_sgn(a->high) < 0 ? size->high : size->low, MPFR_RNDU);
}

void
interval_multiply_ui(Interval *a, unsigned long factor)
{
	mpfr_mul_ui(a->low, a->low, factor, MPFR_RNDD);
	mpfr_mul_ui(a->high, a->high, factor, MPFR_RNDU);
}

void
interval_divide_ui(Interval *a, unsigned long divisor)
{
	mpfr_div_ui(a->low, a->low, divisor, MPFR_RNDD);
	mpfr_div_ui(a->high, a->high, divisor, MPFR_RNDU);
}

void
interval_square(Interval *square, const Interval *a)
{
	int low = mpfr_cmpabs(a->low, a->high) <= 0;

	if (mpfr_sgn(a->low) < 0 && mpfr_sgn(a->high) > 0)
		mpfr_set_zero(square->low, 1);
	else
		mpfr_sqr(square->low, low ? a->low : a->high, MPFR_RNDD);
	mpfr_sqr(square->high, low ? a->high : a->low, MPFR_RNDU);
}

void
interval_root(Interval *size)
{
	mpfr_sqrt(size->low, size->low, MPFR_RNDD);
	mpfr_sqrt(size->high, size->high, MPFR_RNDU);
}

void
interval_exp(Interval *a)
{
	mpfr_exp(a->low, a->low, MPFR_RNDD);
	mpfr_exp(a->high, a->high, MPFR_RNDU);
}

void
interval_log(Interval *size)
{
	mpfr_log(size->low, size->low, MPFR_RNDD);
	mpfr_log(size->high, size->high, MPFR_RNDU);
}

/* erfc is decreasing, so the ends change places. */
void
interval_erfc(Interval *a)
{
	mpfr_swap(a->low, a->high);
	mpfr_erfc(a->low, a->low, MPFR_RNDD);
	mpfr_erfc(a->high, a->high, MPFR_RNDU);
}

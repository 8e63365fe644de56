/*
 * interval.h - intervals that hold a real number, computed with outward rounding (MPFR).
 *
 * The result of an operation contains the exact result for all numbers in its operands.  An
 * argument named size must not contain negative numbers.
 */
#ifndef DPOBJ_CORE_INTERVAL_H
#define DPOBJ_CORE_INTERVAL_H

#include <gmp.h>
#include <mpfr.h>

typedef struct Interval
{
	mpfr_t low;
	mpfr_t high;
} Interval;

/* [0, 0] */
extern void interval_init(Interval *interval, mpfr_prec_t precision);
extern void interval_clear(Interval *interval);
extern void interval_reset(Interval *interval, mpfr_prec_t precision);

/* Exact if the precision suffices, otherwise rounded outwards. */
extern void interval_set(Interval *interval, const Interval *other);
extern void interval_set_d(Interval *interval, double number);
extern void interval_set_ui(Interval *interval, unsigned long number);

extern void interval_negate(Interval *a);
extern void interval_add(Interval *a, const Interval *b);      /* a += b */
extern void interval_subtract(Interval *a, const Interval *b); /* a -= b */

extern void interval_multiply(Interval *a, const Interval *size); /* a *= size */

/* a /= size, which must not contain zero */
extern void interval_divide(Interval *a, const Interval *size);
extern void interval_multiply_ui(Interval *a, unsigned long factor);
extern void interval_divide_ui(Interval *a, unsigned long divisor);

extern void interval_square(Interval *square, const Interval *a);
extern void interval_root(Interval *size);
extern void interval_exp(Interval *a);
extern void interval_log(Interval *size);
extern void interval_erfc(Interval *a);

#endif

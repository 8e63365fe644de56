/*
 * softmax.c - exponentials by tables, and one reciprocal for a row.
 */
#include "core/convex/softmax.h"

#include <math.h>
#include <stdlib.h>
#include <mpfr.h>

#include "core/base/mutant.h"

/* Numbers up to 1 are in units of 2^-127, exponentials that are added up in units of 2^-120. */
#define ONE_BITS 127
#define SUM_BITS 120

/* The fractional bits of a score that each table's steps have: 1/8, 2^-11, 2^-19 and 2^-27. */
static const int step_bits[SOFTMAX_PIECES] = {3, 11, 19, 27};

/* exp(-k / 2^bits), to within a unit of 2^-127. */
static UnsignedWide
exponential(int k, int bits)
{
	UnsignedWide value;
	mpz_t integer;
	mpfr_t number;

	mpz_init(integer);
	mpfr_init2(number, 192);
	mpfr_set_si_2exp(number, -k, -bits, MPFR_RNDN);
	mpfr_exp(number, number, MPFR_RNDN);
	mpfr_mul_2si(number, number, ONE_BITS, MPFR_RNDN);
	(void) mpfr_get_z(integer, number, MPFR_RNDD);
	if (k == 0)
		value = (UnsignedWide) 1 << ONE_BITS;
	else
		value = (UnsignedWide) wide_from_mpz(integer);
	mpfr_clear(number);
	mpz_clear(integer);
	return value;
}

void
softmax_table_make(SoftmaxTable *table)
{
	for (int a = 0; a < SOFTMAX_FIRST; a++)
		table->first[a] = exponential(a, step_bits[0]);
	for (int i = 1; i < SOFTMAX_PIECES; i++)
		for (int k = 0; k < SOFTMAX_STEPS; k++)
			table->piece[i - 1][k] = exponential(k, step_bits[i]);
}

/* a b / 2^128, less than three units too small. */
static inline UnsignedWide
product(UnsignedWide a, UnsignedWide b)
{
	uint64_t a_high = (uint64_t) (a >> 64);
	uint64_t b_high = (uint64_t) (b >> 64);

	return (UnsignedWide) a_high * b_high + (((UnsignedWide) a_high * (uint64_t) b) >> 64) +
		   (((UnsignedWide) (uint64_t) a * b_high) >> 64);
}

/*
 * exp(-r) for r < 2^-27 in units of 2^-90, in units of 2^-127: 1 - r + r^2 / 2 - r^3 / 6.  The next
 * term is below 2^-112 and would be added: the result is less than 2^-112 too small.
 */
static inline UnsignedWide
small_exponential(uint64_t r)
{
	UnsignedWide square = (UnsignedWide) r * r;                       /* units of 2^-180 */
	UnsignedWide cube = (UnsignedWide) (uint64_t) (square >> 63) * r; /* of 2^-207 */

	return ((UnsignedWide) 1 << ONE_BITS) - ((UnsignedWide) r << (ONE_BITS - SCORE_BITS)) +
		   (square >> 54) - cube / 6 / ((UnsignedWide) 1 << 80);
}

/* exp(-t), t >= 0 in units of 2^-90, in units of 2^-120. */
static inline UnsignedWide
fall(const SoftmaxTable *table, UnsignedWide t)
{
	const int rest_bits = SCORE_BITS - 27;
	UnsignedWide value;

	if (t >= (UnsignedWide) SOFTMAX_REACH << SCORE_BITS)
		return 0;
	value = table->first[(int) (t >> (SCORE_BITS - 3))];
	for (int i = 1; i < SOFTMAX_PIECES; i++)
		value =
			product(value,
					table->piece[i - 1][(t >> (SCORE_BITS - step_bits[i])) & (SOFTMAX_STEPS - 1)])
			<< 1;
	if (!MUTANT(247))
		value = product(value, small_exponential((uint64_t) t & ((UINT64_C(1) << rest_bits) - 1)))
				<< 1;
	return value >> (ONE_BITS - SUM_BITS);
}

/*
 * 1 / sum, for a sum of 1 to 128 in units of 2^-120, in units of 2^-127.  With x a guess and rest =
 * 1 - sum x, 1 / sum = x (1 + rest + rest^2 + ...): the result is x (1 + rest), which is off by
 * x rest^2 < 2^-96 and some roundings of 2^-110.  That rest is so small is checked.
 */
static inline UnsignedWide
reciprocal(UnsignedWide sum)
{
	double value = ldexp((double) (uint64_t) (sum >> 64), 64 - SUM_BITS);
	UnsignedWide guess = (UnsignedWide) (uint64_t) ldexp(1 / value, 63) << 64;
	Wide rest = ((Wide) 1 << (ONE_BITS - 8)) - (Wide) product(sum, guess); /* units of 2^-119 */
	Wide most = (Wide) 1 << (ONE_BITS - 8 - 49);

	if (rest > most || rest < -most)
		abort(); /* no processor divides like this */
	rest = (Wide) (int64_t) (rest / 256) * (int64_t) (uint64_t) (guess >> 65) / ((Wide) 1 << 46);
	return guess + (UnsignedWide) rest; /* modulo 2^128: rest may be negative */
}

/* How much the own exponential is less than the sum of the others; or 0. */
static Wide
below_others(Wide own, UnsignedWide sum)
{
	Wide others = (Wide) sum - own;

	return others > own && !MUTANT(254) ? others - own : 0;
}

bool
softmax_shares(const SoftmaxTable *table, const Wide *score, int scores, int own, Wide *share)
{
	Wide highest = score[0];
	UnsignedWide sum = 0;
	UnsignedWide part;
	Wide more;

	for (int k = 1; k < scores; k++)
		highest = score[k] > highest ? score[k] : highest;
	for (int k = 0; k < scores; k++)
	{
		share[k] = (Wide) fall(table, (UnsignedWide) (highest - score[k]));
		sum += (UnsignedWide) share[k];
	}
	more = below_others(share[own], sum);
	share[own] += more;
	part = reciprocal(sum + (UnsignedWide) more);
	/* units of 2^-120 times 2^-127, over 2^-128: 2^-119 */
	for (int k = 0; k < scores; k++)
		share[k] = (Wide) (product((UnsignedWide) share[k], part) << (SLOPE_FINE_BITS - 119));
	return more > 0;
}

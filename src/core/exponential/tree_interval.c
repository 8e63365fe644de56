/*
 * tree_interval.c - integers with an exponent, and uniform numbers drawn bit by bit.
 *
 * Lengths are exact numbers: they are compared and subtracted as integers in units of a common
 * power of two.
 */
#include "core/exponential/tree_internal.h"

#include "core/base/mutant.h"

#define WORD_BITS 64

/* The same number with the top bit of the mantissa set; not for an empty interval. */
static TreeLength
normalise(TreeLength length)
{
	int shift = __builtin_clzll(length.mantissa);

	return (TreeLength){length.mantissa << shift, length.exponent - shift};
}

int
tree_length_compare(TreeLength a, TreeLength b)
{
	if (a.mantissa == 0 || b.mantissa == 0)
		return (a.mantissa != 0) - (b.mantissa != 0);
	a = normalise(a);
	b = normalise(b);
	if (a.exponent != b.exponent)
		return a.exponent < b.exponent ? -1 : 1;
	return (a.mantissa > b.mantissa) - (a.mantissa < b.mantissa);
}

TreeLength
tree_length_above(const mpfr_t value, int64_t exponent)
{
	TreeLength length;
	mpfr_t rounded;
	mpz_t mantissa;

	mpfr_init2(rounded, WORD_BITS);
	mpz_init(mantissa);
	mpfr_set(rounded, value, MPFR_RNDU);
	length.exponent = mpfr_get_z_2exp(mantissa, rounded) + exponent;
	length.mantissa = mpz_get_ui(mantissa);
	mpz_clear(mantissa);
	mpfr_clear(rounded);
	return length;
}

TreeLength
tree_length_add(TreeLength a, TreeLength b)
{
	uint64_t shift;
	uint64_t addend;
	TreeLength sum;

	if (tree_length_compare(a, b) < 0)
	{
		sum = a;
		a = b;
		b = sum;
	}
	if (b.mantissa == 0)
		return a;
	a = normalise(a);
	b = normalise(b);
	shift = (uint64_t) (a.exponent - b.exponent);
	addend = shift >= WORD_BITS ? 1 : b.mantissa >> shift;
	if (shift > 0 && shift < WORD_BITS && b.mantissa << (WORD_BITS - shift) != 0)
		addend++;
	if (!__builtin_add_overflow(a.mantissa, addend, &sum.mantissa))
		return (TreeLength){sum.mantissa, a.exponent};
	/* the carry is bit 64; the bit that is dropped is rounded up */
	sum.mantissa = (sum.mantissa >> 1) + (sum.mantissa & 1) + (UINT64_C(1) << (WORD_BITS - 1));
	return (TreeLength){sum.mantissa, a.exponent + 1};
}

void
tree_point_init(TreePoint *point, Bits *bits, TreeLength length)
{
	mpz_init_set_ui(point->value, bits_below(bits, length.mantissa));
	point->exponent = length.exponent;
	point->bits = bits;
}

void
tree_point_clear(TreePoint *point)
{
	mpz_clear(point->value);
}

void
tree_point_refine(TreePoint *point, int count)
{
	mpz_mul_2exp(point->value, point->value, (mp_bitcnt_t) count);
	if (!MUTANT(22))
		mpz_add_ui(point->value, point->value, bits_take(point->bits, count));
	point->exponent -= count;
}

/*
 * Draws bits down to 2^exponent, WORD_BITS of them at most; false if that many are already known.
 */
static bool
refine_towards(TreePoint *point, int64_t exponent)
{
	int64_t missing = point->exponent - exponent;

	if (missing <= 0)
		return false;
	tree_point_refine(point, missing < WORD_BITS ? (int) missing : WORD_BITS);
	return true;
}

/*
 * Sets units to the length in units of 2^point->exponent, rounded up; true if nothing was rounded.
 */
static bool
in_units(mpz_t units, const TreePoint *point, TreeLength length)
{
	int64_t shift = length.exponent - point->exponent;
	bool whole = true;

	mpz_set_ui(units, length.mantissa);
	if (shift >= 0)
		mpz_mul_2exp(units, units, (mp_bitcnt_t) shift);
	else if (shift <= -WORD_BITS)
	{
		whole = length.mantissa == 0;
		mpz_set_ui(units, !whole);
	}
	else
	{
		whole = mpz_divisible_2exp_p(units, (mp_bitcnt_t) -shift) != 0;
		mpz_cdiv_q_2exp(units, units, (mp_bitcnt_t) -shift);
	}
	return whole;
}

/*
 * If value >= units, t is not below.  If value < units - 1, or value < units and nothing was
 * rounded, t is below.  Otherwise t lies in the same unit as the length's end, and more bits are
 * needed.
 */
bool
tree_point_is_below(TreePoint *point, TreeLength length)
{
	bool below = false;
	bool open = true;
	mpz_t units;

	mpz_init(units);
	while (open)
	{
		bool whole = in_units(units, point, length);

		below = mpz_cmp(point->value, units) < 0;
		mpz_sub_ui(units, units, 1);
		open = below && !whole && mpz_cmp(point->value, units) == 0 &&
			   refine_towards(point, length.exponent);
	}
	mpz_clear(units);
	return below;
}

void
tree_point_subtract(TreePoint *point, TreeLength length)
{
	mpz_t units;

	if (length.mantissa == 0)
		return;
	while (refine_towards(point, length.exponent))
		;
	mpz_init(units);
	(void) in_units(units, point, length);
	mpz_sub(point->value, point->value, units);
	mpz_clear(units);
}

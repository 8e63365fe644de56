/*
 * bits.c - exact samplers from fair bits (Canonne, Kamath and Steinke 2020,
 * "The Discrete Gaussian for Differential Privacy", section 5.2; theorem E11).
 *
 * Each sampler is written once.  Only the innermost step, a coin of bias p / q, has two forms: in
 * machine words where q is small, in big integers elsewhere.  Both read the same bits and give the
 * same result.  The choice of form depends on p and q alone.
 */
#include "core/random/bits.h"

#include <string.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"

/* Words below this can be doubled without overflow. */
#define HALF_RANGE (UINT64_C(1) << 63)

/* A probability p / q, 0 <= p <= q, in the narrowest form that holds it. */
typedef struct Ratio
{
	uint64_t p;
	uint64_t q; /* below HALF_RANGE; 0 if the ratio is in the big integers */
	mpz_srcptr big_p;
	mpz_srcptr big_q;
} Ratio;

void
bits_init(Bits *bits, void (*fill)(void *, uint8_t *, size_t), void *context)
{
	bits->fill = fill;
	bits->context = context;
	bits->pool = 0;
	bits->left = 0;
}

/* The low count bits of a word, 0 <= count <= 64. */
static inline uint64_t
low_bits(uint64_t word, int count)
{
	return count < 64 ? word & ((UINT64_C(1) << count) - 1) : word;
}

/* A word without its low count bits, 0 <= count <= 64. */
static inline uint64_t
drop_bits(uint64_t word, int count)
{
	return count < 64 ? word >> count : 0;
}

uint64_t
bits_take(Bits *bits, int count)
{
	uint64_t result = low_bits(bits->pool, count);
	int missing = count - bits->left;
	uint8_t bytes[sizeof(uint64_t)];
	uint64_t word;

	if (missing <= 0)
	{
		bits->pool = drop_bits(bits->pool, count);
		bits->left = -missing;
		return result;
	}

	/* The order of the bytes does not matter: all of them are uniform. */
	bits->fill(bits->context, bytes, sizeof(bytes));
	memcpy(&word, bytes, sizeof(word));
	result |= low_bits(word, missing) << bits->left;
	bits->pool = drop_bits(word, missing);
	bits->left = 64 - missing;
	return result;
}

void
bits_append(Bits *bits, mpz_t digits, int count)
{
	mpz_t fresh;

	mpz_init(fresh);
	mpz_from_word(fresh, bits_take(bits, count));
	mpz_mul_2exp(digits, digits, (mp_bitcnt_t) count);
	mpz_add(digits, digits, fresh);
	mpz_clear(fresh);
}

/* Rejection on the bit length of n - 1: fewer than two attempts on average, no bias. */
uint64_t
bits_below(Bits *bits, uint64_t n)
{
	int length = n > 1 ? 64 - __builtin_clzll(n - 1) : 0;
	uint64_t result;

	if (MUTANT(13))
		return bits_take(bits, length) % n;
	do
		result = bits_take(bits, length);
	while (result >= n);
	return result;
}

/* Uniform on 0 .. 2^length - 1. */
static void
take_big(Bits *bits, mpz_t result, size_t length)
{
	size_t limbs = (length + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS;
	mp_limb_t *limb = mpz_limbs_write(result, (mp_size_t) limbs);

	for (size_t i = 0; i < limbs; i++)
	{
		size_t wanted = length - i * GMP_NUMB_BITS;

		limb[i] = bits_take(bits, wanted < GMP_NUMB_BITS ? (int) wanted : GMP_NUMB_BITS);
	}
	mpz_limbs_finish(result, (mp_size_t) limbs);
}

void
bits_below_mpz(Bits *bits, mpz_t result, const mpz_t n)
{
	size_t length;

	if (mpz_fits_ulong_p(n))
	{
		mpz_set_ui(result, (unsigned long) bits_below(bits, mpz_get_ui(n)));
		return;
	}

	/* The bit length of n - 1, which differs from n's for a power of two. */
	length = mpz_sizeinbase(n, 2);
	if (mpz_scan1(n, 0) == length - 1)
		length--;
	do
		take_big(bits, result, length);
	while (mpz_cmp(result, n) >= 0);
}

/*
 * The narrow form needs p to fit a word, too: p <= q implies it, and bits_bernoulli_exp(), where p
 * may exceed q, checks it.  unsigned long may be narrower than a word, but not wider.
 */
static Ratio
ratio_of(const mpz_t p, const mpz_t q)
{
	Ratio ratio = {.p = 0, .q = 0, .big_p = p, .big_q = q};

	if (mpz_fits_ulong_p(q) && mpz_get_ui(q) < HALF_RANGE)
	{
		ratio.p = mpz_get_ui(p);
		ratio.q = mpz_get_ui(q);
	}
	return ratio;
}

/*
 * A coin of bias p / q: compare a uniform number U in [0, 1), one binary digit
 * at a time, with the digits of p / q by long division.  The first digit that
 * differs decides U < p / q, after two digits on average.  A remainder of zero
 * leaves U >= p / q for certain.
 */
/*@ requires p <= q && q < 0x8000000000000000; */
static bool
word_bernoulli(Bits *bits, uint64_t p, uint64_t q)
{
	if (p == q)
		return true;
	/*@ loop invariant p < q && q < 0x8000000000000000; */
	while (p > 0)
	{
		bool digit;

		p *= 2;
		digit = p >= q;
		if (digit)
			p -= q;
		if (bits_take(bits, 1) != digit)
			return digit;
	}
	return false;
}

/* word_bernoulli() in big integers, digit by digit. */
static bool
big_bernoulli(Bits *bits, const mpz_t p, const mpz_t q)
{
	bool result = mpz_cmp(p, q) == 0;
	bool decided = result;
	mpz_t rest;

	mpz_init_set(rest, p);
	while (!decided && mpz_sgn(rest) > 0)
	{
		bool digit;

		mpz_mul_2exp(rest, rest, 1);
		digit = mpz_cmp(rest, q) >= 0;
		if (digit)
			mpz_sub(rest, rest, q);
		if (bits_take(bits, 1) != digit)
		{
			result = digit;
			decided = true;
		}
	}
	mpz_clear(rest);
	return result;
}

static inline bool
ratio_bernoulli(Bits *bits, const Ratio *ratio)
{
	if (ratio->q > 0)
		return word_bernoulli(bits, ratio->p, ratio->q);
	return big_bernoulli(bits, ratio->big_p, ratio->big_q);
}

bool
bits_bernoulli(Bits *bits, const mpz_t p, const mpz_t q)
{
	Ratio ratio = ratio_of(p, q);

	return ratio_bernoulli(bits, &ratio);
}

/*
 * True with probability exp(-g) for g = p / q in [0, 1].  Toss coins of bias
 * g, g / 2, g / 3, ... until one fails, the k-th: P(k > n) = g^n / n!, hence
 * P(k is odd) = 1 - g + g^2 / 2! - ... = exp(-g).  A coin of bias g / k is two
 * independent coins of bias 1 / k and g, so no product can overflow.
 */
static bool
ratio_bernoulli_exp(Bits *bits, const Ratio *ratio)
{
	uint64_t k = 1;

	while (bits_below(bits, k) == 0 && ratio_bernoulli(bits, ratio))
		k++;
	return k % 2 == 1;
}

/* True with probability exp(-1). */
static bool
bernoulli_exp_one(Bits *bits)
{
	const Ratio one = {.p = 1, .q = 1, .big_p = NULL, .big_q = NULL};

	return ratio_bernoulli_exp(bits, &one);
}

/* bits_bernoulli_exp() in big integers, p / q = whole + rest / q. */
static bool
big_bernoulli_exp(Bits *bits, const mpz_t p, const mpz_t q)
{
	bool result = true;
	mpz_t whole;
	mpz_t rest;
	Ratio ratio;

	mpz_inits(whole, rest, NULL);
	mpz_fdiv_qr(whole, rest, p, q);
	while (result && mpz_sgn(whole) > 0)
	{
		result = bernoulli_exp_one(bits);
		mpz_sub_ui(whole, whole, 1);
	}
	if (result)
	{
		ratio = ratio_of(rest, q);
		result = ratio_bernoulli_exp(bits, &ratio);
	}
	mpz_clears(whole, rest, NULL);
	return result;
}

/*
 * exp(-p / q) is the product of exp(-1), once for each whole unit of p / q, and
 * exp(-rest / q).  The first failure ends it, after less than 1.6 factors on
 * average however large p / q is.
 */
bool
bits_bernoulli_exp(Bits *bits, const mpz_t p, const mpz_t q)
{
	Ratio ratio = ratio_of(p, q);

	if (ratio.q == 0 || !mpz_fits_ulong_p(p))
		return big_bernoulli_exp(bits, p, q);
	for (uint64_t whole = ratio.p / ratio.q; whole > 0; whole--)
		if (!bernoulli_exp_one(bits))
			return false;
	ratio.p %= ratio.q;
	return ratio_bernoulli_exp(bits, &ratio);
}

/*
 * Draws X with P(X = x) proportional to exp(-x / q) first: x = u + q v, where u below q has weight
 * exp(-u / q) (by rejection, at most 1.6 attempts on average) and v has weight exp(-v).  Then
 * floor(X / p) has P(k) proportional to exp(-k p / q).
 */
void
bits_geometric(Bits *bits, mpz_t result, const mpz_t p, const mpz_t q)
{
	do
		bits_below_mpz(bits, result, q);
	while (!bits_bernoulli_exp(bits, result, q));
	while (bernoulli_exp_one(bits))
		mpz_add(result, result, q);
	mpz_fdiv_q(result, result, p);
}

/*
 * signs_law.c - convolutions by multiplication of big integers.
 *
 * A law is packed into an integer with a fixed number of bits for each point, so the product of two
 * such integers holds their convolution.  GMP's product is fast and exact, where a Fourier
 * transform in doubles would have errors.
 */
#include "core/noise/signs_law.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <gmp.h>

#include "core/base/interval.h"

/* |z_i| is rounded up to multiples of 1 / STEPS. */
#define STEPS 500

/* P(|z| > CUT) is below 2^-125. */
#define CUT 13

/*
 * The words of 64 bits of a packed point.  Masses add up to less than 2, so 2 SIGNS_BITS + 2 bits
 * suffice.
 */
#define WORDS 4

/*
 * A bound, in units of 2^-SIGNS_BITS, on P(the sum is beyond the last point), see law_points(),
 * plus P(some |z_i| > CUT).
 */
#define TAIL (1 << 10)

/* The precision of exponentials, as integers and as intervals. */
#define FACTOR_BITS 128
#define PRECISION 256

/* ---- the law of one |z| ---- */

/* The density of |z| at i / STEPS, in units of 2^-SIGNS_BITS. */
static void
density_at(mpfr_t density, const mpfr_t constant, long i)
{
	mpfr_set_si(density, -i * i, MPFR_RNDN);
	mpfr_div_ui(density, density, 2 * STEPS * STEPS, MPFR_RNDN);
	mpfr_exp(density, density, MPFR_RNDN);
	mpfr_mul(density, density, constant, MPFR_RNDN);
}

/* sqrt(2 / pi) 2^SIGNS_BITS */
static void
density_constant(mpfr_t constant)
{
	mpfr_const_pi(constant, MPFR_RNDN);
	mpfr_div_2ui(constant, constant, 1, MPFR_RNDN);
	mpfr_rec_sqrt(constant, constant, MPFR_RNDN);
	mpfr_mul_2ui(constant, constant, SIGNS_BITS, MPFR_RNDN);
}

static SignsMass
mass_of(const mpfr_t value)
{
	uint64_t word[2] = {0, 0};
	SignsMass mass;
	mpz_t integer;

	mpz_init(integer);
	mpfr_get_z(integer, value, MPFR_RNDU);
	mpz_export(word, NULL, -1, sizeof(word[0]), 0, 0, integer);
	mass = (SignsMass) word[1] << 64 | word[0];
	mpz_clear(integer);
	return mass;
}

/*
 * mass[i] is that of |z| between i and i + 1 steps of h, rounded up.  By Euler and Maclaurin the
 * integral of the density f from a to a + h is, for some x between them,
 *
 *   h (f(a) + f(a + h)) / 2 + h^2 ((a + h) f(a + h) - a f(a)) / 12 + h^5 f4(x) / 720
 *
 * because f'(x) = -x f(x).  The fourth derivative f4(x) = (x^4 - 6 x^2 + 3) f(x) is at most 27,550
 * f(x) up to CUT, where f changes by a factor of 1.03 from a to a + h.  So 2^-30 of the other
 * summands is more than the last, and one unit is more than MPFR's rounding 40 bits below.
 */
static void
one_sign(SignsMass *mass, int points)
{
	mpfr_t constant;
	mpfr_t here;
	mpfr_t there;
	mpfr_t sum;
	mpfr_t part;

	mpfr_inits2(SIGNS_BITS + 40, constant, here, there, sum, part, (mpfr_ptr) NULL);
	density_constant(constant);
	density_at(here, constant, 0);
	for (int i = 0; i < points; i++)
	{
		density_at(there, constant, i + 1);
		mpfr_mul_ui(sum, there, (unsigned long) i + 1, MPFR_RNDN);
		mpfr_mul_ui(part, here, (unsigned long) i, MPFR_RNDN);
		mpfr_sub(sum, sum, part, MPFR_RNDN);
		mpfr_div_ui(sum, sum, 6 * STEPS * STEPS, MPFR_RNDN);
		mpfr_add(sum, sum, here, MPFR_RNDN);
		mpfr_add(sum, sum, there, MPFR_RNDN);
		mpfr_div_ui(sum, sum, 2 * STEPS, MPFR_RNDN);
		mpfr_div_2ui(part, sum, 30, MPFR_RNDN);
		mpfr_add(sum, sum, part, MPFR_RNDN);
		mpfr_add_ui(sum, sum, 1, MPFR_RNDN);
		mass[i] = mass_of(sum);
		mpfr_swap(here, there);
	}
	mpfr_clears(constant, here, there, sum, part, (mpfr_ptr) NULL);
}

/* ---- convolution ---- */

/* A law cut off after `points` points; the array has room for `most`. */
typedef struct Points
{
	SignsMass *mass;
	int points;
	int most;
	uint64_t *words; /* [WORDS * (2 * most)] */
} Points;

static void
pack(const SignsMass *mass, int points, uint64_t *words, mpz_t packed)
{
	for (int i = 0; i < points; i++)
	{
		memset(words + WORDS * i, 0, sizeof(uint64_t) * WORDS);
		words[WORDS * i] = (uint64_t) mass[i];
		words[WORDS * i + 1] = (uint64_t) (mass[i] >> 64);
	}
	mpz_import(packed, WORDS * (size_t) points, -1, sizeof(uint64_t), 0, 0, words);
}

/* Rounded up to a multiple of 2^SIGNS_BITS, and divided by it. */
static SignsMass
round_up(const uint64_t *word)
{
	const int shift = SIGNS_BITS - 64;
	bool rest = word[0] != 0 || word[1] << (64 - shift) != 0;
	uint64_t low = word[1] >> shift | word[2] << (64 - shift);
	uint64_t high = word[2] >> shift | word[3] << (64 - shift);

	return ((SignsMass) high << 64 | low) + rest;
}

/* law = law * other, where the numbers of steps add up. */
static void
convolve(Points *law, const SignsMass *other, int other_points)
{
	int points = law->points + other_points - 1;
	mpz_t a;
	mpz_t b;

	mpz_inits(a, b, NULL);
	pack(law->mass, law->points, law->words, a);
	if (other == law->mass)
		mpz_mul(a, a, a);
	else
	{
		pack(other, other_points, law->words, b);
		mpz_mul(a, a, b);
	}
	memset(law->words, 0, sizeof(uint64_t) * WORDS * (size_t) points);
	mpz_export(law->words, NULL, -1, sizeof(uint64_t), 0, 0, a);
	law->points = points < law->most ? points : law->most;
	for (int i = 0; i < law->points; i++)
		law->mass[i] = round_up(law->words + WORDS * i);
	mpz_clears(a, b, NULL);
}

/* Makes the law of k from that of one by squaring; the highest bit of k is done already. */
static void
raise(Points *law, const SignsMass *one, int one_points, int k)
{
	int bit = 1;

	while (2 * bit <= k)
		bit *= 2;
	for (bit /= 2; bit > 0; bit /= 2)
	{
		convolve(law, law->mass, law->points);
		if (k & bit)
			convolve(law, one, one_points);
	}
}

/*
 * S <= sqrt(k) |z| and P(|z| > sqrt(k) + t) <= exp(-t^2 / 2).  The last point is at k + 12.5
 * sqrt(k) + 1, of which rounding up is not more than 1: so P <= exp(-12.5^2 / 2) < 2^-112.
 */
static int
law_points(int k)
{
	return (int) ceil((k + 12.5 * sqrt(k) + 1) * STEPS) + 1;
}

bool
signs_law_create(SignsLaw *law, int k)
{
	const int one_points = CUT * STEPS;
	Points points = {.most = k > SIGNS_MOST ? 0 : law_points(k)};
	SignsMass *one;

	*law = (SignsLaw){.k = k};
	if (points.most == 0)
		return false;
	one = calloc((size_t) one_points, sizeof(SignsMass));
	points.mass = calloc((size_t) points.most, sizeof(SignsMass));
	points.words = calloc(2 * WORDS * (size_t) points.most, sizeof(uint64_t));
	if (one != NULL && points.mass != NULL && points.words != NULL)
	{
		one_sign(one, one_points);
		memcpy(points.mass, one, sizeof(SignsMass) * (size_t) one_points);
		points.points = one_points;
		raise(&points, one, one_points, k);
		law->mass = points.mass;
		law->points = points.points;
	}
	else
		free(points.mass);
	free(points.words);
	free(one);
	return law->mass != NULL;
}

void
signs_law_destroy(SignsLaw *law)
{
	free(law->mass);
}

/* ---- delta ---- */

/* The loss of the sum of (k + i) steps is kappa (k + i) / (STEPS sqrt(k)) + kappa^2 / 2. */
static double
loss_at(const SignsLaw *law, double kappa, int i)
{
	return kappa * (law->k + i) / (STEPS * sqrt(law->k)) + kappa * kappa / 2;
}

/* About the first point whose loss is above epsilon. */
static int
first_point(const SignsLaw *law, double epsilon, double kappa)
{
	double sum = (epsilon - kappa * kappa / 2) / kappa * sqrt(law->k);
	double first = floor(sum * STEPS) + 1 - law->k;

	return first < 0 ? 0 : first < law->points ? (int) first : law->points;
}

/*
 * From the first point on the summands are mass_i (1 - c q^i), a geometric series: c the one at
 * the first point and q = exp(-kappa / (STEPS sqrt(k))).
 */
double
signs_law_delta(const SignsLaw *law, double epsilon, double kappa)
{
	int first = first_point(law, epsilon, kappa);
	double q = exp(-kappa / (STEPS * sqrt(law->k)));
	double all = 0;
	double series = 0;

	for (int i = law->points - 1; i >= first; i--)
	{
		double mass = ldexp((double) law->mass[i], -SIGNS_BITS);

		all += mass;
		series = mass + q * series;
	}
	if (first < law->points)
		all -= series * exp(epsilon - loss_at(law, kappa, first));
	return ldexp(TAIL, -SIGNS_BITS) + all;
}

/* kappa / (STEPS sqrt(k)), what a step adds to the loss. */
static void
step_interval(Interval *step, const SignsLaw *law, double kappa)
{
	Interval root;

	interval_init(&root, PRECISION);
	interval_set_ui(&root, (unsigned long) law->k);
	interval_root(&root);
	interval_set_d(step, kappa);
	interval_divide(step, &root);
	interval_divide_ui(step, STEPS);
	interval_clear(&root);
}

/* The loss at a point, in an interval. */
static void
loss_interval(Interval *loss, const SignsLaw *law, double kappa, int i)
{
	Interval part;

	interval_init(&part, PRECISION);
	step_interval(loss, law, kappa);
	interval_multiply_ui(loss, (unsigned long) (law->k + i));
	interval_set_d(&part, kappa);
	interval_multiply(&part, &part);
	interval_divide_ui(&part, 2);
	interval_add(loss, &part);
	interval_clear(&part);
}

/* exp(exponent), at most 1, in units of 2^-FACTOR_BITS, rounded down. */
static void
lower_exponential(Interval *exponent, mpz_t result)
{
	interval_exp(exponent);
	if (mpfr_cmp_ui(exponent->low, 1) > 0)
		mpfr_set_ui(exponent->low, 1, MPFR_RNDD);
	mpfr_mul_2ui(exponent->low, exponent->low, FACTOR_BITS, MPFR_RNDD);
	mpfr_get_z(result, exponent->low, MPFR_RNDD);
}

/* Is the loss at a point, and so at all points before it, at most epsilon? */
static bool
is_free(const SignsLaw *law, double epsilon, double kappa, int i)
{
	Interval loss;
	bool small;

	interval_init(&loss, PRECISION);
	loss_interval(&loss, law, kappa, i);
	small = mpfr_cmp_d(loss.high, epsilon) <= 0;
	interval_clear(&loss);
	return small;
}

static void
add_mass(mpz_t sum, SignsMass mass, mpz_t work)
{
	uint64_t word[2] = {(uint64_t) mass, (uint64_t) (mass >> 64)};

	mpz_import(work, 2, -1, sizeof(word[0]), 0, 0, word);
	mpz_add(sum, sum, work);
}

/*
 * The summands from a point on, in units of 2^-SIGNS_BITS, rounded up: c and q are rounded down,
 * and so is each step of the series.
 */
static void
upper_sum(const SignsLaw *law, int first, const mpz_t c, const mpz_t q, mpz_t sum)
{
	mpz_t series;
	mpz_t work;

	mpz_inits(series, work, NULL);
	mpz_set_ui(sum, TAIL);
	for (int i = law->points - 1; i >= first; i--)
	{
		mpz_mul(series, series, q);
		mpz_fdiv_q_2exp(series, series, FACTOR_BITS);
		add_mass(series, law->mass[i], work);
		add_mass(sum, law->mass[i], work);
	}
	mpz_mul(series, series, c);
	mpz_fdiv_q_2exp(series, series, FACTOR_BITS);
	mpz_sub(sum, sum, series);
	mpz_clears(series, work, NULL);
}

/*
 * The points before the first one add nothing, because their loss is at most epsilon.  The first
 * point's loss is above epsilon, or so little below it that c = 1 is harmless.
 */
bool
signs_law_holds(const SignsLaw *law, double epsilon, double delta, double kappa)
{
	int first = first_point(law, epsilon, kappa);
	Interval exponent;
	Interval loss;
	mpz_t c;
	mpz_t q;
	mpz_t sum;
	bool holds;

	if (first > 0 && !is_free(law, epsilon, kappa, first - 1))
		first--;
	if (first > 0 && !is_free(law, epsilon, kappa, first - 1))
		return false;
	interval_init(&exponent, PRECISION);
	interval_init(&loss, PRECISION);
	mpz_inits(c, q, sum, NULL);
	interval_set_d(&exponent, epsilon);
	loss_interval(&loss, law, kappa, first);
	interval_subtract(&exponent, &loss);
	lower_exponential(&exponent, c);
	step_interval(&exponent, law, kappa);
	interval_negate(&exponent);
	lower_exponential(&exponent, q);
	upper_sum(law, first, c, q, sum);
	mpz_set_d(c, ldexp(delta, SIGNS_BITS));
	holds = mpz_cmp(sum, c) <= 0;
	mpz_clears(c, q, sum, NULL);
	interval_clear(&exponent);
	interval_clear(&loss);
	return holds;
}

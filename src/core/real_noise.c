/*
 * real_noise.c - intervals that hold a draw, narrowed on demand.
 */
#include "core/real_noise.h"

#include <mpfr.h>

#include "core/mutant.h"

/* Bits of each uniform number at first, and those that are added at a time. */
#define FIRST_BITS 192
#define MORE_BITS 128

/* Beyond the bits of the uniform numbers; each operation loses one or two. */
#define GUARD_BITS 64

typedef struct Interval
{
	mpfr_t low;
	mpfr_t high;
} Interval;

struct RealDraw
{
	RealLaw law;
	int dimension;
	double scale;
	int uniforms;
	mpz_t *uniform; /* in units of 2^-known, rounded down */
	mpfr_prec_t known;
	Interval *value; /* of each coordinate */
};

/* ---- intervals; those called sizes do not reach below zero ---- */

static void
interval_init(Interval *interval, mpfr_prec_t precision)
{
	mpfr_init2(interval->low, precision);
	mpfr_init2(interval->high, precision);
	mpfr_set_zero(interval->low, 1);
	mpfr_set_zero(interval->high, 1);
}

static void
interval_clear(Interval *interval)
{
	mpfr_clear(interval->low);
	mpfr_clear(interval->high);
}

static void
interval_add(Interval *sum, const Interval *a)
{
	mpfr_add(sum->low, sum->low, a->low, MPFR_RNDD);
	mpfr_add(sum->high, sum->high, a->high, MPFR_RNDU);
}

/* a *= size */
static void
interval_multiply(Interval *a, const Interval *size)
{
	mpfr_mul(a->low, a->low, mpfr_sgn(a->low) < 0 ? size->high : size->low, MPFR_RNDD);
	mpfr_mul(a->high, a->high, mpfr_sgn(a->high) < 0 ? size->low : size->high, MPFR_RNDU);
}

/* a /= size, which must not reach down to zero */
static void
interval_divide(Interval *a, const Interval *size)
{
	mpfr_div(a->low, a->low, mpfr_sgn(a->low) < 0 ? size->low : size->high, MPFR_RNDD);
	mpfr_div(a->high, a->high, mpfr_sgn(a->high) < 0 ? size->high : size->low, MPFR_RNDU);
}

static void
size_root(Interval *size)
{
	mpfr_sqrt(size->low, size->low, MPFR_RNDD);
	mpfr_sqrt(size->high, size->high, MPFR_RNDU);
}

/* The square of any interval. */
static void
interval_square(Interval *square, const Interval *a)
{
	int low = mpfr_cmpabs(a->low, a->high) <= 0;

	if (mpfr_sgn(a->low) < 0 && mpfr_sgn(a->high) > 0)
		mpfr_set_zero(square->low, 1);
	else
		mpfr_sqr(square->low, low ? a->low : a->high, MPFR_RNDD);
	mpfr_sqr(square->high, low ? a->high : a->low, MPFR_RNDU);
}

/* ---- uniform numbers ---- */

static void
take_bits(RealDraw *draw, Bits *bits, int count)
{
	mpz_t range;
	mpz_t fresh;

	mpz_inits(range, fresh, NULL);
	mpz_setbit(range, (mp_bitcnt_t) count);
	for (int i = 0; i < draw->uniforms; i++)
	{
		bits_below_mpz(bits, fresh, range);
		mpz_mul_2exp(draw->uniform[i], draw->uniform[i], (mp_bitcnt_t) count);
		mpz_add(draw->uniform[i], draw->uniform[i], fresh);
	}
	draw->known += count;
	mpz_clears(range, fresh, NULL);
}

/* Where the k-th uniform number lies; the lower end may be 0. */
static void
uniform_interval(const RealDraw *draw, int k, Interval *u)
{
	mpfr_set_z_2exp(u->low, draw->uniform[k], -draw->known, MPFR_RNDD);
	mpfr_set_ui_2exp(u->high, 1, -draw->known, MPFR_RNDU);
	mpfr_add(u->high, u->high, u->low, MPFR_RNDU);
}

/* -ln of the k-th: an exponential variable.  Without an upper end while the bits are all 0. */
static void
exponential_interval(const RealDraw *draw, int k, Interval *size)
{
	Interval u;

	interval_init(&u, draw->known + GUARD_BITS);
	uniform_interval(draw, k, &u);
	mpfr_log(size->low, u.high, MPFR_RNDU);
	mpfr_log(size->high, u.low, MPFR_RNDD);
	mpfr_neg(size->low, size->low, MPFR_RNDD);
	mpfr_neg(size->high, size->high, MPFR_RNDU);
	interval_clear(&u);
}

/*
 * cos(2 pi U): its slope is below 7, so that the value at one end of U's interval is
 * off by less than 7 times its width 2^-known; the angle there is rounded by less than
 * 2^-known too.
 */
static void
cosine_interval(const RealDraw *draw, int k, Interval *cosine)
{
	mpfr_t margin;
	mpfr_t angle;

	mpfr_init2(margin, draw->known + GUARD_BITS);
	mpfr_init2(angle, draw->known + GUARD_BITS);
	mpfr_const_pi(angle, MPFR_RNDN);
	mpfr_mul_z(angle, angle, draw->uniform[k], MPFR_RNDN);
	mpfr_mul_2si(angle, angle, 1 - (long) draw->known, MPFR_RNDN);
	mpfr_set_ui_2exp(margin, 1, 3 - draw->known, MPFR_RNDU);
	mpfr_cos(cosine->low, angle, MPFR_RNDD);
	mpfr_cos(cosine->high, angle, MPFR_RNDU);
	mpfr_sub(cosine->low, cosine->low, margin, MPFR_RNDD);
	mpfr_add(cosine->high, cosine->high, margin, MPFR_RNDU);
	mpfr_clear(margin);
	mpfr_clear(angle);
}

/* ---- laws ---- */

/* Box and Muller: sqrt(-2 ln U) cos(2 pi U'), two uniform numbers for a normal one. */
static void
normal_interval(const RealDraw *draw, int j, Interval *z)
{
	Interval length;

	interval_init(&length, draw->known + GUARD_BITS);
	exponential_interval(draw, 2 * j, &length);
	mpfr_mul_2ui(length.low, length.low, 1, MPFR_RNDD);
	mpfr_mul_2ui(length.high, length.high, 1, MPFR_RNDU);
	size_root(&length);
	cosine_interval(draw, 2 * j + 1, z);
	interval_multiply(z, &length);
	interval_clear(&length);
}

/* A sum of d exponential variables has the law Gamma(d). */
static void
gamma_interval(const RealDraw *draw, Interval *size)
{
	Interval part;
	int terms = draw->dimension - (MUTANT(31) && draw->dimension > 1);

	interval_init(&part, draw->known + GUARD_BITS);
	for (int j = 0; j < terms; j++)
	{
		exponential_interval(draw, 2 * draw->dimension + j, &part);
		interval_add(size, &part);
	}
	interval_clear(&part);
}

static void
norm_interval(const RealDraw *draw, Interval *norm)
{
	Interval square;

	interval_init(&square, draw->known + GUARD_BITS);
	for (int j = 0; j < draw->dimension; j++)
	{
		interval_square(&square, &draw->value[j]);
		interval_add(norm, &square);
	}
	size_root(norm);
	interval_clear(&square);
}

/* Normal coordinates over their norm point anywhere; their length is replaced. */
static bool
replace_length(RealDraw *draw)
{
	Interval norm;
	Interval length;
	bool known;

	interval_init(&norm, draw->known + GUARD_BITS);
	interval_init(&length, draw->known + GUARD_BITS);
	norm_interval(draw, &norm);
	gamma_interval(draw, &length);
	known = mpfr_sgn(norm.low) > 0;
	for (int j = 0; known && j < draw->dimension; j++)
	{
		interval_multiply(&draw->value[j], &length);
		interval_divide(&draw->value[j], &norm);
	}
	interval_clear(&norm);
	interval_clear(&length);
	return known;
}

/* All coordinates, times scale; false if the bits say too little yet. */
static bool
evaluate(RealDraw *draw)
{
	Interval scale;

	for (int k = 0; k < draw->uniforms; k++)
		if (mpz_sgn(draw->uniform[k]) == 0)
			return false;
	for (int j = 0; j < draw->dimension; j++)
	{
		mpfr_set_prec(draw->value[j].low, draw->known + GUARD_BITS);
		mpfr_set_prec(draw->value[j].high, draw->known + GUARD_BITS);
		normal_interval(draw, j, &draw->value[j]);
	}
	if (draw->law == REAL_GAMMA && !replace_length(draw))
		return false;
	interval_init(&scale, 64);
	mpfr_set_d(scale.low, draw->scale * (MUTANT(32) ? 0.8 : 1), MPFR_RNDD);
	mpfr_set(scale.high, scale.low, MPFR_RNDU);
	for (int j = 0; j < draw->dimension; j++)
		interval_multiply(&draw->value[j], &scale);
	interval_clear(&scale);
	return true;
}

RealDraw *
real_draw_create(RealLaw law, int dimension, double scale, Bits *bits, Memory *memory)
{
	RealDraw *draw = memory_allocate_zero(memory, 1, sizeof(RealDraw));

	draw->law = law;
	draw->dimension = dimension;
	draw->scale = scale;
	draw->uniforms = law == REAL_GAMMA ? 3 * dimension : 2 * dimension;
	draw->uniform = memory_allocate(memory, (size_t) draw->uniforms, sizeof(mpz_t));
	draw->value = memory_allocate(memory, (size_t) dimension, sizeof(Interval));
	for (int k = 0; k < draw->uniforms; k++)
		mpz_init(draw->uniform[k]);
	for (int j = 0; j < dimension; j++)
		interval_init(&draw->value[j], FIRST_BITS);
	take_bits(draw, bits, FIRST_BITS);
	while (!evaluate(draw))
		take_bits(draw, bits, MORE_BITS);
	return draw;
}

void
real_draw_destroy(RealDraw *draw, Memory *memory)
{
	for (int k = 0; k < draw->uniforms; k++)
		mpz_clear(draw->uniform[k]);
	for (int j = 0; j < draw->dimension; j++)
		interval_clear(&draw->value[j]);
	memory_release(memory, draw->uniform);
	memory_release(memory, draw->value);
	memory_release(memory, draw);
}

static void
narrow(RealDraw *draw, Bits *bits)
{
	do
		take_bits(draw, bits, MORE_BITS);
	while (!evaluate(draw));
}

/* ---- rounding ---- */

/* floor(end 2^places + offset / 2^offset_places + 1/2), exactly. */
static void
round_end(mpfr_srcptr end, mpz_srcptr offset, int offset_places, int places, mpz_t integer)
{
	mpfr_exp_t exponent;
	mp_bitcnt_t shift = (mp_bitcnt_t) offset_places;
	mpz_t value;

	/* value 2^exponent, brought to a common denominator 2^shift */
	mpz_init(value);
	exponent = mpfr_zero_p(end) ? 0 : mpfr_get_z_2exp(value, end);
	exponent += places;
	if (exponent < 0 && (mp_bitcnt_t) -exponent > shift)
		shift = (mp_bitcnt_t) -exponent;
	if (shift == 0)
		shift = 1;
	mpz_mul_2exp(value, value, (mp_bitcnt_t) ((mpfr_exp_t) shift + exponent));
	mpz_mul_2exp(integer, offset, shift - (mp_bitcnt_t) offset_places);
	mpz_add(value, value, integer);
	mpz_set_ui(integer, 0);
	mpz_setbit(integer, shift - 1);
	mpz_add(value, value, integer);
	mpz_fdiv_q_2exp(integer, value, shift);
	mpz_clear(value);
}

void
real_draw_round(RealDraw *draw, Bits *bits, const mpz_t *offset, int offset_places, int places,
				mpz_t *integer)
{
	mpz_t high;

	mpz_init(high);
	for (int j = 0; j < draw->dimension; j++)
		for (;;)
		{
			round_end(draw->value[j].low, offset[j], offset_places, places, integer[j]);
			round_end(draw->value[j].high, offset[j], offset_places, places, high);
			if (mpz_cmp(integer[j], high) == 0)
				break;
			narrow(draw, bits);
		}
	mpz_clear(high);
}

/* Both ends are within 1/2 of their integers, which differ by one at most in the end. */
void
real_draw_near(RealDraw *draw, Bits *bits, int places, mpz_t *integer)
{
	mpz_t none;
	mpz_t high;

	mpz_inits(none, high, NULL);
	for (int j = 0; j < draw->dimension; j++)
		for (;;)
		{
			round_end(draw->value[j].low, none, 0, places, integer[j]);
			round_end(draw->value[j].high, none, 0, places, high);
			mpz_sub(high, high, integer[j]);
			if (mpz_cmp_ui(high, 1) <= 0)
				break;
			narrow(draw, bits);
		}
	mpz_clears(none, high, NULL);
}

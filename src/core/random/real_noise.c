/*
 * real_noise.c - intervals that hold a draw, narrowed on demand.
 */
#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/random/real_noise_internal.h"

/* ---- uniform numbers ---- */

void
real_draw_take_bits(RealDraw *draw, Bits *bits, int count)
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

void
real_draw_uniform(const RealDraw *draw, int k, Interval *u)
{
	mpfr_set_z_2exp(u->low, draw->uniform[k], -draw->known, MPFR_RNDD);
	mpfr_set_ui_2exp(u->high, 1, -draw->known, MPFR_RNDU);
	mpfr_add(u->high, u->high, u->low, MPFR_RNDU);
}

void
real_draw_exponential(const RealDraw *draw, int k, Interval *size)
{
	real_draw_uniform(draw, k, size);
	interval_log(size);
	interval_negate(size);
}

/*
 * cos(2 pi U).  Its slope is below 7, so the value at one end of U's interval is off by less than 7
 * times the interval's width 2^-known; the angle is rounded by less than 2^-known, too.
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

/* Box and Muller: sqrt(-2 ln U) cos(2 pi U') is normal for uniform U and U'. */
static void
normal_interval(const RealDraw *draw, int j, Interval *z)
{
	Interval length;

	interval_init(&length, draw->known + GUARD_BITS);
	real_draw_exponential(draw, 2 * j, &length);
	mpfr_mul_2ui(length.low, length.low, 1, MPFR_RNDD);
	mpfr_mul_2ui(length.high, length.high, 1, MPFR_RNDU);
	interval_root(&length);
	cosine_interval(draw, 2 * j + 1, z);
	interval_multiply(z, &length);
	interval_clear(&length);
}

void
real_draw_gamma(const RealDraw *draw, int first, int shape, Interval *size)
{
	Interval part;

	interval_init(&part, draw->known + GUARD_BITS);
	interval_set_ui(size, 0);
	for (int k = first; k < first + shape; k++)
	{
		real_draw_exponential(draw, k, &part);
		interval_add(size, &part);
	}
	interval_clear(&part);
}

/* Gamma(d), of the uniform numbers after those of the normal variables. */
static void
length_interval(const RealDraw *draw, Interval *length)
{
	int shape = draw->dimension - (MUTANT(31) && draw->dimension > 1);

	real_draw_gamma(draw, 2 * draw->normals, shape, length);
}

static void
norm_interval(const RealDraw *draw, Interval *norm)
{
	Interval square;

	interval_init(&square, draw->known + GUARD_BITS);
	for (int j = 0; j < draw->normals; j++)
	{
		interval_square(&square, &draw->value[j]);
		interval_add(norm, &square);
	}
	interval_root(norm);
	interval_clear(&square);
}

/*
 * Normal coordinates divided by their norm have a uniform direction; then the law's own length is
 * multiplied in.
 */
static bool
replace_length(RealDraw *draw, const Interval *length)
{
	Interval norm;
	bool known;

	interval_init(&norm, draw->known + GUARD_BITS);
	norm_interval(draw, &norm);
	known = draw->normals == 0 || mpfr_sgn(norm.low) > 0;
	for (int j = 0; known && j < draw->normals; j++)
	{
		interval_multiply(&draw->value[j], length);
		interval_divide(&draw->value[j], &norm);
	}
	interval_clear(&norm);
	return known;
}

static bool
evaluate_gamma(RealDraw *draw)
{
	Interval length;
	bool known;

	interval_init(&length, draw->known + GUARD_BITS);
	length_interval(draw, &length);
	known = replace_length(draw, &length);
	interval_clear(&length);
	return known;
}

/* Lengths in a ball of m dimensions are U^(1/m) = exp(-E / m), E an exponential variable. */
static bool
evaluate_cone(RealDraw *draw)
{
	Interval *height = &draw->value[draw->normals];
	Interval length;
	bool known;

	length_interval(draw, height);
	if (draw->normals == 0)
		return true; /* a ball of no dimensions */
	interval_init(&length, draw->known + GUARD_BITS);
	real_draw_exponential(draw, draw->uniforms - 1, &length);
	interval_divide_ui(&length, (unsigned long) draw->normals);
	interval_negate(&length);
	interval_exp(&length);
	if (MUTANT(25))
		interval_set_ui(&length, 1);
	interval_multiply(&length, height);
	known = replace_length(draw, &length);
	interval_clear(&length);
	return known;
}

static bool
evaluate_gaussian(RealDraw *draw)
{
	(void) draw;
	return true;
}

/* Computes all coordinates, times scale; false if more bits are needed. */
static bool
evaluate(RealDraw *draw)
{
	Interval scale;

	for (int k = 0; k < draw->uniforms; k++)
		if (mpz_sgn(draw->uniform[k]) == 0)
			return false;
	for (int j = 0; j < draw->dimension; j++)
		interval_reset(&draw->value[j], draw->known + GUARD_BITS);
	for (int j = 0; j < draw->normals; j++)
		normal_interval(draw, j, &draw->value[j]);
	if (!draw->law(draw))
		return false;
	interval_init(&scale, 64);
	interval_set_d(&scale, draw->scale * (MUTANT(32) ? 0.8 : 1));
	for (int j = 0; j < draw->dimension; j++)
		interval_multiply(&draw->value[j], &scale);
	interval_clear(&scale);
	return true;
}

/* Draws more bits until all coordinates are bounded. */
static void
narrow(RealDraw *draw, Bits *bits)
{
	do
		real_draw_take_bits(draw, bits, MORE_BITS);
	while (!evaluate(draw));
}

RealDraw *
real_draw_begin(bool (*law)(RealDraw *draw), int dimension, int normals, int uniforms, double scale,
				Bits *bits, Memory *memory)
{
	RealDraw *draw = memory_allocate_zero(memory, 1, sizeof(RealDraw));

	draw->law = law;
	draw->dimension = dimension;
	draw->scale = scale;
	draw->normals = normals;
	draw->uniforms = uniforms;
	draw->uniform = integers_create((size_t) uniforms, memory);
	draw->value = memory_allocate(memory, (size_t) dimension, sizeof(Interval));
	for (int j = 0; j < dimension; j++)
		interval_init(&draw->value[j], FIRST_BITS);
	real_draw_take_bits(draw, bits, FIRST_BITS);
	return draw;
}

void
real_draw_settle(RealDraw *draw, Bits *bits)
{
	if (!evaluate(draw))
		narrow(draw, bits);
}

RealDraw *
real_draw_create(RealLaw law, int dimension, double scale, Bits *bits, Memory *memory)
{
	RealDraw *draw;

	switch (law)
	{
		case REAL_GAMMA:
			draw = real_draw_begin(evaluate_gamma, dimension, dimension, 3 * dimension, scale, bits,
								   memory);
			break;
		case REAL_CONE:
			draw = real_draw_begin(evaluate_cone, dimension, dimension - 1, 3 * dimension - 1,
								   scale, bits, memory);
			break;
		default:
			draw = real_draw_begin(evaluate_gaussian, dimension, dimension, 2 * dimension, scale,
								   bits, memory);
	}
	real_draw_settle(draw, bits);
	return draw;
}

void
real_draw_destroy(RealDraw *draw, Memory *memory)
{
	for (int j = 0; j < draw->dimension; j++)
		interval_clear(&draw->value[j]);
	integers_destroy(draw->uniform, (size_t) draw->uniforms, memory);
	memory_release(memory, draw->value);
	memory_release(memory, draw->choices);
	memory_release(memory, draw);
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

/* Rounds both ends of an interval; true if the results differ by at most tolerance. */
static bool
ends_agree(const Interval *value, mpz_srcptr offset, int offset_places, int places,
		   unsigned long tolerance, mpz_t integer)
{
	bool agree;
	mpz_t high;

	mpz_init(high);
	round_end(value->low, offset, offset_places, places, integer);
	round_end(value->high, offset, offset_places, places, high);
	mpz_sub(high, high, integer);
	agree = mpz_cmp_ui(high, tolerance) <= 0;
	mpz_clear(high);
	return agree;
}

void
real_draw_round(RealDraw *draw, Bits *bits, const mpz_t *offset, int offset_places, int places,
				mpz_t *integer)
{
	for (int j = 0; j < draw->dimension; j++)
		while (!ends_agree(&draw->value[j], offset[j], offset_places, places, 0, integer[j]))
			narrow(draw, bits);
}

static bool
try_round_root(const RealDraw *draw, int j, unsigned long square, mpz_t integer)
{
	bool agree;
	mpz_t none;
	Interval value;
	Interval root;

	mpz_init(none);
	interval_init(&value, draw->known + GUARD_BITS);
	interval_init(&root, draw->known + GUARD_BITS);
	interval_set(&value, &draw->value[j]);
	interval_set_ui(&root, square);
	interval_root(&root);
	interval_multiply(&value, &root);
	agree = ends_agree(&value, none, 0, 0, 0, integer);
	interval_clear(&value);
	interval_clear(&root);
	mpz_clear(none);
	return agree;
}

void
real_draw_round_root(RealDraw *draw, Bits *bits, int j, unsigned long square, mpz_t integer)
{
	while (!try_round_root(draw, j, square, integer))
		narrow(draw, bits);
}

/* The rounded ends differ by at most one, and each is within 1/2 of its end of the interval. */
void
real_draw_near(RealDraw *draw, Bits *bits, int places, mpz_t *integer)
{
	mpz_t none;

	mpz_init(none);
	for (int j = 0; j < draw->dimension; j++)
		while (!ends_agree(&draw->value[j], none, 0, places, 1, integer[j]))
			narrow(draw, bits);
	mpz_clear(none);
}

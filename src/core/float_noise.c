/*
 * real_noise.c - from fair bits to normals and Gammas with MPFR.
 */
#include "core/float_noise.h"

/* (k + 1/2) / 2^REAL_PRECISION with k uniform, rounded down: never 0, never 1. */
static void
draw_uniform(Bits *bits, mpfr_t result)
{
	uint64_t words[REAL_PRECISION / 64];
	mpz_t integer;

	for (int i = 0; i < REAL_PRECISION / 64; i++)
		words[i] = bits_take(bits, 64);
	mpz_init(integer);
	mpz_import(integer, REAL_PRECISION / 64, -1, sizeof(words[0]), 0, 0, words);
	mpz_mul_2exp(integer, integer, 1);
	mpz_add_ui(integer, integer, 1);
	(void) mpfr_set_z_2exp(result, integer, -REAL_PRECISION - 1, MPFR_RNDD);
	mpz_clear(integer);
}

/* Box and Muller: sqrt(-2 ln u) cos(2 pi v). */
void
real_normal(Bits *bits, mpfr_t result)
{
	mpfr_t turn;
	mpfr_t angle;

	mpfr_inits2(REAL_PRECISION, turn, angle, (mpfr_ptr) NULL);
	draw_uniform(bits, result);
	draw_uniform(bits, turn);
	(void) mpfr_log(result, result, MPFR_RNDN);
	(void) mpfr_mul_si(result, result, -2, MPFR_RNDN);
	(void) mpfr_sqrt(result, result, MPFR_RNDN);
	(void) mpfr_const_pi(angle, MPFR_RNDN);
	(void) mpfr_mul(angle, angle, turn, MPFR_RNDN);
	(void) mpfr_mul_2ui(angle, angle, 1, MPFR_RNDN);
	(void) mpfr_cos(angle, angle, MPFR_RNDN);
	(void) mpfr_mul(result, result, angle, MPFR_RNDN);
	mpfr_clears(turn, angle, (mpfr_ptr) NULL);
}

void
real_gamma(Bits *bits, mpfr_t result, int shape)
{
	mpfr_t uniform;

	mpfr_init2(uniform, REAL_PRECISION);
	draw_uniform(bits, result);
	for (int i = 1; i < shape; i++)
	{
		draw_uniform(bits, uniform);
		(void) mpfr_mul(result, result, uniform, MPFR_RNDN);
	}
	(void) mpfr_log(result, result, MPFR_RNDN);
	(void) mpfr_neg(result, result, MPFR_RNDN);
	mpfr_clear(uniform);
}

void
real_round(mpz_t result, const mpfr_t value, double scale)
{
	mpfr_t product;

	mpfr_init2(product, REAL_PRECISION);
	(void) mpfr_mul_d(product, value, scale, MPFR_RNDN);
	(void) mpfr_get_z(result, product, MPFR_RNDN);
	mpfr_clear(product);
}

void
real_direction(Bits *bits, mpfr_t *vector, int dimension)
{
	mpfr_t square;
	mpfr_t norm;

	mpfr_inits2(REAL_PRECISION, square, norm, (mpfr_ptr) NULL);
	mpfr_set_zero(norm, 1);
	for (int i = 0; i < dimension; i++)
	{
		real_normal(bits, vector[i]);
		(void) mpfr_sqr(square, vector[i], MPFR_RNDN);
		(void) mpfr_add(norm, norm, square, MPFR_RNDN);
	}
	(void) mpfr_sqrt(norm, norm, MPFR_RNDN);
	for (int i = 0; i < dimension; i++)
		(void) mpfr_div(vector[i], vector[i], norm, MPFR_RNDN);
	mpfr_clears(square, norm, (mpfr_ptr) NULL);
}

/* A direction times U^(1/dimension) = exp(-Gamma(1) / dimension). */
void
real_ball(Bits *bits, mpfr_t *vector, int dimension)
{
	mpfr_t radius;

	if (dimension == 0)
		return;
	mpfr_init2(radius, REAL_PRECISION);
	real_gamma(bits, radius, 1);
	(void) mpfr_div_si(radius, radius, -dimension, MPFR_RNDN);
	(void) mpfr_exp(radius, radius, MPFR_RNDN);
	real_direction(bits, vector, dimension);
	for (int i = 0; i < dimension; i++)
		(void) mpfr_mul(vector[i], vector[i], radius, MPFR_RNDN);
	mpfr_clear(radius);
}

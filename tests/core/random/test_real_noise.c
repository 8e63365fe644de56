/*
 * test_real_noise.c - real noise: the laws of Gaussian, Gamma and cone noise, and roundings of a
 * draw against further bits of it.
 */
#include "core/random/real_noise.h"

#include <math.h>
#include <gsl/gsl_cdf.h>

#include "core/fixture.h"
#include "core/law.h"

/* ---- Gaussian and Gamma noise ---- */

#define CELLS 161

/* A coordinate of Gaussian noise, rounded; offset is not a multiple of the step. */
static void
test_gaussian_law(int dimension)
{
	static const double scale = 11.5;
	Histogram h = histogram_create(CELLS);
	mpz_t *integer = integers_create(3, memory);
	mpz_t *offset = integers_create(3, memory);

	mpz_set_si(offset[dimension - 1], -3); /* -3/8 */
	for (int i = 0; i < LAW_DRAWS / 4; i++)
	{
		RealDraw *draw = real_draw_create(REAL_GAUSSIAN, dimension, scale, &bits, memory);
		int64_t cell;

		real_draw_round(draw, &bits, (const mpz_t *) offset, 3, 0, integer);
		cell = mpz_get_si(integer[dimension - 1]) + CELLS / 2;
		histogram_add(&h, (uint64_t) (cell < 0 ? 0 : cell));
		real_draw_destroy(draw, memory);
	}
	for (int c = 0; c < CELLS; c++)
	{
		double low = c == 0 ? -INFINITY : c - CELLS / 2 - 0.5 + 0.375;
		double high = c == CELLS - 1 ? INFINITY : c - CELLS / 2 + 0.5 + 0.375;

		h.truth[c] = gsl_cdf_ugaussian_P(high / scale) - gsl_cdf_ugaussian_P(low / scale);
		h.other[c] = gsl_cdf_ugaussian_P(high / scale * LAW_OFF) -
					 gsl_cdf_ugaussian_P(low / scale * LAW_OFF);
	}
	CHECK_LAW(h.count, h.truth, h.other, CELLS);
	integers_destroy(integer, 3, memory);
	integers_destroy(offset, 3, memory);
	histogram_destroy(&h);
}

/* Gamma noise: the law of its length, and that all octants are equally likely. */
static void
test_gamma_law(int dimension)
{
	Histogram h = histogram_create(CELLS);
	int64_t octant[8] = {0};
	double even[8];
	double skewed[8];
	mpz_t *integer = integers_create(3, memory);

	for (int i = 0; i < LAW_DRAWS / 4; i++)
	{
		RealDraw *draw = real_draw_create(REAL_GAMMA, dimension, 0.25, &bits, memory);
		double square = 0;
		int where = 0;

		real_draw_near(draw, &bits, 40, integer);
		for (int j = 0; j < dimension; j++)
		{
			double value = ldexp(mpz_get_d(integer[j]), -40);

			square += value * value;
			where |= (value > 0) << j;
		}
		octant[where]++;
		histogram_add(&h, (uint64_t) (sqrt(square) * 40));
		real_draw_destroy(draw, memory);
	}
	for (int c = 0; c < CELLS; c++)
	{
		double high = c == CELLS - 1 ? 1e3 : (c + 1) / 40.0;

		h.truth[c] =
			gsl_cdf_gamma_P(high, dimension, 0.25) - gsl_cdf_gamma_P(c / 40.0, dimension, 0.25);
		h.other[c] = gsl_cdf_gamma_P(high * LAW_OFF, dimension, 0.25) -
					 gsl_cdf_gamma_P(c / 40.0 * LAW_OFF, dimension, 0.25);
	}
	for (int c = 0; c < 1 << dimension; c++)
	{
		even[c] = 1;
		skewed[c] = c == 0 ? LAW_OFF : 1;
	}
	CHECK_LAW(h.count, h.truth, h.other, CELLS);
	CHECK(law_p_value(octant, even, 1 << dimension) > LAW_THRESHOLD);
	CHECK_WHOLE(law_p_value(octant, skewed, 1 << dimension) < LAW_THRESHOLD);
	integers_destroy(integer, 3, memory);
	histogram_destroy(&h);
}

/* More bits narrow a draw down; they do not change it. */
static void
test_narrowing(void)
{
	for (int i = 0; i < check_repetitions(200); i++)
	{
		RealLaw law = i % 2 == 0 ? REAL_GAUSSIAN : REAL_GAMMA;
		RealDraw *draw = real_draw_create(law, 2, 3.7, &bits, memory);
		mpz_t *coarse = integers_create(2, memory);
		mpz_t *fine = integers_create(2, memory);
		mpz_t *none = integers_create(2, memory);

		real_draw_round(draw, &bits, (const mpz_t *) none, 0, 30, coarse);
		real_draw_near(draw, &bits, 1000, fine);
		for (int j = 0; j < 2; j++)
		{
			mpz_fdiv_q_2exp(fine[j], fine[j], 969);
			mpz_add_ui(fine[j], fine[j], 1);
			mpz_fdiv_q_2exp(fine[j], fine[j], 1);
			CHECK(mpz_cmp(fine[j], coarse[j]) == 0);
		}
		integers_destroy(coarse, 2, memory);
		integers_destroy(fine, 2, memory);
		integers_destroy(none, 2, memory);
		real_draw_destroy(draw, memory);
	}
}

/* ---- the cone ---- */

#define CONE_CELLS 40

static int
cell_of(double value, double low, double high)
{
	int cell = (int) floor((value - low) / (high - low) * CONE_CELLS);

	return cell < 0 ? 0 : cell >= CONE_CELLS ? CONE_CELLS - 1 : cell;
}

/* The weights of cells from a distribution function of x / scale. */
static void
cell_weights(double *weight, double low, double high, double (*below)(double, double), double shape,
			 double scale)
{
	double last = 0;

	for (int i = 0; i < CONE_CELLS; i++)
	{
		double x = low + (high - low) * (i + 1) / CONE_CELLS;
		double next = i == CONE_CELLS - 1 ? 1 : below(x / scale, shape);

		weight[i] = next - last;
		last = next;
	}
}

static double
below_gamma(double x, double shape)
{
	return x <= 0 ? 0 : gsl_cdf_gamma_P(x, shape, 1);
}

static double
below_power(double x, double power)
{
	return x <= 0 ? 0 : x >= 1 ? 1 : pow(x, power);
}

/* The cone in four dimensions: its height, and where in the ball of that radius the rest is. */
static void
test_cone(void)
{
	int64_t height[CONE_CELLS] = {0};
	int64_t radius[CONE_CELLS] = {0};
	int64_t side[CONE_CELLS] = {0};
	double truth[CONE_CELLS];
	double other[CONE_CELLS];
	mpz_t *integer = integers_create(4, memory);

	for (int k = 0; k < LAW_DRAWS / 4; k++)
	{
		RealDraw *draw = real_draw_create(REAL_CONE, 4, 1, &bits, memory);
		double square = 0;
		double b[4];

		real_draw_near(draw, &bits, 100, integer);
		real_draw_destroy(draw, memory);
		for (int i = 0; i < 4; i++)
			b[i] = ldexp(mpz_get_d(integer[i]), -100);
		for (int i = 0; i < 3; i++)
			square += b[i] * b[i];
		height[cell_of(b[3], 0, 16)]++;
		radius[cell_of(sqrt(square) / b[3], 0, 1)]++;
		/* on the sphere in three dimensions a coordinate is uniform (Archimedes) */
		side[cell_of((b[1] / sqrt(square) + 1) / 2, 0, 1)]++;
	}
	integers_destroy(integer, 4, memory);
	cell_weights(truth, 0, 16, below_gamma, 4, 1);
	cell_weights(other, 0, 16, below_gamma, 4, LAW_OFF);
	CHECK_LAW(height, truth, other, CONE_CELLS);
	cell_weights(truth, 0, 1, below_power, 3, 1);
	cell_weights(other, 0, 1, below_power, 2, 1);
	CHECK_LAW(radius, truth, other, CONE_CELLS);
	cell_weights(truth, 0, 1, below_power, 1, 1);
	cell_weights(other, 0, 1, below_power, LAW_OFF, 1);
	CHECK_LAW(side, truth, other, CONE_CELLS);
}

/* floor(b sqrt(square) + 1/2) of the same b as more bits show. */
static void
test_roots(void)
{
	static const unsigned long squares[] = {0, 1, 2, 3, 4, 1023, 1024, 92};
	mpfr_t value;
	mpfr_t root;
	mpz_t *near = integers_create(2, memory);
	mpz_t *rounded = integers_create(8, memory);
	mpz_t expected;

	mpfr_inits2(2 * 400, value, root, (mpfr_ptr) NULL);
	mpz_init(expected);
	for (int k = 0; k < check_repetitions(300); k++)
	{
		/* so large that the first bits do not decide, every third time */
		double scale = k % 3 == 0 ? 0x1p240 : k % 3 == 1 ? 0x1p20 : 1;
		RealDraw *draw = real_draw_create((RealLaw) (k % 2), 2, scale, &bits, memory);

		for (int i = 0; i < 8; i++)
			real_draw_round_root(draw, &bits, 1, squares[i], rounded[i]);
		real_draw_near(draw, &bits, 400, near);
		real_draw_destroy(draw, memory);
		for (int i = 0; i < 8; i++)
		{
			(void) mpfr_set_z_2exp(value, near[1], -400, MPFR_RNDN);
			(void) mpfr_sqrt_ui(root, squares[i], MPFR_RNDN);
			(void) mpfr_mul(value, value, root, MPFR_RNDN);
			(void) mpfr_get_z(expected, value, MPFR_RNDN);
			CHECK(mpz_cmp(rounded[i], expected) == 0);
		}
	}
	integers_destroy(near, 2, memory);
	integers_destroy(rounded, 8, memory);
	mpz_clear(expected);
	mpfr_clears(value, root, (mpfr_ptr) NULL);
}

int
main(void)
{
	test_begin(11);
	test_gaussian_law(1);
	test_gaussian_law(3);
	test_gamma_law(1);
	test_gamma_law(3);
	test_narrowing();
	test_cone();
	test_roots();
	return test_end("real_noise");
}

/*
 * test_convex.c - convex mechanisms: calibrations (theorems V2 to V7), losses,
 * clipping, gradients, minimisers, the law of the noise, and privacy itself.
 */
#include "core/noise/calibration.h"
#include "core/convex/convex_hessian.h"
#include "core/convex/convex_minimise.h"
#include "core/mechanisms/convex_release.h"
#include "core/convex/convex_scale.h"
#include "core/mechanisms/mechanism.h"
#include "core/random/real_noise.h"
#include "core/mechanisms/utility.h"

#include <math.h>
#include <string.h>
#include <gsl/gsl_cdf.h>
#include <mpfr.h>

#include "core/check.h"
#include "core/law.h"
#include "core/problem.h"
#include "core/testbits.h"

#define MOST_DIMENSION PROBLEM_MOST_DIMENSION
#define MOST_ROWS PROBLEM_MOST_ROWS

static TestStream stream;
static Bits bits;
static Memory *memory;

/* ---- calibrations: values of another program ---- */

static void
test_gaussian_values(void)
{
	static const struct
	{
		double epsilon;
		double delta;
		const char *sigma;
	} values[] = {{0.1, 1e-6, "36.304690"}, {0.5, 1e-6, "8.057618"}, {1, 1e-5, "3.730632"},
				  {1, 1e-6, "4.224679"},    {1, 1e-9, "5.495266"},   {4, 1e-6, "1.193519"},
				  {8, 1e-6, "0.652935"}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		CHECK(prints_as(calibration_gaussian_sigma(values[i].epsilon, values[i].delta), 6,
						values[i].sigma));
	/* output perturbation: n = 1e4, CMS's lambda .01, L = R = 1 */
	CHECK(prints_as(0.02 * calibration_gaussian_sigma(1, 1e-6), 8, "0.08449358"));
	/* far out neither overflows nor vanishes */
	CHECK(calibration_gaussian_sigma(1000, 1e-9) > 0 &&
		  calibration_gaussian_sigma(1000, 1e-9) < 0.1);
	CHECK(calibration_gaussian_sigma(1e-9, 1e-9) > 1e6 &&
		  calibration_gaussian_sigma(1e-9, 1e-9) < 1e10);
}

/* Where delta is a difference of two numbers that are nearly the same; by mpmath, 60 digits. */
static void
test_gaussian_tails(void)
{
	static const struct
	{
		double epsilon;
		double mu;
		double delta;
	} values[] = {{1e-9, 1e-7, 3.9396222754621e-8},
				  {1e-7, 3e-8, 3.3623367371663e-12},
				  {1e-5, 2e-6, 1.069238452945e-13},
				  {1e-3, 2e-4, 1.0697678519879e-11}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		CHECK(fabs(calibration_gaussian_delta(values[i].epsilon, values[i].mu) / values[i].delta -
				   1) < 1e-11);
	/* both forms, where one gives way to the other */
	for (double t = 0.1; t < 9; t *= 1.5)
	{
		double below = calibration_gaussian_delta(t * 0x0.ffffffffp-7, 0x0.ffffffffp-7);
		double above = calibration_gaussian_delta(t * 0x1.00000001p-7, 0x1.00000001p-7);

		CHECK(fabs(below / above - 1) < 1e-8);
	}
}

static double
sigma_chi2(double epsilon, double delta, double ratio)
{
	double rest = epsilon - log1p(ratio);
	double low = 1e-6;
	double high = 10;

	for (int i = 0; i < 200; i++)
	{
		double mu = (low + high) / 2;

		if (objective_delta_chi2(rest, mu) <= delta)
			low = mu;
		else
			high = mu;
	}
	return 2 / low;
}

static void
test_objective_values(void)
{
	static const struct
	{
		double epsilon;
		double lambda;
		const char *add_remove;
		const char *replace;
		const char *chi2;
		const char *epsilon_b;
		const char *gamma_add_remove;
		const char *gamma_replace;
	} values[] = {
		{1, 1, "5.525226", "11.050452", "11.973700", "0.776856", "1.287239", "2.574478"},
		{1, 10, "4.468061", "8.936122", "9.666663", "0.975307", "1.025318", "2.050636"},
		{0.5, 10, "8.754629", "17.509258", "19.037209", "0.475307", "2.103902", "4.207803"},
		{4, 1, "1.290287", "2.580574", "2.758595", "3.776856", "0.264770", "0.529541"}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
	{
		double epsilon = values[i].epsilon;
		double ratio = 0.25 / values[i].lambda;

		CHECK(prints_as(objective_sigma(epsilon, 1e-6, ratio, ADJACENCY_ADD_REMOVE), 6,
						values[i].add_remove));
		CHECK(prints_as(objective_sigma(epsilon, 1e-6, ratio, ADJACENCY_REPLACE), 6,
						values[i].replace));
		CHECK(prints_as(sigma_chi2(epsilon, 1e-6, ratio), 6, values[i].chi2));
		CHECK(prints_as(epsilon - log1p(ratio), 6, values[i].epsilon_b));
		CHECK(prints_as(objective_gamma(epsilon, ratio, ADJACENCY_ADD_REMOVE), 6,
						values[i].gamma_add_remove));
		CHECK(prints_as(objective_gamma(epsilon, ratio, ADJACENCY_REPLACE), 6,
						values[i].gamma_replace));
	}
	CHECK(prints_as(objective_renyi(8, 0.2, 0.25), 8, "0.47013538"));
}

/* Both forms of delta against integrals over the loss they stand for. */
static void
test_delta_integrals(void)
{
	for (int i = 0; i < check_repetitions(200); i++)
	{
		double mu = exp(teststream_between(&stream, -3, 1));
		double rest = teststream_between(&stream, 0, 4) * mu;
		double folded = 0;
		double chi2 = 0;
		double step = 1e-3;

		for (double x = step / 2; x < 12; x += step)
		{
			double gain = fmax(0, -expm1(rest - mu * mu / 2 - mu * x)) * exp(-x * x / 2) * step;

			folded += gain * sqrt(2 / M_PI);
			chi2 += gain * x;
		}
		CHECK(fabs(objective_delta(rest, mu, ADJACENCY_ADD_REMOVE) - folded) < 1e-5);
		CHECK(fabs(objective_delta_chi2(rest, mu) - chi2) < 1e-5);
		CHECK(objective_delta(rest, mu, ADJACENCY_REPLACE) >=
			  objective_delta(rest, mu, ADJACENCY_ADD_REMOVE));
	}
	/* just outside the region where the collinear case is proved to be the worst */
	CHECK(objective_delta(0.4, 0.5, ADJACENCY_REPLACE) == objective_delta_chi2(0.4, 0.5));
	CHECK(objective_delta(0.6, 0.5, ADJACENCY_REPLACE) < objective_delta_chi2(0.6, 0.5));
	/* where e^rest overflows but e^(-mu^2 / 2) is not 0 yet; by mpmath */
	CHECK(fabs(objective_delta_chi2(715, 38) - 0.99999936981) < 1e-10);
	CHECK(objective_sigma(712, 0.2, 1e-9, ADJACENCY_REPLACE) > 2 / sqrt(2 * 712));
}

static ConvexTerms
make_terms(ConvexLoss loss, ConvexNoise noise, double lambda)
{
	return (ConvexTerms){.loss = loss,
						 .noise = noise,
						 .radius = 1,
						 .lambda = (int64_t) ceil(lambda * LAMBDA_ONE),
						 .delta = noise == CONVEX_GAUSSIAN ? DELTA_ONE / 1000000 : 0};
}

/* The parts add up to epsilon, and the least lambda is the least. */
static void
test_settling(void)
{
	static const double epsilons[] = {0.05, 0.3, 1, 2.5};

	for (int i = 0; i < 4; i++)
		for (int loss = 0; loss < LOSS_KINDS; loss++)
		{
			double epsilon = epsilons[i];
			double beta = loss_curvature((ConvexLoss) loss);
			ConvexTerms terms = make_terms((ConvexLoss) loss, CONVEX_GAMMA, 30);
			ConvexScale scale;
			double spent;
			int64_t least;

			CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, ADJACENCY_REPLACE, 5, &scale,
							   &least) == CONVEX_FITS);
			spent = 2 / scale.inner + log1p(beta / 30) + 2 * (scale.tolerance / 30) / scale.outer;
			CHECK(spent <= epsilon && spent > epsilon * (1 - 1e-8));
			CHECK(scale.tolerance <= ldexp(1, -26));

			terms.lambda = least;
			CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, ADJACENCY_REPLACE, 1, &scale,
							   &least) == CONVEX_FITS);
			CHECK((double) least / LAMBDA_ONE > beta / expm1(epsilon));
			terms.lambda = least - 1;
			CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, ADJACENCY_REPLACE, 1, &scale,
							   &least) == CONVEX_LAMBDA_TOO_SMALL);

			terms = make_terms((ConvexLoss) loss, CONVEX_GAMMA, 100);
			CHECK(convex_scale(CONVEX_OUTPUT, &terms, epsilon, ADJACENCY_REPLACE, 5, &scale,
							   &least) == CONVEX_FITS);
			CHECK(fabs(scale.outer * epsilon / 0.02 - 1) < 1e-7 && scale.outer * epsilon > 0.02);
			CHECK(convex_scale(CONVEX_OUTPUT, &terms, epsilon, ADJACENCY_ADD_REMOVE, 5, &scale,
							   &least) == CONVEX_FITS);
			CHECK(fabs(scale.outer * epsilon / 0.01 - 1) < 1e-7 && scale.outer * epsilon > 0.01);
		}
	{
		ConvexTerms terms = make_terms(LOSS_LOGISTIC, CONVEX_GAUSSIAN, 10);
		ConvexScale scale;
		int64_t least;

		CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, 1, ADJACENCY_REPLACE, 5, &scale, &least) ==
			  CONVEX_FITS);
		CHECK(scale.inner > 8.936122 && scale.inner < 9.1);
		/* a delta that the doubles cannot tell from 1 */
		terms.delta = DELTA_ONE - 1;
		CHECK(convex_scale(CONVEX_OUTPUT, &terms, 1, ADJACENCY_REPLACE, 5, &scale, &least) ==
			  CONVEX_FITS);
		CHECK(scale.outer > 0.2 * calibration_gaussian_sigma(1, 0.6));
		terms = make_terms(LOSS_LOGISTIC, CONVEX_GAMMA, 1000);
		CHECK(convex_scale(CONVEX_OUTPUT, &terms, 1e-9, ADJACENCY_REPLACE, 100, &scale, &least) ==
			  CONVEX_NOISE_TOO_LARGE);
		/* where no lambda leaves anything for the noise */
		terms.lambda = LAMBDA_MAX;
		CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, 1e-9, ADJACENCY_REPLACE, 1, &scale, &least) ==
			  CONVEX_NOISE_TOO_LARGE);
		for (double epsilon = 1e-9; epsilon < 1e4; epsilon *= 1.7)
			for (terms.lambda = LAMBDA_MIN; terms.lambda <= LAMBDA_MAX; terms.lambda *= 2)
				if (convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, ADJACENCY_REPLACE, 1, &scale,
								 &least) == CONVEX_FITS)
					CHECK(scale.inner > 0 && scale.outer > 0 &&
						  2 / scale.inner <= epsilon * 255 / 256);
	}
}

/* ---- losses ---- */

static double
slope_of(const LossTable *table, double margin)
{
	return ldexp((double) loss_slope(table, (Wide) ldexp(margin, SCORE_BITS)), -SLOPE_FINE_BITS);
}

static void
test_losses(void)
{
	const int64_t one = INT64_C(1) << SLOPE_BITS;
	LossTable *table = memory_allocate(memory, 1, sizeof(LossTable));

	for (int loss = 0; loss < LOSS_KINDS; loss++)
	{
		double beta = loss_curvature((ConvexLoss) loss);
		int64_t most = (int64_t) ldexp(beta, SLOPE_BITS - SLOPE_KNOT_BITS);
		int wrong = 0;
		double worst = 0;

		loss_table_make((ConvexLoss) loss, table);
		for (int k = 0; k < SLOPE_KNOTS; k++)
			wrong += table->slope[k] < 0 || table->slope[k] > one;
		for (int k = 0; k + 1 < SLOPE_KNOTS; k++)
			wrong += table->slope[k] < table->slope[k + 1] ||
					 table->slope[k] - table->slope[k + 1] > most;
		CHECK(wrong == 0);
		for (int i = 0; i < 100000; i++)
		{
			double margin = teststream_between(&stream, -31, 31);
			double truth =
				loss == LOSS_LOGISTIC ? 1 / (1 + exp(margin)) : fmin(1, fmax(0, 1.5 - margin));

			worst = fmax(worst, fabs(slope_of(table, margin) - truth));
		}
		CHECK(worst < (loss == LOSS_LOGISTIC ? 5e-8 : 1e-11));
		/* between knots it is linear, and it is continuous at the ends */
		for (int i = 0; i < 1000; i++)
		{
			Wide knot = (Wide) (int64_t) teststream_below(&stream, SLOPE_KNOTS - 1) *
							((Wide) 1 << (SCORE_BITS - SLOPE_KNOT_BITS)) -
						SCORE_REACH;
			Wide width = (Wide) 1 << (SCORE_BITS - SLOPE_KNOT_BITS);

			CHECK(2 * loss_slope(table, knot + width / 2) ==
				  loss_slope(table, knot) + loss_slope(table, knot + width));
			CHECK(loss_slope(table, knot + 1) <= loss_slope(table, knot));
		}
		CHECK(loss_slope(table, SCORE_REACH) == loss_slope(table, SCORE_REACH - 1) ||
			  loss == LOSS_LOGISTIC);
		CHECK(loss_slope(table, -SCORE_REACH - 5) == loss_slope(table, -SCORE_REACH));
		CHECK(loss_slope(table, 3 * SCORE_REACH) == loss_slope(table, SCORE_REACH));
	}
	memory_release(memory, table);
}

/* ---- rows ---- */

static void
test_clipping(void)
{
	for (int i = 0; i < check_repetitions(20000); i++)
	{
		int dimension = 1 + (int) teststream_below(&stream, MOST_DIMENSION);
		double radius = exp(teststream_between(&stream, -5, 5));
		int32_t x[MOST_DIMENSION];
		int32_t v[MOST_DIMENSION];
		double norm = 0;
		int64_t square = 0;
		double factor;
		double worst = 0;

		for (int j = 0; j < dimension; j++)
		{
			x[j] = teststream_below(&stream, 3) == 0
					   ? 0
					   : (int32_t) ldexp(teststream_between(&stream, -1, 1),
										 (int) teststream_below(&stream, 27));
			norm += (double) x[j] * x[j];
		}
		norm = sqrt(norm) / FIXED_POINT_ONE;
		convex_clip_row(x, dimension, radius, v);
		factor = 1 / fmax(norm, radius);
		for (int j = 0; j < dimension; j++)
		{
			square += (int64_t) v[j] * v[j];
			worst = fmax(worst, fabs(ldexp(v[j], -ROW_BITS) - ldexp(x[j], -16) * factor));
		}
		CHECK(square <= INT64_C(1) << (2 * ROW_BITS));
		CHECK(worst <= ldexp(2, -ROW_BITS));
	}
}

/* ---- random problems ---- */

static void
make_problem(Problem *problem, Shape shape, int dimension)
{
	problem_random(&stream, problem, shape, dimension, INT64_C(1) << 28);
}

/* What radius the tests of gradients and minimisers clip to. */
#define TEST_RADIUS 1.5

static double
score_of(const Instance *instance, int64_t i, double radius, const double *u, int32_t *v)
{
	long double score = 0;

	convex_clip_row(instance->x + i * instance->dimension, instance->dimension, radius, v);
	for (int j = 0; j < instance->dimension; j++)
		score += ldexpl(v[j], -ROW_BITS) * u[j];
	return (double) score;
}

/* grad J(u) + b straight from the definition, in long doubles. */
static void
plain_gradient(const Instance *instance, const LossTable *table, double lambda, const double *b,
			   const double *u, long double *gradient)
{
	int dimension = instance->dimension;

	for (int j = 0; j < dimension; j++)
		gradient[j] = (long double) lambda * u[j] + b[j];
	for (int64_t i = 0; i < instance->rows; i++)
	{
		int32_t v[MOST_DIMENSION];
		double score = score_of(instance, i, TEST_RADIUS, u, v);
		long double pull = (long double) instance->positive[i] * slope_of(table, score) -
						   (long double) instance->negative[i] * slope_of(table, -score);

		for (int j = 0; j < dimension; j++)
			gradient[j] -= pull * ldexpl(v[j], -ROW_BITS);
	}
}

/* psi'' of a table, where it is not at a knot. */
static double
bend_of(const LossTable *table, double margin)
{
	int knot = (int) floor(ldexp(margin + SLOPE_REACH, SLOPE_KNOT_BITS));

	if (knot < 0 || knot >= SLOPE_KNOTS - 1)
		return 0;
	return ldexp((double) (table->slope[knot] - table->slope[knot + 1]),
				 SLOPE_KNOT_BITS - SLOPE_BITS);
}

/* The Hessian of J likewise, in doubles. */
static void
plain_hessian(const Instance *instance, const LossTable *table, double radius, double lambda,
			  const double *u, double *hessian)
{
	int dimension = instance->dimension;

	for (int j = 0; j < dimension * dimension; j++)
		hessian[j] = j % (dimension + 1) == 0 ? lambda : 0;
	for (int64_t i = 0; i < instance->rows; i++)
	{
		int32_t v[MOST_DIMENSION];
		double score = score_of(instance, i, radius, u, v);
		double bend = (double) instance->positive[i] * bend_of(table, score) +
					  (double) instance->negative[i] * bend_of(table, -score);

		for (int j = 0; j < dimension; j++)
			for (int k = 0; k < dimension; k++)
				hessian[j * dimension + k] +=
					bend * ldexp(v[j], -ROW_BITS) * ldexp(v[k], -ROW_BITS);
	}
}

static Wide
wide(double value, int places)
{
	return (Wide) ldexpl((long double) value, places);
}

static void
test_gradients(void)
{
	Problem *problem = memory_allocate_zero(memory, 1, sizeof(Problem));
	LossTable *table = memory_allocate(memory, 1, sizeof(LossTable));
	double worst_hessian = 0;

	for (int c = 0; c < check_repetitions(600); c++)
	{
		int dimension = 1 + (int) teststream_below(&stream, MOST_DIMENSION);
		ConvexLoss loss = (ConvexLoss) teststream_below(&stream, LOSS_KINDS);
		int64_t lambda = (int64_t) ldexp(exp(teststream_between(&stream, -6, 6)), LAMBDA_BITS);
		double length = exp(teststream_between(&stream, -4, 5));
		double b[MOST_DIMENSION];
		double u[MOST_DIMENSION];
		Wide wide_b[MOST_DIMENSION];
		Wide wide_u[MOST_DIMENSION];
		Wide exact[MOST_DIMENSION];
		long double plain[MOST_DIMENSION];
		double hessian[MOST_DIMENSION * MOST_DIMENSION];
		double plain_matrix[MOST_DIMENSION * MOST_DIMENSION];
		ConvexRows rows;

		make_problem(problem, (Shape) (c % SHAPES), dimension);
		loss_table_make(loss, table);
		convex_rows_make(&problem->instance, TEST_RADIUS, 1 + c % 3, memory, &rows);
		for (int j = 0; j < dimension; j++)
		{
			b[j] = teststream_between(&stream, -100, 100);
			u[j] = teststream_between(&stream, -length, length);
			wide_b[j] = wide(b[j], GRADIENT_BITS);
			wide_u[j] = wide(u[j], WEIGHT_BITS);
		}
		convex_pass(&rows, table, lambda, wide_b, wide_u, memory, exact, hessian);
		plain_gradient(&problem->instance, table, ldexp((double) lambda, -LAMBDA_BITS), b, u,
					   plain);
		plain_hessian(&problem->instance, table, TEST_RADIUS, ldexp((double) lambda, -LAMBDA_BITS),
					  u, plain_matrix);
		for (int j = 0; j < dimension; j++)
			CHECK(fabsl(ldexpl((long double) exact[j], -GRADIENT_BITS) - plain[j]) <=
				  1e-12L * (1 + rows.count + (long double) ldexp((double) lambda, -32) * length));
		for (int j = 0; j < dimension * dimension; j++)
			worst_hessian =
				fmax(worst_hessian, fabs(hessian[j] - plain_matrix[j]) / (1 + rows.count));
		convex_rows_release(&rows, memory);
	}
	CHECK(worst_hessian <= ldexp(1, -18));
	memory_release(memory, table);
	memory_release(memory, problem);
}

/* In every corner the minimiser is one: by an independent computation of the gradient. */
static void
test_minimisers(void)
{
	Problem *problem = memory_allocate_zero(memory, 1, sizeof(Problem));
	LossTable *table = memory_allocate(memory, 1, sizeof(LossTable));
	int64_t most_rounds = 0;

	for (int c = 0; c < check_repetitions(700); c++)
	{
		int dimension = 1 + (int) teststream_below(&stream, MOST_DIMENSION);
		ConvexLoss loss = (ConvexLoss) teststream_below(&stream, LOSS_KINDS);
		int64_t lambda = (int64_t) ldexp(exp(teststream_between(&stream, -6, 8)), LAMBDA_BITS);
		double value = ldexp((double) lambda, -LAMBDA_BITS);
		double strength = exp(teststream_between(&stream, -3, 6));
		double b[MOST_DIMENSION];
		double u[MOST_DIMENSION];
		Wide wide_b[MOST_DIMENSION];
		Wide wide_u[MOST_DIMENSION];
		long double plain[MOST_DIMENSION];
		long double norm = 0;
		ConvexRows rows;
		ConvexObjective objective = {.rows = &rows,
									 .table = table,
									 .curvature = loss_curvature(loss),
									 .lambda = lambda,
									 .b = wide_b};
		int64_t rounds;

		make_problem(problem, (Shape) (c % SHAPES), dimension);
		loss_table_make(loss, table);
		convex_rows_make(&problem->instance, TEST_RADIUS, 1 + c % 3, memory, &rows);
		for (int j = 0; j < dimension; j++)
		{
			b[j] = c % 3 == 0 ? 0 : teststream_between(&stream, -strength, strength);
			wide_b[j] = wide(b[j], GRADIENT_BITS);
		}
		rounds = convex_minimise(&objective, ldexp(value, -27), memory, wide_u);
		most_rounds = rounds > most_rounds ? rounds : most_rounds;
		for (int j = 0; j < dimension; j++)
			u[j] = ldexp((double) wide_u[j], -WEIGHT_BITS);
		plain_gradient(&problem->instance, table, value, b, u, plain);
		for (int j = 0; j < dimension; j++)
			norm += plain[j] * plain[j];
		/* doubles for u and the slopes are what is allowed for here */
		CHECK(sqrtl(norm) <= ldexp(value, -27) + 1e-12L * (rows.count + value) * (1 + strength));
		convex_rows_release(&rows, memory);
	}
	CHECK(most_rounds < 200);
	memory_release(memory, table);
	memory_release(memory, problem);
}

/*
 * Separable, with so many labels that all margins are large at the minimiser: bends of a
 * millionth are then all the curvature that there is beside lambda, and rounds are many if they
 * are not seen.
 */
static void
test_large_margins(void)
{
	Problem *problem = memory_allocate_zero(memory, 1, sizeof(Problem));
	LossTable *table = memory_allocate(memory, 1, sizeof(LossTable));

	loss_table_make(LOSS_LOGISTIC, table);
	for (int64_t labels = 1; labels <= 1000000; labels *= 1000)
	{
		Wide b[MOST_DIMENSION];
		Wide u[MOST_DIMENSION];
		ConvexRows rows;
		ConvexObjective objective = {
			.rows = &rows, .table = table, .curvature = 0.25, .lambda = LAMBDA_ONE / 512, .b = b};

		problem_begin(problem, MOST_DIMENSION, MOST_ROWS);
		for (int i = 0; i < MOST_ROWS; i++)
		{
			int32_t *x = problem->x + i * MOST_DIMENSION;

			for (int j = 0; j < MOST_DIMENSION; j++)
				x[j] = (int32_t) (teststream_between(&stream, -1, 1) * FIXED_POINT_ONE);
			x[0] += x[0] > 0 ? FIXED_POINT_ONE / 10 : -FIXED_POINT_ONE / 10;
			problem->positive[i] = x[0] > 0 ? labels : 0;
			problem->negative[i] = x[0] > 0 ? 0 : labels;
		}
		for (int j = 0; j < MOST_DIMENSION; j++)
			b[j] = wide(teststream_between(&stream, -1, 1), GRADIENT_BITS);
		convex_rows_make(&problem->instance, 4, 2, memory, &rows);
		CHECK(convex_minimise(&objective, ldexp(1, -9 - 27), memory, u) < 60);
		convex_rows_release(&rows, memory);
	}
	memory_release(memory, table);
	memory_release(memory, problem);
}

/* Few rows, of all lengths, some of them many times: far from the start every one has its kink. */
static void
make_contrasts(Problem *problem, int dimension)
{
	int rows = 1 + (int) teststream_below(&stream, 6);

	problem_begin(problem, dimension, rows);
	for (int i = 0; i < rows; i++)
	{
		int32_t *x = problem->x + i * dimension;

		for (int j = 0; j < dimension; j++)
			x[j] = (int32_t) ldexp(teststream_between(&stream, -0.5, 0.5),
								   (int) teststream_below(&stream, 17));
		problem->positive[i] = (int64_t) exp2(teststream_between(&stream, -10, 30));
		problem->negative[i] = (int64_t) exp2(teststream_between(&stream, -10, 30));
	}
}

/* A search that a kink throws back would take thousands of rounds, or millions. */
static void
test_rounds(void)
{
	Problem *problem = memory_allocate_zero(memory, 1, sizeof(Problem));
	LossTable *table = memory_allocate(memory, 1, sizeof(LossTable));
	Wide b[4] = {0};
	Wide u[GRID_MAX_DIMENSION];

	for (int c = 0; c < check_repetitions(1000); c++)
	{
		ConvexLoss loss = (ConvexLoss) (c % LOSS_KINDS);
		ConvexRows rows;
		ConvexObjective objective = {.rows = &rows,
									 .table = table,
									 .curvature = loss_curvature(loss),
									 .lambda = (int64_t) ldexp(LAMBDA_MIN, c % 4),
									 .b = b};

		loss_table_make(loss, table);
		make_contrasts(problem, 1 + (int) teststream_below(&stream, 4));
		convex_rows_make(&problem->instance, 1, 1, memory, &rows);
		CHECK(convex_minimise(&objective, ldexp(LAMBDA_MIN, -27 - LAMBDA_BITS), memory, u) < 60);
		convex_rows_release(&rows, memory);
	}
	memory_release(memory, table);
	memory_release(memory, problem);
}

/* ---- noise ---- */

#define CELLS 161

/* A coordinate of Gaussian noise, rounded; offset is not a multiple of the step. */
static void
test_gaussian_law(int dimension)
{
	static const double scale = 11.5;
	Histogram h = histogram_create(CELLS);
	mpz_t integer[3];
	mpz_t offset[3];

	for (int j = 0; j < 3; j++)
		mpz_inits(integer[j], offset[j], NULL);
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
	for (int j = 0; j < 3; j++)
		mpz_clears(integer[j], offset[j], NULL);
	histogram_destroy(&h);
}

/* Of Gamma noise: the length's law, and that every octant is as likely. */
static void
test_gamma_law(int dimension)
{
	Histogram h = histogram_create(CELLS);
	int64_t octant[8] = {0};
	double even[8];
	double skewed[8];
	mpz_t integer[3];

	for (int j = 0; j < 3; j++)
		mpz_init(integer[j]);
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
	for (int j = 0; j < 3; j++)
		mpz_clear(integer[j]);
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
		mpz_t coarse[2];
		mpz_t fine[2];
		mpz_t none[2];

		for (int j = 0; j < 2; j++)
			mpz_inits(coarse[j], fine[j], none[j], NULL);
		real_draw_round(draw, &bits, (const mpz_t *) none, 0, 30, coarse);
		real_draw_near(draw, &bits, 1000, fine);
		for (int j = 0; j < 2; j++)
		{
			mpz_fdiv_q_2exp(fine[j], fine[j], 969);
			mpz_add_ui(fine[j], fine[j], 1);
			mpz_fdiv_q_2exp(fine[j], fine[j], 1);
			CHECK(mpz_cmp(fine[j], coarse[j]) == 0);
			mpz_clears(coarse[j], fine[j], none[j], NULL);
		}
		real_draw_destroy(draw, memory);
	}
}

/* ---- price ---- */

/* Without rows the minimiser is 0, and nothing but noise is released: the hardest case. */
static void
test_distance(MechanismKind kind, ConvexNoise noise)
{
	MechanismRequest request = {.kind = kind,
								.epsilon = EPSILON_ONE,
								.threads = 1,
								.convex = make_terms(LOSS_LOGISTIC, noise, 5)};
	Instance none = {.dimension = 6};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	int runs = check_repetitions(1000);
	int beyond = 0;
	double bound;
	double mean = 0;

	request.convex.radius = 2;
	request.grid.dimension = 6;
	for (int j = 0; j < 6; j++)
		request.grid.levels[j] = 1;
	bound = convex_distance(kind == MECHANISM_OUTPUT ? CONVEX_OUTPUT : CONVEX_OBJECTIVE, &request,
							0.05);
	for (int i = 0; i < runs; i++)
	{
		MechanismAnswer answer;
		double square = 0;

		mechanism_get(kind)->release(&request, &none, &tools, &answer);
		for (int j = 0; j < 6; j++)
			square += pow(ldexp((double) answer.weight[j], -CONVEX_OUTPUT_BITS) / 2, 2);
		beyond += sqrt(square) > bound;
		mean += sqrt(square) / runs;
	}
	CHECK(beyond <= 0.05 * runs);
	CHECK(mean > bound / 4);
}

/* ---- privacy: the density of the minimiser on neighbours ---- */

typedef struct RowsPair
{
	Problem *a;
	Problem *b;
	Adjacency adjacency;
} RowsPair;

/* Neighbours: the last row is another one in b, or is missing there. */
static void
make_pair(RowsPair *pair, int dimension)
{
	int64_t last;

	make_problem(pair->a, SHAPE_ANY, dimension);
	pair->a->instance.rows = 1 + (int64_t) teststream_below(&stream, 3);
	last = pair->a->instance.rows - 1;
	for (int64_t i = 0; i <= last; i++)
	{
		int positive = (int) teststream_below(&stream, 2);

		pair->a->positive[i] = positive;
		pair->a->negative[i] = 1 - positive;
		/* long rows, which clipping must hold back */
		for (int j = 0; j < dimension; j++)
			pair->a->x[i * dimension + j] *= 1 + (int) teststream_below(&stream, 8);
	}
	memcpy(pair->b, pair->a, sizeof(Problem));
	pair->b->instance.x = pair->b->x;
	pair->b->instance.positive = pair->b->positive;
	pair->b->instance.negative = pair->b->negative;
	pair->adjacency = (Adjacency) teststream_below(&stream, 2);
	if (pair->adjacency == ADJACENCY_ADD_REMOVE)
	{
		pair->b->instance.rows--;
		return;
	}
	pair->b->positive[last] = pair->a->negative[last];
	pair->b->negative[last] = pair->a->positive[last];
	if (teststream_below(&stream, 2) == 0)
		for (int j = 0; j < dimension; j++)
			pair->b->x[last * dimension + j] =
				(int32_t) (teststream_between(&stream, -4, 4) * FIXED_POINT_ONE);
}

/* ln of the determinant of a positive matrix, by elimination. */
static double
log_determinant(double *matrix, int dimension)
{
	double sum = 0;

	for (int k = 0; k < dimension; k++)
	{
		sum += log(matrix[k * dimension + k]);
		for (int i = k + 1; i < dimension; i++)
		{
			double factor = matrix[i * dimension + k] / matrix[k * dimension + k];

			for (int j = k; j < dimension; j++)
				matrix[i * dimension + j] -= factor * matrix[k * dimension + j];
		}
	}
	return sum;
}

/* ln of the density of the minimiser at u: that of b = -grad J(u), times det of the Hessian. */
static double
log_density(const Problem *problem, const LossTable *table, const ConvexTerms *terms, double scale,
			const Wide *u)
{
	int dimension = problem->instance.dimension;
	double hessian[MOST_DIMENSION * MOST_DIMENSION];
	double plain[MOST_DIMENSION] = {0};
	Wide none[MOST_DIMENSION] = {0};
	Wide gradient[MOST_DIMENSION];
	ConvexRows rows;
	double square = 0;
	double log_noise;

	convex_rows_make(&problem->instance, terms->radius, 2, memory, &rows);
	convex_pass(&rows, table, terms->lambda, none, u, memory, gradient, NULL);
	convex_rows_release(&rows, memory);
	for (int j = 0; j < dimension; j++)
		plain[j] = ldexp((double) u[j], -WEIGHT_BITS);
	plain_hessian(&problem->instance, table, terms->radius,
				  ldexp((double) terms->lambda, -LAMBDA_BITS), plain, hessian);
	for (int j = 0; j < dimension; j++)
		square += pow(ldexp((double) gradient[j], -GRADIENT_BITS), 2);
	log_noise =
		terms->noise == CONVEX_GAMMA ? -sqrt(square) / scale : -square / (2 * scale * scale);
	return log_noise + log_determinant(hessian, dimension);
}

static double
most_of(const RowsPair *pair, const LossTable *table, const ConvexTerms *terms, double scale,
		double reach)
{
	int dimension = pair->a->instance.dimension;
	double most = 0;

	for (int i = 0; i < 20; i++)
	{
		Wide u[MOST_DIMENSION];

		for (int j = 0; j < dimension; j++)
			u[j] = wide(teststream_between(&stream, -reach, reach), WEIGHT_BITS);
		most = fmax(most, fabs(log_density(pair->a, table, terms, scale, u) -
							   log_density(pair->b, table, terms, scale, u)));
	}
	return most;
}

/* Gamma noise in the objective is pure: no ratio of densities exceeds e^epsilon. */
static void
test_density_ratio(void)
{
	static const double epsilons[] = {0.2, 1, 3};
	RowsPair pair = {.a = memory_allocate_zero(memory, 1, sizeof(Problem)),
					 .b = memory_allocate_zero(memory, 1, sizeof(Problem))};
	LossTable *table = memory_allocate(memory, 1, sizeof(LossTable));
	double closest = 0;

	for (int c = 0; c < check_repetitions(1500); c++)
	{
		double epsilon = epsilons[c % 3];
		ConvexLoss loss = (ConvexLoss) teststream_below(&stream, LOSS_KINDS);
		ConvexTerms terms = make_terms(loss, CONVEX_GAMMA, 1e-9);
		ConvexScale scale;
		int64_t least;
		double most;

		make_pair(&pair, 1 + (int) teststream_below(&stream, 3));
		loss_table_make(loss, table);
		(void) convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, pair.adjacency, 3, &scale, &least);
		terms.lambda = least * (int64_t) (1 + teststream_below(&stream, 20));
		CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, pair.adjacency, 3, &scale, &least) ==
			  CONVEX_FITS);
		most = most_of(&pair, table, &terms, scale.inner, 3 / epsilon);
		CHECK(most <= epsilon * 255 / 256 + 1e-9);
		closest = fmax(closest, most / epsilon);
	}
	CHECK_WHOLE(closest > 0.9); /* or the pairs would show nothing */
	memory_release(memory, table);
	memory_release(memory, pair.a);
	memory_release(memory, pair.b);
}

/* ---- privacy: an audit of the mechanisms as they are ---- */

#define AUDIT_RUNS 30000

/* One weight, one row or none: how often is it above the threshold? */
static double
share_above(const MechanismRequest *request, int rows, double threshold)
{
	const int32_t x = FIXED_POINT_ONE;
	const int64_t one = 1;
	const int64_t none = 0;
	Instance instance = {
		.dimension = 1, .rows = rows, .x = &x, .positive = &one, .negative = &none};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	int above = 0;

	for (int i = 0; i < AUDIT_RUNS; i++)
	{
		MechanismAnswer answer;

		mechanism_get(request->kind)->release(request, &instance, &tools, &answer);
		above += ldexp((double) answer.weight[0], -CONVEX_OUTPUT_BITS) > threshold;
	}
	return (double) above / AUDIT_RUNS;
}

/*
 * Huber's loss pulls with all its strength up to margin 1/2, so that a row moves the
 * minimiser by 1 / lambda, which is what the noise is made for: the ratio of
 * probabilities above 1 / lambda is e^epsilon, but for little.
 */
static void
test_audit(MechanismKind kind)
{
	MechanismRequest request = {.kind = kind,
								.epsilon = EPSILON_ONE,
								.adjacency = ADJACENCY_ADD_REMOVE,
								.threads = 1,
								.convex = make_terms(LOSS_HUBER, CONVEX_GAMMA, 1000)};
	double with;
	double without;
	double ratio;
	double error;

	request.grid.dimension = 1;
	request.grid.levels[0] = 1;
	if (check_share() < 100)
		return;
	with = share_above(&request, 1, 1e-3);
	without = share_above(&request, 0, 1e-3);
	ratio = log(with / without);
	error = sqrt((1 - with) / with + (1 - without) / without) / sqrt(AUDIT_RUNS);
	CHECK(ratio - 5 * error <= 1);
	CHECK(ratio > 0.9);
}

/* Gaussian noise likewise: P(above) - e^epsilon P'(above) may not exceed delta. */
static void
test_gaussian_audit(MechanismKind kind)
{
	MechanismRequest request = {.kind = kind,
								.epsilon = EPSILON_ONE / 2,
								.adjacency = ADJACENCY_ADD_REMOVE,
								.threads = 1,
								.convex = make_terms(LOSS_HUBER, CONVEX_GAUSSIAN, 1000)};
	double delta = 0.05;
	double sigma;
	double threshold;
	ConvexScale scale;
	int64_t least;
	double with;
	double without;
	double error;

	request.convex.delta = llround(delta * DELTA_ONE);
	request.grid.dimension = 1;
	request.grid.levels[0] = 1;
	if (check_share() < 100)
		return;
	/* where the ratio of the two normal densities is e^epsilon */
	CHECK(convex_request_scale(kind == MECHANISM_OUTPUT ? CONVEX_OUTPUT : CONVEX_OBJECTIVE,
							   &request, &scale, &least) == CONVEX_FITS);
	sigma = kind == MECHANISM_OUTPUT ? scale.outer : scale.inner / 1000;
	threshold = 1e-3 / 2 + 0.5 * sigma * sigma / 1e-3;
	with = share_above(&request, 1, threshold);
	without = share_above(&request, 0, threshold);
	error = sqrt(with * (1 - with) + exp(1) * without * (1 - without)) / sqrt(AUDIT_RUNS);
	CHECK(with - exp(0.5) * without - 5 * error <= delta);
	CHECK(with - exp(0.5) * without > delta / 4);
}

int
main(void)
{
	Arena *arena = arena_create(check_out_of_memory);

	memory = arena_memory(arena);
	teststream_seed(&stream, 11);
	bits_init(&bits, teststream_fill, &stream);
	test_gaussian_values();
	test_gaussian_tails();
	test_objective_values();
	test_delta_integrals();
	test_settling();
	test_losses();
	test_clipping();
	test_gradients();
	test_minimisers();
	test_large_margins();
	test_rounds();
	test_gaussian_law(1);
	test_gaussian_law(3);
	test_gamma_law(1);
	test_gamma_law(3);
	test_narrowing();
	for (int noise = 0; noise <= CONVEX_GAUSSIAN; noise++)
	{
		test_distance(MECHANISM_OUTPUT, (ConvexNoise) noise);
		test_distance(MECHANISM_OBJECTIVE, (ConvexNoise) noise);
	}
	test_density_ratio();
	test_audit(MECHANISM_OUTPUT);
	test_audit(MECHANISM_OBJECTIVE);
	test_gaussian_audit(MECHANISM_OUTPUT);
	test_gaussian_audit(MECHANISM_OBJECTIVE);
	arena_destroy(arena);
	mpfr_free_cache();
	return check_report("convex");
}

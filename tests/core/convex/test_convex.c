/*
 * test_convex.c - convex mechanisms: calibrations (theorems V2 to V7), losses,
 * clipping, gradients, minimisers, and privacy itself.
 */
#include "core/noise/calibration.h"
#include "core/convex/convex_hessian.h"
#include "core/convex/convex_minimise.h"
#include "core/mechanisms/convex_release.h"
#include "core/convex/convex_scale.h"
#include "core/mechanisms/utility.h"

#include <math.h>
#include <mpfr.h>

#include "core/law.h"
#include "core/problem.h"

#define MOST_DIMENSION PROBLEM_MOST_DIMENSION
#define MOST_ROWS PROBLEM_MOST_ROWS

/* Of the test at hand. */
static Problem problem;
static LossTable table;

/* ---- calibrations: values of another program ---- */

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
		double mu = exp(between(-3, 1));
		double rest = between(0, 4) * mu;
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

/* The parts of epsilon add up to it, and least is the smallest lambda that is accepted. */
static void
test_settling(void)
{
	static const double epsilons[] = {0.05, 0.3, 1, 2.5};

	for (int i = 0; i < 4; i++)
		for (int loss = 0; loss < LOSS_LABEL_KINDS; loss++)
		{
			double epsilon = epsilons[i];
			double beta = loss_curvature((ConvexLoss) loss);
			double most = loss_steepness((ConvexLoss) loss);
			ConvexTerms terms = make_terms((ConvexLoss) loss, CONVEX_GAMMA, 30);
			ConvexScale scale;
			double spent;

			CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, ADJACENCY_REPLACE, 5, &scale) ==
				  CONVEX_FITS);
			spent = 2 * most / scale.inner + log1p(beta / 30) +
					2 * (scale.tolerance / 30) / scale.outer;
			CHECK(spent <= epsilon && spent > epsilon * (1 - 1e-8));
			CHECK(scale.tolerance <= ldexp(1, -26));

			terms.lambda = scale.least;
			CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, ADJACENCY_REPLACE, 1, &scale) ==
				  CONVEX_FITS);
			CHECK((double) scale.least / LAMBDA_ONE > beta / expm1(epsilon));
			terms.lambda = scale.least - 1;
			CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, ADJACENCY_REPLACE, 1, &scale) ==
				  CONVEX_LAMBDA_TOO_SMALL);

			terms = make_terms((ConvexLoss) loss, CONVEX_GAMMA, 100);
			CHECK(convex_scale(CONVEX_OUTPUT, &terms, epsilon, ADJACENCY_REPLACE, 5, &scale) ==
				  CONVEX_FITS);
			CHECK(fabs(scale.outer * epsilon / (0.02 * most) - 1) < 1e-7 &&
				  scale.outer * epsilon > 0.02 * most);
			CHECK(convex_scale(CONVEX_OUTPUT, &terms, epsilon, ADJACENCY_ADD_REMOVE, 5, &scale) ==
				  CONVEX_FITS);
			CHECK(fabs(scale.outer * epsilon / (0.01 * most) - 1) < 1e-7 &&
				  scale.outer * epsilon > 0.01 * most);
		}
	{
		ConvexTerms terms = make_terms(LOSS_LOGISTIC, CONVEX_GAUSSIAN, 10);
		ConvexScale scale;

		CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, 1, ADJACENCY_REPLACE, 5, &scale) ==
			  CONVEX_FITS);
		CHECK(scale.inner > 8.936122 && scale.inner < 9.1);
		terms.loss = LOSS_CLIPPED;
		CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, 1, ADJACENCY_REPLACE, 5, &scale) ==
			  CONVEX_FITS);
		CHECK(scale.inner > 8.936122 / 2 && scale.inner < 9.1 / 2);
		terms.loss = LOSS_LOGISTIC;
		/* a delta that rounds to 1 as a double */
		terms.delta = DELTA_ONE - 1;
		CHECK(convex_scale(CONVEX_OUTPUT, &terms, 1, ADJACENCY_REPLACE, 5, &scale) == CONVEX_FITS);
		CHECK(scale.outer > 0.2 * calibration_gaussian_sigma(1, 0.6));
		terms = make_terms(LOSS_LOGISTIC, CONVEX_GAMMA, 1000);
		CHECK(convex_scale(CONVEX_OUTPUT, &terms, 1e-9, ADJACENCY_REPLACE, 100, &scale) ==
			  CONVEX_NOISE_TOO_LARGE);
		/* no lambda leaves any of epsilon to the noise */
		terms.lambda = LAMBDA_MAX;
		CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, 1e-9, ADJACENCY_REPLACE, 1, &scale) ==
			  CONVEX_NOISE_TOO_LARGE);
		for (double epsilon = 1e-9; epsilon < 1e4; epsilon *= 1.7)
			for (terms.lambda = LAMBDA_MIN; terms.lambda <= LAMBDA_MAX; terms.lambda *= 2)
				if (convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, ADJACENCY_REPLACE, 1, &scale) ==
					CONVEX_FITS)
					CHECK(scale.inner > 0 && scale.outer > 0 &&
						  2 / scale.inner <= epsilon * 255 / 256);
	}
}

/* ---- losses ---- */

static double
slope_of(double margin)
{
	return ldexp((double) loss_slope(&table, (Wide) ldexp(margin, SCORE_BITS)), -SLOPE_FINE_BITS);
}

static void
test_losses(void)
{
	for (int loss = 0; loss < LOSS_LABEL_KINDS; loss++)
	{
		double beta = loss_curvature((ConvexLoss) loss);
		double steep = loss_steepness((ConvexLoss) loss);
		int64_t most = (int64_t) ldexp(beta, SLOPE_BITS - SLOPE_KNOT_BITS);
		int wrong = 0;
		double worst = 0;

		loss_table_make((ConvexLoss) loss, &table);
		for (int k = 0; k < SLOPE_KNOTS; k++)
			wrong += table.slope[k] < 0 || table.slope[k] > (int64_t) ldexp(steep, SLOPE_BITS);
		for (int k = 0; k + 1 < SLOPE_KNOTS; k++)
			wrong +=
				table.slope[k] < table.slope[k + 1] || table.slope[k] - table.slope[k + 1] > most;
		CHECK(wrong == 0);
		for (int i = 0; i < 100000; i++)
		{
			double margin = between(-31, 31);
			double truth = loss == LOSS_HUBER ? fmin(1, fmax(0, 1.5 - margin))
											  : fmin(steep, 1 / (1 + exp(margin)));

			worst = fmax(worst, fabs(slope_of(margin) - truth));
		}
		CHECK(worst < (loss == LOSS_HUBER ? 1e-11 : 5e-8));
		/* between knots it is linear, and it is continuous at the ends */
		for (int i = 0; i < 1000; i++)
		{
			Wide knot = (Wide) (int64_t) teststream_below(&stream, SLOPE_KNOTS - 1) *
							((Wide) 1 << (SCORE_BITS - SLOPE_KNOT_BITS)) -
						SCORE_REACH;
			Wide width = (Wide) 1 << (SCORE_BITS - SLOPE_KNOT_BITS);

			CHECK(2 * loss_slope(&table, knot + width / 2) ==
				  loss_slope(&table, knot) + loss_slope(&table, knot + width));
			CHECK(loss_slope(&table, knot + 1) <= loss_slope(&table, knot));
		}
		CHECK(loss_slope(&table, SCORE_REACH) == loss_slope(&table, SCORE_REACH - 1) ||
			  loss != LOSS_HUBER);
		CHECK(loss_slope(&table, -SCORE_REACH - 5) == loss_slope(&table, -SCORE_REACH));
		CHECK(loss_slope(&table, 3 * SCORE_REACH) == loss_slope(&table, SCORE_REACH));
	}
}

/* ---- rows ---- */

static void
test_clipping(void)
{
	for (int i = 0; i < check_repetitions(20000); i++)
	{
		int dimension = 1 + below(MOST_DIMENSION);
		double radius = exp(between(-5, 5));
		int32_t x[MOST_DIMENSION];
		int32_t v[MOST_DIMENSION];
		double norm = 0;
		int64_t square = 0;
		double factor;
		double worst = 0;

		for (int j = 0; j < dimension; j++)
		{
			x[j] = below(3) == 0 ? 0 : (int32_t) ldexp(between(-1, 1), below(27));
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

/* The radius to which the tests of gradients and minimisers clip rows. */
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
plain_gradient(const Instance *instance, double lambda, const double *b, const double *u,
			   long double *gradient)
{
	int dimension = instance->dimension;

	for (int j = 0; j < dimension; j++)
		gradient[j] = (long double) lambda * u[j] + b[j];
	for (int64_t i = 0; i < instance->rows; i++)
	{
		int32_t v[MOST_DIMENSION];
		double score = score_of(instance, i, TEST_RADIUS, u, v);
		long double pull = (long double) instance->positive[i] * slope_of(score) -
						   (long double) instance->negative[i] * slope_of(-score);

		for (int j = 0; j < dimension; j++)
			gradient[j] -= pull * ldexpl(v[j], -ROW_BITS);
	}
}

/* psi'' of the table between its knots. */
static double
second_derivative(double margin)
{
	int knot = (int) floor(ldexp(margin + SLOPE_REACH, SLOPE_KNOT_BITS));

	if (knot < 0 || knot >= SLOPE_KNOTS - 1)
		return 0;
	return ldexp((double) (table.slope[knot] - table.slope[knot + 1]),
				 SLOPE_KNOT_BITS - SLOPE_BITS);
}

/* The Hessian of J likewise, in doubles. */
static void
plain_hessian(const Instance *instance, double radius, double lambda, const double *u,
			  double *hessian)
{
	int dimension = instance->dimension;

	for (int j = 0; j < dimension * dimension; j++)
		hessian[j] = j % (dimension + 1) == 0 ? lambda : 0;
	for (int64_t i = 0; i < instance->rows; i++)
	{
		int32_t v[MOST_DIMENSION];
		double score = score_of(instance, i, radius, u, v);
		double second = (double) instance->positive[i] * second_derivative(score) +
						(double) instance->negative[i] * second_derivative(-score);

		for (int j = 0; j < dimension; j++)
			for (int k = 0; k < dimension; k++)
				hessian[j * dimension + k] +=
					second * ldexp(v[j], -ROW_BITS) * ldexp(v[k], -ROW_BITS);
	}
}

static void
test_gradients(void)
{
	double worst_hessian = 0;

	for (int c = 0; c < check_repetitions(600); c++)
	{
		int dimension = 1 + below(MOST_DIMENSION);
		ConvexLoss loss = (ConvexLoss) below(LOSS_LABEL_KINDS);
		int64_t lambda = (int64_t) ldexp(exp(between(-6, 6)), LAMBDA_BITS);
		double length = exp(between(-4, 5));
		double b[MOST_DIMENSION];
		double u[MOST_DIMENSION];
		Wide wide_b[MOST_DIMENSION];
		Wide wide_u[MOST_DIMENSION];
		Wide exact[MOST_DIMENSION];
		long double plain[MOST_DIMENSION];
		double hessian[MOST_DIMENSION * MOST_DIMENSION];
		double plain_matrix[MOST_DIMENSION * MOST_DIMENSION];
		ConvexRows rows;

		problem_random(&problem, (Shape) (c % SHAPES), dimension, INT64_C(1) << 28);
		loss_table_make(loss, &table);
		convex_rows_make(&problem.instance, TEST_RADIUS, 1 + c % 3, memory, &rows);
		for (int j = 0; j < dimension; j++)
		{
			b[j] = between(-100, 100);
			u[j] = between(-length, length);
			wide_b[j] = wide_of(b[j], GRADIENT_BITS);
			wide_u[j] = wide_of(u[j], WEIGHT_BITS);
		}
		convex_pass(&rows, &table, lambda, wide_b, wide_u, memory, exact, hessian);
		plain_gradient(&problem.instance, ldexp((double) lambda, -LAMBDA_BITS), b, u, plain);
		plain_hessian(&problem.instance, TEST_RADIUS, ldexp((double) lambda, -LAMBDA_BITS), u,
					  plain_matrix);
		for (int j = 0; j < dimension; j++)
			CHECK(fabsl(ldexpl((long double) exact[j], -GRADIENT_BITS) - plain[j]) <=
				  1e-12L * (1 + rows.count + (long double) ldexp((double) lambda, -32) * length));
		for (int j = 0; j < dimension * dimension; j++)
			worst_hessian =
				fmax(worst_hessian, fabs(hessian[j] - plain_matrix[j]) / (1 + rows.count));
		convex_rows_release(&rows, memory);
	}
	CHECK(worst_hessian <= ldexp(1, -18));
}

/* The gradient at the minimiser, computed independently, is small for every shape of data. */
static void
test_minimisers(void)
{
	int64_t most_rounds = 0;

	for (int c = 0; c < check_repetitions(700); c++)
	{
		int dimension = 1 + below(MOST_DIMENSION);
		ConvexLoss loss = (ConvexLoss) below(LOSS_LABEL_KINDS);
		int64_t lambda = (int64_t) ldexp(exp(between(-6, 8)), LAMBDA_BITS);
		double value = ldexp((double) lambda, -LAMBDA_BITS);
		double strength = exp(between(-3, 6));
		double b[MOST_DIMENSION];
		double u[MOST_DIMENSION];
		Wide wide_b[MOST_DIMENSION];
		Wide wide_u[MOST_DIMENSION];
		long double plain[MOST_DIMENSION];
		long double norm = 0;
		ConvexRows rows;
		ConvexObjective objective = {.rows = &rows,
									 .table = &table,
									 .curvature = loss_curvature(loss),
									 .lambda = lambda,
									 .b = wide_b};
		int64_t rounds;

		problem_random(&problem, (Shape) (c % SHAPES), dimension, INT64_C(1) << 28);
		loss_table_make(loss, &table);
		convex_rows_make(&problem.instance, TEST_RADIUS, 1 + c % 3, memory, &rows);
		for (int j = 0; j < dimension; j++)
		{
			b[j] = c % 3 == 0 ? 0 : between(-strength, strength);
			wide_b[j] = wide_of(b[j], GRADIENT_BITS);
		}
		rounds = convex_minimise(&objective, ldexp(value, -27), memory, wide_u);
		most_rounds = rounds > most_rounds ? rounds : most_rounds;
		for (int j = 0; j < dimension; j++)
			u[j] = ldexp((double) wide_u[j], -WEIGHT_BITS);
		plain_gradient(&problem.instance, value, b, u, plain);
		for (int j = 0; j < dimension; j++)
			norm += plain[j] * plain[j];
		/* the second term allows for u and the slopes as doubles */
		CHECK(sqrtl(norm) <= ldexp(value, -27) + 1e-12L * (rows.count + value) * (1 + strength));
		convex_rows_release(&rows, memory);
	}
	CHECK(most_rounds < 200);
}

/*
 * Separable data with many labels: all margins are large at the minimiser, where the second
 * derivative of the loss is a millionth or so.  A search that ignores it needs many rounds.
 */
static void
test_large_margins(void)
{

	loss_table_make(LOSS_LOGISTIC, &table);
	for (int64_t labels = 1; labels <= 1000000; labels *= 1000)
	{
		Wide b[MOST_DIMENSION];
		Wide u[MOST_DIMENSION];
		ConvexRows rows;
		ConvexObjective objective = {
			.rows = &rows, .table = &table, .curvature = 0.25, .lambda = LAMBDA_ONE / 512, .b = b};

		problem_begin(&problem, MOST_DIMENSION, MOST_ROWS);
		for (int i = 0; i < MOST_ROWS; i++)
		{
			int32_t *x = problem.x + i * MOST_DIMENSION;

			for (int j = 0; j < MOST_DIMENSION; j++)
				x[j] = (int32_t) (between(-1, 1) * FIXED_POINT_ONE);
			x[0] += x[0] > 0 ? FIXED_POINT_ONE / 10 : -FIXED_POINT_ONE / 10;
			problem.positive[i] = x[0] > 0 ? labels : 0;
			problem.negative[i] = x[0] > 0 ? 0 : labels;
		}
		for (int j = 0; j < MOST_DIMENSION; j++)
			b[j] = wide_of(between(-1, 1), GRADIENT_BITS);
		convex_rows_make(&problem.instance, 4, 2, memory, &rows);
		CHECK(convex_minimise(&objective, ldexp(1, -9 - 27), memory, u) < 60);
		convex_rows_release(&rows, memory);
	}
}

static void
test_rounds(void)
{
	Wide b[4] = {0};
	Wide u[GRID_MAX_DIMENSION];

	for (int c = 0; c < check_repetitions(1000); c++)
	{
		ConvexLoss loss = (ConvexLoss) (c % LOSS_LABEL_KINDS);
		ConvexRows rows;
		ConvexObjective objective = {.rows = &rows,
									 .table = &table,
									 .curvature = loss_curvature(loss),
									 .lambda = (int64_t) ldexp(LAMBDA_MIN, c % 4),
									 .b = b};

		loss_table_make(loss, &table);
		problem_contrasts(&problem, 1 + below(4));
		convex_rows_make(&problem.instance, 1, 1, memory, &rows);
		CHECK(convex_minimise(&objective, ldexp(LAMBDA_MIN, -27 - LAMBDA_BITS), memory, u) < 60);
		convex_rows_release(&rows, memory);
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
	grid_set_plain(&request.grid, 6);
	bound = convex_distance(&request, 0.05);
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

/* Neighbours; a has up to three rows. */
static Adjacency
make_pair(Problem *a, Problem *b, int dimension)
{
	problem_random(a, SHAPE_ANY, dimension, 0);
	a->instance.rows = 1 + below(3);
	for (int64_t i = 0; i < a->instance.rows; i++)
	{
		a->positive[i] = below(2);
		a->negative[i] = 1 - a->positive[i];
		/* long rows, which clipping must hold back */
		for (int j = 0; j < dimension; j++)
			a->x[i * dimension + j] *= 1 + below(8);
	}
	return problem_neighbour(a, b);
}

/* ln of the density of the minimiser at u: that of b = -grad J(u), times det of the Hessian. */
static double
log_density(const Problem *data, const ConvexTerms *terms, double scale, const Wide *u)
{
	int dimension = data->instance.dimension;
	double hessian[MOST_DIMENSION * MOST_DIMENSION];
	double plain[MOST_DIMENSION] = {0};
	Wide none[MOST_DIMENSION] = {0};
	Wide gradient[MOST_DIMENSION];
	ConvexRows rows;
	double square = 0;
	double log_noise;

	convex_rows_make(&data->instance, terms->radius, 2, memory, &rows);
	convex_pass(&rows, &table, terms->lambda, none, u, memory, gradient, NULL);
	convex_rows_release(&rows, memory);
	for (int j = 0; j < dimension; j++)
		plain[j] = ldexp((double) u[j], -WEIGHT_BITS);
	plain_hessian(&data->instance, terms->radius, ldexp((double) terms->lambda, -LAMBDA_BITS),
				  plain, hessian);
	for (int j = 0; j < dimension; j++)
		square += pow(ldexp((double) gradient[j], -GRADIENT_BITS), 2);
	log_noise =
		terms->noise == CONVEX_GAMMA ? -sqrt(square) / scale : -square / (2 * scale * scale);
	return log_noise + log_determinant(hessian, dimension);
}

/* The largest log of the ratio of two densities, at random places. */
static double
largest_ratio(const Problem *a, const Problem *b, const ConvexTerms *terms, double scale,
			  double reach)
{
	int dimension = a->instance.dimension;
	double most = 0;

	for (int i = 0; i < 20; i++)
	{
		Wide u[MOST_DIMENSION];

		for (int j = 0; j < dimension; j++)
			u[j] = wide_of(between(-reach, reach), WEIGHT_BITS);
		most = fmax(most, fabs(log_density(a, terms, scale, u) - log_density(b, terms, scale, u)));
	}
	return most;
}

/* Gamma noise in the objective is pure: no ratio of densities exceeds e^epsilon. */
static void
test_density_ratio(void)
{
	static const double epsilons[] = {0.2, 1, 3};
	static Problem neighbour;
	double closest = 0;

	for (int c = 0; c < check_repetitions(1500); c++)
	{
		double epsilon = epsilons[c % 3];
		ConvexLoss loss = (ConvexLoss) below(LOSS_LABEL_KINDS);
		ConvexTerms terms = make_terms(loss, CONVEX_GAMMA, 1e-9);
		Adjacency adjacency;
		ConvexScale scale;
		double most;

		adjacency = make_pair(&problem, &neighbour, 1 + below(3));
		loss_table_make(loss, &table);
		(void) convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, adjacency, 3, &scale);
		terms.lambda = scale.least * (int64_t) (1 + teststream_below(&stream, 20));
		CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, adjacency, 3, &scale) == CONVEX_FITS);
		most = largest_ratio(&problem, &neighbour, &terms, scale.inner, 3 / epsilon);
		CHECK(most <= epsilon * 255 / 256 + 1e-9);
		closest = fmax(closest, most / epsilon);
	}
	CHECK_WHOLE(closest > 0.9); /* otherwise the pairs are too easy */
}

/* ---- privacy: an audit of the mechanisms as they are ---- */

/*
 * The shares are 1/2 and 1 / (2 e) or so, and the log of their ratio has the standard error
 * sqrt(1 + 4.4) / sqrt(10000) = 0.023: it is four errors above 0.9, and noise times 0.8 makes it
 * five errors more than the five that check_log_ratio() allows.
 */
#define AUDIT_RUNS 10000

/*
 * The slope of Huber's loss is -1 up to margin 1/2, so that a row moves the minimiser by 1 /
 * lambda, the sensitivity.  The ratio of the probabilities above 1 / lambda is nearly e^epsilon.
 */
static void
test_audit(MechanismKind kind)
{
	MechanismRequest request = {.kind = kind,
								.epsilon = EPSILON_ONE,
								.adjacency = ADJACENCY_ADD_REMOVE,
								.threads = 1,
								.convex = make_terms(LOSS_HUBER, CONVEX_GAMMA, 1000)};

	grid_set_plain(&request.grid, 1);
	if (check_share() == 100)
		check_log_ratio(share_above(&request, 1, FIXED_POINT_ONE, 1e-3, AUDIT_RUNS),
						share_above(&request, 0, 0, 1e-3, AUDIT_RUNS), AUDIT_RUNS, 0.9);
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
	double with;
	double without;
	double error;

	request.convex.delta = llround(delta * DELTA_ONE);
	grid_set_plain(&request.grid, 1);
	if (check_share() < 100)
		return;
	/* where the ratio of the two normal densities is e^epsilon */
	CHECK(convex_request_scale(&request, &scale) == CONVEX_FITS);
	sigma = kind == MECHANISM_OUTPUT ? scale.outer : scale.inner / 1000;
	threshold = 1e-3 / 2 + 0.5 * sigma * sigma / 1e-3;
	with = share_above(&request, 1, FIXED_POINT_ONE, threshold, AUDIT_RUNS);
	without = share_above(&request, 0, 0, threshold, AUDIT_RUNS);
	error = sqrt(with * (1 - with) + exp(1) * without * (1 - without)) / sqrt(AUDIT_RUNS);
	CHECK(with - exp(0.5) * without - 5 * error <= delta);
	CHECK(with - exp(0.5) * without > delta / 4);
}

int
main(void)
{
	test_begin(11);
	test_objective_values();
	test_delta_integrals();
	test_settling();
	test_losses();
	test_clipping();
	test_gradients();
	test_minimisers();
	test_large_margins();
	test_rounds();
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
	return test_end("convex");
}

/*
 * test_linear.c - clipped squares of residuals: slopes, gradients, minimisers, what one row changes
 * (theorem Y1), and releases of mechanism linear.
 */
#include "core/convex/convex_loss.h"
#include "core/convex/convex_minimise.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/wire.h"

#include <math.h>

#include "core/law.h"
#include "core/problem.h"

#define MOST_WEIGHTS 6
#define RADIUS 1.5
#define MOST_TARGET (TARGET_REACH * FIXED_POINT_ONE)

/* Rows of a target and features, of a problem. */
static Problem problem;
static LossTable table;

/* Targets between -most and most; rows twice as long as the radius, and shorter ones. */
static void
make_rows(int weights, int rows, double most)
{
	problem_begin(&problem, weights + 1, rows);
	for (int i = 0; i < rows; i++)
	{
		int32_t *x = problem.x + i * (weights + 1);
		double length = i % 2 == 0 ? 0.3 : 3;

		x[0] = random_feature(most);
		for (int j = 1; j <= weights; j++)
			x[j] = random_feature(length);
		problem.positive[i] = 1 + below(3);
		problem.negative[i] = 0;
	}
}

static void
open_rows(const Problem *data, ConvexRows *rows)
{
	convex_rows_make(&data->instance, RADIUS, 1, memory, rows);
	convex_rows_set_targets(rows);
}

/* The slope is minus the residual, and constant beyond the threshold on either side. */
static void
test_slopes(void)
{
	loss_table_make(LOSS_SQUARES, &table);
	for (int i = 0; i < check_repetitions(20000); i++)
	{
		double residual = between(-40, 40) / (i % 2 == 0 ? 1 : 20);
		Wide slope = loss_slope(&table, wide_of(residual, SCORE_BITS));
		double expected = -fmin(fmax(residual, -1), 1);

		CHECK(fabs(ldexp((double) slope, -SLOPE_FINE_BITS) - expected) < 1e-12);
		CHECK(loss_drop(&table, wide_of(residual, SCORE_BITS)) ==
			  (fabs(residual) < 1 ? INT64_C(1) << DROP_BITS : 0));
	}
}

/* The sums of the definition; a row beyond the radius is shortened with its target. */
static void
plain_gradient(const Instance *instance, double lambda, const double *u, long double *gradient)
{
	int weights = instance->dimension - 1;

	for (int j = 0; j < weights; j++)
		gradient[j] = lambda * (long double) u[j];
	for (int64_t i = 0; i < instance->rows; i++)
	{
		const int32_t *x = instance->x + i * instance->dimension;
		long double square = 0;
		long double share;
		long double residual;

		for (int j = 1; j <= weights; j++)
			square += (long double) x[j] * x[j] / FIXED_POINT_ONE / FIXED_POINT_ONE;
		share = fminl(1, RADIUS / sqrtl(square)) / FIXED_POINT_ONE;
		residual = -x[0] * share;
		for (int j = 1; j <= weights; j++)
			residual += x[j] * share / RADIUS * (long double) u[j - 1];
		residual = fminl(fmaxl(residual, -1), 1);
		for (int j = 1; j <= weights; j++)
			gradient[j - 1] += instance->positive[i] * residual * x[j] * share / RADIUS;
	}
}

static void
test_gradients(void)
{
	loss_table_make(LOSS_SQUARES, &table);
	for (int c = 0; c < check_repetitions(400); c++)
	{
		int weights = 1 + below(MOST_WEIGHTS);
		double length = exp(between(-3, 4));
		double u[MOST_WEIGHTS];
		Wide wide_u[MOST_WEIGHTS];
		Wide none[MOST_WEIGHTS] = {0};
		Wide exact[MOST_WEIGHTS];
		long double plain[MOST_WEIGHTS];
		ConvexRows rows;

		make_rows(weights, below(100), c % 2 == 0 ? 1 : TARGET_REACH);
		for (int j = 0; j < weights; j++)
		{
			u[j] = between(-length, length);
			wide_u[j] = wide_of(u[j], WEIGHT_BITS);
		}
		open_rows(&problem, &rows);
		convex_pass(&rows, &table, LAMBDA_ONE / 4, none, wide_u, memory, exact, NULL);
		plain_gradient(&problem.instance, 0.25, u, plain);
		/* coordinates of rows and targets are rounded, to 2^-20 and to 2^-16 */
		for (int j = 0; j < weights; j++)
			CHECK(fabsl(ldexpl((long double) exact[j], -GRADIENT_BITS) - plain[j]) <=
				  rows.count * (ldexp(weights * length, -19) + ldexp(1, -15)));
		convex_rows_release(&rows, memory);
	}
}

/* Solves a x = b by elimination; a is positive. */
static void
solve(long double a[MOST_WEIGHTS][MOST_WEIGHTS], long double *b, int count)
{
	for (int k = 0; k < count; k++)
		for (int i = 0; i < count; i++)
		{
			long double factor = i == k ? 0 : a[i][k] / a[k][k];

			for (int j = k; j < count; j++)
				a[i][j] -= factor * a[k][j];
			b[i] -= factor * b[k];
		}
	for (int k = 0; k < count; k++)
		b[k] /= a[k][k];
}

/* Where no residual reaches the threshold, the minimiser is that of ridge regression. */
static void
test_ridge(void)
{
	loss_table_make(LOSS_SQUARES, &table);
	for (int c = 0; c < check_repetitions(200); c++)
	{
		int weights = 1 + below(MOST_WEIGHTS);
		long double a[MOST_WEIGHTS][MOST_WEIGHTS] = {{0}};
		long double expected[MOST_WEIGHTS] = {0};
		Wide none[MOST_WEIGHTS] = {0};
		Wide u[MOST_WEIGHTS];
		ConvexRows rows;
		ConvexObjective objective = {
			.rows = &rows, .table = &table, .curvature = 1, .lambda = LAMBDA_ONE, .b = none};

		make_rows(weights, 2 + below(60), 0.5);
		for (int64_t i = 0; i < problem.instance.rows; i++)
		{
			const int32_t *x = problem.x + i * (weights + 1);
			int32_t v[MOST_WEIGHTS];
			double share = convex_clip_row(x + 1, weights, RADIUS, v);
			long double count = (long double) problem.positive[i];

			for (int j = 0; j < weights; j++)
			{
				expected[j] += count * x[0] * share / FIXED_POINT_ONE * ldexpl(v[j], -ROW_BITS);
				for (int k = 0; k < weights; k++)
					a[j][k] += count * ldexpl((long double) v[j] * v[k], -2 * ROW_BITS);
			}
		}
		for (int j = 0; j < weights; j++)
			a[j][j] += 1;
		solve(a, expected, weights);
		open_rows(&problem, &rows);
		CHECK(convex_minimise(&objective, 1e-9, memory, u) < 60);
		for (int j = 0; j < weights; j++)
			CHECK(fabsl(ldexpl((long double) u[j], -WEIGHT_BITS) - expected[j]) < 1e-3);
		convex_rows_release(&rows, memory);
	}
}

/* ---- privacy ---- */

/* The last row is missing in b, or has another target and other features. */
static Adjacency
make_neighbour(Problem *b, int weights)
{
	Adjacency adjacency = (Adjacency) below(2);
	int64_t last = problem.instance.rows - 1;

	for (int64_t i = 0; i <= last; i++)
		problem.positive[i] = 1;
	problem.x[last * (weights + 1)] = below(2) == 0 ? MOST_TARGET : -MOST_TARGET;
	problem_copy(b, &problem);
	if (adjacency == ADJACENCY_ADD_REMOVE)
		b->instance.rows = last;
	else if (below(2) == 0)
		b->x[last * (weights + 1)] *= -1;
	else
		for (int j = 0; j <= weights; j++)
			b->x[last * (weights + 1) + j] = random_feature(j == 0 ? TARGET_REACH : 4);
	return adjacency;
}

static double
log_density(const Problem *data, const ConvexTerms *terms, double scale, const Wide *u)
{
	int weights = data->instance.dimension - 1;
	Wide none[MOST_WEIGHTS] = {0};
	Wide gradient[MOST_WEIGHTS];
	double hessian[MOST_WEIGHTS * MOST_WEIGHTS];
	double square = 0;
	double sum = 0;
	ConvexRows rows;

	open_rows(data, &rows);
	convex_pass(&rows, &table, terms->lambda, none, u, memory, gradient, hessian);
	convex_rows_release(&rows, memory);
	for (int j = 0; j < weights; j++)
		square += pow(ldexp((double) gradient[j], -GRADIENT_BITS), 2);
	for (int k = 0; k < weights; k++)
	{
		sum += log(hessian[k * weights + k]);
		for (int i = k + 1; i < weights; i++)
			for (int j = weights - 1; j >= k; j--)
				hessian[i * weights + j] -=
					hessian[i * weights + k] / hessian[k * weights + k] * hessian[k * weights + j];
	}
	return sum - sqrt(square) / scale;
}

/* No ratio of densities of the minimisers exceeds e^epsilon, and some come near it. */
static void
test_density_ratio(void)
{
	static Problem neighbour;
	double closest = 0;

	loss_table_make(LOSS_SQUARES, &table);
	for (int c = 0; c < check_repetitions(1500); c++)
	{
		int weights = 1 + below(3);
		double epsilon = exp(between(-1.5, 1));
		ConvexTerms terms = {.loss = LOSS_SQUARES, .radius = RADIUS, .lambda = 1};
		Adjacency adjacency;
		ConvexScale scale;

		make_rows(weights, 1 + below(3), TARGET_REACH);
		adjacency = make_neighbour(&neighbour, weights);
		(void) convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, adjacency, weights, &scale);
		terms.lambda = scale.least * (1 + below(20));
		CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, adjacency, weights, &scale) ==
			  CONVEX_FITS);
		for (int i = 0; i < 20; i++)
		{
			Wide u[MOST_WEIGHTS];
			double ratio;

			for (int j = 0; j < weights; j++)
				u[j] = wide_of(between(-3, 3) / epsilon, WEIGHT_BITS);
			ratio = fabs(log_density(&problem, &terms, scale.inner, u) -
						 log_density(&neighbour, &terms, scale.inner, u));
			CHECK(ratio <= epsilon * 255 / 256 + 1e-5);
			closest = fmax(closest, ratio / epsilon);
		}
	}
	CHECK_WHOLE(closest > 0.9);
}

/* ---- releases ---- */

static MechanismRequest
request_of(int weights, ConvexNoise noise, int64_t lambda)
{
	MechanismRequest request = {
		.kind = MECHANISM_LINEAR,
		.epsilon = EPSILON_ONE,
		.adjacency = ADJACENCY_ADD_REMOVE,
		.threads = 1,
		.convex = {.loss = LOSS_SQUARES, .noise = noise, .radius = 1, .lambda = lambda}};

	if (noise == CONVEX_GAUSSIAN)
		request.convex.delta = DELTA_ONE / 1000000;
	grid_set_plain(&request.grid, weights);
	return request;
}

/* With much data and little noise the weights of y = 3/4 x - 1/4 come out. */
static void
test_release(void)
{
	int64_t count = 1000000;
	MechanismTools tools = {.bits = &bits, .memory = memory};

	problem_begin(&problem, 3, 9);
	for (int i = 0; i < 9; i++)
	{
		int32_t x = (i - 4) * FIXED_POINT_ONE / 8;

		problem.x[3 * i] = x * 3 / 4 - FIXED_POINT_ONE / 4;
		problem.x[3 * i + 1] = x;
		problem.x[3 * i + 2] = FIXED_POINT_ONE / 2;
		problem.positive[i] = count;
		problem.negative[i] = 0;
	}
	for (int noise = 0; noise <= CONVEX_GAUSSIAN; noise++)
	{
		MechanismRequest request = request_of(2, (ConvexNoise) noise, LAMBDA_ONE);
		MechanismAnswer answer;

		mechanism_get(MECHANISM_LINEAR)->release(&request, &problem.instance, &tools, &answer);
		CHECK(fabs(ldexp((double) answer.weight[0], -CONVEX_OUTPUT_BITS) - 0.75) < 0.01);
		CHECK(fabs(ldexp((double) answer.weight[1], -CONVEX_OUTPUT_BITS) + 0.5) < 0.01);
	}
}

/* Only clipped squares have a meaning for targets, and for nothing else. */
static void
test_admission(void)
{
	for (int loss = 0; loss < LOSS_KINDS; loss++)
		for (int targets = 0; targets < 2; targets++)
		{
			MechanismRequest request = request_of(2, CONVEX_GAMMA, LAMBDA_ONE);
			Instance none = {.dimension = 2 + targets};
			bool fits = targets == (loss == LOSS_SQUARES);
			size_t length;
			uint8_t *bytes;

			request.kind = targets ? MECHANISM_LINEAR : MECHANISM_OBJECTIVE;
			request.convex.loss = (ConvexLoss) loss;
			CHECK(!targets || mechanism_verdict(&request).admitted == fits);
			bytes = wire_encode_problem(&request, &none, memory, &length);
			CHECK(wire_decode_problem(bytes, length, memory, &request, &none) == fits);
		}
}

#define AUDIT_RUNS 10000

/* A share of releases from one row, or from none, with a weight above 1 / lambda. */
static double
share_beyond(int rows)
{
	MechanismRequest request = request_of(1, CONVEX_GAMMA, 1000 * LAMBDA_ONE);
	MechanismTools tools = {.bits = &bits, .memory = memory};
	int above = 0;

	problem_begin(&problem, 2, rows);
	problem.x[0] = MOST_TARGET;
	problem.x[1] = FIXED_POINT_ONE;
	problem.positive[0] = 1;
	problem.negative[0] = 0;
	for (int i = 0; i < AUDIT_RUNS; i++)
	{
		MechanismAnswer answer;

		mechanism_get(MECHANISM_LINEAR)->release(&request, &problem.instance, &tools, &answer);
		above += ldexp((double) answer.weight[0], -CONVEX_OUTPUT_BITS) > 1e-3;
	}
	return (double) above / AUDIT_RUNS;
}

/* The row moves the minimiser by 1 / lambda, however far off its target is. */
static void
test_audit(void)
{
	if (check_share() == 100)
		check_log_ratio(share_beyond(1), share_beyond(0), AUDIT_RUNS, 0.9);
}

int
main(void)
{
	test_begin(250);
	test_slopes();
	test_gradients();
	test_ridge();
	test_density_ratio();
	test_release();
	test_admission();
	test_audit();
	return test_end("linear");
}

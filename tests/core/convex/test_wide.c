/*
 * test_wide.c - rows with levels (theorem V19): the same gradient and minimiser as of the rows that
 * their indices stand for, and noise on each weight.
 */
#include "core/convex/convex_minimise.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/mechanism.h"

#include <math.h>
#include <string.h>

#include "core/law.h"
#include "core/problem.h"

#define MOST_COLUMNS 8
#define MOST_WEIGHTS 60
#define ROWS 200
#define RADIUS 1.5

/* Rows with levels, and the rows they stand for, with a target in front if targets. */
typedef struct Both
{
	int columns;
	int weights;
	bool targets;
	int16_t levels[GRID_MAX_DIMENSION];
	int32_t packed_x[ROWS * (MOST_COLUMNS + 1)];
	int32_t plain_x[ROWS * (MOST_WEIGHTS + 1)];
	int64_t positive[ROWS];
	int64_t negative[ROWS];
	Instance packed;
	Instance plain;
} Both;

static Both both;
static LossTable table;

static void
draw_row(int i)
{
	int32_t *packed = both.packed_x + i * both.packed.dimension;
	int32_t *plain = both.plain_x + i * both.plain.dimension;

	if (both.targets)
		*packed++ = *plain++ = random_feature(1.5);
	for (int j = 0; j < both.columns; j++)
	{
		int levels = both.levels[j];
		int index = below(levels + 1);

		packed[j] = levels == 0 ? random_feature(1) : index * FIXED_POINT_ONE;
		for (int k = 1; k <= levels; k++)
			*plain++ = k == index ? FIXED_POINT_ONE : 0;
		if (levels == 0)
			*plain++ = packed[j];
	}
	both.positive[i] = below(3);
	both.negative[i] = both.targets ? 0 : below(3);
}

static Instance
instance_of_rows(const int32_t *x, int dimension)
{
	return (Instance){.dimension = dimension + both.targets,
					  .rows = 2 + below(ROWS - 1),
					  .x = x,
					  .positive = both.positive,
					  .negative = both.negative};
}

static void
draw_both(bool targets)
{
	memset(&both, 0, sizeof(both));
	both.targets = targets;
	both.columns = 1 + below(MOST_COLUMNS);
	for (int j = 0; j < both.columns; j++)
		both.levels[j] = (int16_t) (below(2) * (1 + below(6)));
	both.weights = levels_weights(both.levels, both.columns);
	both.packed = instance_of_rows(both.packed_x, both.columns);
	both.plain = instance_of_rows(both.plain_x, both.weights);
	both.plain.rows = both.packed.rows;
	for (int i = 0; i < both.packed.rows; i++)
		draw_row(i);
}

static void
make_rows(const Instance *instance, const int16_t *levels, int threads, ConvexRows *rows)
{
	convex_rows_make(instance, RADIUS, threads, memory, rows);
	if (both.targets)
		convex_rows_set_targets(rows);
	if (levels != NULL)
		convex_rows_set_levels(rows, levels, memory);
}

static ConvexLoss
draw_loss(int c)
{
	ConvexLoss loss = (ConvexLoss) (c % LOSS_KINDS);

	draw_both(loss == LOSS_SQUARES);
	loss_table_make(loss, &table);
	return loss;
}

/* Sums of integers: the two gradients are equal, however the rows are shared among threads. */
static void
test_gradients(void)
{
	for (int c = 0; c < check_repetitions(250); c++)
	{
		int64_t lambda = (int64_t) ldexp(exp(between(-6, 6)), LAMBDA_BITS);
		Wide b[MOST_WEIGHTS];
		Wide u[MOST_WEIGHTS];
		Wide packed[MOST_WEIGHTS];
		Wide plain[MOST_WEIGHTS];
		ConvexRows rows;

		(void) draw_loss(c);
		for (int j = 0; j < both.weights; j++)
		{
			b[j] = wide_of(between(-100, 100), GRADIENT_BITS);
			u[j] = wide_of(between(-5, 5), WEIGHT_BITS);
		}
		make_rows(&both.packed, both.levels, 1 + c % 3, &rows);
		CHECK(rows.weights == both.weights);
		convex_pass(&rows, &table, lambda, b, u, memory, packed, NULL);
		convex_rows_release(&rows, memory);
		make_rows(&both.plain, NULL, 1, &rows);
		convex_pass(&rows, &table, lambda, b, u, memory, plain, NULL);
		convex_rows_release(&rows, memory);
		CHECK(memcmp(packed, plain, (size_t) both.weights * sizeof(Wide)) == 0);
	}
}

/* |gradient| by the rows that the indices stand for. */
static long double
gradient_norm(int64_t lambda, const Wide *b, const Wide *u)
{
	Wide gradient[MOST_WEIGHTS];
	long double square = 0;
	ConvexRows rows;

	make_rows(&both.plain, NULL, 1, &rows);
	convex_pass(&rows, &table, lambda, b, u, memory, gradient, NULL);
	convex_rows_release(&rows, memory);
	for (int j = 0; j < both.weights; j++)
		square += powl(ldexpl((long double) gradient[j], -GRADIENT_BITS), 2);
	return sqrtl(square);
}

static void
test_minimisers(void)
{
	int64_t most_rounds = 0;

	for (int c = 0; c < check_repetitions(250); c++)
	{
		ConvexLoss loss = draw_loss(c);
		int64_t lambda = (int64_t) ldexp(exp(between(-4, 6)), LAMBDA_BITS);
		double tolerance = ldexp(fmin(ldexp((double) lambda, -LAMBDA_BITS), 1), -27);
		double strength = c % 3 == 0 ? 0 : exp(between(-3, 4));
		Wide b[MOST_WEIGHTS];
		Wide u[MOST_WEIGHTS];
		ConvexRows rows;
		ConvexObjective objective = {.rows = &rows,
									 .table = &table,
									 .curvature = loss_curvature(loss),
									 .lambda = lambda,
									 .b = b};
		int64_t rounds;

		for (int j = 0; j < both.weights; j++)
			b[j] = wide_of(between(-strength, strength), GRADIENT_BITS);
		make_rows(&both.packed, both.levels, 1 + c % 2, &rows);
		rounds = convex_minimise(&objective, tolerance, memory, u);
		most_rounds = rounds > most_rounds ? rounds : most_rounds;
		convex_rows_release(&rows, memory);
		CHECK(gradient_norm(lambda, b, u) <= tolerance);
	}
	CHECK(most_rounds < 100);
}

/*
 * More weights than have a Hessian: the same minimiser as without the columns that are always 0,
 * whose weights are 0; and a gradient of all columns that is small enough.
 */
static void
test_many_columns(bool padded)
{
	enum
	{
		COLUMNS = 300,
		FEW = 20
	};
	static int32_t many_x[ROWS * COLUMNS];
	static int32_t few_x[ROWS * FEW];
	static Wide b[COLUMNS];
	static Wide u[2][COLUMNS];
	static Wide gradient[COLUMNS];
	int64_t lambda = LAMBDA_ONE;
	double tolerance = 0x1p-27;
	double square = 0;
	ConvexLoss loss = draw_loss(below(LOSS_LABEL_KINDS));

	for (int i = 0; i < ROWS; i++)
	{
		both.positive[i] = below(3);
		both.negative[i] = below(3);
		for (int j = 0; j < COLUMNS; j++)
			many_x[i * COLUMNS + j] = padded && j >= FEW ? 0 : random_feature(1);
		memcpy(few_x + i * FEW, many_x + i * COLUMNS, FEW * sizeof(int32_t));
	}
	for (int j = 0; j < (padded ? FEW : COLUMNS); j++)
		b[j] = wide_of(between(-20, 20), GRADIENT_BITS);
	for (int few = 0; few <= (padded ? 1 : 0); few++)
	{
		Instance instance = instance_of_rows(few ? few_x : many_x, few ? FEW : COLUMNS);
		ConvexRows rows;
		ConvexObjective objective = {.rows = &rows,
									 .table = &table,
									 .curvature = loss_curvature(loss),
									 .lambda = lambda,
									 .b = b};

		instance.rows = ROWS;
		make_rows(&instance, NULL, 2, &rows);
		(void) convex_minimise(&objective, tolerance, memory, u[few]);
		if (!few)
			convex_pass(&rows, &table, lambda, b, u[0], memory, gradient, NULL);
		convex_rows_release(&rows, memory);
	}
	for (int j = 0; j < COLUMNS; j++)
		square += pow(ldexp((double) gradient[j], -GRADIENT_BITS), 2);
	CHECK(sqrt(square) <= tolerance);
	for (int j = 0; padded && j < COLUMNS; j++)
		CHECK(fabs(ldexp((double) (u[0][j] - (j < FEW ? u[1][j] : 0)), -WEIGHT_BITS)) <=
			  2 * tolerance);
}

/* ---- releases ---- */

static MechanismRequest
make_request(MechanismKind kind, ConvexNoise noise)
{
	MechanismRequest request = {
		.kind = kind,
		.epsilon = EPSILON_ONE,
		.threads = 1,
		.convex = {.loss = kind == MECHANISM_LINEAR ? LOSS_SQUARES : LOSS_LOGISTIC,
				   .noise = noise,
				   .radius = 1,
				   .lambda = 5 * LAMBDA_ONE,
				   .delta = noise == CONVEX_GAUSSIAN ? DELTA_ONE / 1000 : 0}};

	grid_set_plain(&request.grid, 2);
	request.convex.levels[0] = 7;
	return request;
}

/* Without rows all that is released is noise, as much on each weight as on the last, a number's. */
static void
test_noise(MechanismKind kind, ConvexNoise noise)
{
	MechanismRequest request = make_request(kind, noise);
	Instance none = {.dimension = 2 + (kind == MECHANISM_LINEAR)};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	double square[8] = {0};
	int runs = check_repetitions(500);

	CHECK(mechanism_weights(&request) == 8 && mechanism_verdict(&request).admitted);
	for (int i = 0; i < runs; i++)
	{
		MechanismAnswer answer;

		mechanism_get(kind)->release(&request, &none, &tools, &answer);
		for (int j = 0; j < 8; j++)
			square[j] += pow(ldexp((double) answer.weight[j], -CONVEX_OUTPUT_BITS), 2);
		memory_release(memory, answer.weight);
	}
	for (int j = 0; j < 7; j++)
	{
		CHECK(square[j] > square[7] / 50 && square[j] < square[7] * 50);
		CHECK_WHOLE(square[j] > square[7] / 2 && square[j] < square[7] * 2);
	}
}

/* Levels are for Gamma and Gaussian noise, for one vector of weights, and limited in number. */
static void
test_admission(void)
{
	MechanismRequest request = make_request(MECHANISM_OBJECTIVE, CONVEX_GAMMA);

	request.convex.noise = CONVEX_KNORM;
	CHECK(!mechanism_verdict(&request).admitted);
	request = make_request(MECHANISM_OBJECTIVE, CONVEX_GAMMA);
	request.convex.loss = LOSS_CLIPPED;
	CHECK(mechanism_verdict(&request).admitted);
	request.convex.classes = 2;
	CHECK(!mechanism_verdict(&request).admitted);
	grid_set_plain(&request.grid, COLUMNS_MAX);
	request =
		(MechanismRequest){.kind = MECHANISM_OBJECTIVE,
						   .epsilon = EPSILON_ONE,
						   .threads = 1,
						   .grid = request.grid,
						   .convex = {.loss = LOSS_CLIPPED, .radius = 1, .lambda = LAMBDA_MAX}};
	CHECK(grid_is_valid(&request.grid) && mechanism_verdict(&request).admitted);
	CHECK(mechanism_most_dimension(mechanism_get(MECHANISM_OBJECTIVE)) == WEIGHTS_MAX);
	CHECK(mechanism_most_dimension(mechanism_get(MECHANISM_SGD)) == WEIGHTS_MAX);
	CHECK(mechanism_most_dimension(mechanism_get(MECHANISM_DESCENT)) == COLUMNS_MAX);
	CHECK(mechanism_most_dimension(mechanism_get(MECHANISM_POOL)) == GRID_MAX_DIMENSION);
	CHECK(mechanism_most_dimension(mechanism_get(MECHANISM_SIMPLEX)) == WEIGHTS_MAX);
	CHECK(mechanism_most_dimension(mechanism_get(MECHANISM_EXPONENTIAL)) == GRID_MAX_DIMENSION);
	request.grid.level[GRID_MAX_DIMENSION][0] = 1; /* beyond it only a plain grid is valid */
	CHECK(!grid_is_valid(&request.grid));
	CHECK(levels_valid((const int16_t[]){0, LEVELS_MAX, 1}, 3));
	CHECK(!levels_valid((const int16_t[]){LEVELS_MAX + 1}, 1));
	CHECK(!levels_valid((const int16_t[]){-1, 2}, 2));
	CHECK(!levels_valid(
		(const int16_t[]){1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1}, 11));
}

int
main(void)
{
	test_begin(16);
	test_gradients();
	test_minimisers();
	test_many_columns(true);
	test_many_columns(false);
	test_noise(MECHANISM_OBJECTIVE, CONVEX_GAMMA);
	test_noise(MECHANISM_OBJECTIVE, CONVEX_GAUSSIAN);
	test_noise(MECHANISM_OUTPUT, CONVEX_GAMMA);
	test_noise(MECHANISM_LINEAR, CONVEX_GAUSSIAN);
	test_admission();
	return test_end("wide");
}

/*
 * test_convex_knorm.c - objective perturbation with K-norm noise (theorems K5 and K6): rows and the
 * body, the density of the minimiser on neighbours, and audits of the mechanism as it is.
 */
#include "core/convex/convex_columns.h"
#include "core/convex/convex_pass.h"
#include "core/mechanisms/convex_default.h"
#include "core/mechanisms/convex_release.h"

#include <math.h>

#include "core/problem.h"

#define MOST 12

static Problem problem;
static LossTable table;

/* ---- encodings and rows ---- */

/* Up to three declared groups, some of one column, and up to three other columns. */
static Encoding
random_encoding(void)
{
	Encoding encoding;

	encoding_init(&encoding);
	encoding.groups = below(4);
	for (int g = 0; g < encoding.groups; g++)
	{
		encoding.group[g] = (int16_t) (1 + below(3));
		encoding.features += encoding.group[g];
	}
	encoding.features += below(3);
	encoding.features += encoding.features == 0;
	encoding.intercept = below(2) == 0;
	for (int j = 0; j < encoding.features; j++)
	{
		bool indicator = below(3) == 0;

		encoding.low[j] = indicator ? 0 : -exp(between(-1, 2));
		encoding.high[j] = indicator ? between(0.5, 1) : exp(between(-1, 2));
	}
	for (int g = 0, first = 0; g < encoding.groups; first += encoding.group[g++])
		for (int j = first; encoding.group[g] > 1 && j < first + encoding.group[g]; j++)
		{
			encoding.low[j] = -1;
			encoding.high[j] = 1;
		}
	CHECK(encoding_finish(&encoding));
	return encoding;
}

/* Draws features, mostly one-hot where that is declared; false for a neutral row. */
static bool
random_row(const Encoding *encoding, int32_t *x)
{
	double features[MOST];
	int first = 0;

	for (int j = 0; j < encoding->features; j++)
		features[j] = below(3) == 0 ? 8 * (below(2) == 0 ? -1 : 1) : between(-4, 4);
	for (int g = 0; g < encoding->groups; first += encoding->group[g++])
	{
		int hot = below(encoding->group[g]);

		for (int j = 0; encoding->group[g] > 1 && j < encoding->group[g]; j++)
			features[first + j] = below(50) == 0 ? 0.5 : j == hot;
	}
	return encoding_apply(encoding, features, x);
}

/* The norm in units of the reaches. */
static double
norm_of(const ConvexColumns *columns, const ColumnsBody *body, int dimension, const double *value)
{
	double part[MOST + 1] = {0};
	double norm = 0;

	for (int j = 0; j < dimension; j++)
	{
		bool indicator = columns->group[j] == COLUMN_INDICATOR;
		double number = indicator ? 2 * value[j] - value[dimension - 1] : value[j];
		double size = fabs(ldexp(number, ROW_BITS)) / body->reach[j];

		if (columns->group[j] > 0 && !indicator)
			part[columns->group[j]] += size;
		norm = fmax(norm, size);
	}
	for (int g = 1; g <= MOST; g++)
		norm = fmax(norm, part[g]);
	return norm;
}

/* The largest difference between the sums of two groups. */
static double
uneven(const ConvexColumns *columns, const ColumnsBody *body, int dimension, const double *value)
{
	double sum[MOST] = {0};
	double most = 0;

	for (int j = 0; j < dimension; j++)
		if (columns->group[j] > 0 && columns->group[j] != COLUMN_INDICATOR)
			sum[columns->group[j] - 1] += value[j];
	for (int g = 1; g < body->shape.groups; g++)
		most = fmax(most, fabs(sum[g] - sum[0]));
	return most;
}

/* Theorem K5: whatever the radius and the features are, K has the row, and S too. */
static void
test_rows(void)
{
	int clipped = 0;
	int tied = 0;
	double closest = 0;

	for (int c = 0; c < check_repetitions(20000); c++)
	{
		Encoding encoding = random_encoding();
		int dimension = encoding_dimension(&encoding);
		double longest = convex_default_radius(&encoding);
		double radius = fmax(longest * (c % 2 == 0 ? 1 : exp(between(-3, 2))), CONVEX_RADIUS_MIN);
		ConvexColumns columns;
		ColumnsBody body;
		int32_t x[MOST];
		int32_t v[MOST];
		double value[MOST];
		double length = 0;
		double square = 0;
		double norm;

		convex_columns_of(&encoding, &columns);
		CHECK(convex_columns_valid(&columns, dimension));
		columns_body_make(&columns, radius, dimension, &body);
		if (!random_row(&encoding, x))
			continue;
		convex_clip_row(x, dimension, radius, v);
		for (int j = 0; j < dimension; j++)
		{
			value[j] = ldexp(v[j], -ROW_BITS);
			length += pow(ldexp(x[j], -FIXED_POINT_BITS), 2);
			square += value[j] * value[j];
		}
		norm = norm_of(&columns, &body, dimension, value);
		CHECK(norm <= 1 && sqrt(square) <= norm * body.length);
		CHECK(body.shape.subspace == (body.shape.groups >= 2));
		CHECK(uneven(&columns, &body, dimension, value) == 0);
		clipped += sqrt(length) > radius && body.shape.subspace;
		tied += body.shape.groups;
		closest = fmax(closest, norm);
	}
	CHECK_WHOLE(clipped > 1000 && tied > 1000 && closest == 1);
}

static void
test_valid(void)
{
	ConvexColumns good = {{1, 1, 0, 2}, {FIXED_POINT_ONE, FIXED_POINT_ONE, 7, FIXED_POINT_ONE}};
	ConvexColumns bad = good;

	CHECK(convex_columns_valid(&good, 4));
	bad.group[3] = 3;
	CHECK(!convex_columns_valid(&bad, 4));
	bad.group[3] = 1;
	CHECK(!convex_columns_valid(&bad, 4));
	bad = good;
	bad.bound[0] = 7;
	CHECK(!convex_columns_valid(&bad, 4));
	bad = good;
	bad.bound[2] = -1;
	CHECK(!convex_columns_valid(&bad, 4));
	bad.bound[2] = (int32_t) (ENCODING_MAX_CLIP * FIXED_POINT_ONE) + 1;
	CHECK(!convex_columns_valid(&bad, 4));
	bad = good;
	bad.group[2] = COLUMN_INDICATOR;
	bad.bound[2] = FIXED_POINT_ONE;
	CHECK(convex_columns_valid(&bad, 4));
	bad.bound[2] = 7;
	CHECK(!convex_columns_valid(&bad, 4));
	bad.bound[2] = FIXED_POINT_ONE;
	bad.group[3] = 0; /* no intercept */
	CHECK(!convex_columns_valid(&bad, 4));
}

/*
 * A group, an indicator, a number and an intercept: the drawn norm has the law Gamma(4), and
 * columns have the root mean squares that are proposed.
 */
static void
test_draws(void)
{
	ConvexColumns columns = {
		{1, 1, COLUMN_INDICATOR, 0, 2},
		{FIXED_POINT_ONE, FIXED_POINT_ONE, FIXED_POINT_ONE, 2 * FIXED_POINT_ONE, FIXED_POINT_ONE}};
	int runs = check_repetitions(20000);
	double norm = 0;
	double square[5] = {0};
	double spread[5];
	double mean;
	mpz_t *b = integers_create(5, memory);
	ColumnsBody body;

	CHECK(convex_columns_valid(&columns, 5));
	columns_body_make(&columns, 4, 5, &body);
	for (int i = 0; i < runs; i++)
	{
		double value[5];

		columns_body_draw(&body, 3, &bits, memory, b);
		for (int j = 0; j < 5; j++)
		{
			value[j] = ldexp(mpz_get_d(b[j]), -GRADIENT_BITS);
			square[j] += pow(value[j] / ldexp(body.reach[j], -ROW_BITS), 2) / runs;
		}
		CHECK(uneven(&columns, &body, 5, value) < 1e-10);
		norm += norm_of(&columns, &body, 5, value) / 3 / runs;
	}
	CHECK_WHOLE(fabs(norm - 4) < 0.1);
	mean = columns_body_spread(&body, spread);
	for (int j = 0; j < 5; j++)
	{
		CHECK_WHOLE(fabs(sqrt(square[j]) / 3 / spread[j] - 1) < 0.06);
		mean -= spread[j] / 5;
	}
	CHECK(fabs(mean) < 1e-12);
	integers_destroy(b, 5, memory);
}

/* ---- the density of the minimiser ---- */

/* A basis of S, or of the whole space: the columns of basis. */
static int
make_basis(const ConvexColumns *columns, const ColumnsBody *body, int dimension,
		   double (*basis)[MOST])
{
	int count = 0;
	int first[MOST + 1] = {0};

	for (int j = dimension - 1; j >= 0; j--)
		if (columns->group[j] > 0 && columns->group[j] != COLUMN_INDICATOR)
			first[columns->group[j]] = j;
	for (int j = 0; j < dimension; j++)
	{
		int group = columns->group[j] == COLUMN_INDICATOR ? 0 : columns->group[j];

		if (body->shape.subspace && group > 0 && j == first[group] && group > 1)
			continue;
		memset(basis[count], 0, sizeof(basis[count]));
		basis[count][j] = 1;
		if (body->shape.subspace && group > 0 && j != first[group])
			basis[count][first[group]] = -1;
		if (body->shape.subspace && group > 0 && j == first[group])
			for (int g = 2; g <= body->shape.groups; g++)
				basis[count][first[g]] = 1;
		count++;
	}
	return count;
}

/* psi'' of the table between its knots. */
static double
second_derivative(double margin)
{
	return ldexp((double) loss_drop(&table, (Wide) ldexp(margin, SCORE_BITS)), -DROP_BITS);
}

/* ln of the determinant of the Hessian restricted to the span of the basis, but for a constant. */
static double
log_curvature(const Problem *data, const ConvexTerms *terms, const double *u, double (*basis)[MOST],
			  int count)
{
	int dimension = data->instance.dimension;
	double lambda = ldexp((double) terms->lambda, -LAMBDA_BITS);
	double matrix[MOST * MOST] = {0};

	for (int i = 0; i < count; i++)
		for (int k = 0; k < count; k++)
			for (int j = 0; j < dimension; j++)
				matrix[i * count + k] += lambda * basis[i][j] * basis[k][j];
	for (int64_t r = 0; r < data->instance.rows; r++)
	{
		int32_t v[MOST];
		double part[MOST] = {0};
		double score = 0;
		double bend;

		convex_clip_row(data->x + r * dimension, dimension, terms->radius, v);
		for (int j = 0; j < dimension; j++)
			score += ldexp(v[j], -ROW_BITS) * u[j];
		bend = (double) data->positive[r] * second_derivative(score) +
			   (double) data->negative[r] * second_derivative(-score);
		for (int i = 0; i < count; i++)
			for (int j = 0; j < dimension; j++)
				part[i] += basis[i][j] * ldexp(v[j], -ROW_BITS);
		for (int i = 0; i < count; i++)
			for (int k = 0; k < count; k++)
				matrix[i * count + k] += bend * part[i] * part[k];
	}
	return log_determinant(matrix, count);
}

/* ln of the density of the minimiser at u in S, but for a constant: theorem K6. */
static double
log_density(const Problem *data, const ConvexTerms *terms, const ColumnsBody *body, double scale,
			const double *u, double (*basis)[MOST], int count)
{
	int dimension = data->instance.dimension;
	Wide none[MOST] = {0};
	Wide wide_u[MOST];
	Wide gradient[MOST];
	double plain[MOST];
	ConvexRows rows;

	for (int j = 0; j < dimension; j++)
		wide_u[j] = (Wide) ldexpl((long double) u[j], WEIGHT_BITS);
	convex_rows_make(&data->instance, terms->radius, 1, memory, &rows);
	convex_pass(&rows, &table, terms->lambda, none, wide_u, memory, gradient, NULL);
	convex_rows_release(&rows, memory);
	for (int j = 0; j < dimension; j++)
		plain[j] = ldexp((double) gradient[j], -GRADIENT_BITS);
	/* outside S the density would be 0 */
	if (body->shape.subspace)
		CHECK(uneven(&terms->columns, body, dimension, plain) <
			  1e-10 * (1 + ldexp((double) terms->lambda, -LAMBDA_BITS)));
	return -norm_of(&terms->columns, body, dimension, plain) / scale +
		   log_curvature(data, terms, u, basis, count);
}

/* The largest log of the ratio of two densities, at random places of S. */
static double
largest_ratio(const Problem *a, const Problem *b, const ConvexTerms *terms, double scale,
			  double reach)
{
	int dimension = a->instance.dimension;
	double basis[MOST][MOST];
	double most = 0;
	ColumnsBody body;
	int count;

	columns_body_make(&terms->columns, terms->radius, dimension, &body);
	count = make_basis(&terms->columns, &body, dimension, basis);
	CHECK(count == knorm_dimension(&body.shape));
	for (int i = 0; i < 20; i++)
	{
		double length = exp(between(-3, 0)) * reach;
		double u[MOST] = {0};

		for (int k = 0; k < count; k++)
		{
			double part = between(-length, length);

			for (int j = 0; j < dimension; j++)
				u[j] += part * basis[k][j];
		}
		most = fmax(most, fabs(log_density(a, terms, &body, scale, u, basis, count) -
							   log_density(b, terms, &body, scale, u, basis, count)));
	}
	return most;
}

/* Up to three rows of an encoding, the last of which is missing or another one in b. */
static Adjacency
make_pair(const Encoding *encoding, Problem *a, Problem *b)
{
	Adjacency adjacency = (Adjacency) below(2);
	int dimension = encoding_dimension(encoding);
	int last = below(3);

	problem_begin(a, dimension, last + 1);
	for (int i = 0; i <= last; i++)
	{
		while (!random_row(encoding, a->x + i * dimension))
			;
		a->positive[i] = below(2);
		a->negative[i] = 1 - a->positive[i];
	}
	problem_copy(b, a);
	if (adjacency == ADJACENCY_ADD_REMOVE)
		b->instance.rows--;
	else
	{
		/* a neutral row is one without a label */
		bool enters = random_row(encoding, b->x + last * dimension);

		b->positive[last] = enters ? below(2) : 0;
		b->negative[last] = enters ? 1 - b->positive[last] : 0;
	}
	return adjacency;
}

static void
test_density_ratio(void)
{
	static const double epsilons[] = {0.2, 1, 3};
	static Problem neighbour;
	double closest[LOSS_LABEL_KINDS] = {0};
	int subspaces = 0;

	for (int c = 0; c < check_repetitions(3000); c++)
	{
		double epsilon = epsilons[c % 3];
		Encoding encoding = random_encoding();
		int dimension = encoding_dimension(&encoding);
		ConvexTerms terms = {.loss = (ConvexLoss) below(LOSS_LABEL_KINDS), .noise = CONVEX_KNORM};
		Adjacency adjacency = make_pair(&encoding, &problem, &neighbour);
		ConvexScale scale;
		ColumnsBody body;
		double most;

		convex_columns_of(&encoding, &terms.columns);
		terms.radius = convex_default_radius(&encoding) * (below(4) == 0 ? exp(between(-2, 1)) : 1);
		columns_body_make(&terms.columns, terms.radius, dimension, &body);
		subspaces += body.shape.subspace;
		loss_table_make(terms.loss, &table);
		(void) convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, adjacency, dimension, &scale);
		terms.lambda = scale.least * (int64_t) (1 + teststream_below(&stream, 20));
		CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, adjacency, dimension, &scale) ==
			  CONVEX_FITS);
		most = largest_ratio(&problem, &neighbour, &terms, scale.inner, 5 / epsilon);
		CHECK(most <= epsilon * 255 / 256 + 1e-9);
		closest[terms.loss] = fmax(closest[terms.loss], most / epsilon);
	}
	for (int loss = 0; loss < LOSS_LABEL_KINDS; loss++)
		CHECK_WHOLE(closest[loss] > 0.9); /* otherwise the pairs are too easy */
	CHECK_WHOLE(subspaces > 500);
}

/* ---- audits ---- */

static MechanismRequest
make_request(const Encoding *encoding, ConvexLoss loss, double lambda)
{
	MechanismRequest request = {
		.kind = MECHANISM_OBJECTIVE,
		.epsilon = EPSILON_ONE,
		.adjacency = ADJACENCY_ADD_REMOVE,
		.threads = 1,
		.convex = {.loss = loss, .radius = convex_default_radius(encoding)},
	};

	grid_set_plain(&request.grid, encoding_dimension(encoding));
	convex_set_knorm(&request, encoding);
	request.convex.lambda = (int64_t) (lambda * LAMBDA_ONE);
	return request;
}

typedef bool (*Event)(const double *value);

/*
 * The share of releases in the event, for one row or none.  value is lambda u over the reach, so
 * that the row moves it by the row itself: the slope of Huber's loss is -1 up to margin 1/2.
 */
static double
share_of(const MechanismRequest *request, const int32_t *row, Event event, int runs)
{
	const int64_t one = 1;
	const int64_t none = 0;
	Instance instance = {.dimension = request->grid.dimension,
						 .rows = row == NULL ? 0 : 1,
						 .x = row,
						 .positive = &one,
						 .negative = &none};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	double unit = ldexp((double) request->convex.lambda, -LAMBDA_BITS - CONVEX_OUTPUT_BITS);
	ColumnsBody body;
	int inside = 0;

	columns_body_make(&request->convex.columns, request->convex.radius, request->grid.dimension,
					  &body);
	for (int i = 0; i < runs; i++)
	{
		MechanismAnswer answer;
		double value[MOST];

		convex_release(request, &instance, &tools, &answer);
		for (int j = 0; j < instance.dimension; j++)
			value[j] = (double) answer.weight[j] * unit / ldexp(body.reach[j], -ROW_BITS);
		inside += event(value);
	}
	return (double) inside / runs;
}

/* The number is the largest part of the norm, with the row and without it. */
static bool
number_leads(const double *value)
{
	return fabs(value[0] - 1) + fabs(value[1]) <= value[2] - 1;
}

static bool
first_beyond(const double *value)
{
	return value[0] >= 1;
}

#define AUDIT_RUNS 25000

/* A group of two columns and a number up to 2; then the group and an intercept, in S. */
static void
test_audits(void)
{
	const int32_t row[2][3] = {{FIXED_POINT_ONE, 0, 2 * FIXED_POINT_ONE},
							   {FIXED_POINT_ONE, 0, FIXED_POINT_ONE}};
	const Event event[2] = {number_leads, first_beyond};

	for (int i = 0; i < 2 && check_share() == 100; i++)
	{
		Encoding encoding;
		MechanismRequest request;
		double with;
		double without;

		encoding_init(&encoding);
		encoding.features = 3 - i;
		encoding.intercept = i == 1;
		encoding.groups = 1;
		encoding.group[0] = 2;
		encoding.high[2] = 2;
		CHECK(encoding_finish(&encoding));
		request = make_request(&encoding, LOSS_HUBER, 1000);
		with = share_of(&request, row[i], event[i], AUDIT_RUNS);
		without = share_of(&request, NULL, event[i], AUDIT_RUNS);
		check_log_ratio(with, without, AUDIT_RUNS, 0.85);
		/* a sixth of K has the number as the largest part, with this sign; half of S has u_0 > 0 */
		CHECK(fabs(with - (i == 0 ? 1.0 / 6 : 0.5)) < 0.02);
	}
}

/* ---- defaults ---- */

/* Lambda is kappa times the noise of a column, and the Hessian takes half at most. */
static void
test_lambda(void)
{
	for (int c = 0; c < check_repetitions(300); c++)
	{
		Encoding encoding = random_encoding();
		int64_t rows = c % 5 == 0 ? 0 : (int64_t) exp(between(2, 14));
		MechanismRequest request = make_request(&encoding, (ConvexLoss) below(LOSS_LABEL_KINDS), 1);
		double radius = request.convex.radius;
		double epsilon;
		double noise;
		double kappa;
		double share;
		double spread[COLUMNS_MAX];
		ConvexScale scale;
		ColumnsBody body;

		request.epsilon = (int64_t) (exp(between(-3, 2)) * EPSILON_ONE);
		request.adjacency = (Adjacency) below(2);
		if (request.convex.loss == LOSS_CLIPPED && c % 2 == 0)
			convex_set_noise(&request, c % 4 == 0 ? CONVEX_GAMMA : CONVEX_GAUSSIAN,
							 DELTA_ONE / 1000000);
		request.convex.lambda = convex_default_lambda_for_noise(&request, rows);
		CHECK(convex_request_scale(&request, &scale) == CONVEX_FITS);
		columns_body_make(&request.convex.columns, radius, request.grid.dimension, &body);
		noise =
			scale.inner * (request.convex.noise == CONVEX_KNORM ? columns_body_spread(&body, spread)
						   : request.convex.noise == CONVEX_GAUSSIAN
							   ? radius
							   : radius * sqrt(request.grid.dimension + 1));
		kappa = rows == 0 ? 2 : fmin(fmax(500 * noise / (double) rows, 0.2), 20);
		epsilon = (double) request.epsilon / EPSILON_ONE * 255 / 256;
		share = log1p(ldexp(loss_curvature(request.convex.loss), LAMBDA_BITS) /
					  (double) request.convex.lambda) /
				epsilon;
		CHECK(share <= 0.5 + 1e-6);
		if (share < 0.499 && request.convex.lambda > LAMBDA_MIN)
			CHECK(fabs(ldexp((double) request.convex.lambda, -LAMBDA_BITS) * radius * radius /
						   (kappa * noise) -
					   1) < 1e-5);
	}
}

/* ---- price ---- */

/* Without rows nothing but noise is released. */
static void
test_distance(void)
{
	Encoding encoding;
	MechanismRequest request;
	Instance none = {0};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	int runs = check_repetitions(1000);
	int beyond = 0;
	double bound;
	double mean = 0;

	encoding_init(&encoding);
	encoding.features = 6;
	encoding.groups = 2;
	encoding.group[0] = encoding.group[1] = 2;
	CHECK(encoding_finish(&encoding));
	request = make_request(&encoding, LOSS_CLIPPED, 5);
	none.dimension = 6;
	bound = convex_distance(&request, 0.05);
	for (int i = 0; i < runs; i++)
	{
		MechanismAnswer answer;
		double square = 0;

		convex_release(&request, &none, &tools, &answer);
		for (int j = 0; j < 6; j++)
			square += pow(ldexp((double) answer.weight[j], -CONVEX_OUTPUT_BITS), 2);
		beyond += sqrt(square) / request.convex.radius > bound;
		mean += sqrt(square) / request.convex.radius / runs;
	}
	CHECK(beyond <= 0.05 * runs);
	CHECK(mean > bound / 8);
}

/* An answer has no norm of gradients: output perturbation takes no K-norm noise. */
static void
test_admission(void)
{
	Encoding encoding;
	MechanismRequest request;

	encoding_init(&encoding);
	encoding.features = 2;
	CHECK(encoding_finish(&encoding));
	request = make_request(&encoding, LOSS_LOGISTIC, 5);
	CHECK(mechanism_verdict(&request).admitted);
	request.kind = MECHANISM_OUTPUT;
	CHECK(!mechanism_verdict(&request).admitted);
}

int
main(void)
{
	test_begin(31);
	test_rows();
	test_valid();
	test_draws();
	test_density_ratio();
	test_audits();
	test_lambda();
	test_distance();
	test_admission();
	return test_end("convex_knorm");
}

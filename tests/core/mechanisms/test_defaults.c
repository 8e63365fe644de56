/*
 * test_defaults.c - the defaults: grids, terms of convex models, and the method of dp_classifier.
 */
#include <math.h>
#include <string.h>

#include "core/check.h"
#include "core/mechanisms/classifier.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/convex_default.h"
#include "core/testbits.h"

/* ---- requests ---- */

/* The shapes of bench/accuracy: columns, one-hot groups from the first column on, numbers. */
typedef struct Shape
{
	int features;
	int groups;
	int16_t group[GRID_MAX_DIMENSION];
	int numbers; /* how many; the last columns but after */
	int after;
	double high;
} Shape;

static const Shape adult23 = {23, 7, {7, 6, 5, 2, 1, 1, 1}, 3, 0, 1};
static const Shape g1 = {17, 11, {7, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 3, 0, 2};
static const Shape full = {111, 11, {9, 16, 7, 15, 6, 5, 2, 42, 3, 2, 4}, 0, 0, 1};
static const Shape numbers = {24, 0, {0}, 24, 0, 1};

static Encoding
make_encoding(const Shape *shape)
{
	Encoding encoding;

	encoding_init(&encoding);
	encoding.features = shape->features;
	encoding.groups = shape->groups;
	memcpy(encoding.group, shape->group, sizeof(encoding.group));
	for (int j = 0; j < shape->features; j++)
	{
		encoding.low[j] = 0;
		encoding.high[j] = j < shape->features - shape->numbers - shape->after ? 1 : shape->high;
	}
	CHECK(encoding_finish(&encoding));
	return encoding;
}

static GridTerms
make_terms(const Shape *shape, const Encoding *encoding, int64_t rows, double epsilon, bool finish)
{
	GridTerms terms = {.encoding = encoding,
					   .rows = rows,
					   .evidence = grid_evidence(rows, (int64_t) nearbyint(epsilon * EPSILON_ONE),
												 ADJACENCY_REPLACE),
					   .finish = finish};

	for (int j = 0; j < shape->numbers; j++)
		terms.numeric[shape->features - shape->after - 1 - j] = true;
	return terms;
}

static MechanismRequest
make_logistic(const Encoding *encoding, double epsilon, double delta)
{
	MechanismRequest request = {.kind = MECHANISM_OBJECTIVE,
								.epsilon = (int64_t) nearbyint(epsilon * EPSILON_ONE),
								.grid.dimension = encoding_dimension(encoding),
								.convex.loss = LOSS_LOGISTIC,
								.convex.radius = convex_default_radius(encoding)};

	convex_default(&request, (int64_t) (delta * (double) DELTA_ONE));
	return request;
}

/* ---- grids ---- */

/* Is a draw of the exponential mechanism sure to end? */
static bool
finishes(const Encoding *encoding, const Grid *grid)
{
	MechanismRequest request = {.kind = MECHANISM_EXPONENTIAL,
								.epsilon = EPSILON_ONE,
								.grid = *grid,
								.group =
									select_cheapest_group(grid, encoding->group, encoding->groups),
								.threads = 1};
	MechanismVerdict verdict;

	mechanism_exponential.admit(&request, &verdict);
	return verdict.admitted && verdict.finishes;
}

static GridWidths
widths_of(const Shape *shape, int64_t rows, double epsilon, bool finish)
{
	Encoding encoding = make_encoding(shape);
	GridTerms terms = make_terms(shape, &encoding, rows, epsilon, finish);
	GridWidths widths;
	Grid grid;

	grid_default(&terms, &widths, &grid);
	CHECK(grid_is_valid(&grid) && grid.dimension == shape->features);
	CHECK(!finish || finishes(&encoding, &grid));
	return widths;
}

/* The choices that bench/accuracy was run with. */
static void
test_measured_grids(void)
{
	static const struct
	{
		const Shape *shape;
		int64_t rows;
		double epsilon;
		bool finish;
		GridWidths widths;
	} grids[] = {
		{&adult23, 15682, 0.1, false, {.sparse = 7}},
		{&adult23, 15682, 0.3, false, {.grouped = 1, .indicator = 1, .number = 4}},
		/* 3^13 9^3 configurations are too many */
		{&adult23, 15682, 0.3, true, {.grouped = 1, .indicator = 1, .number = 1}},
		{&g1, 15682, 0.1, false, {.grouped = 4, .indicator = 1, .number = 4}},
		{&g1, 15682, 1, false, {.grouped = 4, .indicator = 2, .number = 4}},
		{&g1, 15682, 1, true, {.grouped = 4, .indicator = 1, .number = 4}},
		{&full, 32561, 1, false, {.sparse = 3}},
		/* too many numbers for the tree */
		{&numbers, 10000, 1, false, {.grouped = 1, .indicator = 1, .number = 1}},
		/* so many rows times so many configurations */
		{&g1, 1000000, 1, false, {.grouped = 1, .indicator = 1, .number = 4}},
		{&adult23, 1, 0.001, false, {.sparse = 1}},
	};

	for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++)
	{
		GridWidths widths =
			widths_of(grids[i].shape, grids[i].rows, grids[i].epsilon, grids[i].finish);

		CHECK(memcmp(&widths, &grids[i].widths, sizeof(widths)) == 0);
	}
}

/* Each column's levels are what the words say. */
static void
test_levels(void)
{
	Encoding encoding = make_encoding(&g1);
	GridTerms terms = make_terms(&g1, &encoding, 15682, 1, false);
	GridWidths widths;
	Grid grid;

	grid_default(&terms, &widths, &grid);
	for (int j = 0; j < 17; j++)
		CHECK(grid.levels[j] == (j < 7 ? 9 : j < 14 ? 5 : 9));
	encoding.intercept = true;
	grid_default(&terms, &widths, &grid);
	CHECK(grid.dimension == 18 && grid.levels[17] == 1);
	terms.evidence = 10;
	grid_default(&terms, &widths, &grid);
	CHECK(grid.constraint == GRID_SPARSE && grid.bound == widths.sparse && grid.levels[0] == 3);
}

/* More rows or a larger epsilon never buy a smaller grid; and nothing is bought on credit. */
static void
test_price(void)
{
	static const Shape *const shapes[] = {&adult23, &g1, &full, &numbers};

	for (int s = 0; s < 4; s++)
		for (int finish = 0; finish < 2; finish++)
		{
			Encoding encoding = make_encoding(shapes[s]);
			double before = 0;

			for (double epsilon = 0.001; epsilon < 100; epsilon *= 1.3)
			{
				GridTerms terms = make_terms(shapes[s], &encoding, 15682, epsilon, finish);
				double size;
				GridWidths widths;
				Grid grid;

				grid_default(&terms, &widths, &grid);
				size = grid_log2_size(&grid);
				CHECK(size >= before);
				CHECK(widths.sparse == 1 || 2 * log(2) * size <= 0.04 * terms.evidence);
				before = size;
			}
		}
}

/* Clip bounds that a wide grid cannot be computed with leave a narrower one. */
static void
test_scores(void)
{
	Shape wide = g1;
	GridWidths widths;
	Encoding encoding;
	GridTerms terms;
	Grid grid;

	wide.high = 1000;
	encoding = make_encoding(&wide);
	for (int j = 0; j < 17; j++)
		encoding.high[j] = 1000;
	terms = make_terms(&wide, &encoding, 15682, 10, false);
	grid_default(&terms, &widths, &grid);
	CHECK(encoding_score_bound(&encoding, &grid) < 2147483647.0);
	CHECK(widths.grouped < 4);
}

static int
intercept_range(const Shape *shape, double epsilon)
{
	Encoding encoding = make_encoding(shape);
	GridTerms terms = make_terms(shape, &encoding, 15682, epsilon, false);
	GridWidths widths;
	Grid grid;

	encoding.intercept = true;
	grid_default(&terms, &widths, &grid);
	CHECK(grid.dimension == shape->features + 1 && widths.sparse == 0);
	return grid.levels[shape->features] / 2;
}

/* As wide as a number's weights; beside a group whose columns are wider than +-1 it adds nothing.
 */
static void
test_intercept(void)
{
	static const Shape alone = {4, 0, {0}, 2, 0, 1};
	static const Shape grouped = {6, 1, {3}, 2, 0, 1};

	CHECK(intercept_range(&alone, 1) == 4);
	CHECK(intercept_range(&grouped, 1) == 0);
	CHECK(intercept_range(&adult23, 1) == 1);
}

/* Columns beyond the groups are as good as groups of one. */
static void
test_beyond_groups(void)
{
	Shape shorter = adult23;
	Encoding encoding = make_encoding(&adult23);
	GridTerms terms = make_terms(&adult23, &encoding, 15682, 1, false);
	Encoding other;
	GridWidths widths, others;
	Grid grid, others_grid;

	shorter.groups = 4;
	other = make_encoding(&shorter);
	grid_default(&terms, &widths, &grid);
	terms.encoding = &other;
	grid_default(&terms, &others, &others_grid);
	CHECK(memcmp(&widths, &others, sizeof(widths)) == 0);
	CHECK(memcmp(&grid, &others_grid, sizeof(grid)) == 0);
	CHECK(convex_default_radius(&encoding) == convex_default_radius(&other));
}

static void
test_evidence(void)
{
	CHECK(grid_evidence(1000, EPSILON_ONE / 2, ADJACENCY_REPLACE) == 500);
	CHECK(grid_evidence(1000, EPSILON_ONE / 2, ADJACENCY_ADD_REMOVE) == 1000);
}

/* ---- convex models ---- */

static void
test_radius(void)
{
	Encoding encoding = make_encoding(&g1);

	CHECK(fabs(convex_default_radius(&encoding) - sqrt(1 + 7 + 3 * 4)) < 1e-12);
	encoding.intercept = true;
	CHECK(fabs(convex_default_radius(&encoding) - sqrt(1 + 1 + 7 + 3 * 4)) < 1e-12);
	encoding.low[16] = -3;
	CHECK(fabs(convex_default_radius(&encoding) - sqrt(1 + 1 + 7 + 2 * 4 + 9)) < 1e-12);
}

static double
lambda_of(const MechanismRequest *request)
{
	return (double) request->convex.lambda / LAMBDA_ONE;
}

/* d / (24 epsilon^2), sqrt(2) epsilon^1.5 beyond 2, a tenth of the noise's length where that is
 * less, twice the least. */
static void
test_lambda(void)
{
	static const double values[][2] = {
		{0.5, 111 / 6.0}, {1, 111 / 24.0}, {1.5, 111 / 54.0}, {2, 111 / 96.0}, {8, 111 / 768.0}};
	Encoding encoding = make_encoding(&full);
	MechanismRequest request;

	for (int i = 0; i < 5; i++)
	{
		request = make_logistic(&encoding, values[i][0], 0);
		CHECK(fabs(lambda_of(&request) - values[i][1]) < 1e-6);
	}
	request = make_logistic(&encoding, 0.1, 0);
	CHECK(request.convex.noise == CONVEX_GAMMA);
	CHECK(fabs(lambda_of(&request) - 0.1 * 111 * 2 / 0.1) < 3);
	request = make_logistic(&encoding, 0.1, 1e-9);
	CHECK(request.convex.noise == CONVEX_GAUSSIAN && request.convex.delta == 1000000000);
	CHECK(lambda_of(&request) > 90 && lambda_of(&request) < 130);
	encoding = make_encoding(&g1);
	request = make_logistic(&encoding, 2.5, 0);
	CHECK(lambda_of(&request) >= 2 * 0.25 / expm1(15.0 / 16 * 2.5));
}

/* Whatever epsilon and delta are: the request fits, or is noise alone. */
static void
test_lambda_fits(void)
{
	static const Shape *const shapes[] = {&adult23, &g1, &full, &numbers};

	for (int s = 0; s < 4; s++)
		for (double epsilon = 1e-4; epsilon < 1000; epsilon *= 2)
			for (int kind = 0; kind < 2; kind++)
			{
				Encoding encoding = make_encoding(shapes[s]);
				MechanismRequest request = make_logistic(&encoding, epsilon, 1e-6);
				ConvexScale scale;

				if (kind == CONVEX_OUTPUT)
				{
					request.kind = MECHANISM_OUTPUT;
					convex_default(&request, 1000);
				}
				CHECK(convex_request_scale(&request, &scale) == CONVEX_FITS);
			}
}

/* ---- the method ---- */

static ClassifierReason
reason_of(const Shape *shape, int64_t rows, double epsilon, double delta)
{
	Encoding encoding = make_encoding(shape);
	GridTerms terms = make_terms(shape, &encoding, rows, epsilon, false);
	MechanismRequest logistic = make_logistic(&encoding, epsilon, delta);

	return classifier_choose(&terms, &logistic);
}

static void
test_classifier(void)
{
	for (int k = 0; k < 4; k++)
		CHECK(reason_of(&adult23, 15682, (double[]){0.1, 0.3, 0.5, 1}[k], 0) == REASON_FEW_ROWS);
	for (int k = 0; k < 3; k++)
		CHECK(reason_of(&adult23, 15682, (double[]){2, 5, 10}[k], 0) == REASON_MANY_ROWS);
	for (int k = 0; k < 4; k++)
		CHECK(reason_of(&g1, 15682, (double[]){0.1, 0.5, 2, 10}[k], 1e-9) == REASON_WIDE_GRID);
	CHECK(reason_of(&full, 32561, 0.1, 1e-9) == REASON_LITTLE_NOISE);
	CHECK(reason_of(&full, 32561, 0.1, 0) == REASON_MUCH_NOISE);
	CHECK(reason_of(&full, 32561, 0.3, 0) == REASON_LITTLE_NOISE);
	CHECK(reason_of(&full, 10, 1e-6, 0) == REASON_MUCH_NOISE); /* a request that is refused */
	CHECK(reason_of(&full, 0, 1, 0) == REASON_NO_GRID);
	CHECK(reason_of(&adult23, 0, 1, 0) == REASON_ROWS_UNKNOWN);
}

static void
test_reasons(void)
{
	for (int reason = 0; reason <= REASON_ROWS_UNKNOWN; reason++)
	{
		const char *words = classifier_reason((ClassifierReason) reason);

		CHECK(words != NULL && strpbrk(words, "\"\\") == NULL);
	}
	CHECK(classifier_is_logistic(REASON_MANY_ROWS) && classifier_is_logistic(REASON_NO_GRID));
	CHECK(!classifier_is_logistic(REASON_MUCH_NOISE) && !classifier_is_logistic(REASON_WIDE_GRID));
}

int
main(void)
{
	test_measured_grids();
	test_levels();
	test_price();
	test_scores();
	test_intercept();
	test_beyond_groups();
	test_evidence();
	test_radius();
	test_lambda();
	test_lambda_fits();
	test_classifier();
	test_reasons();
	return check_report("defaults");
}

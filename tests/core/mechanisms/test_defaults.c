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
static const Shape few = {5, 1, {3}, 2, 0, 1};
static const Shape *const shapes[] = {&adult23, &g1, &full, &numbers, &few};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* The default of dpobj.longest_run. */
#define LONGEST 600

static Encoding
make_encoding(const Shape *shape)
{
	Encoding encoding;

	encoding_init(&encoding);
	encoding.features = shape->features;
	encoding.groups = shape->groups;
	memcpy(encoding.group, shape->group, sizeof(shape->group));
	for (int j = 0; j < shape->features; j++)
	{
		encoding.low[j] = 0;
		encoding.high[j] = j < shape->features - shape->numbers - shape->after ? 1 : shape->high;
	}
	CHECK(encoding_finish(&encoding));
	return encoding;
}

static GridTerms
make_terms(const Shape *shape, const Encoding *encoding, int64_t rows, double epsilon)
{
	GridTerms terms = {.encoding = encoding,
					   .rows = rows,
					   .run = run_terms(rows, encoding, LONGEST),
					   .evidence = grid_evidence(rows, (int64_t) nearbyint(epsilon * EPSILON_ONE),
												 ADJACENCY_REPLACE)};

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

	convex_default(&request, encoding, (int64_t) (delta * (double) DELTA_ONE), 0);
	return request;
}

/* ---- grids ---- */

static bool
fits(const GridTerms *terms, const Grid *grid, int longest)
{
	const Encoding *encoding = terms->encoding;
	RunTerms run = terms->run;

	run.longest = longest;
	return run_fits_grid(&run, grid,
						 select_cheapest_group(grid, encoding->group, encoding->groups));
}

static GridWidths
widths_of(const Shape *shape, int64_t rows, double epsilon, int longest)
{
	Encoding encoding = make_encoding(shape);
	GridTerms terms = make_terms(shape, &encoding, rows, epsilon);
	GridWidths widths;
	Grid grid;

	terms.run.longest = longest;
	grid_default(&terms, &widths, &grid);
	CHECK(grid_is_valid(&grid) && grid.dimension == shape->features);
	CHECK(widths.sparse == 1 || fits(&terms, &grid, longest));
	CHECK(widths.sparse == 1 || grid_default_run(&terms, &grid).longest <= 60);
	return widths;
}

/* The choices that the figures of rule U11 are of. */
static void
test_listed_grids(void)
{
	static const struct
	{
		const Shape *shape;
		int64_t rows;
		double epsilon;
		int longest;
		int sparse;
		int sizes[3]; /* how many, of the whole group, other indicators and numbers */
	} grids[] = {
		{&adult23, 15682, 1, LONGEST, 0, {3, 1, 6}},
		{&g1, 15682, 1, LONGEST, 0, {3, 1, 3}},
		{&few, 15682, 1, LONGEST, 0, {3, 2, 8}},
		/* too many columns to enumerate, and too many numbers for the tree */
		{&full, 32561, 1, LONGEST, 2, {0}},
		{&numbers, 15682, 1, LONGEST, 5, {0}},
	};

	for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++)
	{
		GridWidths widths =
			widths_of(grids[i].shape, grids[i].rows, grids[i].epsilon, grids[i].longest);

		CHECK(widths.sparse == grids[i].sparse);
		CHECK(widths.whole.count == grids[i].sizes[0]);
		CHECK(widths.indicator.count == grids[i].sizes[1]);
		CHECK(widths.number.count == grids[i].sizes[2]);
	}
}

/* Epsilon says nothing about a dense grid, and few weights are never bought on credit. */
static void
test_epsilon(void)
{
	for (size_t s = 0; s < SHAPES; s++)
	{
		GridWidths first = widths_of(shapes[s], 15682, 1, LONGEST);
		int before = 0;

		for (double epsilon = 0.001; epsilon < 100; epsilon *= 1.3)
		{
			GridWidths widths = widths_of(shapes[s], 15682, epsilon, LONGEST);
			Encoding encoding = make_encoding(shapes[s]);
			GridTerms terms = make_terms(shapes[s], &encoding, 15682, epsilon);
			Grid grid;

			CHECK(widths.sparse > 0 || memcmp(&widths, &first, sizeof(widths)) == 0);
			CHECK((widths.sparse > 0) == (first.sparse > 0) && widths.sparse >= before);
			before = widths.sparse;
			grid_default(&terms, &widths, &grid);
			CHECK(widths.sparse < 2 || 2 * log(2) * grid_log2_size(&grid) <= 0.04 * terms.evidence);
		}
	}
}

/* More time, or fewer rows, never make a grid narrower. */
static void
test_time(void)
{
	for (size_t s = 0; s < SHAPES; s++)
	{
		double before = 0;

		for (int longest = 1; longest <= 1000000; longest *= 4)
		{
			Encoding encoding = make_encoding(shapes[s]);
			GridTerms terms = make_terms(shapes[s], &encoding, 15682, 1);
			GridWidths widths;
			Grid grid;
			double size;

			terms.run.longest = longest;
			grid_default(&terms, &widths, &grid);
			size = grid_log2_size(&grid) + (widths.sparse > 0 ? 0 : 1000);
			CHECK(size >= before);
			before = size;
		}
		CHECK(widths_of(shapes[s], 1000000000, 1, LONGEST).number.count <=
			  widths_of(shapes[s], 1000, 1, LONGEST).number.count);
	}
}

/* With many numbers the tree is of no help, so an enumeration must take seconds. */
static void
test_numbers(void)
{
	static const Shape four = {7, 1, {3}, 4, 0, 1};

	for (int64_t rows = 100; rows < INT64_C(1000000000); rows *= 3)
	{
		Encoding encoding = make_encoding(&four);
		GridTerms terms = make_terms(&four, &encoding, rows, 1);
		GridWidths widths;
		Grid grid;

		grid_default(&terms, &widths, &grid);
		CHECK(fits(&terms, &grid, 40));
	}
}

static void
check_levels(const Grid *grid, int first, int count, const GridSizes *sizes)
{
	for (int j = first; j < first + count; j++)
	{
		CHECK(grid->levels[j] == 2 * sizes->count + 1 && grid->level[j][sizes->count] == 0);
		for (int i = 0; i < sizes->count; i++)
			CHECK(grid->level[j][sizes->count + 1 + i] == sizes->size[i] &&
				  grid->level[j][sizes->count - 1 - i] == -sizes->size[i]);
	}
}

/* Each column's levels are what the words say; the longest group is the one that stays whole. */
static void
test_levels(void)
{
	static const Shape shape = {13, 4, {3, 4, 1, 4}, 1, 0, 1};
	static const GridSizes none = {0};
	Encoding encoding = make_encoding(&shape);
	GridTerms terms = make_terms(&shape, &encoding, 15682, 1);
	GridWidths widths;
	Grid grid;

	encoding.intercept = true;
	grid_default(&terms, &widths, &grid);
	CHECK(widths.sparse == 0 && widths.whole.count > 1 && widths.number.count > 1);
	check_levels(&grid, 0, 1, &none);
	check_levels(&grid, 1, 2, &widths.indicator);
	check_levels(&grid, 3, 4, &widths.whole);
	check_levels(&grid, 7, 1, &widths.indicator);
	check_levels(&grid, 8, 1, &none);
	check_levels(&grid, 9, 3, &widths.indicator);
	check_levels(&grid, 12, 1, &widths.number);
	check_levels(&grid, 13, 1, &none);
}

/* An intercept is as wide as a number, unless the columns of a group hold a constant. */
static void
test_intercept(void)
{
	static const Shape alone = {4, 0, {0}, 2, 0, 1};
	Encoding encoding = make_encoding(&alone);
	GridTerms terms = make_terms(&alone, &encoding, 15682, 1);
	GridWidths widths;
	Grid grid;

	CHECK(!grid_has_constant(&encoding));
	encoding.intercept = true;
	grid_default(&terms, &widths, &grid);
	CHECK(grid.dimension == 5 && widths.number.count > 1);
	check_levels(&grid, 2, 3, &widths.number);
}

/* Clip bounds that a wide grid cannot be computed with leave a narrower one. */
static void
test_scores(void)
{
	Shape wide = few;
	Encoding encoding = make_encoding(&wide);
	GridTerms terms = make_terms(&wide, &encoding, 1000, 10);
	GridWidths before, widths;
	Grid grid;

	grid_default(&terms, &before, &grid);
	wide.high = 1000;
	encoding = make_encoding(&wide);
	for (int j = 0; j < wide.features; j++)
		encoding.high[j] = 1000;
	grid_default(&terms, &widths, &grid);
	CHECK(encoding_score_bound(&encoding, &grid) < 2147483647.0);
	CHECK(widths.number.size[widths.number.count - 1] <=
		  before.number.size[before.number.count - 1]);
}

/* Columns beyond the groups are as good as groups of one. */
static void
test_beyond_groups(void)
{
	Shape shorter = adult23;
	Encoding encoding = make_encoding(&adult23);
	GridTerms terms = make_terms(&adult23, &encoding, 15682, 1);
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

/* With Gamma or Gaussian noise. */
static MechanismRequest
make_euclidean(const Encoding *encoding, double epsilon, double delta)
{
	MechanismRequest request = make_logistic(encoding, epsilon, 0);

	convex_set_noise(&request, CONVEX_GAMMA, 0);
	request.convex.lambda = convex_default_lambda(&request);
	if (delta > 0)
		convex_set_noise(&request, CONVEX_GAUSSIAN, (int64_t) (delta * (double) DELTA_ONE));
	request.convex.lambda = convex_default_lambda_for_noise(&request, 0);
	return request;
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
		request = make_euclidean(&encoding, values[i][0], 0);
		CHECK(fabs(lambda_of(&request) - values[i][1]) < 1e-6);
	}
	request = make_euclidean(&encoding, 0.1, 0);
	CHECK(fabs(lambda_of(&request) - 0.1 * 111 * 2 / 0.1) < 3);
	request = make_euclidean(&encoding, 0.1, 1e-9);
	CHECK(lambda_of(&request) > 90 && lambda_of(&request) < 130);
	encoding = make_encoding(&g1);
	request = make_euclidean(&encoding, 2.5, 0);
	CHECK(lambda_of(&request) >= 2 * 0.25 / expm1(15.0 / 16 * 2.5));
}

/* The law of the least noise in a column. */
static void
test_noise(void)
{
	Encoding encoding = make_encoding(&full);
	MechanismRequest request = make_logistic(&encoding, 1, 1e-9);

	/* groups: noise by columns is less than any by length */
	CHECK(request.convex.noise == CONVEX_KNORM && request.convex.delta == 0);
	CHECK(request.convex.columns.group[110] == 11);
	/* numbers: d / sqrt(3) by columns, sqrt(d) sigma by length */
	encoding = make_encoding(&numbers);
	request = make_logistic(&encoding, 1, 1e-6);
	CHECK(request.convex.noise == CONVEX_KNORM);
	request = make_logistic(&encoding, 1, 0.1);
	CHECK(request.convex.noise == CONVEX_GAUSSIAN && request.convex.delta == DELTA_ONE / 10);
	CHECK(request.convex.columns.bound[0] == 0);
	request = make_logistic(&encoding, 1, 0);
	CHECK(request.convex.noise == CONVEX_KNORM && request.convex.delta == 0);
	/* output perturbation has no noise by columns */
	request.kind = MECHANISM_OUTPUT;
	convex_default(&request, &encoding, 0, 0);
	CHECK(request.convex.noise == CONVEX_GAMMA && request.convex.columns.bound[0] == 0);
	convex_default(&request, &encoding, DELTA_ONE / 10, 0);
	CHECK(request.convex.noise == CONVEX_GAUSSIAN);
}

/* A column of any bound has the same noise over its reach; the noise is chosen by that. */
static void
test_reaches(void)
{
	Shape scaled = numbers;
	Encoding one = make_encoding(&numbers);
	Encoding eight;

	scaled.high = 8;
	eight = make_encoding(&scaled);
	for (int noise = CONVEX_GAMMA; noise <= CONVEX_KNORM; noise++)
	{
		MechanismRequest first = make_logistic(&one, 1, 0);
		MechanismRequest second = make_logistic(&eight, 1, 0);

		if (noise == CONVEX_LAPLACE)
			continue;
		first.convex.lambda = second.convex.lambda = LAMBDA_ONE;
		if (noise != CONVEX_KNORM)
		{
			convex_set_noise(&first, (ConvexNoise) noise, 1000000000);
			convex_set_noise(&second, (ConvexNoise) noise, 1000000000);
		}
		CHECK(fabs(convex_column_noise(&first, &one) / convex_column_noise(&second, &eight) - 1) <
			  1e-9);
	}
}

/* Whatever epsilon and delta are: the request fits, or is noise alone. */
static void
test_lambda_fits(void)
{
	for (size_t s = 0; s < SHAPES; s++)
		for (double epsilon = 1e-4; epsilon < 1000; epsilon *= 2)
			for (int kind = 0; kind < 2; kind++)
			{
				Encoding encoding = make_encoding(shapes[s]);
				MechanismRequest request = make_logistic(&encoding, epsilon, 1e-6);
				ConvexScale scale;

				if (kind == CONVEX_OUTPUT)
				{
					request.kind = MECHANISM_OUTPUT;
					convex_default(&request, &encoding, 1000, 0);
				}
				CHECK(convex_request_scale(&request, &scale) == CONVEX_FITS);
			}
}

/* ---- the method ---- */

static ClassifierReason
reason_of(const Shape *shape, int64_t rows, double epsilon, double delta)
{
	Encoding encoding = make_encoding(shape);
	GridTerms terms = make_terms(shape, &encoding, rows, epsilon);
	MechanismRequest request = {.epsilon = (int64_t) (epsilon * EPSILON_ONE), .run = terms.run};
	ClassifierReason reason;
	ClassifierModel model;

	request.grid.dimension = encoding_dimension(&encoding);
	reason = classifier_choose(&terms, (int64_t) (delta * (double) DELTA_ONE), &request);
	model = classifier_model(reason);
	if (model != CLASSIFIER_GRID)
	{
		CHECK(request.kind == (model == CLASSIFIER_POOL ? MECHANISM_POOL : MECHANISM_OBJECTIVE));
		CHECK(request.convex.loss == LOSS_CLIPPED && mechanism_verdict(&request).finishes);
		CHECK((request.pool.rows == rows && rows > 0) == (model == CLASSIFIER_POOL));
	}
	return reason;
}

static void
test_classifier(void)
{
	static const Shape ten = {10, 0, {0}, 0, 0, 1};
	static const Shape sixty = {60, 0, {0}, 0, 0, 1};
	static const Shape long_rows = {60, 0, {0}, 0, 60, 1000};

	for (int k = 0; k < 4; k++)
		CHECK(reason_of(&adult23, 15682, (double[]){0.1, 0.5, 1, 2.9}[k], 1e-9) ==
			  REASON_WIDE_GRID);
	CHECK(reason_of(&adult23, 15682, 3, 1e-9) == REASON_MANY_ROWS);
	CHECK(reason_of(&few, 0, 1, 0) == REASON_WIDE_GRID);
	CHECK(reason_of(&ten, 100000, 0.044, 0) == REASON_FEW_ROWS);
	CHECK(reason_of(&ten, 100000, 0.046, 0) == REASON_MANY_ROWS);
	CHECK(reason_of(&ten, 0, 1, 0) == REASON_ROWS_UNKNOWN);
	CHECK(reason_of(&full, 32561, 0.1, 0) == REASON_LITTLE_NOISE);
	CHECK(reason_of(&full, 32561, 1.1, 0) == REASON_LITTLE_NOISE);
	CHECK(reason_of(&full, 32561, 1.2, 0) == REASON_MANY_ROWS);
	CHECK(reason_of(&full, 6000, 0.1, 0) == REASON_LITTLE_NOISE);
	CHECK(reason_of(&full, 5000, 0.1, 0) == REASON_MUCH_NOISE);
	CHECK(reason_of(&full, 10, 1e-6, 0) == REASON_MUCH_NOISE); /* a request that is refused */
	CHECK(reason_of(&full, 0, 1, 0) == REASON_NO_GRID);
	/* scores of weights of +-1 do not fit 32 bits from 33 columns on */
	CHECK(reason_of(&long_rows, 50, 0.1, 0) == REASON_NO_SCORES);
	CHECK(reason_of(&long_rows, 0, 0.1, 0) == REASON_NO_SCORES);
	CHECK(reason_of(&long_rows, 50, 1000, 0) == REASON_MANY_ROWS);
	/* few rows for each weight */
	CHECK(reason_of(&sixty, 960, 4.9, 0) == REASON_LITTLE_NOISE);
	CHECK(reason_of(&sixty, 960, 5.1, 0) == REASON_MANY_ROWS);
}

/* A pool that is not sure to end is not chosen. */
static void
test_pool_ends(void)
{
	Encoding encoding = make_encoding(&full);
	GridTerms terms = make_terms(&full, &encoding, 32561, 5);
	MechanismRequest request = {.epsilon = 5 * (int64_t) EPSILON_ONE, .run = terms.run};
	MechanismRequest centre;

	request.grid.dimension = encoding_dimension(&encoding);
	centre = request;
	CHECK(classifier_choose(&terms, 0, &request) == REASON_MANY_ROWS);
	terms.run.longest = mechanism_verdict(&request).most / 2;
	CHECK(classifier_choose(&terms, 0, &centre) == REASON_LITTLE_NOISE);
	CHECK(centre.kind == MECHANISM_OBJECTIVE && centre.pool.rows == 0);
}

/* K-norm noise on whole rows, or Gaussian noise on short ones where that is less by numbers. */
static void
test_classifier_noise(void)
{
	static const struct
	{
		const Shape *shape;
		double delta;
		ConvexNoise noise;
	} cases[] = {
		{&full, 1e-9, CONVEX_KNORM},
		{&numbers, 0, CONVEX_KNORM},
		{&numbers, 1e-9, CONVEX_GAUSSIAN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Encoding encoding = make_encoding(cases[i].shape);
		MechanismRequest request = make_logistic(&encoding, 0.5, 0);
		double knorm = convex_default_classifier(&request, &encoding, 0, 15682);
		double noise = convex_default_classifier(
			&request, &encoding, (int64_t) (cases[i].delta * (double) DELTA_ONE), 15682);
		double longest = convex_default_radius(&encoding);
		bool gaussian = cases[i].noise == CONVEX_GAUSSIAN;

		CHECK(request.convex.loss == LOSS_CLIPPED && request.convex.noise == cases[i].noise);
		CHECK(fabs(request.convex.radius - (gaussian ? 0.15 : 1) * longest) < 1e-9);
		CHECK(gaussian ? noise < knorm : noise == knorm);
		CHECK(request.convex.lambda == convex_default_lambda_for_noise(&request, 15682));
	}
}

static void
test_reasons(void)
{
	for (int reason = 0; reason <= REASON_ROWS_UNKNOWN; reason++)
	{
		const char *words = classifier_reason((ClassifierReason) reason);

		CHECK(words != NULL && strpbrk(words, "\"\\") == NULL);
	}
}

int
main(void)
{
	test_listed_grids();
	test_epsilon();
	test_time();
	test_numbers();
	test_levels();
	test_intercept();
	test_scores();
	test_beyond_groups();
	test_evidence();
	test_radius();
	test_lambda();
	test_noise();
	test_reaches();
	test_lambda_fits();
	test_classifier();
	test_pool_ends();
	test_classifier_noise();
	test_reasons();
	return check_report("defaults");
}

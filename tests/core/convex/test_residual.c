/*
 * test_residual.c - descent on clipped residuals: how far one row moves a sum, by all pairs of
 * small rows; the scale and the law of the noise; sums in any order and of the most labels.
 */
#include "core/convex/convex_pass.h"
#include "core/convex/count_pass.h"
#include "core/convex/residual.h"
#include "core/mechanisms/convex_data.h"
#include "core/mechanisms/residual_run.h"
#include "core/noise/calibration.h"

#include "core/law.h"
#include "core/problem.h"

#define MOST_COLUMNS 12
#define MOST_WEIGHTS 32

/* ---- layouts ---- */

/* One-hot groups of these sizes, lone columns of 0 and 1, levels, and numbers up to bound. */
typedef struct Columns
{
	int group[3];
	int lone;
	int levels;
	int numbers;
	double bound;
	bool intercept;
} Columns;

static MechanismRequest
make_request(const Columns *columns, Adjacency adjacency)
{
	MechanismRequest request = {.kind = MECHANISM_DESCENT,
								.epsilon = EPSILON_ONE,
								.adjacency = adjacency,
								.threads = 1,
								.convex = {.loss = LOSS_LOGISTIC,
										   .noise = CONVEX_GAUSSIAN,
										   .lambda = LAMBDA_MIN,
										   .delta = DELTA_ONE / 1000000}};
	Encoding encoding;
	int lone;

	encoding_init(&encoding);
	encoding.intercept = columns->intercept;
	for (int g = 0; g < 3 && columns->group[g] > 0; g++)
	{
		encoding.ordered[encoding.features] = (int16_t) columns->group[g];
		encoding.group[encoding.groups++] = (int16_t) columns->group[g];
		encoding.features += columns->group[g];
	}
	for (lone = columns->lone; lone > 0; lone--)
		encoding.binary[encoding.features++] = true;
	if (columns->levels > 0)
	{
		encoding.ordered[encoding.features] = (int16_t) (columns->levels / 2);
		encoding_set_levels(&encoding, encoding.features++, columns->levels);
	}
	for (int k = 0; k < columns->numbers; k++)
	{
		encoding.low[encoding.features] = -columns->bound;
		encoding.high[encoding.features++] = columns->bound;
	}
	CHECK(encoding_finish(&encoding));
	grid_set_plain(&request.grid, encoding_dimension(&encoding));
	residual_describe(&encoding, &request.convex, &request.residual);
	CHECK(residual_terms_valid(&request.convex, &request.residual, request.grid.dimension));
	return request;
}

/* A row that such columns can have; numbers are 0 or as large as they can be. */
static void
random_row(const Columns *columns, int32_t *x)
{
	int j = 0;

	for (int g = 0; g < 3 && columns->group[g] > 0; j += columns->group[g++])
	{
		for (int k = 0; k < columns->group[g]; k++)
			x[j + k] = 0;
		x[j + below(columns->group[g])] = FIXED_POINT_ONE;
	}
	for (int k = 0; k < columns->lone; k++)
		x[j++] = below(2) * FIXED_POINT_ONE;
	if (columns->levels > 0)
		x[j++] = below(columns->levels + 1) * FIXED_POINT_ONE;
	for (int k = 0; k < columns->numbers; k++)
		x[j++] = (int32_t) ((below(3) - 1) * columns->bound * FIXED_POINT_ONE);
	if (columns->intercept)
		x[j++] = FIXED_POINT_ONE;
}

/* ---- what one row can change ---- */

#define ROWS 24

/* The vectors that a positive and a negative label of each row add, in units of features. */
static void
vectors_of(const MechanismRequest *request, const ResidualLayout *layout, ResidualClip clip,
		   const int32_t *x, const double *w, double vector[2 * ROWS][MOST_WEIGHTS])
{
	static LossTable table;
	int dimension = request->grid.dimension;
	Wide none[MOST_WEIGHTS] = {0};
	Wide u[MOST_WEIGHTS];
	Wide gradient[MOST_WEIGHTS];

	loss_table_make(LOSS_LOGISTIC, &table);
	for (int j = 0; j < layout->weights; j++)
		u[j] = (Wide) ldexp(w[j] * request->convex.radius, WEIGHT_BITS);
	for (int i = 0; i < 2 * ROWS; i++)
	{
		int64_t label[2] = {i % 2 == 0, i % 2 == 1};
		Instance instance = {.dimension = dimension,
							 .rows = 1,
							 .x = x + i / 2 * dimension,
							 .positive = &label[0],
							 .negative = &label[1]};
		ConvexRows rows;

		convex_data_make(request, &instance, memory, &rows);
		rows.clip = clip;
		convex_pass(&rows, &table, 0, none, u, memory, gradient, NULL);
		convex_rows_release(&rows, memory);
		for (int j = 0; j < layout->weights; j++)
			vector[i][j] =
				j == layout->intercept && !layout->sums_intercept
					? 0
					: -ldexp((double) gradient[j], -GRADIENT_BITS) * request->convex.radius;
	}
}

static double
distance(const double *a, const double *b, int count)
{
	double square = 0;

	for (int j = 0; j < count; j++)
	{
		double difference = a[j] - (b == NULL ? 0 : b[j]);

		square += difference * difference;
	}
	return sqrt(square);
}

/* The largest change over all pairs of rows and labels, by the reach. */
static double
largest_change(const Columns *columns, ResidualClip clip, Adjacency adjacency)
{
	static double vector[2 * ROWS][MOST_WEIGHTS];
	MechanismRequest request = make_request(columns, adjacency);
	ResidualLayout layout;
	static int32_t x[ROWS * (MOST_COLUMNS + 1)];
	double w[MOST_WEIGHTS];
	double size = exp(between(-2, 4));
	double largest = 0;

	residual_layout_make(&request.convex, &request.residual, request.grid.dimension, &layout);
	CHECK(layout.weights <= MOST_WEIGHTS && request.grid.dimension <= MOST_COLUMNS);
	for (int i = 0; i < ROWS; i++)
		random_row(columns, x + i * request.grid.dimension);
	for (int j = 0; j < layout.weights; j++)
		w[j] = between(-size, size);
	if (layout.intercept >= 0 && below(2) == 0)
		w[layout.intercept] = below(2) == 0 ? -100 : 100;
	vectors_of(&request, &layout, clip, x, w, vector);
	for (int a = 0; a < 2 * ROWS; a++)
	{
		largest = fmax(largest, distance(vector[a], NULL, layout.weights));
		for (int b = 0; b < a && adjacency == ADJACENCY_REPLACE; b++)
			largest = fmax(largest, distance(vector[a], vector[b], layout.weights));
	}
	return largest / residual_reach(&layout, clip, adjacency);
}

/* No pair is beyond the reach, and some are nearly there. */
static void
test_reach(void)
{
	static const Columns kinds[] = {
		{.group = {3}, .intercept = true},
		{.group = {2, 2}, .intercept = true},
		{.group = {3, 2}, .lone = 1, .intercept = true},
		{.lone = 3, .intercept = true},
		{.levels = 5, .lone = 1, .intercept = true},
		{.numbers = 1, .bound = 1, .intercept = true},
		{.numbers = 3, .bound = 2, .intercept = true},
		{.group = {3}, .numbers = 2, .bound = 1, .intercept = true},
		{.group = {2}, .lone = 1, .levels = 4, .numbers = 4, .bound = 1, .intercept = true},
		{.group = {2}, .numbers = 1, .bound = 0.25},
		{.group = {3, 3}},
	};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (int adjacency = 0; adjacency < 2; adjacency++)
			for (int clip = CLIP_RARE_NEGATIVE; clip < RESIDUAL_CLIPS; clip++)
			{
				double most = 0;

				for (int i = 0; i < check_repetitions(60); i++)
					most = fmax(most, largest_change(&kinds[k], (ResidualClip) clip,
													 (Adjacency) adjacency));
				CHECK(most <= 1 + 1e-9);
				CHECK_WHOLE(most > 0.85);
			}
	memory_renew();
}

/* Beyond its clip a residual is clipped; within it is the slope, to 5e-8. */
static void
test_residuals(void)
{
	static double vector[2 * ROWS][MOST_WEIGHTS];
	const Columns columns = {.lone = 1, .intercept = true};
	MechanismRequest request = make_request(&columns, ADJACENCY_REPLACE);
	ResidualLayout layout;
	int32_t x[2 * ROWS];

	residual_layout_make(&request.convex, &request.residual, 2, &layout);
	for (int i = 0; i < ROWS; i++)
	{
		x[2 * i] = FIXED_POINT_ONE;
		x[2 * i + 1] = FIXED_POINT_ONE;
	}
	for (int clip = CLIP_RARE_NEGATIVE; clip < RESIDUAL_CLIPS; clip++)
		for (int i = -12; i <= 12; i++)
		{
			double share = 1 / (1 + exp(-i / 2.0));
			double high = 0.5 + 0.05 * (clip - CLIP_EVEN);

			vectors_of(&request, &layout, (ResidualClip) clip, x, (double[]){i / 2.0, 0}, vector);
			CHECK(fabs(vector[0][0] - fmin(1 - share, high)) < 4e-5);
			CHECK(fabs(vector[1][0] - fmax(-share, high - 1)) < 4e-5);
		}
	CHECK(residual_clip(&layout, 0.1, ADJACENCY_REPLACE) == CLIP_RARE_POSITIVE);
	CHECK(residual_clip(&layout, 0.9, ADJACENCY_REPLACE) == CLIP_RARE_NEGATIVE);
	CHECK(residual_clip(&layout, 0.51, ADJACENCY_REPLACE) == CLIP_EVEN);
	CHECK(residual_clip(&layout, 0.36, ADJACENCY_REPLACE) == CLIP_EVEN + 3);
	CHECK(residual_clip(&layout, 0.56, ADJACENCY_REPLACE) == CLIP_EVEN - 1);
	CHECK(residual_clip(&layout, 0.1, ADJACENCY_ADD_REMOVE) == CLIP_EVEN);
}

/* Where the longest number vector is long, an uneven clip would cost, and a less uneven one is taken. */
static void
test_uneven(void)
{
	const Columns few = {.group = {3}, .numbers = 1, .bound = 1, .intercept = true};
	const Columns many = {.group = {3}, .numbers = 4, .bound = 1, .intercept = true};
	MechanismRequest request = make_request(&few, ADJACENCY_REPLACE);
	ResidualLayout layout;

	residual_layout_make(&request.convex, &request.residual, request.grid.dimension, &layout);
	CHECK(residual_clip(&layout, 0.1, ADJACENCY_REPLACE) == CLIP_RARE_POSITIVE);
	request = make_request(&many, ADJACENCY_REPLACE);
	residual_layout_make(&request.convex, &request.residual, request.grid.dimension, &layout);
	CHECK(residual_clip(&layout, 0.1, ADJACENCY_REPLACE) == CLIP_EVEN + 2);
}

/* ---- the scale ---- */

/* All releases together have mu = 1 / sigma_G. */
static void
test_scale(void)
{
	static const Columns kinds[] = {{.group = {3, 4}, .lone = 2, .intercept = true},
									{.numbers = 2, .bound = 1, .intercept = true}};

	for (int k = 0; k < 2; k++)
		for (int adjacency = 0; adjacency < 2; adjacency++)
		{
			MechanismRequest request = make_request(&kinds[k], (Adjacency) adjacency);
			double change = adjacency == ADJACENCY_REPLACE ? 2 : 1; /* squared */
			double sigma = calibration_gaussian_sigma(1, 1e-6);
			ResidualLayout layout;
			ResidualScale scale;
			double square;

			residual_layout_make(&request.convex, &request.residual, request.grid.dimension,
								 &layout);
			CHECK(layout.groups == (k == 0 ? 4 : 0));
			scale = residual_scale(&layout, 1, 1e-6, (Adjacency) adjacency);
			square =
				change / (scale.labels * scale.labels) + RESIDUAL_STEPS / (scale.step * scale.step);
			if (layout.groups > 0)
				square += change * layout.groups / (scale.counts * scale.counts);
			CHECK(square * sigma * sigma <= 1 && square * sigma * sigma > 1 - 1e-9);
		}
}

/* ---- the law of a step ---- */

/*
 * Rows elsewhere whose sums the test makes up: many labels of both kinds in every column, so that
 * counts are known, and sums of 0, so that the weights move by the noise alone.
 */
#define LONE 40
#define LABELS 0x1p36

typedef struct Source
{
	PassSource source;
	double radius;
	int steps;
	double weight[RESIDUAL_STEPS + 1][LONE + 1];
	int clip;
} Source;

static void
make_up_sums(PassSource *self, const Pass *pass, Wide *sum)
{
	Source *source = (Source *) self;

	memset(sum, 0, (size_t) pass->sums * sizeof(Wide));
	if (pass->kind == PASS_LABELS)
		sum[0] = (Wide) LABELS;
	if (pass->kind == PASS_COUNTS)
	{
		sum[0] = sum[1] = (Wide) (LABELS / 2);
		for (int j = 0; j < LONE; j++)
			sum[2 + j] = (Wide) (LABELS / 4);
	}
	if (pass->kind != PASS_GRADIENT)
		return;
	source->clip = pass->clip;
	for (int j = 0; j <= LONE; j++)
		source->weight[source->steps][j] =
			(double) ldexpl((long double) pass->place[j], -WEIGHT_BITS) / source->radius;
	source->steps++;
}

/* The first steps, from which the noise follows: v_t = kept v_(t-1) + pace P noise. */
static void
test_law(void)
{
	const Columns columns = {.lone = LONE, .intercept = true};
	const double variance = 0.25;
	const double kept = 0.8;
	const double prior = 0.07 * variance;
	const int cells = 40;
	MechanismRequest request = make_request(&columns, ADJACENCY_ADD_REMOVE);
	MechanismTools tools = {.bits = &bits, .memory = memory};
	ResidualScale scale;
	ResidualLayout layout;
	Histogram histogram = histogram_create(cells);
	double deviation;
	double noise;
	double most;

	residual_layout_make(&request.convex, &request.residual, request.grid.dimension, &layout);
	scale = residual_scale(&layout, 1, 1e-6, ADJACENCY_ADD_REMOVE);
	deviation = scale.step * residual_reach(&layout, CLIP_EVEN, ADJACENCY_ADD_REMOVE);
	noise = scale.slope * residual_reach(&layout, CLIP_EVEN, ADJACENCY_ADD_REMOVE);
	CHECK(fabs(noise * noise * RESIDUAL_STEPS - deviation * deviation) < 1e-6 * deviation);
	most = 4 * deviation;
	for (int i = 0; i < check_repetitions(400); i++)
	{
		Source source = {.source = {.sum = make_up_sums}, .radius = request.convex.radius};
		Instance instance = {.dimension = LONE + 1, .elsewhere = true, .parts = &source.source};
		MechanismAnswer answer = {0};
		double steep = (LONE + 1) / variance;
		double pace =
			fmin(10, 150 * RESIDUAL_STEPS / steep) * (1 - kept) / (RESIDUAL_STEPS * variance);
		double count = LABELS / 4;
		double own = noise * noise / (count * count) + variance / count;

		mechanism_get(request.kind)->release(&request, &instance, &tools, &answer);
		CHECK(source.steps == RESIDUAL_STEPS && source.clip == CLIP_EVEN);
		for (int t = 1; t < 5; t++)
			for (int j = 0; j < LONE; j++)
			{
				double step = source.weight[t][j] - source.weight[t - 1][j];
				double last = t > 1 ? source.weight[t - 1][j] - source.weight[t - 2][j] : 0;
				double sum = (step - kept * last) / pace * count * (prior + own) / prior;

				if (fabs(sum) < most)
					histogram.count[(int) ((sum + most) / (2 * most) * cells)]++;
			}
		memory_release(memory, answer.weight);
	}
	for (int k = 0; k < cells; k++)
	{
		double low = -4 + 8.0 * k / cells;
		double high = -4 + 8.0 * (k + 1) / cells;

		histogram.truth[k] = erfc(low / M_SQRT2) - erfc(high / M_SQRT2);
		histogram.other[k] = erfc(low * LAW_OFF / M_SQRT2) - erfc(high * LAW_OFF / M_SQRT2);
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, cells);
	histogram_destroy(&histogram);
	memory_renew();
}

/* ---- sums ---- */

#define MANY 400

static int32_t many_x[2 * MANY * MOST_COLUMNS];
static int64_t many_positive[2 * MANY];
static int64_t many_negative[2 * MANY];

static void
release(const MechanismRequest *request, int rows, int threads, uint64_t seed, int64_t *weight)
{
	Instance instance = {.dimension = request->grid.dimension,
						 .rows = rows,
						 .x = many_x,
						 .positive = many_positive,
						 .negative = many_negative};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	MechanismRequest own = *request;
	MechanismAnswer answer = {0};

	own.threads = threads;
	reseed(seed);
	mechanism_get(own.kind)->release(&own, &instance, &tools, &answer);
	memcpy(weight, answer.weight, (size_t) mechanism_weights(&own) * sizeof(int64_t));
	memory_release(memory, answer.weight);
}

static void
swap_rows(int a, int b, int dimension)
{
	int64_t positive = many_positive[a];
	int64_t negative = many_negative[a];

	many_positive[a] = many_positive[b];
	many_negative[a] = many_negative[b];
	many_positive[b] = positive;
	many_negative[b] = negative;
	for (int j = 0; j < dimension; j++)
	{
		int32_t x = many_x[a * dimension + j];

		many_x[a * dimension + j] = many_x[b * dimension + j];
		many_x[b * dimension + j] = x;
	}
}

/* A run is a function of the multiset of labelled rows, and of the bits. */
static void
test_order(void)
{
	const Columns columns = {
		.group = {4}, .lone = 1, .levels = 5, .numbers = 2, .bound = 1, .intercept = true};
	MechanismRequest request = make_request(&columns, ADJACENCY_REPLACE);
	int dimension = request.grid.dimension;
	int64_t first[MOST_WEIGHTS];
	int64_t other[MOST_WEIGHTS];
	size_t bytes = (size_t) mechanism_weights(&request) * sizeof(int64_t);
	bool moved = false;

	for (int i = 0; i < MANY; i++)
	{
		random_row(&columns, many_x + i * dimension);
		many_positive[i] = below(5);
		many_negative[i] = below(5);
	}
	release(&request, MANY, 1, 77, first);
	for (int i = 0; i < MANY; i++)
		swap_rows(i, below(MANY), dimension);
	release(&request, MANY, 3, 77, other);
	CHECK(memcmp(first, other, bytes) == 0);
	for (int i = 0; i < MANY; i++) /* the negative labels in rows of their own */
	{
		memcpy(many_x + (MANY + i) * dimension, many_x + i * dimension,
			   (size_t) dimension * sizeof(int32_t));
		many_positive[MANY + i] = 0;
		many_negative[MANY + i] = many_negative[i];
		many_negative[i] = 0;
	}
	release(&request, 2 * MANY, 2, 77, other);
	CHECK(memcmp(first, other, bytes) == 0);
	release(&request, 2 * MANY, 2, 78, other);
	for (int j = 0; j < mechanism_weights(&request); j++)
		moved |= first[j] != other[j];
	CHECK(moved);
	memory_renew();
}

/* The most labels that an instance has, in one row: the sum is that of one label, so many times. */
static void
test_most_labels(void)
{
	static LossTable table;
	const Columns columns = {
		.group = {3}, .lone = 1, .levels = 3, .numbers = 2, .bound = 1, .intercept = true};
	MechanismRequest request = make_request(&columns, ADJACENCY_REPLACE);
	const int64_t most = INSTANCE_MAX_LABELS - 1;
	int dimension = request.grid.dimension;
	int weights = mechanism_weights(&request);

	loss_table_make(LOSS_LOGISTIC, &table);
	for (int i = 0; i < check_repetitions(300); i++)
	{
		int32_t x[MOST_COLUMNS];
		Wide none[MOST_WEIGHTS] = {0};
		Wide u[MOST_WEIGHTS];
		Wide sum[2][MOST_WEIGHTS];
		Wide count[2][MOST_WEIGHTS + 2];
		double size = exp(between(-1, 10));
		bool positive = below(2) == 0;

		random_row(&columns, x);
		for (int j = 0; j < weights; j++)
			u[j] = (Wide) ldexp(between(-size, size), WEIGHT_BITS);
		for (int k = 0; k < 2; k++)
		{
			int64_t label[2] = {0};
			Instance instance = {.dimension = dimension,
								 .rows = 1,
								 .x = x,
								 .positive = &label[0],
								 .negative = &label[1]};
			ConvexRows rows;

			label[positive ? 0 : 1] = k == 0 ? 1 : most;
			convex_data_make(&request, &instance, memory, &rows);
			rows.clip = (ResidualClip) (CLIP_RARE_NEGATIVE + i % (RESIDUAL_CLIPS - 1));
			convex_pass(&rows, &table, 0, none, u, memory, sum[k], NULL);
			count_pass(&rows, memory, count[k]);
			convex_rows_release(&rows, memory);
		}
		for (int j = 0; j < weights; j++)
		{
			Wide off = sum[1][j] - sum[0][j] * most;

			CHECK(off <= (Wide) 1 << 40 && off >= -((Wide) 1 << 40));
		}
		for (int j = 0; j < weights + 2; j++)
			CHECK(count[1][j] == count[0][j] * most);
		CHECK(count[1][positive ? 0 : 1] == most && count[1][positive ? 1 : 0] == 0);
	}
	memory_renew();
}

/* ---- what is learned ---- */

/*
 * Rare labels that one bin foretells, and bins in order that rise.  Clipping moves the scores; but
 * where the rare label is the less likely one by far, it is not predicted.
 */
static void
check_rare(const MechanismRequest *request, bool positive)
{
	int64_t weight[MOST_WEIGHTS];
	int64_t *rare = positive ? many_positive : many_negative;
	int64_t *other = positive ? many_negative : many_positive;
	double sign = positive ? 1 : -1;
	double share = 0;
	int rows = 0;

	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 5; b++, rows++)
		{
			int32_t *x = many_x + rows * 8;
			double p = 1 / (1 + exp(3.5 - 1.5 * a - 0.4 * b));

			memset(x, 0, 8 * sizeof(int32_t));
			x[a] = x[2 + b] = x[7] = FIXED_POINT_ONE;
			rare[rows] = (int64_t) (4000 * p);
			other[rows] = 4000 - rare[rows];
			share += p / 10;
		}
	release(request, rows, 1, 5, weight);
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 5; b++)
		{
			double score =
				sign *
				ldexp((double) (weight[a] + weight[2 + b] + weight[7]), -CONVEX_OUTPUT_BITS) /
				request->convex.radius;

			CHECK(fabs(score + 1.5 * share - (-3.5 + 1.5 * a + 0.4 * b)) < 0.8);
			CHECK(score < -0.1); /* the largest p is 0.4 */
		}
}

static void
test_learning(void)
{
	const Columns columns = {.group = {2, 5}, .intercept = true};
	MechanismRequest request = make_request(&columns, ADJACENCY_REPLACE);
	int64_t weight[MOST_WEIGHTS];
	int rows = 10;

	check_rare(&request, false);
	check_rare(&request, true);
	/* without an intercept the base rate is in the first group */
	request = make_request(&(Columns){.group = {2, 5}}, ADJACENCY_ADD_REMOVE);
	for (int i = 0; i < rows; i++)
		memmove(many_x + i * 7, many_x + i * 8, 7 * sizeof(int32_t));
	release(&request, rows, 1, 5, weight);
	CHECK(weight[0] < 0 && weight[1] < 0);
	memory_renew();
}

int
main(void)
{
	test_begin(350);
	test_reach();
	test_residuals();
	test_uneven();
	test_scale();
	test_law();
	test_order();
	test_most_labels();
	test_learning();
	return check_report("residual");
}

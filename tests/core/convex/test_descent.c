/*
 * test_descent.c - noisy gradient descent: batches, calibrations, the law of a release, and its
 * privacy.
 */
#include "core/convex/batch.h"
#include "core/noise/calibration.h"
#include "core/convex/convex_pass.h"
#include "core/convex/softmax_pass.h"
#include "core/mechanisms/descent_run.h"
#include "core/noise/rdp.h"

#include "core/law.h"
#include "core/problem.h"

#define MOST_DIMENSION 8 /* of random problems */
#define MOST_ROWS 40

/* Of the test at hand. */
static Problem problem;

static double
normal_cdf(double x)
{
	return 0.5 * erfc(-x / M_SQRT2);
}

/* ---- batches ---- */

static void
test_chance(void)
{
	static const struct
	{
		int64_t p;
		int64_t q;
	} chances[] = {{1, 3}, {5, 7}, {1, 1024}, {256, 60000}, {INT64_C(999999999999), 1000000000000}};
	int wrong = 0;

	for (size_t k = 0; k < sizeof(chances) / sizeof(chances[0]); k++)
	{
		double p = (double) chances[k].p / (double) chances[k].q;
		int64_t seen = 0;

		for (int i = 0; i < LAW_DRAWS; i++)
			seen += batch_chance(&bits, chances[k].p, chances[k].q);
		CHECK(fabs((double) seen - LAW_DRAWS * p) <= 8 * sqrt(LAW_DRAWS * p * (1 - p)) + 2);
	}
	for (int i = 0; i < 1000; i++)
	{
		wrong += batch_chance(&bits, 0, 1 + i);
		wrong += !batch_chance(&bits, 1 + i, 1 + i);
	}
	CHECK(wrong == 0);
}

/* The cell of a batch of two rows: how many labels of each kind it has. */
#define CELL(a, b, c) (((a) *5 + (b)) * 5 + (c))
#define CELLS 125

/* P(a of 4, b of 2 and c of 3 labels), 9 labels in all, of places with a batch of that size. */
static double
batch_probability(DescentSampling sampling, double batch, double places, int a, int b, int c)
{
	double q = batch / places;
	int rest = (int) batch - a - b - c;

	if (sampling == DESCENT_POISSON)
		return choose(4, a) * choose(2, b) * choose(3, c) * pow(q, a + b + c) *
			   pow(1 - q, 9 - a - b - c);
	return choose(4, a) * choose(2, b) * choose(3, c) * choose((int) places - 9, rest) /
		   choose((int) places, (int) batch);
}

/*
 * Nine labels of the same rows, merged into records in different ways, and how the records are cut
 * into blocks.
 */
#define MOST_RECORDS 9

typedef struct Records
{
	int count;
	int block;
	int row[MOST_RECORDS];
	int64_t positive[MOST_RECORDS];
	int64_t negative[MOST_RECORDS];
} Records;

static const Records merged = {
	.count = 3, .block = 3, .row = {0, 2, 1}, .positive = {4, 0, 3}, .negative = {2, 0, 0}};
static const Records cut = {
	.count = 3, .block = 1, .row = {0, 2, 1}, .positive = {4, 0, 3}, .negative = {2, 0, 0}};
static const Records scattered = {.count = 6,
								  .block = 2,
								  .row = {0, 1, 0, 1, 0, 0},
								  .positive = {1, 2, 2, 1, 0, 1},
								  .negative = {0, 0, 1, 0, 1, 0}};

/* The batch's labels of the two rows; row 2 has none. */
static void
draw_batch(Batch *batch, const Records *records, int64_t positive[3], int64_t negative[3])
{
	memset(positive, 0, 3 * sizeof(positive[0]));
	memset(negative, 0, 3 * sizeof(negative[0]));
	batch_begin(batch, 9);
	for (int first = 0; first < records->count; first += records->block)
	{
		int64_t few_positive[MOST_RECORDS];
		int64_t few_negative[MOST_RECORDS];
		RowBlock block = {.rows = records->block,
						  .positive = records->positive + first,
						  .negative = records->negative + first};

		batch_choose(batch, &block, few_positive, few_negative);
		for (int i = 0; i < records->block; i++)
		{
			positive[records->row[first + i]] += few_positive[i];
			negative[records->row[first + i]] += few_negative[i];
		}
	}
}

/* The law of a batch, and not that of one with a row more or less. */
static void
test_batch_law(DescentSampling sampling, int64_t size, int64_t rows, const Records *records)
{
	Batch batch = {.sampling = sampling, .size = size, .rows = rows, .bits = &bits};
	int64_t few_positive[3];
	int64_t few_negative[3];
	double places = (double) (rows > 9 ? rows : 9);
	Histogram histogram = histogram_create(CELLS);

	for (int i = 0; i < LAW_DRAWS; i++)
	{
		draw_batch(&batch, records, few_positive, few_negative);
		CHECK(few_positive[2] == 0 && few_negative[2] == 0 && few_negative[1] == 0);
		histogram_add(&histogram,
					  (uint64_t) CELL(few_positive[0], few_negative[0], few_positive[1]));
	}
	for (int a = 0; a <= 4; a++)
		for (int b = 0; b <= 2; b++)
			for (int c = 0; c <= 3; c++)
			{
				double all = sampling == DESCENT_POISSON ? (double) rows : places;

				histogram.truth[CELL(a, b, c)] =
					batch_probability(sampling, (double) size, all, a, b, c);
				histogram.other[CELL(a, b, c)] = batch_probability(
					DESCENT_POISSON, (double) size * 1.2, (double) rows + 1, a, b, c);
			}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, CELLS);
	histogram_destroy(&histogram);
}

/* ---- calibration ---- */

static DescentTerms
make_terms(DescentSampling sampling, int iterations, int64_t batch, int64_t rows)
{
	return (DescentTerms){.sampling = sampling,
						  .iterations = iterations,
						  .batch = batch,
						  .rows = rows,
						  .step = 1,
						  .norm = 1000};
}

static double
noise_of(DescentSampling sampling, int iterations, double epsilon, double delta,
		 Adjacency adjacency)
{
	bool full = sampling == DESCENT_FULL;
	DescentTerms terms = make_terms(sampling, iterations, full ? 0 : 20, full ? 0 : 1000);

	return descent_noise(&terms, epsilon, delta, adjacency, NULL);
}

static bool
near(double value, double wanted)
{
	return fabs(value / wanted - 1) < 1e-6;
}

/* sigma_G(1, 1e-6) = 4.224679 (theorem A2), times the row's share and sqrt(T). */
static void
test_noise(void)
{
	static const double epsilons[] = {0.1, 1, 5};

	CHECK(near(noise_of(DESCENT_FULL, 1, 1, 1e-6, ADJACENCY_ADD_REMOVE), 4.2246790));
	CHECK(near(noise_of(DESCENT_FULL, 100, 1, 1e-6, ADJACENCY_ADD_REMOVE), 42.246790));
	CHECK(near(noise_of(DESCENT_FULL, 100, 1, 1e-6, ADJACENCY_REPLACE), 84.493580));
	for (int i = 0; i < 3; i++)
	{
		double e = epsilons[i];
		double mu = sqrt(50) / noise_of(DESCENT_FULL, 50, e, 1e-6, ADJACENCY_ADD_REMOVE);

		CHECK(calibration_gaussian_delta(e, mu) <= 1e-6 &&
			  calibration_gaussian_delta(e, mu) > 1e-6 * (1 - 1e-6));
		CHECK(near(noise_of(DESCENT_POISSON, 50, e, 1e-6, ADJACENCY_ADD_REMOVE),
				   rdp_noise(RDP_ADD_REMOVE, 0.02, 50, e, 1e-6, NULL)));
		CHECK(near(noise_of(DESCENT_POISSON, 50, e, 1e-6, ADJACENCY_REPLACE),
				   rdp_noise(RDP_ADD_REMOVE, 0.02, 50, e / 2, 1e-6 / (1 + exp(e / 2)), NULL)));
		for (int adjacency = 0; adjacency < 2; adjacency++)
			CHECK(near(noise_of(DESCENT_FIXED, 50, e, 1e-6, (Adjacency) adjacency),
					   rdp_noise(RDP_REPLACE, 0.02, 50, e, 1e-6, NULL)));
	}
	CHECK(noise_of(DESCENT_POISSON, 50, 1e-6, 1e-6, ADJACENCY_ADD_REMOVE) == 0);
	CHECK(noise_of(DESCENT_FIXED, 50, 1e-6, 1e-6, ADJACENCY_REPLACE) == 0);
	CHECK(noise_of(DESCENT_FULL, 50, 1e-6, 1e-6, ADJACENCY_REPLACE) > 1e4);
}

static void
test_terms(void)
{
	ConvexTerms convex = {.loss = LOSS_LOGISTIC,
						  .noise = CONVEX_GAUSSIAN,
						  .radius = 1,
						  .lambda = LAMBDA_MIN,
						  .delta = 1};
	DescentTerms good = make_terms(DESCENT_POISSON, 10, 5, 5);
	const DescentTerms bad[] = {
		{DESCENT_SAMPLINGS, 10, 5, 5, 1, 1000},
		{DESCENT_POISSON, 0, 5, 5, 1, 1000},
		{DESCENT_POISSON, DESCENT_MAX_ITERATIONS + 1, 5, 5, 1, 1000},
		{DESCENT_POISSON, 10, 0, 5, 1, 1000},
		{DESCENT_POISSON, 10, 6, 5, 1, 1000},
		{DESCENT_POISSON, 10, 5, DESCENT_MAX_ROWS + 1, 1, 1000},
		{DESCENT_POISSON, 10, 5, 5, 0, 1000},
		{DESCENT_POISSON, 10, 5, 5, NAN, 1000},
		{DESCENT_POISSON, 10, 5, 5, 1, INFINITY},
		{DESCENT_POISSON, 10, 5, 5, 1, -1},
		{DESCENT_FULL, 10, 5, 5, 1, 1000}, /* with a batch */
	};

	CHECK(descent_terms_valid(&good, &convex));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!descent_terms_valid(&bad[i], &convex));
	convex.loss = LOSS_CLIPPED;
	convex.classes = 3;
	CHECK(!descent_terms_valid(&good, &convex)); /* batches */
	convex.classes = 0;
	convex.noise = CONVEX_GAMMA;
	convex.delta = 0;
	CHECK(!descent_terms_valid(&good, &convex));
	/* the defaults are valid */
	convex.noise = CONVEX_GAUSSIAN;
	convex.delta = 1;
	for (int i = 0; i < check_repetitions(1000); i++)
	{
		DescentSampling sampling = (DescentSampling) below(DESCENT_SAMPLINGS);
		int64_t rows = 1 + (int64_t) below(1000);

		convex.radius = exp(between(log(CONVEX_RADIUS_MIN), log(CONVEX_RADIUS_MAX)));
		convex.classes = sampling == DESCENT_FULL ? 3 * (int) below(2) : 0;
		convex.loss = convex.classes > 0 ? LOSS_CLIPPED : LOSS_LOGISTIC;
		good = descent_default(sampling, rows, &convex, exp(between(-20, 8)), (Adjacency) below(2));
		CHECK(descent_terms_valid(&good, &convex));
	}
}

/* ---- problems ---- */

static void
make_problem(int dimension, int rows)
{
	problem_begin(&problem, dimension, rows);
	for (int i = 0; i < rows; i++)
	{
		for (int j = 0; j < dimension; j++)
			problem.x[i * dimension + j] = random_feature(2);
		problem.positive[i] = (int64_t) below(3);
		problem.negative[i] = (int64_t) below(3);
	}
}

static MechanismRequest
make_request(DescentTerms terms, int dimension, double epsilon, double delta, Adjacency adjacency)
{
	MechanismRequest request = {.kind = MECHANISM_SGD,
								.epsilon = (int64_t) (epsilon * EPSILON_ONE),
								.adjacency = adjacency,
								.threads = 1,
								.convex = {.loss = LOSS_HUBER,
										   .noise = CONVEX_GAUSSIAN,
										   .radius = 1,
										   .lambda = LAMBDA_MIN,
										   .delta = (int64_t) (delta * DELTA_ONE)},
								.descent = terms};

	grid_set_plain(&request.grid, dimension);
	return request;
}

static void
run(const MechanismRequest *request, double noise, const Instance *instance, double *weight)
{
	MechanismTools tools = {.bits = &bits, .memory = memory};
	MechanismAnswer answer = {0};

	if (noise > 0)
		descent_run(request, noise, instance, &tools, &answer);
	else
		mechanism_get(request->kind)->release(request, instance, &tools, &answer);
	for (int j = 0; j < request->grid.dimension; j++)
		weight[j] = ldexp((double) answer.weight[j], -CONVEX_OUTPUT_BITS);
	CHECK(answer.nodes == request->descent.iterations);
}

/* ---- what one row can change ---- */

static void
sum_of(const LossTable *table, const Wide *u, double *sum)
{
	Wide none[MOST_DIMENSION] = {0};
	Wide gradient[MOST_DIMENSION];
	ConvexRows rows;

	convex_rows_make(&problem.instance, 1, 1, memory, &rows);
	convex_pass(&rows, table, 0, none, u, memory, gradient, NULL);
	convex_rows_release(&rows, memory);
	for (int j = 0; j < problem.instance.dimension; j++)
		sum[j] = ldexp((double) gradient[j], -GRADIENT_BITS);
}

/* One more label moves the sum of gradients by at most 1, and sometimes by nearly 1. */
static void
test_sensitivity(void)
{
	static LossTable table;
	double most = 0;

	for (int i = 0; i < check_repetitions(3000); i++)
	{
		int dimension = 1 + below(4);
		int row = below(5);
		ConvexLoss loss = (ConvexLoss) below(LOSS_LABEL_KINDS);
		double with[MOST_DIMENSION];
		double without[MOST_DIMENSION];
		double square = 0;
		Wide u[MOST_DIMENSION];

		make_problem(dimension, 5);
		loss_table_make(loss, &table);
		for (int j = 0; j < dimension; j++)
			u[j] = (Wide) ldexp(between(-9, 9), WEIGHT_BITS);
		sum_of(&table, u, without);
		*(i % 2 == 0 ? &problem.positive[row] : &problem.negative[row]) += 1;
		sum_of(&table, u, with);
		for (int j = 0; j < dimension; j++)
			square += (with[j] - without[j]) * (with[j] - without[j]);
		CHECK(sqrt(square) <= loss_steepness(loss) + 1e-12);
		most = fmax(most, sqrt(square) / loss_steepness(loss));
	}
	CHECK_WHOLE(most > 0.999);
}

/* ---- several classes ---- */

#define CLASSES 3
#define LAW_RUNS 10000

static void
sum_of_classes(const Wide *u, double longest, double *sum)
{
	static SoftmaxTable table;
	static bool made;
	Wide none[CLASSES * MOST_DIMENSION] = {0};
	Wide gradient[CLASSES * MOST_DIMENSION];
	ConvexRows rows;

	if (!made)
		softmax_table_make(&table);
	made = true;
	convex_rows_make(&problem.instance, 1, 1, memory, &rows);
	convex_rows_set_classes(&rows);
	softmax_pass(&rows, &table, CLASSES, longest, 0, none, u, memory, gradient, NULL);
	for (int j = 0; j < CLASSES * rows.dimension; j++)
		sum[j] = ldexp((double) gradient[j], -GRADIENT_BITS);
	convex_rows_release(&rows, memory);
}

static double
length_of(const double *vector, int dimension)
{
	double square = 0;

	for (int j = 0; j < dimension; j++)
		square += vector[j] * vector[j];
	return sqrt(square);
}

/* A label's gradient, which is shortened and keeps its direction. */
static void
test_shortened(void)
{
	bool seen[2] = {false};

	for (int i = 0; i < check_repetitions(3000); i++)
	{
		int dimension = 1 + below(4);
		int width = CLASSES * dimension;
		double longest = between(0.05, 0.5);
		double whole[CLASSES * MOST_DIMENSION];
		double shortened[CLASSES * MOST_DIMENSION];
		double length;
		double factor;
		Wide u[CLASSES * MOST_DIMENSION];

		make_problem(dimension + 1, 1);
		problem.x[0] = below(CLASSES) * FIXED_POINT_ONE;
		problem.positive[0] = 1;
		problem.negative[0] = 0;
		for (int j = 0; j < width; j++)
			u[j] = (Wide) ldexp(between(-4, 4), WEIGHT_BITS);
		sum_of_classes(u, INFINITY, whole);
		sum_of_classes(u, longest, shortened);
		length = length_of(whole, width);
		factor = fmin(1, longest / length);
		seen[factor < 1] = true;
		CHECK(length_of(shortened, width) <= longest * (1 + 1e-10));
		for (int j = 0; j < width; j++)
			CHECK(fabs(shortened[j] - factor * whole[j]) < 1e-8);
	}
	CHECK_WHOLE(seen[0] && seen[1]);
}

/*
 * After one step the weight of a label's class is above 0 if and only if its noisy sum is below it.
 * The gradient at 0 is (1 / 2, -1 / 2) for two classes, and is shortened.
 */
static void
test_classes_law(void)
{
	enum
	{
		FEATURES = 10
	};
	static int32_t x[FEATURES * (FEATURES + 1)];
	static const int64_t none[FEATURES];
	int64_t labels[FEATURES];
	Instance instance = {
		.dimension = FEATURES + 1, .rows = FEATURES, .x = x, .positive = labels, .negative = none};
	MechanismRequest request =
		make_request(make_terms(DESCENT_FULL, 1, 0, 0), 2 * FEATURES, 2, 0.1, ADJACENCY_ADD_REMOVE);
	int runs = check_repetitions(LAW_RUNS) / FEATURES;
	double z = descent_noise(&request.descent, 2, 0.1, request.adjacency, NULL);
	double truth = normal_cdf(M_SQRT1_2 / z);
	int count = 0;
	int above = 0;

	request.convex.loss = LOSS_CLIPPED;
	request.convex.classes = 2;
	for (int j = 0; j < FEATURES; j++)
	{
		x[j * (FEATURES + 1) + 1 + j] = FIXED_POINT_ONE; /* of class 0 */
		labels[j] = 1;
	}
	for (int i = 0; i < runs; i++)
	{
		double weight[2 * FEATURES];

		run(&request, 0, &instance, weight);
		for (int j = 0; j < FEATURES; j++, count++)
			above += weight[j] > 0;
	}
	CHECK(fabs((double) above / count - truth) < 5 * sqrt(truth * (1 - truth) / count));
}

/* ---- the law of what is released ---- */

/*
 * Independent weights, so that one run gives WIDTH of them: row j is the j-th unit vector.
 */
#define WIDTH 100

/* Draws count weights; each row has so many labels. */
static void
draw_weights(const MechanismRequest *request, double noise, int64_t labels, int count,
			 double *weight)
{
	static int32_t x[WIDTH * WIDTH];
	int64_t positive[WIDTH];
	int64_t negative[WIDTH] = {0};
	Instance instance = {.dimension = WIDTH,
						 .rows = labels > 0 ? WIDTH : 0,
						 .x = x,
						 .positive = positive,
						 .negative = negative};

	for (int j = 0; j < WIDTH; j++)
	{
		x[j * WIDTH + j] = FIXED_POINT_ONE;
		positive[j] = labels;
	}
	for (int i = 0; i + WIDTH <= count; i += WIDTH)
		run(request, noise, &instance, weight + i);
}

/* P(k of a row's 4 labels are in a batch): 2 of 8 places for each row are. */
static double
labels_probability(DescentSampling sampling, int k)
{
	if (sampling == DESCENT_FULL)
		return k == 4;
	if (sampling == DESCENT_POISSON)
		return choose(4, k) * pow(0.25, k) * pow(0.75, 4 - k);
	return choose(4, k) * choose(8 * WIDTH - 4, 2 * WIDTH - k) / choose(8 * WIDTH, 2 * WIDTH);
}

/*
 * After one step a weight is above 0 if and only if its noisy sum is below it.  At 0 the slope of
 * each label is -1, so that the probability with k of them in the batch is Phi(k / z).
 */
static void
test_sign_law(DescentSampling sampling)
{
	bool full = sampling == DESCENT_FULL;
	DescentTerms terms = make_terms(sampling, 1, full ? 0 : 2 * WIDTH, full ? 0 : 8 * WIDTH);
	MechanismRequest request = make_request(terms, WIDTH, 0.5, 0.1, ADJACENCY_ADD_REMOVE);
	int count = check_repetitions(LAW_RUNS);
	double *weight = memory_allocate(memory, (size_t) count, sizeof(double));
	double z = 3;
	double truth = 0;
	int above = 0;

	for (int k = 0; k <= 4; k++)
		truth += labels_probability(sampling, k) * normal_cdf(k / z);
	draw_weights(&request, z, 4, count, weight);
	for (int i = 0; i < count; i++)
		above += weight[i] > 0;
	CHECK(fabs((double) above / count - truth) < 5 * sqrt(truth * (1 - truth) / count));
	memory_release(memory, weight);
}

/* ---- privacy: an audit of the mechanism as it is ---- */

static double *
draw_sorted(const MechanismRequest *request, int64_t labels, int count)
{
	double noise =
		descent_noise(&request->descent, (double) request->epsilon / EPSILON_ONE,
					  (double) request->convex.delta / DELTA_ONE, request->adjacency, NULL);
	double *weight = memory_allocate(memory, (size_t) count, sizeof(double));

	draw_weights(request, noise, labels, count, weight);
	qsort(weight, (size_t) count, sizeof(double), compare_doubles);
	return weight;
}

/* The share of the sorted values above a threshold. */
static double
share_of_sorted(const double *value, int count, double threshold)
{
	int above = 0;

	while (above < count && value[count - 1 - above] > threshold)
		above++;
	return (double) above / count;
}

/*
 * The steps are so short that the slope of the row stays -1: what is released is a
 * function of as many Gaussian sums as there are iterations.  P(above) - e^epsilon P'(above)
 * may not exceed delta at any threshold.  One iteration tells no more than the sign of its sum,
 * which at a small epsilon is nearly all there is to know.
 */
static void
test_audit(int iterations, double epsilon, double least)
{
	double delta = 0.3;
	DescentTerms terms = make_terms(DESCENT_FULL, iterations, 0, 0);
	MechanismRequest request = make_request(terms, WIDTH, epsilon, delta, ADJACENCY_ADD_REMOVE);
	int runs = check_repetitions(30000);
	double *with;
	double *without;
	double best = 0;

	request.descent.step = 0x1p-6;
	with = draw_sorted(&request, 1, runs);
	without = draw_sorted(&request, 0, runs);
	for (int k = -20; k <= 20; k++)
	{
		double p = share_of_sorted(with, runs, k * 0x1p-9);
		double other = share_of_sorted(without, runs, k * 0x1p-9);
		double error = sqrt((p * (1 - p) + exp(2 * epsilon) * other * (1 - other)) / runs);

		CHECK(p - exp(epsilon) * other - 5 * error <= delta);
		best = fmax(best, p - exp(epsilon) * other);
	}
	CHECK_WHOLE(best > least * delta);
	memory_release(memory, with);
	memory_release(memory, without);
}

/* ---- models ---- */

/* With hardly any noise it learns, and weights stay within reach. */
static void
test_learning(void)
{

	for (int i = 0; i < check_repetitions(30); i++)
	{
		int dimension = 1 + below(5);
		DescentSampling sampling = (DescentSampling) (i % DESCENT_SAMPLINGS);
		bool full = sampling == DESCENT_FULL;
		DescentTerms terms = make_terms(sampling, full ? 60 : 600, full ? 0 : 10, full ? 0 : 40);
		MechanismRequest request;
		double weight[MOST_DIMENSION];
		double square = 0;
		int wrong = 0;

		make_problem(dimension, MOST_ROWS);
		for (int row = 0; row < MOST_ROWS; row++)
		{
			int32_t first = problem.x[row * dimension];

			problem.x[row * dimension] = first + (first > 0 ? 1 : -1) * FIXED_POINT_ONE;
			problem.positive[row] = first > 0;
			problem.negative[row] = first <= 0;
		}
		request = make_request(terms, dimension, 100000, 0.01, (Adjacency) (i / 3 % 2));
		request.descent.norm = 5;
		request.convex.loss = (ConvexLoss) (i % LOSS_LABEL_KINDS);
		run(&request, 0, &problem.instance, weight);
		for (int row = 0; row < MOST_ROWS; row++)
		{
			double score = 0;

			for (int j = 0; j < dimension; j++)
				score += weight[j] * problem.x[row * dimension + j];
			wrong += (score > 0) != (problem.positive[row] > 0);
		}
		CHECK(wrong <= 2);
		for (int j = 0; j < dimension; j++)
			square += weight[j] * weight[j];
		CHECK(sqrt(square) <= 5 + 1e-5);
	}
}

/* No rows, more rows than declared, a column of zeros, noise alone. */
static void
test_corners(void)
{

	for (int sampling = 0; sampling < DESCENT_SAMPLINGS; sampling++)
		for (int rows = 0; rows <= MOST_ROWS; rows += MOST_ROWS / 2)
		{
			bool full = sampling == DESCENT_FULL;
			DescentTerms terms =
				make_terms((DescentSampling) sampling, 7, full ? 0 : 3, full ? 0 : 3);
			MechanismRequest request = make_request(terms, 2, 0.1, 1e-9, ADJACENCY_REPLACE);
			double weight[MOST_DIMENSION];

			make_problem(2, rows);
			for (int i = 0; i < rows; i++)
				problem.x[2 * i + 1] = 0;
			request.descent.norm = 0x1p-20;
			run(&request, 0, &problem.instance, weight);
			CHECK(fabs(weight[0]) <= 0x1p-19 && fabs(weight[1]) <= 0x1p-19);
			request.descent.norm = 0x1p20;
			request.descent.step = 0x1p20;
			run(&request, 0, &problem.instance, weight);
			CHECK(hypot(weight[0], weight[1]) <= 0x1p20 + 1);
		}
}

int
main(void)
{
	test_begin(23);
	test_chance();
	test_batch_law(DESCENT_POISSON, 3, 7, &merged);
	test_batch_law(DESCENT_POISSON, 1, 30, &cut);
	test_batch_law(DESCENT_POISSON, 3, 7, &scattered);
	test_batch_law(DESCENT_FIXED, 4, 16, &merged);
	test_batch_law(DESCENT_FIXED, 4, 16, &cut);
	test_batch_law(DESCENT_FIXED, 4, 16, &scattered);
	test_batch_law(DESCENT_FIXED, 4, 5, &scattered); /* more labels than declared */
	test_batch_law(DESCENT_FIXED, 9, 10, &merged);
	test_noise();
	test_terms();
	test_sensitivity();
	test_shortened();
	test_classes_law();
	for (int sampling = 0; sampling < DESCENT_SAMPLINGS; sampling++)
		test_sign_law((DescentSampling) sampling);
	test_audit(1, 0.01, 0.85);
	test_audit(3, 1, 0.4);
	test_learning();
	test_corners();
	return test_end("descent");
}

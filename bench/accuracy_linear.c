/*
 * accuracy_linear.c - squared errors of dp_linear, of least squares without privacy, and of noisy
 * gradient descent that is tuned with the rows in view.
 *
 *   accuracy_linear FOLDER [SET [TEXT [EPSILON]]]    as accuracy.c, with lines as there
 *
 * Errors are means over the rows of (score - target)^2 in thousandths, for targets between -1 and
 * 1, of scores clipped to that.  delta is 1 / n^2, adjacency replace.
 *
 * The descent takes all rows in every step, clips the gradient of each, adds normal noise of the
 * zero-concentrated scale, and returns the mean of the later half of its points.  Of the numbers of
 * steps, clips and step lengths below the best for the set and epsilon is shown, and choosing it is
 * not charged.
 */
#include "accuracy_set.h"

#include "core/mechanisms/convex_default.h"
#include "core/noise/zcdp.h"

static const int steps[] = {10, 30, 100};
static const double clips[] = {0.03, 0.1, 0.3, 1, 3};
static const double lengths[] = {0.05, 0.2, 0.6};

#define LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))
#define TUNING_RUNS 2
#define DESCENT_RUNS 10

typedef struct LinearSet
{
	AccuracySet set;
	Encoding encoding; /* of the features */
	int weights;       /* with the intercept */
	double *row;       /* a target, features and 1, as many as rows of the instance */
} LinearSet;

static int64_t
usual_delta(const LinearSet *linear)
{
	double rows = (double) linear->set.rows;

	return (int64_t) ((double) DELTA_ONE / (rows * rows));
}

static void
linear_set_read(LinearSet *linear, const char *folder, const char *name, Memory *memory)
{
	AccuracySet *set = &linear->set;
	const Instance *instance = &set->labelled;

	accuracy_set_read(set, folder, name, memory);
	linear->weights = set->dimension;
	encoding_init(&linear->encoding);
	linear->encoding.features = set->dimension - 1;
	linear->encoding.intercept = true;
	linear->encoding.groups = set->groups - 1;
	for (int g = 1; g < set->groups; g++)
		linear->encoding.group[g - 1] = set->group[g];
	for (int j = 1; j < set->dimension; j++)
	{
		linear->encoding.low[j - 1] = set->encoding.low[j];
		linear->encoding.high[j - 1] = set->encoding.high[j];
	}
	if (!encoding_finish(&linear->encoding))
		exit(1);
	linear->row =
		memory_allocate(memory, (size_t) instance->rows, sizeof(double) * (set->dimension + 1));
	for (int64_t i = 0; i < instance->rows; i++)
	{
		double *row = linear->row + i * (set->dimension + 1);

		for (int j = 0; j < set->dimension; j++)
			row[j] = (double) instance->x[i * set->dimension + j] / FIXED_POINT_ONE;
		row[set->dimension] = 1;
	}
}

static double
score_of(const LinearSet *linear, const double *row, const double *weight)
{
	double score = 0;

	for (int j = 0; j < linear->weights; j++)
		score += weight[j] * row[j + 1];
	return score;
}

static double
error_of(const LinearSet *linear, const double *weight)
{
	const Instance *instance = &linear->set.labelled;
	double sum = 0;

	for (int64_t i = 0; i < instance->rows; i++)
	{
		const double *row = linear->row + i * (linear->weights + 1);
		double score = fmin(fmax(score_of(linear, row, weight), -1), 1);

		sum += (double) instance->positive[i] * (score - row[0]) * (score - row[0]);
	}
	return SQUARES_UNIT * sum / (double) linear->set.rows;
}

/* ---- without privacy ---- */

/* Conjugate gradients on the squares; a little of the identity makes the solution unique. */
static double
least_error(const LinearSet *linear)
{
	int d = linear->weights;
	const Instance *instance = &linear->set.labelled;
	double a[GRID_MAX_DIMENSION][GRID_MAX_DIMENSION] = {{0}};
	double b[GRID_MAX_DIMENSION] = {0};

	for (int64_t i = 0; i < instance->rows; i++)
	{
		const double *row = linear->row + i * (d + 1);
		double count = (double) instance->positive[i];

		for (int j = 0; j < d; j++)
		{
			b[j] += count * row[0] * row[j + 1];
			for (int k = 0; k < d; k++)
				a[j][k] += count * row[j + 1] * row[k + 1];
		}
	}
	for (int k = 0; k < d; k++)
		a[k][k] += 1e-6 * (double) linear->set.rows;
	for (int k = 0; k < d; k++)
		for (int i = 0; i < d; i++)
		{
			double factor = i == k ? 0 : a[i][k] / a[k][k];

			for (int j = k; j < d && factor != 0; j++)
				a[i][j] -= factor * a[k][j];
			b[i] -= factor * b[k];
		}
	for (int k = 0; k < d; k++)
		b[k] /= a[k][k];
	return error_of(linear, b);
}

/* ---- noisy descent ---- */

static double
descent_error(const LinearSet *linear, double rho, int count, double clip, double length,
			  TestStream *stream)
{
	const Instance *instance = &linear->set.labelled;
	int d = linear->weights;
	double sigma = 2 * clip * sqrt(count / (2 * rho));
	double weight[GRID_MAX_DIMENSION] = {0};
	double mean[GRID_MAX_DIMENSION] = {0};

	for (int t = 0; t < count; t++)
	{
		double gradient[GRID_MAX_DIMENSION] = {0};

		for (int64_t i = 0; i < instance->rows; i++)
		{
			const double *row = linear->row + i * (d + 1);
			double residual = score_of(linear, row, weight) - row[0];
			double square = 0;

			for (int j = 1; j <= d; j++)
				square += row[j] * row[j];
			residual *= fmin(1, clip / (fabs(residual) * sqrt(square) + 1e-300));
			for (int j = 0; j < d; j++)
				gradient[j] += (double) instance->positive[i] * residual * row[j + 1];
		}
		for (int j = 0; j < d; j++)
		{
			weight[j] -= length * (gradient[j] + sigma * accuracy_normal(stream)) /
						 (double) linear->set.rows;
			if (t >= count / 2)
				mean[j] += weight[j] / (count - count / 2);
		}
	}
	return error_of(linear, mean);
}

static Accuracy
tuned_descent(const LinearSet *linear, double epsilon)
{
	double rho = zcdp_rho((int64_t) nearbyint(epsilon * EPSILON_ONE), usual_delta(linear));
	double best = INFINITY;
	double clip = 0;
	double length = 0;
	int count = 0;
	double sum = 0;
	double square = 0;
	TestStream stream;

	teststream_seed(&stream, 7);
	for (int i = 0; i < LENGTH(steps) * LENGTH(clips) * LENGTH(lengths); i++)
	{
		int t = steps[i % LENGTH(steps)];
		double c = clips[i / LENGTH(steps) % LENGTH(clips)];
		double l = lengths[i / LENGTH(steps) / LENGTH(clips)];
		double error = 0;

		for (int k = 0; k < TUNING_RUNS; k++)
			error += descent_error(linear, rho, t, c, l, &stream) / TUNING_RUNS;
		if (error < best)
		{
			best = error;
			count = t;
			clip = c;
			length = l;
		}
	}
	for (int k = 0; k < DESCENT_RUNS; k++)
	{
		double error = descent_error(linear, rho, count, clip, length, &stream);

		sum += error;
		square += error * error;
	}
	return (Accuracy){.runs = DESCENT_RUNS,
					  .mean = sum / DESCENT_RUNS,
					  .sd = sqrt(fmax(0, square - sum * sum / DESCENT_RUNS) / (DESCENT_RUNS - 1))};
}

/* ---- dp_linear ---- */

/* As the server settles it (convex_choice.c), with targets in thresholds. */
static bool
settle(const LinearSet *linear, double epsilon, bool pure, MechanismRequest *request)
{
	*request = (MechanismRequest){.kind = MECHANISM_LINEAR,
								  .epsilon = (int64_t) nearbyint(epsilon * EPSILON_ONE),
								  .adjacency = ADJACENCY_REPLACE,
								  .threads = 1};
	grid_set_plain(&request->grid, linear->weights);
	request->convex.loss = LOSS_SQUARES;
	request->convex.radius = convex_usual_radius(&linear->encoding);
	request->convex.unit = convex_default_threshold(request->epsilon);
	convex_default(request, &linear->encoding, pure ? 0 : usual_delta(linear), linear->set.rows);
	return convex_noise_length(request) < INFINITY;
}

static Instance
scaled_instance(const LinearSet *linear, double threshold, Memory *memory)
{
	Instance instance = linear->set.labelled;
	int columns = linear->weights + 1;
	int32_t *x =
		memory_allocate(memory, (size_t) instance.rows * (size_t) columns, sizeof(int32_t));

	for (int64_t i = 0; i < instance.rows; i++)
	{
		x[i * columns] = (int32_t) (instance.x[i * linear->weights] / threshold);
		memcpy(x + i * columns + 1, instance.x + i * linear->weights + 1,
			   sizeof(int32_t) * (size_t) (linear->weights - 1));
		x[i * columns + linear->weights] = FIXED_POINT_ONE;
	}
	instance.dimension = columns;
	instance.x = x;
	return instance;
}

static Accuracy
linear_accuracy(const LinearSet *linear, const MechanismRequest *request)
{
	Accuracy accuracy = {0};
	double sum = 0;
	double square = 0;
	double began = cpu_seconds_now();
	TestStream stream;
	Bits bits;

	teststream_seed(&stream, 5);
	bits_init(&bits, teststream_fill, &stream);
	while (accuracy.runs < LEAST_RUNS)
	{
		Arena *arena = arena_create(check_out_of_memory);
		MechanismTools tools = {.bits = &bits, .memory = arena_memory(arena)};
		Instance instance = scaled_instance(linear, request->convex.unit, tools.memory);
		MechanismAnswer answer;
		double weight[GRID_MAX_DIMENSION];
		double error;

		mechanism_get(MECHANISM_LINEAR)->release(request, &instance, &tools, &answer);
		for (int j = 0; j < linear->weights; j++)
			weight[j] = ldexp((double) answer.weight[j], -CONVEX_OUTPUT_BITS) *
						convex_weight_unit(&request->convex);
		error = error_of(linear, weight);
		sum += error;
		square += error * error;
		accuracy.runs++;
		arena_destroy(arena);
	}
	accuracy.mean = sum / accuracy.runs;
	accuracy.sd = sqrt(fmax(0, square - sum * accuracy.mean) / (accuracy.runs - 1));
	accuracy.seconds = (cpu_seconds_now() - began) / accuracy.runs;
	return accuracy;
}

/* ---- rows ---- */

static void
print_linear(const LinearSet *linear, const char *row, bool pure, double epsilon)
{
	MechanismRequest request;
	Accuracy accuracy;

	if (!settle(linear, epsilon, pure, &request))
		return;
	accuracy = linear_accuracy(linear, &request);
	accuracy_print(linear->set.name, "regression", row, epsilon, NULL, &accuracy);
}

static void
print_set(const AccuracyAsk *ask, const char *name)
{
	static const char *const rows[] = {"least squares, not private", "dp_linear",
									   "dp_linear, delta 0", "noisy gradient descent, tuned"};
	Arena *arena = arena_create(check_out_of_memory);
	LinearSet linear;

	linear_set_read(&linear, ask->folder, name, arena_memory(arena));
	for (int e = 0; e < ACCURACY_EPSILONS; e++)
		for (int r = 0; r < LENGTH(rows); r++)
		{
			double epsilon = accuracy_epsilons[e];
			Accuracy accuracy = {.sd = (double) NAN};

			if (!accuracy_is_asked(ask, rows[r], epsilon))
				continue;
			if (r == 1 || r == 2)
			{
				print_linear(&linear, rows[r], r == 2, epsilon);
				continue;
			}
			if (r == 0)
				accuracy.mean = least_error(&linear);
			else
				accuracy = tuned_descent(&linear, epsilon);
			accuracy_print(name, "regression", rows[r], epsilon, NULL, &accuracy);
		}
	arena_destroy(arena);
}

int
main(int argc, char **argv)
{
	static const char *const sets[] = {"hours", "ages", "beam", "slopes"};
	AccuracyAsk ask = accuracy_ask(argc, argv);

	for (int s = 0; s < LENGTH(sets); s++)
		if (accuracy_is_set_asked(&ask, sets[s]))
			print_set(&ask, sets[s]);
	return 0;
}

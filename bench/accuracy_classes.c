/*
 * accuracy_classes.c - training accuracies of dp_softmax, of softmax regression without privacy,
 * and of noisy gradient descent that is tuned with the rows in view.
 *
 *   accuracy_classes FOLDER [SET [TEXT [EPSILON]]]    as accuracy.c, with lines as there
 *
 * A row is predicted to be of the class with the highest score.  delta is 1 / n^2, adjacency
 * replace; all models have an intercept.  The descent is that of accuracy_linear.c for the softmax
 * loss.
 */
#include "accuracy_set.h"

#include "core/mechanisms/convex_default.h"
#include "core/noise/zcdp.h"

#define LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))

static const int steps[] = {10, 30, 100};
static const double clips[] = {0.3, 1, 3};
static const double lengths[] = {0.3, 1, 3};

#define TUNING_RUNS 2
#define DESCENT_RUNS 10

/* Without privacy: steps with momentum. */
#define OPEN_STEPS 600

typedef struct ClassSet
{
	AccuracySet set;
	Encoding encoding; /* of the features */
	int classes;
	int weights; /* of a class, with the intercept */
	double *row; /* a class, features and 1, as many as rows of the instance */
} ClassSet;

static void
class_set_read(ClassSet *classed, const char *folder, const char *name, Memory *memory)
{
	AccuracySet *set = &classed->set;
	const Instance *instance = &set->labelled;
	int d;

	accuracy_set_read(set, folder, name, memory);
	d = classed->weights = set->dimension;
	classed->classes = (int) set->encoding.high[0] + 1;
	encoding_init(&classed->encoding);
	classed->encoding.features = d - 1;
	classed->encoding.intercept = true;
	classed->encoding.groups = set->groups - 1;
	for (int g = 1; g < set->groups; g++)
		classed->encoding.group[g - 1] = set->group[g];
	for (int j = 1; j < d; j++)
	{
		classed->encoding.low[j - 1] = set->encoding.low[j];
		classed->encoding.high[j - 1] = set->encoding.high[j];
	}
	if (!encoding_finish(&classed->encoding))
		exit(1);
	classed->row = memory_allocate(memory, (size_t) instance->rows, sizeof(double) * (d + 1));
	for (int64_t i = 0; i < instance->rows; i++)
	{
		double *row = classed->row + i * (d + 1);

		for (int j = 0; j < d; j++)
			row[j] = (double) instance->x[i * d + j] / FIXED_POINT_ONE;
		row[d] = 1;
	}
}

static void
scores_of(const ClassSet *classed, const double *row, const double *weight, double *score)
{
	for (int k = 0; k < classed->classes; k++)
	{
		score[k] = 0;
		for (int j = 0; j < classed->weights; j++)
			score[k] += weight[k * classed->weights + j] * row[j + 1];
	}
}

static double
percent_of(const ClassSet *classed, const double *weight)
{
	const Instance *instance = &classed->set.labelled;
	double right = 0;

	for (int64_t i = 0; i < instance->rows; i++)
	{
		const double *row = classed->row + i * (classed->weights + 1);
		double score[INSTANCE_MAX_CLASSES];
		int best = 0;

		scores_of(classed, row, weight, score);
		for (int k = 1; k < classed->classes; k++)
			if (score[k] > score[best])
				best = k;
		if (best == (int) row[0])
			right += (double) instance->positive[i];
	}
	return 100 * right / (double) classed->set.rows;
}

/* ---- descent ---- */

/* The sum of the rows' gradients, each clipped. */
static void
gradient_of(const ClassSet *classed, const double *weight, double clip, double *gradient)
{
	const Instance *instance = &classed->set.labelled;
	int d = classed->weights;

	memset(gradient, 0, sizeof(double) * (size_t) (classed->classes * d));
	for (int64_t i = 0; i < instance->rows; i++)
	{
		const double *row = classed->row + i * (d + 1);
		double share[INSTANCE_MAX_CLASSES];
		double sum = 0;
		double square = 0;
		double length = 0;
		double factor;

		scores_of(classed, row, weight, share);
		for (int k = 0; k < classed->classes; k++)
			sum += share[k] = exp(share[k]);
		for (int k = 0; k < classed->classes; k++)
		{
			share[k] = share[k] / sum - (k == (int) row[0]);
			square += share[k] * share[k];
		}
		for (int j = 1; j <= d; j++)
			length += row[j] * row[j];
		factor = (double) instance->positive[i] * fmin(1, clip / sqrt(square * length + 1e-300));
		for (int k = 0; k < classed->classes; k++)
			for (int j = 0; j < d; j++)
				gradient[k * d + j] += factor * share[k] * row[j + 1];
	}
}

static double
open_percent(const ClassSet *classed)
{
	int width = classed->classes * classed->weights;
	double radius = convex_default_radius(&classed->encoding);
	double weight[GRID_MAX_DIMENSION] = {0};
	double before[GRID_MAX_DIMENSION] = {0};
	double gradient[GRID_MAX_DIMENSION];

	for (int t = 0; t < OPEN_STEPS; t++)
	{
		double ahead[GRID_MAX_DIMENSION];

		for (int j = 0; j < width; j++)
			ahead[j] = weight[j] + t / (t + 3.0) * (weight[j] - before[j]);
		gradient_of(classed, ahead, INFINITY, gradient);
		for (int j = 0; j < width; j++)
		{
			before[j] = weight[j];
			weight[j] = ahead[j] - 2 / (radius * radius) * gradient[j] / (double) classed->set.rows;
		}
	}
	return percent_of(classed, weight);
}

static double
descent_percent(const ClassSet *classed, double rho, int count, double clip, double length,
				TestStream *stream)
{
	int width = classed->classes * classed->weights;
	double sigma = 2 * clip * sqrt(count / (2 * rho));
	double weight[GRID_MAX_DIMENSION] = {0};
	double mean[GRID_MAX_DIMENSION] = {0};
	double gradient[GRID_MAX_DIMENSION];

	for (int t = 0; t < count; t++)
	{
		gradient_of(classed, weight, clip, gradient);
		for (int j = 0; j < width; j++)
		{
			weight[j] -= length * (gradient[j] + sigma * accuracy_normal(stream)) /
						 (double) classed->set.rows;
			if (t >= count / 2)
				mean[j] += weight[j] / (count - count / 2);
		}
	}
	return percent_of(classed, mean);
}

static int64_t
usual_delta(const ClassSet *classed)
{
	double rows = (double) classed->set.rows;

	return (int64_t) ((double) DELTA_ONE / (rows * rows));
}

static Accuracy
tuned_descent(const ClassSet *classed, double epsilon)
{
	double rho = zcdp_rho((int64_t) nearbyint(epsilon * EPSILON_ONE), usual_delta(classed));
	Accuracy accuracy;
	double best = -1;
	int setting = 0;
	double sum = 0;
	double squares = 0;
	TestStream stream;

	teststream_seed(&stream, 7);
	for (int i = 0; i <= LENGTH(steps) * LENGTH(clips) * LENGTH(lengths); i++)
	{
		bool last = i == LENGTH(steps) * LENGTH(clips) * LENGTH(lengths);
		int at = last ? setting : i;
		int runs = last ? DESCENT_RUNS : TUNING_RUNS;

		sum = squares = 0;
		for (int k = 0; k < runs; k++)
		{
			double percent = descent_percent(classed, rho, steps[at % LENGTH(steps)],
											 clips[at / LENGTH(steps) % LENGTH(clips)],
											 lengths[at / LENGTH(steps) / LENGTH(clips)], &stream);

			sum += percent;
			squares += percent * percent;
		}
		if (!last && sum > best)
		{
			best = sum;
			setting = i;
		}
	}
	accuracy_finish(&accuracy, sum, squares, DESCENT_RUNS);
	accuracy.seconds = 0;
	return accuracy;
}

/* ---- dp_softmax ---- */

/* As the server settles it (convex_choice.c). */
static bool
settle(const ClassSet *classed, double epsilon, bool pure, MechanismRequest *request)
{
	*request = (MechanismRequest){.kind = MECHANISM_OBJECTIVE,
								  .epsilon = (int64_t) nearbyint(epsilon * EPSILON_ONE),
								  .adjacency = ADJACENCY_REPLACE,
								  .threads = 1};
	grid_set_plain(&request->grid, classed->classes * classed->weights);
	request->convex.loss = LOSS_CLIPPED;
	request->convex.classes = classed->classes;
	request->convex.radius = convex_even_radius(&classed->encoding);
	convex_default(request, &classed->encoding, pure ? 0 : usual_delta(classed), classed->set.rows);
	return convex_noise_length(request) < INFINITY;
}

/* The rows with a last column of ones. */
static Instance
with_intercept(const ClassSet *classed, Memory *memory)
{
	Instance instance = classed->set.labelled;
	int d = classed->weights;
	int32_t *x =
		memory_allocate(memory, (size_t) instance.rows * (size_t) (d + 1), sizeof(int32_t));

	for (int64_t i = 0; i < instance.rows; i++)
	{
		memcpy(x + i * (d + 1), instance.x + i * d, sizeof(int32_t) * (size_t) d);
		x[i * (d + 1) + d] = FIXED_POINT_ONE;
	}
	instance.dimension = d + 1;
	instance.x = x;
	return instance;
}

static Accuracy
softmax_accuracy(const ClassSet *classed, const MechanismRequest *request)
{
	Accuracy accuracy;
	int runs = 0;
	double sum = 0;
	double squares = 0;
	double began = cpu_seconds_now();
	TestStream stream;
	Bits bits;

	teststream_seed(&stream, 5);
	bits_init(&bits, teststream_fill, &stream);
	for (; runs < LEAST_RUNS; runs++)
	{
		Arena *arena = arena_create(check_out_of_memory);
		MechanismTools tools = {.bits = &bits, .memory = arena_memory(arena)};
		Instance instance = with_intercept(classed, tools.memory);
		MechanismAnswer answer;
		double weight[GRID_MAX_DIMENSION];
		double percent;

		mechanism_get(request->kind)->release(request, &instance, &tools, &answer);
		for (int j = 0; j < request->grid.dimension; j++)
			weight[j] = (double) answer.weight[j];
		percent = percent_of(classed, weight);
		sum += percent;
		squares += percent * percent;
		arena_destroy(arena);
	}
	accuracy_finish(&accuracy, sum, squares, runs);
	accuracy.seconds = (cpu_seconds_now() - began) / runs;
	return accuracy;
}

/* ---- rows ---- */

static void
print_set(const AccuracyAsk *ask, const char *name)
{
	static const char *const rows[] = {"softmax regression, not private", "dp_softmax",
									   "dp_softmax, delta 0", "noisy gradient descent, tuned"};
	Arena *arena = arena_create(check_out_of_memory);
	ClassSet classed;

	class_set_read(&classed, ask->folder, name, arena_memory(arena));
	for (int e = 0; e < ACCURACY_EPSILONS; e++)
		for (int r = 0; r < LENGTH(rows); r++)
		{
			double epsilon = accuracy_epsilons[e];
			Accuracy accuracy = {.sd = (double) NAN};
			MechanismRequest request;

			if (!accuracy_is_asked(ask, rows[r], epsilon) || (r == 0 && e > 0))
				continue;
			if ((r == 1 || r == 2) && !settle(&classed, epsilon, r == 2, &request))
				continue;
			if (r == 0)
				accuracy.mean = open_percent(&classed);
			else
				accuracy = r == 3 ? tuned_descent(&classed, epsilon)
								  : softmax_accuracy(&classed, &request);
			accuracy_print(name, "classes", rows[r], epsilon, NULL, &accuracy);
		}
	arena_destroy(arena);
}

int
main(int argc, char **argv)
{
	static const char *const sets[] = {"marriage", "school", "three", "five"};
	AccuracyAsk ask = accuracy_ask(argc, argv);

	for (int s = 0; s < LENGTH(sets); s++)
		if (accuracy_is_set_asked(&ask, sets[s]))
			print_set(&ask, sets[s]);
	return 0;
}

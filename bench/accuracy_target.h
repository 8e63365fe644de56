/*
 * accuracy_target.h - a training set whose rows have a target, a number or a class, in front of
 * their features; models of it that a mechanism releases, and those of noisy gradient descent.
 *
 * delta is 1 / n^2, adjacency replace; all models have an intercept.
 *
 * The descent takes all rows in every step, clips the gradient of each, adds normal noise of the
 * zero-concentrated scale, and rates the mean of the later half of its points.  Of the numbers of
 * steps, clips and step lengths the best for the set and epsilon is shown, and choosing it is not
 * charged.
 */
#ifndef DPOBJ_BENCH_ACCURACY_TARGET_H
#define DPOBJ_BENCH_ACCURACY_TARGET_H

#include "accuracy_set.h"

#include "core/noise/zcdp.h"

#define LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))

#define DESCENT_CLIPS 5
#define TUNING_RUNS 2
#define DESCENT_RUNS 10

typedef struct TargetSet
{
	AccuracySet set;
	Encoding encoding; /* of the features */
	int features;      /* with the intercept */
	double *row;       /* a target, features and 1, as many as rows of the instance */
} TargetSet;

/* What the descent tries. */
typedef struct DescentSettings
{
	int steps[3];
	int clips;
	double clip[DESCENT_CLIPS];
	double length[3];
} DescentSettings;

/* A kind of model. */
typedef struct TargetModel
{
	bool highest; /* is a higher rate better? */
	double (*rate)(const TargetSet *targets, const double *weight);
	/* Adds up the gradients of the rows, each clipped. */
	void (*gradient)(const TargetSet *targets, const double *weight, double clip, double *gradient);
	/* The weights of an answer. */
	void (*weights)(const MechanismRequest *request, const MechanismAnswer *answer, double *weight);
	DescentSettings settings;
} TargetModel;

/* ---- the set ---- */

static inline void
target_set_read(TargetSet *targets, const char *folder, const char *name, Memory *memory)
{
	AccuracySet *set = &targets->set;
	const Instance *instance = &set->labelled;
	int d;

	accuracy_set_read(set, folder, name, memory);
	d = targets->features = set->dimension;
	encoding_init(&targets->encoding);
	targets->encoding.features = d - 1;
	targets->encoding.intercept = true;
	targets->encoding.groups = set->groups - 1;
	for (int g = 1; g < set->groups; g++)
		targets->encoding.group[g - 1] = set->group[g];
	for (int j = 1; j < d; j++)
	{
		targets->encoding.low[j - 1] = set->encoding.low[j];
		targets->encoding.high[j - 1] = set->encoding.high[j];
	}
	if (!encoding_finish(&targets->encoding))
		exit(1);
	targets->row = memory_allocate(memory, (size_t) instance->rows, sizeof(double) * (d + 1));
	for (int64_t i = 0; i < instance->rows; i++)
	{
		double *row = targets->row + i * (d + 1);

		for (int j = 0; j < d; j++)
			row[j] = (double) instance->x[i * d + j] / FIXED_POINT_ONE;
		row[d] = 1;
	}
}

static inline int64_t
target_delta(const TargetSet *targets)
{
	double rows = (double) targets->set.rows;

	return (int64_t) ((double) DELTA_ONE / (rows * rows));
}

/* The rows with targets in this unit and a last column of ones; all labels are positive. */
static inline Instance
target_instance(const TargetSet *targets, double unit, Memory *memory)
{
	Instance instance = targets->set.labelled;
	int d = targets->features;
	int32_t *x =
		memory_allocate(memory, (size_t) instance.rows * (size_t) (d + 1), sizeof(int32_t));

	for (int64_t i = 0; i < instance.rows; i++)
	{
		memcpy(x + i * (d + 1), instance.x + i * d, sizeof(int32_t) * (size_t) d);
		x[i * (d + 1)] = (int32_t) (instance.x[i * d] / unit);
		x[i * (d + 1) + d] = FIXED_POINT_ONE;
	}
	instance.dimension = d + 1;
	instance.x = x;
	instance.net = instance.positive;
	return instance;
}

/* ---- a mechanism ---- */

static inline Accuracy
target_accuracy(const TargetModel *model, const TargetSet *targets, const MechanismRequest *request,
				double unit)
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
	for (; runs < LEAST_RUNS && !accuracy_is_enough(runs, cpu_seconds_now() - began); runs++)
	{
		Arena *arena = arena_create(check_out_of_memory);
		MechanismTools tools = {.bits = &bits, .memory = arena_memory(arena)};
		Instance instance = target_instance(targets, unit, tools.memory);
		MechanismAnswer answer;
		double weight[GRID_MAX_DIMENSION];
		double rate;

		mechanism_release(request, &instance, &tools, &answer);
		model->weights(request, &answer, weight);
		rate = model->rate(targets, weight);
		sum += rate;
		squares += rate * rate;
		arena_destroy(arena);
	}
	accuracy_finish(&accuracy, sum, squares, runs);
	accuracy.seconds = (cpu_seconds_now() - began) / runs;
	return accuracy;
}

/* ---- noisy descent ---- */

static inline double
descent_rate(const TargetModel *model, const TargetSet *targets, int width, double rho, int setting,
			 TestStream *stream)
{
	const DescentSettings *settings = &model->settings;
	int count = settings->steps[setting % LENGTH(settings->steps)];
	double clip = settings->clip[setting / LENGTH(settings->steps) % settings->clips];
	double length = settings->length[setting / LENGTH(settings->steps) / settings->clips];
	double sigma = 2 * clip * sqrt(count / (2 * rho));
	double weight[GRID_MAX_DIMENSION] = {0};
	double mean[GRID_MAX_DIMENSION] = {0};

	for (int t = 0; t < count; t++)
	{
		double gradient[GRID_MAX_DIMENSION] = {0};

		model->gradient(targets, weight, clip, gradient);
		for (int j = 0; j < width; j++)
		{
			weight[j] -= length * (gradient[j] + sigma * accuracy_normal(stream)) /
						 (double) targets->set.rows;
			if (t >= count / 2)
				mean[j] += weight[j] / (count - count / 2);
		}
	}
	return model->rate(targets, mean);
}

static inline Accuracy
descent_tuned(const TargetModel *model, const TargetSet *targets, int width, double epsilon)
{
	double rho = zcdp_rho((int64_t) nearbyint(epsilon * EPSILON_ONE), target_delta(targets));
	int settings =
		LENGTH(model->settings.steps) * model->settings.clips * LENGTH(model->settings.length);
	Accuracy accuracy = {.seconds = 0};
	double best = 0;
	int chosen = 0;
	double sum = 0;
	double squares = 0;
	TestStream stream;

	teststream_seed(&stream, 7);
	for (int i = 0; i < settings; i++)
	{
		sum = 0;
		for (int k = 0; k < TUNING_RUNS; k++)
			sum += descent_rate(model, targets, width, rho, i, &stream);
		if (i == 0 || (model->highest ? sum > best : sum < best))
		{
			best = sum;
			chosen = i;
		}
	}
	sum = 0;
	for (int k = 0; k < DESCENT_RUNS; k++)
	{
		double rate = descent_rate(model, targets, width, rho, chosen, &stream);

		sum += rate;
		squares += rate * rate;
	}
	accuracy_finish(&accuracy, sum, squares, DESCENT_RUNS);
	return accuracy;
}

#endif

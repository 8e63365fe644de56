/*
 * accuracy_classes.c - training accuracies of dp_softmax, of softmax regression without privacy,
 * and of noisy gradient descent that is tuned with the rows in view.
 *
 *   accuracy_classes FOLDER [SET [TEXT [EPSILON]]]    as accuracy.c, with lines as there
 *
 * A row is predicted to be of the class with the highest score.  accuracy_target.h has the descent,
 * here for the softmax loss.
 */
#include "accuracy_target.h"

#include "core/mechanisms/convex_default.h"

/* Without privacy: steps with momentum. */
#define OPEN_STEPS 600

static int
classes_of(const TargetSet *targets)
{
	return (int) targets->set.encoding.high[0] + 1;
}

static void
scores_of(const TargetSet *targets, const double *row, const double *weight, double *score)
{
	for (int k = 0; k < classes_of(targets); k++)
	{
		score[k] = 0;
		for (int j = 0; j < targets->features; j++)
			score[k] += weight[k * targets->features + j] * row[j + 1];
	}
}

static double
percent_of(const TargetSet *targets, const double *weight)
{
	const Instance *instance = &targets->set.labelled;
	double right = 0;

	for (int64_t i = 0; i < instance->rows; i++)
	{
		const double *row = targets->row + i * (targets->features + 1);
		double score[INSTANCE_MAX_CLASSES];
		int best = 0;

		scores_of(targets, row, weight, score);
		for (int k = 1; k < classes_of(targets); k++)
			if (score[k] > score[best])
				best = k;
		if (best == (int) row[0])
			right += (double) instance->positive[i];
	}
	return 100 * right / (double) targets->set.rows;
}

/* ---- descent ---- */

/* The sum of the rows' gradients, each clipped. */
static void
gradient_of(const TargetSet *targets, const double *weight, double clip, double *gradient)
{
	const Instance *instance = &targets->set.labelled;
	int d = targets->features;

	memset(gradient, 0, sizeof(double) * (size_t) (classes_of(targets) * d));
	for (int64_t i = 0; i < instance->rows; i++)
	{
		const double *row = targets->row + i * (d + 1);
		double share[INSTANCE_MAX_CLASSES];
		double sum = 0;
		double square = 0;
		double length = 0;
		double factor;

		scores_of(targets, row, weight, share);
		for (int k = 0; k < classes_of(targets); k++)
			sum += share[k] = exp(share[k]);
		for (int k = 0; k < classes_of(targets); k++)
		{
			share[k] = share[k] / sum - (k == (int) row[0]);
			square += share[k] * share[k];
		}
		for (int j = 1; j <= d; j++)
			length += row[j] * row[j];
		factor = (double) instance->positive[i] * fmin(1, clip / sqrt(square * length + 1e-300));
		for (int k = 0; k < classes_of(targets); k++)
			for (int j = 0; j < d; j++)
				gradient[k * d + j] += factor * share[k] * row[j + 1];
	}
}

static double
open_percent(const TargetSet *targets)
{
	int width = classes_of(targets) * targets->features;
	double radius = convex_default_radius(&targets->encoding);
	double weight[GRID_MAX_DIMENSION] = {0};
	double before[GRID_MAX_DIMENSION] = {0};
	double gradient[GRID_MAX_DIMENSION];

	for (int t = 0; t < OPEN_STEPS; t++)
	{
		double ahead[GRID_MAX_DIMENSION];

		for (int j = 0; j < width; j++)
			ahead[j] = weight[j] + t / (t + 3.0) * (weight[j] - before[j]);
		gradient_of(targets, ahead, INFINITY, gradient);
		for (int j = 0; j < width; j++)
		{
			before[j] = weight[j];
			weight[j] = ahead[j] - 2 / (radius * radius) * gradient[j] / (double) targets->set.rows;
		}
	}
	return percent_of(targets, weight);
}

/* ---- dp_softmax ---- */

/* As the server settles it (convex_choice.c). */
static bool
settle(const TargetSet *targets, double epsilon, bool pure, MechanismRequest *request)
{
	*request = (MechanismRequest){.kind = MECHANISM_OBJECTIVE,
								  .epsilon = (int64_t) nearbyint(epsilon * EPSILON_ONE),
								  .adjacency = ADJACENCY_REPLACE,
								  .threads = 1};
	grid_set_plain(&request->grid, classes_of(targets) * targets->features);
	request->convex.loss = LOSS_CLIPPED;
	request->convex.classes = classes_of(targets);
	request->convex.radius = convex_even_radius(&targets->encoding);
	convex_default(request, &targets->encoding, pure ? 0 : target_delta(targets),
				   targets->set.rows);
	return convex_noise_length(request) < INFINITY;
}

/* Only which score is the highest counts, so any unit of the weights will do. */
static void
weights_of(const MechanismRequest *request, const MechanismAnswer *answer, double *weight)
{
	for (int j = 0; j < request->grid.dimension; j++)
		weight[j] = (double) answer->weight[j];
}

static const TargetModel model = {
	.highest = true,
	.rate = percent_of,
	.gradient = gradient_of,
	.weights = weights_of,
	.settings = {.steps = {10, 30, 100}, .clips = 3, .clip = {0.3, 1, 3}, .length = {0.3, 1, 3}},
};

/* ---- rows ---- */

static void
print_set(const AccuracyAsk *ask, const char *name)
{
	static const char *const rows[] = {"softmax regression, not private", "dp_softmax",
									   "dp_softmax, delta 0", "noisy gradient descent, tuned"};
	Arena *arena = arena_create(check_out_of_memory);
	TargetSet targets;

	target_set_read(&targets, ask->folder, name, arena_memory(arena));
	for (int e = 0; e < ACCURACY_EPSILONS; e++)
		for (int r = 0; r < LENGTH(rows); r++)
		{
			double epsilon = accuracy_epsilons[e];
			Accuracy accuracy = {.sd = (double) NAN};
			MechanismRequest request;

			if (!accuracy_is_asked(ask, rows[r], epsilon) || (r == 0 && e > 0))
				continue;
			if ((r == 1 || r == 2) && !settle(&targets, epsilon, r == 2, &request))
				continue;
			if (r == 0)
				accuracy.mean = open_percent(&targets);
			else
				accuracy = r == 3 ? descent_tuned(&model, &targets,
												  classes_of(&targets) * targets.features, epsilon)
								  : target_accuracy(&model, &targets, &request, 1);
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

/*
 * accuracy_classes.c - training accuracies of dp_softmax and dp_one_vs_rest, of softmax regression
 * without privacy, and of noisy gradient descent that is tuned with the rows in view.
 *
 *   accuracy_classes FOLDER [SET [TEXT [EPSILON]]]    as accuracy.c, with lines as there
 *
 * A row is predicted to be of the class with the highest score.  accuracy_target.h has the descent,
 * here for the softmax loss.
 */
#include "accuracy_target.h"

#include "core/mechanisms/convex_default.h"
#include "core/mechanisms/grid_default.h"

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
	if (convex_default_descent(request, &targets->encoding, pure ? 0 : target_delta(targets),
							   targets->set.rows))
		return true;
	convex_default(request, &targets->encoding, pure ? 0 : target_delta(targets),
				   targets->set.rows);
	return convex_noise_length(request) < INFINITY;
}

/* ---- dp_one_vs_rest ---- */

/* dpobj.longest_run's default. */
#define LONGEST_RUN 600

/* As the server settles it (training.c, halfspace_choice.c). */
static bool
settle_rest(const TargetSet *targets, double epsilon, MechanismRequest *request)
{
	const AccuracySet *set = &targets->set;
	const Encoding *encoding = &targets->encoding;
	int classes = classes_of(targets);
	GridTerms terms = {.encoding = encoding, .rows = set->rows};
	GridWidths widths;

	*request =
		(MechanismRequest){.kind = MECHANISM_EXPONENTIAL,
						   .epsilon = (int64_t) nearbyint(epsilon * EPSILON_ONE) / classes,
						   .adjacency = ADJACENCY_REPLACE,
						   .one_vs_rest = classes,
						   .threads = 1,
						   .run = run_terms(set->rows, encoding, (double) LONGEST_RUN / classes)};
	terms.evidence = grid_evidence(set->rows, request->epsilon, request->adjacency);
	terms.run = request->run;
	for (int i = 0; i < set->numerics; i++)
		terms.numeric[set->numeric[i] - 2] = true;
	grid_default(&terms, &widths, &request->grid);
	request->run = grid_default_run(&terms, &request->grid);
	request->prior_power = widths.sparse > 0 ? 0 : GRID_DEFAULT_PRIOR;
	request->group = select_cheapest_group(&request->grid, encoding->group, encoding->groups);
	request->effort = run_of_grid(&request->run, &request->grid, request->group).effort;
	return mechanism_verdict(request).finishes;
}

/* ---- models ---- */

/* Only which score is the highest counts, so any unit of the weights will do. */
static void
weights_of(const MechanismRequest *request, const MechanismAnswer *answer, double *weight)
{
	const Grid *grid = &request->grid;

	for (int j = 0; j < mechanism_weights(request); j++)
		weight[j] = request->one_vs_rest > 0 ? grid->level[j % grid->dimension][answer->index[j]]
											 : (double) answer->weight[j];
}

static const TargetModel model = {
	.highest = true,
	.rate = percent_of,
	.gradient = gradient_of,
	.weights = weights_of,
	.settings = {.steps = {10, 30, 100}, .clips = 3, .clip = {0.3, 1, 3}, .length = {0.3, 1, 3}},
};

/* ---- rows ---- */

enum
{
	ROW_OPEN,
	ROW_SOFTMAX,
	ROW_SOFTMAX_PURE,
	ROW_REST,
	ROW_DESCENT,
	ROWS
};

/* False if there is no such model. */
static bool
measure(const TargetSet *targets, int row, double epsilon, Accuracy *accuracy)
{
	MechanismRequest request;

	*accuracy = (Accuracy){.sd = (double) NAN};
	if (row == ROW_OPEN)
		accuracy->mean = open_percent(targets);
	else if (row == ROW_DESCENT)
		*accuracy =
			descent_tuned(&model, targets, classes_of(targets) * targets->features, epsilon);
	else if (row == ROW_REST ? settle_rest(targets, epsilon, &request)
							 : settle(targets, epsilon, row == ROW_SOFTMAX_PURE, &request))
		*accuracy = target_accuracy(&model, targets, &request, 1);
	else
		return false;
	return true;
}

static void
print_set(const AccuracyAsk *ask, const char *name)
{
	static const char *const rows[ROWS] = {"softmax regression, not private", "dp_softmax",
										   "dp_softmax, delta 0", "dp_one_vs_rest",
										   "noisy gradient descent, tuned"};
	Arena *arena = arena_create(check_out_of_memory);
	TargetSet targets;

	target_set_read(&targets, ask->folder, name, arena_memory(arena));
	for (int e = 0; e < ACCURACY_EPSILONS; e++)
		for (int r = 0; r < ROWS; r++)
		{
			double epsilon = accuracy_epsilons[e];
			Accuracy accuracy;

			if (accuracy_is_asked(ask, rows[r], epsilon) && (r != ROW_OPEN || e == 0) &&
				measure(&targets, r, epsilon, &accuracy))
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

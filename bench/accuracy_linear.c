/*
 * accuracy_linear.c - squared errors of dp_linear, of least squares without privacy, and of noisy
 * gradient descent that is tuned with the rows in view.
 *
 *   accuracy_linear FOLDER [SET [TEXT [EPSILON]]]    as accuracy.c, with lines as there
 *
 * Errors are means over the rows of (score - target)^2 in thousandths, for targets between -1 and
 * 1, of scores clipped to that.  accuracy_target.h has the descent, here for the squares.
 */
#include "accuracy_target.h"

#include "core/mechanisms/convex_default.h"

static double
score_of(const TargetSet *targets, const double *row, const double *weight)
{
	double score = 0;

	for (int j = 0; j < targets->features; j++)
		score += weight[j] * row[j + 1];
	return score;
}

static double
error_of(const TargetSet *targets, const double *weight)
{
	const Instance *instance = &targets->set.labelled;
	double sum = 0;

	for (int64_t i = 0; i < instance->rows; i++)
	{
		const double *row = targets->row + i * (targets->features + 1);
		double score = fmin(fmax(score_of(targets, row, weight), -1), 1);

		sum += (double) instance->positive[i] * (score - row[0]) * (score - row[0]);
	}
	return SQUARES_UNIT * sum / (double) targets->set.rows;
}

/* ---- without privacy ---- */

/* Conjugate gradients on the squares; a little of the identity makes the solution unique. */
static double
least_error(const TargetSet *targets)
{
	int d = targets->features;
	const Instance *instance = &targets->set.labelled;
	double a[GRID_MAX_DIMENSION][GRID_MAX_DIMENSION] = {{0}};
	double b[GRID_MAX_DIMENSION] = {0};

	for (int64_t i = 0; i < instance->rows; i++)
	{
		const double *row = targets->row + i * (d + 1);
		double count = (double) instance->positive[i];

		for (int j = 0; j < d; j++)
		{
			b[j] += count * row[0] * row[j + 1];
			for (int k = 0; k < d; k++)
				a[j][k] += count * row[j + 1] * row[k + 1];
		}
	}
	for (int k = 0; k < d; k++)
		a[k][k] += 1e-6 * (double) targets->set.rows;
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
	return error_of(targets, b);
}

/* ---- descent ---- */

static void
gradient_of(const TargetSet *targets, const double *weight, double clip, double *gradient)
{
	const Instance *instance = &targets->set.labelled;
	int d = targets->features;

	for (int64_t i = 0; i < instance->rows; i++)
	{
		const double *row = targets->row + i * (d + 1);
		double residual = score_of(targets, row, weight) - row[0];
		double square = 0;

		for (int j = 1; j <= d; j++)
			square += row[j] * row[j];
		residual *= fmin(1, clip / (fabs(residual) * sqrt(square) + 1e-300));
		for (int j = 0; j < d; j++)
			gradient[j] += (double) instance->positive[i] * residual * row[j + 1];
	}
}

/* ---- dp_linear ---- */

/* As the server settles it (convex_choice.c), with targets in thresholds. */
static bool
settle(const TargetSet *targets, double epsilon, bool pure, MechanismRequest *request)
{
	*request = (MechanismRequest){.kind = MECHANISM_LINEAR,
								  .epsilon = (int64_t) nearbyint(epsilon * EPSILON_ONE),
								  .adjacency = ADJACENCY_REPLACE,
								  .threads = 1};
	grid_set_plain(&request->grid, targets->features);
	request->convex.loss = LOSS_SQUARES;
	request->convex.radius = convex_usual_radius(&targets->encoding);
	request->convex.unit = convex_default_threshold(request->epsilon);
	convex_default(request, &targets->encoding, pure ? 0 : target_delta(targets),
				   targets->set.rows);
	return convex_noise_length(request) < INFINITY;
}

static void
weights_of(const MechanismRequest *request, const MechanismAnswer *answer, double *weight)
{
	for (int j = 0; j < request->grid.dimension; j++)
		weight[j] = ldexp((double) answer->weight[j], -CONVEX_OUTPUT_BITS) *
					convex_weight_unit(&request->convex);
}

static const TargetModel model = {
	.rate = error_of,
	.gradient = gradient_of,
	.weights = weights_of,
	.settings = {.steps = {10, 30, 100},
				 .clips = 5,
				 .clip = {0.03, 0.1, 0.3, 1, 3},
				 .length = {0.05, 0.2, 0.6}},
};

/* ---- rows ---- */

static void
print_linear(const TargetSet *targets, const char *row, bool pure, double epsilon)
{
	MechanismRequest request;
	Accuracy accuracy;

	if (!settle(targets, epsilon, pure, &request))
		return;
	accuracy = target_accuracy(&model, targets, &request, request.convex.unit);
	accuracy_print(targets->set.name, "regression", row, epsilon, NULL, &accuracy);
}

static void
print_set(const AccuracyAsk *ask, const char *name)
{
	static const char *const rows[] = {"least squares, not private", "dp_linear",
									   "dp_linear, delta 0", "noisy gradient descent, tuned"};
	Arena *arena = arena_create(check_out_of_memory);
	TargetSet targets;

	target_set_read(&targets, ask->folder, name, arena_memory(arena));
	for (int e = 0; e < ACCURACY_EPSILONS; e++)
		for (int r = 0; r < LENGTH(rows); r++)
		{
			double epsilon = accuracy_epsilons[e];
			Accuracy accuracy = {.sd = (double) NAN};

			if (!accuracy_is_asked(ask, rows[r], epsilon))
				continue;
			if (r == 1 || r == 2)
			{
				print_linear(&targets, rows[r], r == 2, epsilon);
				continue;
			}
			if (r == 0)
				accuracy.mean = least_error(&targets);
			else
				accuracy = descent_tuned(&model, &targets, targets.features, epsilon);
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

/*
 * body_choice.c - the body of weights and its net, from public parameters.
 */
#include "server/release/body_choice.h"

#include <math.h>

#include "core/mechanisms/convex_net.h"

#include "server/release/mechanism_choice.h"

/* Scores lie in -8 .. 8 by default. */
#define DEFAULT_NORM 8.0

/* A net of the most steps fits into a body between these. */
#define LEAST_NORM ldexp(NET_MOST_STEPS, -CONVEX_OUTPUT_BITS)
#define MOST_NORM ldexp(CONVEX_NORM_MAX, -CONVEX_OUTPUT_BITS)

/* Only the centre has a noise, and its law is Gamma. */
static void
check_noise(const Options *options, const MechanismRequest *request)
{
	if (options->noise == NOISE_AUTO ||
		(options->noise == NOISE_GAMMA && mechanism_get(request->kind)->centred))
		return;
	mechanism_refuse_noise(options, "mechanism", mechanism_get(request->kind)->name,
						   "Leave \"noise\" out.");
}

int64
body_norm(const Options *options, double radius, double standard)
{
	double norm = options->norm == 0 ? standard : options->norm * radius;

	if (norm < LEAST_NORM || norm > MOST_NORM * (1 + 1e-9))
		mechanism_refuse_range(
			"norm", LEAST_NORM / radius * (1 + 1e-5), MOST_NORM / radius * (1 - 1e-5),
			psprintf("Rows have the length %g, and scores may reach %g.", radius, MOST_NORM));
	return Min((int64) ldexp(norm, CONVEX_OUTPUT_BITS), CONVEX_NORM_MAX);
}

static void
choose_steps(const Options *options, MechanismRequest *request)
{
	int dimension = request->grid.dimension;
	int steps = options->net > 0 ? net_steps(dimension, options->net) : NET_LEAST_STEPS;

	request->convex.steps = convex_net_steps(dimension, options->n, options->net);
	if (request->convex.steps > 0)
		return;
	if (options->net > 0 && steps == 0 && dimension <= NET_MAX_DIMENSION)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"net\" must be at least " INT64_FORMAT " for %d weights",
							   net_points(dimension, 1), dimension)));
	if (dimension > NET_MAX_DIMENSION || net_points(dimension, steps) > NET_MAX_POINTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%d weights are too many for mechanism \"%s\"", dimension,
						mechanism_get(request->kind)->name),
				 errdetail("A net with %d steps to each side would have more than " INT64_FORMAT
						   " points.",
						   NET_LEAST_STEPS, (int64) NET_MAX_POINTS),
				 errhint("Use fewer features, or mechanism \"objective\".")));
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("a net for %d weights is too much work for mechanism \"%s\"", dimension,
				mechanism_get(request->kind)->name),
		 errdetail("It has " INT64_FORMAT " points, times " INT64_FORMAT
				   " rows; the limit is " INT64_FORMAT ".",
				   net_points(dimension, steps),
				   options->n > 0 ? options->n : (int64) NET_DEFAULT_ROWS, (int64) NET_MOST_WORK),
		 options->n > 0
			 ? errhint("Use fewer features, a smaller \"net\", or mechanism \"objective\".")
			 : errhint("Declare \"n\", the number of rows, if there are fewer.")));
}

void
body_choose(const Options *options, MechanismRequest *request)
{
	check_noise(options, request);
	request->convex.norm = body_norm(options, request->convex.radius, DEFAULT_NORM);
	choose_steps(options, request);
}

/*
 * descent_choice.c - the terms of noisy gradient descent, from public parameters.
 */
#include "server/release/descent_choice.h"

#include "server/release/mechanism_choice.h"

/* ---- batches ---- */

/*
 * A batch is a share of the declared number of rows.  A share of the real number would tell it, and
 * would differ between neighbours.
 */
static void
check_rows(const Options *options)
{
	const char *name = descent_sampling_names[options->sampling];

	if (options->sampling == DESCENT_FULL && options->batch > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"batch\" is not for sampling \"full\""),
				 errhint("Add \"sampling\": \"poisson\" or \"fixed\", or leave \"batch\" out.")));
	if (options->sampling != DESCENT_FULL && options->n == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("sampling \"%s\" needs the number of rows", name),
						errdetail("A batch is a share of the declared number, which is public."),
						errhint("Declare \"n\", or use sampling \"full\".")));
	if (options->batch > options->n)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"batch\" must be between 1 and the declared number of "
							   "rows, " INT64_FORMAT,
							   options->n)));
}

/* ---- lengths ---- */

/* Converts a length from units of the weights to those of u. */
static double
read_length(const char *name, double length, double radius)
{
	double u = length * radius;

	if (u < DESCENT_LENGTH_MIN || u > DESCENT_LENGTH_MAX)
		mechanism_refuse_range(
			name, DESCENT_LENGTH_MIN / radius * (1 + 1e-5),
			DESCENT_LENGTH_MAX / radius * (1 - 1e-5),
			psprintf("That is 2^-20 to 2^20, divided by the radius, %g.", radius));
	return u;
}

/* ---- noise ---- */

static void
set_noise(const Options *options, int64 delta, ConvexTerms *terms)
{
	if (options->noise != NOISE_AUTO && options->noise != NOISE_GAUSSIAN)
		mechanism_refuse_noise(options, "mechanism", "sgd", "Noises are: auto, gaussian.");
	if (delta == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("mechanism \"sgd\" needs delta greater than zero"),
						errhint("Mechanisms \"objective\" and \"output\" need none.")));
	terms->noise = CONVEX_GAUSSIAN;
	terms->delta = delta;
}

static void
check_noise(const MechanismRequest *request)
{
	if (!mechanism_verdict(request).admitted)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is too small for %d iterations: no noise is known to do",
						request->descent.iterations),
				 errhint("Raise epsilon or delta%s.", request->descent.sampling == DESCENT_FULL
														  ? ""
														  : ", or use sampling \"full\"")));
}

void
descent_choose(const Options *options, int64 delta, MechanismRequest *request)
{
	double radius = request->convex.radius;
	DescentTerms *terms = &request->descent;

	set_noise(options, delta, &request->convex);
	check_rows(options);
	*terms = descent_default(options->sampling, options->n, &request->convex,
							 (double) request->epsilon / EPSILON_ONE, request->adjacency);
	if (options->batch > 0)
		terms->batch = options->batch;
	if (options->iterations > 0)
		terms->iterations = options->iterations;
	if (options->step > 0)
		terms->step = read_length("step", options->step, radius);
	if (options->norm > 0)
		terms->norm = read_length("norm", options->norm, radius);
	check_noise(request);
}

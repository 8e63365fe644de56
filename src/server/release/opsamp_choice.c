/*
 * opsamp_choice.c - cube, calls and calibration of OPSamp.
 */
#include "server/release/opsamp_choice.h"

#include <math.h>

#include "core/mechanisms/convex_opsamp.h"

#include "server/release/body_choice.h"
#include "server/release/mechanism_choice.h"

/* Scores lie in -2 .. 2 by default, because the noise grows with the cube. */
#define DEFAULT_SCORE 2.0

/* The longest coordinate of a clipped row, in units of the radius. */
static double
longest_feature(const Encoding *encoding, double radius)
{
	double most = encoding->intercept ? 1 : 0;
	int j = 0;

	for (int g = 0; g < encoding->groups; j += encoding->group[g++])
		most = fmax(most, encoding->group[g] > 1
							  ? 1
							  : fmax(fabs(encoding->low[j]), fabs(encoding->high[j])));
	for (; j < encoding->features; j++)
		most = fmax(most, fmax(fabs(encoding->low[j]), fabs(encoding->high[j])));
	return fmin(most / radius, 1);
}

static void
check_options(const Options *options, int64 delta)
{
	if (options->noise != NOISE_AUTO && options->noise != NOISE_LAPLACE)
		mechanism_refuse_noise(options, "mechanism", "opsamp", "The noise is: laplace.");
	if (delta == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("mechanism \"opsamp\" needs delta greater than zero"),
						errhint("Mechanism \"objective\" needs no delta.")));
}

static void
choose_calls(const Options *options, ConvexTerms *terms)
{
	terms->rows = options->n;
	terms->calls = options->calls > 0 ? options->calls : convex_opsamp_calls(options->n);
	if (terms->rows > OPSAMP_MOST_WORK / terms->calls)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%d calls of the oracle for " INT64_FORMAT " rows are too much work",
							   terms->calls, terms->rows),
						errdetail("The limit of their product is " INT64_FORMAT ".",
								  (int64) OPSAMP_MOST_WORK),
						errhint("Choose smaller \"calls\", or mechanism \"objective\".")));
}

/* Refuses a bound on the loss that weights of 0 meet too. */
static void
check_risk(const MechanismRequest *request)
{
	OpsampProblem problem = convex_opsamp_problem(request);
	double trivial = convex_opsamp_trivial(request);
	OpsampPlan plan;

	opsamp_plan(&problem, &plan);
	if (plan.risk < trivial)
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("mechanism \"opsamp\" promises nothing for " INT64_FORMAT
				" rows and %d weights at this epsilon",
				request->convex.rows, request->grid.dimension),
		 errdetail("The mean loss of a row may be %.3g above the least; that of weights of 0 is "
				   "%.3g above it at most.",
				   plan.risk, trivial),
		 errhint("Use mechanism \"objective\"; or more rows, fewer features or a larger "
				 "epsilon.")));
}

void
opsamp_choose(const Options *options, const Encoding *encoding, int64 delta,
			  MechanismRequest *request)
{
	ConvexTerms *terms = &request->convex;
	double d = request->grid.dimension;
	double peak = longest_feature(encoding, terms->radius);

	check_options(options, delta);
	terms->noise = CONVEX_LAPLACE;
	terms->delta = delta;
	terms->peak = Max(1, (int64) ceil(ldexp(peak, CONVEX_OUTPUT_BITS)));
	terms->norm = body_norm(options, terms->radius, DEFAULT_SCORE / fmin(sqrt(d), d * peak));
	choose_calls(options, terms);
	check_risk(request);
}

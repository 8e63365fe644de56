/*
 * convex_choice.c - convex models, settled from public parameters.
 */
#include "convex_choice.h"

#include <math.h>

#include "core/convex_release.h"

#include "descent_choice.h"

static ConvexKind
convex_kind(const MechanismRequest *request)
{
	return request->kind == MECHANISM_OUTPUT ? CONVEX_OUTPUT : CONVEX_OBJECTIVE;
}

/* ---- radius ---- */

/* No encoded row is longer: a one-hot group has one 1, a number is at most its clip bound. */
static double
longest_row(const Encoding *encoding)
{
	double square = encoding->intercept ? 1 : 0;
	int j = 0;

	for (int g = 0; g < encoding->groups; j += encoding->group[g++])
		if (encoding->group[g] > 1)
			square += 1;
		else
			square += pow(fmax(fabs(encoding->low[j]), fabs(encoding->high[j])), 2);
	for (; j < encoding->features; j++)
		square += pow(fmax(fabs(encoding->low[j]), fabs(encoding->high[j])), 2);
	return sqrt(square);
}

/*
 * The share of it to which rows are clipped for noisy gradient descent: its noise shrinks
 * with the radius, and what is lost of long rows is little (bench/descent).
 */
#define DESCENT_SHARE 0.75

static double
choose_radius(const Options *options, const Encoding *encoding)
{
	double share = options->mechanism == CHOOSE_SGD ? DESCENT_SHARE : 1;
	double radius = options->radius;

	if (radius == 0)
		return fmax(longest_row(encoding) * share, CONVEX_RADIUS_MIN);
	if (radius < CONVEX_RADIUS_MIN || radius > CONVEX_RADIUS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"radius\" must be between %g and %g", CONVEX_RADIUS_MIN,
							   CONVEX_RADIUS_MAX)));
	return radius;
}

/* ---- mechanism and noise ---- */

static MechanismKind
choose_mechanism(TrainingMethod method, const Options *options)
{
	switch (options->mechanism)
	{
		case CHOOSE_OUTPUT:
			return MECHANISM_OUTPUT;
		case CHOOSE_AUTO:
		case CHOOSE_OBJECTIVE:
		case CHOOSE_AMP:
			return MECHANISM_OBJECTIVE;
		case CHOOSE_SGD:
			return MECHANISM_SGD;
		default:
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("mechanism \"%s\" is not for method \"%s\"",
								   mechanism_choice_name(options->mechanism), method_name(method)),
							errhint("Mechanisms are: objective, amp, output, sgd.")));
	}
}

static void
set_noise(MechanismRequest *request, ConvexNoise noise, int64 delta)
{
	request->convex.noise = noise;
	request->convex.delta = noise == CONVEX_GAUSSIAN ? delta : 0;
}

/* The usual length of the noise; none if the request would be refused. */
static double
noise_length(const MechanismRequest *request)
{
	int dimension = request->grid.dimension;
	double scale;
	ConvexScale scales;
	int64 least;

	if (convex_request_scale(convex_kind(request), request, &scales, &least) != CONVEX_FITS)
		return INFINITY;
	scale = request->kind == MECHANISM_OUTPUT ? scales.outer : scales.inner;
	return scale * (request->convex.noise == CONVEX_GAUSSIAN ? sqrt(dimension) : dimension);
}

/* Without a word about it, the law whose noise is shorter. */
static void
choose_noise(TrainingMethod method, const Options *options, int64 delta, MechanismRequest *request)
{
	double gamma;

	if (options->noise != NOISE_AUTO && options->noise != NOISE_GAMMA &&
		options->noise != NOISE_GAUSSIAN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("noise \"%s\" is not for method \"%s\"",
							   noise_choice_name(options->noise), method_name(method)),
						errhint("Noises are: auto, gamma, gaussian.")));
	if (options->noise == NOISE_GAUSSIAN && delta == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("noise \"gaussian\" needs delta greater than zero"),
						errhint("Noise \"gamma\" is pure: it needs no delta.")));
	set_noise(request, CONVEX_GAMMA, delta);
	if (options->noise == NOISE_GAMMA || delta == 0)
		return;
	gamma = noise_length(request);
	set_noise(request, CONVEX_GAUSSIAN, delta);
	if (options->noise == NOISE_AUTO && gamma <= noise_length(request))
		set_noise(request, CONVEX_GAMMA, delta);
}

/* ---- regularisation ---- */

double
convex_regularization(const ConvexTerms *terms)
{
	return (double) terms->lambda / LAMBDA_ONE * terms->radius * terms->radius;
}

/*
 * Found by trial on Adult and on generated data (bench/convex): in units of R, d / (24
 * epsilon^2) for noise in the objective, but at least twice what epsilon allows, and
 * 4 d / (3 epsilon) for noise on the minimiser.
 */
static int64
default_lambda(const MechanismRequest *request)
{
	double epsilon = (double) request->epsilon / EPSILON_ONE;
	MechanismRequest least_request = *request;
	ConvexScale scale;
	int64 least;
	double lambda;

	least_request.convex.lambda = 1; /* too small, which tells the least */
	(void) convex_request_scale(convex_kind(request), &least_request, &scale, &least);
	lambda = request->kind == MECHANISM_OUTPUT ? 4.0 / 3 * request->grid.dimension / epsilon
											   : request->grid.dimension / (24 * epsilon * epsilon);
	lambda = fmax(lambda * LAMBDA_ONE, 2.0 * least); /* no lambda will do if least is beyond */
	return (int64) fmin(lambda, LAMBDA_MAX);
}

/*
 * Descent's noise asks for none: as good as none, where it is not given.  Rounded down:
 * both the minimiser and the noise take what is left. */
static void
choose_lambda(const Options *options, MechanismRequest *request)
{
	double radius = request->convex.radius;
	double lambda = options->regularization / (radius * radius) * LAMBDA_ONE;

	if (options->regularization > 0)
		request->convex.lambda = (int64) fmin(lambda, 0x1p62);
	else
		request->convex.lambda =
			request->kind == MECHANISM_SGD ? LAMBDA_MIN : default_lambda(request);
	if (request->convex.lambda > LAMBDA_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"regularization\" must be at most %.6g",
							   LAMBDA_MAX / LAMBDA_ONE * radius * radius * (1 - 1e-5)),
						errdetail("That is 2^24 times the square of the radius, %g.", radius)));
}

/* ---- the whole ---- */

/* Of a number that is at least bound, to six digits. */
static double
rounded_up(double bound)
{
	return bound * (1 + 1e-5);
}

static void
check_scale(const MechanismRequest *request)
{
	double radius = request->convex.radius;
	ConvexScale scale;
	int64 least;

	switch (convex_request_scale(convex_kind(request), request, &scale, &least))
	{
		case CONVEX_FITS:
			return;
		case CONVEX_LAMBDA_TOO_SMALL:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("option \"regularization\" is too small for this epsilon"),
					 errdetail("It must be at least %.6g for rows of length %g.",
							   rounded_up((double) least / LAMBDA_ONE * radius * radius), radius)));
			break;
		case CONVEX_NOISE_TOO_LARGE:
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("epsilon is too small for %d weights: the model would be noise "
								   "alone",
								   request->grid.dimension),
							errhint("Raise epsilon or \"regularization\".")));
	}
}

/* The dimension and nothing else. */
static void
set_grid(Grid *grid, int dimension)
{
	memset(grid, 0, sizeof(*grid));
	grid->dimension = dimension;
	for (int j = 0; j < dimension; j++)
		grid->levels[j] = 1;
}

void
convex_choose(TrainingMethod method, const Options *options, const Encoding *encoding, int64 delta,
			  MechanismRequest *request)
{
	set_grid(&request->grid, encoding_dimension(encoding));
	request->kind = choose_mechanism(method, options);
	request->convex.loss = method == METHOD_SVM ? LOSS_HUBER : LOSS_LOGISTIC;
	request->convex.radius = choose_radius(options, encoding);
	set_noise(request, CONVEX_GAMMA, 0);
	choose_lambda(options, request);
	descent_check_options(options);
	if (request->kind == MECHANISM_SGD)
	{
		descent_choose(options, delta, request);
		return;
	}
	choose_noise(method, options, delta, request);
	check_scale(request);
}

void
convex_append_terms(StringInfo text, const MechanismRequest *request)
{
	const ConvexTerms *terms = &request->convex;
	ConvexScale scale;
	int64 least;

	appendStringInfo(text,
					 ", \"loss\": \"%s\", \"regularization\": %.17g, \"radius\": %.17g, "
					 "\"noise\": \"%s\", \"weight_step\": %.17g",
					 terms->loss == LOSS_LOGISTIC ? "logistic" : "huber",
					 convex_regularization(terms), terms->radius,
					 terms->noise == CONVEX_GAUSSIAN ? "gaussian" : "gamma",
					 ldexp(1, -CONVEX_OUTPUT_BITS) / terms->radius);
	if (request->kind == MECHANISM_SGD)
	{
		descent_append_terms(text, request);
		return;
	}
	(void) convex_request_scale(convex_kind(request), request, &scale, &least);
	if (request->kind == MECHANISM_OBJECTIVE)
		appendStringInfo(text, ", \"objective_noise\": %.17g", scale.inner * terms->radius);
	appendStringInfo(text, ", \"weight_noise\": %.17g", scale.outer / terms->radius);
}

/*
 * convex_choice.c - convex models, settled from public parameters.
 */
#include "server/release/convex_choice.h"

#include <math.h>

#include "core/mechanisms/convex_net.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/convex_usual.h"

#include "server/release/body_choice.h"
#include "server/release/descent_choice.h"
#include "server/release/opsamp_choice.h"

static ConvexKind
convex_kind(const MechanismRequest *request)
{
	return request->kind == MECHANISM_OUTPUT ? CONVEX_OUTPUT : CONVEX_OBJECTIVE;
}

/* ---- radius ---- */

/*
 * The share of the longest row to which rows are clipped for noisy gradient descent: its noise
 * shrinks with the radius, and what is lost of long rows is little (bench/descent).
 */
#define DESCENT_SHARE 0.75

double
convex_choose_radius(const Options *options, const Encoding *encoding)
{
	double share = options->mechanism == CHOOSE_SGD ? DESCENT_SHARE : 1;
	double radius = options->radius;

	if (radius == 0)
		return fmax(convex_usual_radius(encoding) * share, CONVEX_RADIUS_MIN);
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
		case CHOOSE_EXPONENTIAL:
			return MECHANISM_CONVEX_EXPONENTIAL;
		case CHOOSE_LOCALIZED:
			return MECHANISM_LOCALIZED;
		case CHOOSE_OPSAMP:
			return MECHANISM_OPSAMP;
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
							errhint("Mechanisms are: objective, amp, output, exponential, "
									"localized, opsamp, sgd.")));
	}
}

/* Without a word about it, the law whose noise is shorter. */
static void
choose_noise(TrainingMethod method, const Options *options, int64 delta, MechanismRequest *request)
{
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
	if (options->noise == NOISE_AUTO)
		convex_set_shorter_noise(convex_kind(request), request, delta);
	else
		convex_set_noise(request, options->noise == NOISE_GAUSSIAN ? CONVEX_GAUSSIAN : CONVEX_GAMMA,
						 delta);
}

/* ---- regularisation ---- */

double
convex_regularization(const ConvexTerms *terms)
{
	return (double) terms->lambda / LAMBDA_ONE * terms->radius * terms->radius;
}

/*
 * OPSamp's is there for its certificate only and weighs as much as a row; descent's noise
 * asks for none, so it is as good as none.
 */
static int64
usual_lambda(const MechanismRequest *request)
{
	switch (request->kind)
	{
		case MECHANISM_OPSAMP:
			return LAMBDA_ONE;
		case MECHANISM_SGD:
			return LAMBDA_MIN;
		default:
			return convex_usual_lambda(convex_kind(request), request);
	}
}

/* Rounded down: both the minimiser and the noise take what is left. */
static void
choose_lambda(const Options *options, MechanismRequest *request)
{
	double radius = request->convex.radius;
	double lambda = options->regularization / (radius * radius) * LAMBDA_ONE;

	request->convex.lambda =
		options->regularization > 0 ? (int64) fmin(lambda, 0x1p62) : usual_lambda(request);
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

/* Over a body all that output perturbation asks for is asked by a centre, if there is one. */
static void
choose_over_body(const Options *options, MechanismRequest *request)
{
	MechanismRequest centre = convex_net_centre(request);

	if (request->kind == MECHANISM_LOCALIZED || options->regularization > 0)
		choose_lambda(options, &centre);
	request->convex.lambda = centre.convex.lambda;
	body_choose(options, request);
	centre = convex_net_centre(request);
	if (request->kind == MECHANISM_LOCALIZED)
		check_scale(&centre);
}

void
convex_choose(TrainingMethod method, const Options *options, const Encoding *encoding, int64 delta,
			  MechanismRequest *request)
{
	grid_set_plain(&request->grid, encoding_dimension(encoding));
	request->kind = choose_mechanism(method, options);
	request->convex.loss = method == METHOD_SVM ? LOSS_HUBER : LOSS_LOGISTIC;
	request->convex.radius = convex_choose_radius(options, encoding);
	convex_set_noise(request, CONVEX_GAMMA, 0);
	body_check_options(options, request->kind);
	descent_check_options(options);
	if (body_is_for(request->kind))
	{
		choose_over_body(options, request);
		return;
	}
	choose_lambda(options, request);
	if (request->kind == MECHANISM_SGD)
	{
		descent_choose(options, delta, request);
		return;
	}
	if (request->kind == MECHANISM_OPSAMP)
	{
		opsamp_choose(options, encoding, delta, request);
		return;
	}
	choose_noise(method, options, delta, request);
	if (options->regularization == 0)
		request->convex.lambda = convex_usual_lambda_for_noise(convex_kind(request), request);
	check_scale(request);
}

void
convex_append_terms(StringInfo text, const MechanismRequest *request)
{
	const ConvexTerms *terms = &request->convex;
	ConvexScale scale;
	int64 least;

	appendStringInfo(text, ", \"loss\": \"%s\", \"regularization\": %.17g, \"radius\": %.17g",
					 terms->loss == LOSS_LOGISTIC ? "logistic" : "huber",
					 convex_regularization(terms), terms->radius);
	if (body_is_for(request->kind))
	{
		body_append_terms(text, request);
		return;
	}
	if (request->kind == MECHANISM_OPSAMP)
	{
		opsamp_append_terms(text, request);
		return;
	}
	appendStringInfo(text, ", \"noise\": \"%s\", \"weight_step\": %.17g",
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

/*
 * convex_choice.c - convex models, settled from public parameters.
 */
#include "server/release/convex_choice.h"

#include <math.h>

#include "core/mechanisms/convex_net.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/convex_default.h"

#include "server/release/body_choice.h"
#include "server/release/descent_choice.h"
#include "server/release/mechanism_choice.h"
#include "server/release/opsamp_choice.h"

/* ---- radius ---- */

double
convex_choose_radius(const Options *options, const Encoding *encoding)
{
	const Mechanism *mechanism =
		options->mechanism == NULL ? NULL : mechanism_named(options->mechanism, FOR_CONVEX);
	double share = mechanism != NULL && mechanism->clip_share > 0 ? mechanism->clip_share : 1;
	double radius = options->radius;

	if (radius == 0)
		return fmax(convex_default_radius(encoding) * share, CONVEX_RADIUS_MIN);
	if (radius < CONVEX_RADIUS_MIN || radius > CONVEX_RADIUS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"radius\" must be between %g and %g", CONVEX_RADIUS_MIN,
							   CONVEX_RADIUS_MAX)));
	return radius;
}

/* ---- noise ---- */

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
		convex_set_shorter_noise(request, delta);
	else
		convex_set_noise(request, options->noise == NOISE_GAUSSIAN ? CONVEX_GAUSSIAN : CONVEX_GAMMA,
						 delta);
}

/* ---- regularisation ---- */

static int64
usual_lambda(const MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);

	return mechanism->default_lambda > 0 ? mechanism->default_lambda
										 : convex_default_lambda(request);
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

/* What the request is made from. */
typedef struct ConvexCall
{
	TrainingMethod method;
	const Options *options;
	const Encoding *encoding;
	int64 delta;
} ConvexCall;

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

	switch (convex_request_scale(request, &scale))
	{
		case CONVEX_FITS:
			return;
		case CONVEX_LAMBDA_TOO_SMALL:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("option \"regularization\" is too small for this epsilon"),
					 errdetail("It must be at least %.6g for rows of length %g.",
							   rounded_up((double) scale.least / LAMBDA_ONE * radius * radius),
							   radius)));
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
choose_over_body(const ConvexCall *call, MechanismRequest *request)
{
	const Options *options = call->options;
	MechanismRequest centre = convex_net_centre(request);
	bool centred = mechanism_get(request->kind)->centred;

	if (centred || options->regularization > 0)
		choose_lambda(options, &centre);
	request->convex.lambda = centre.convex.lambda;
	body_choose(options, request);
	centre = convex_net_centre(request);
	if (centred)
		check_scale(&centre);
}

static void
choose_descent(const ConvexCall *call, MechanismRequest *request)
{
	choose_lambda(call->options, request);
	descent_choose(call->options, call->delta, request);
}

static void
choose_opsamp(const ConvexCall *call, MechanismRequest *request)
{
	choose_lambda(call->options, request);
	opsamp_choose(call->options, call->encoding, call->delta, request);
}

static void
choose_perturbation(const ConvexCall *call, MechanismRequest *request)
{
	choose_lambda(call->options, request);
	choose_noise(call->method, call->options, call->delta, request);
	if (call->options->regularization == 0)
		request->convex.lambda = convex_default_lambda_for_noise(request);
	check_scale(request);
}

/* Mechanisms with terms of their own to choose; the others have a noise to choose only. */
static const struct
{
	const Mechanism *mechanism;
	void (*choose)(const ConvexCall *call, MechanismRequest *request);
} families[] = {
	{&mechanism_convex_exponential, choose_over_body},
	{&mechanism_localized, choose_over_body},
	{&mechanism_sgd, choose_descent},
	{&mechanism_opsamp, choose_opsamp},
};

void
convex_choose(TrainingMethod method, const Options *options, const Encoding *encoding, int64 delta,
			  MechanismRequest *request)
{
	ConvexCall call = {method, options, encoding, delta};
	const Mechanism *mechanism = mechanism_choose(method, options);
	void (*choose)(const ConvexCall *, MechanismRequest *) = choose_perturbation;

	if (mechanism == NULL)
		mechanism = &mechanism_objective;
	grid_set_plain(&request->grid, encoding_dimension(encoding));
	request->kind = mechanism_kind(mechanism);
	request->convex.loss = method == METHOD_SVM ? LOSS_HUBER : LOSS_LOGISTIC;
	request->convex.radius = convex_choose_radius(options, encoding);
	convex_set_noise(request, CONVEX_GAMMA, 0);
	mechanism_check_options(options, mechanism);
	for (int i = 0; i < lengthof(families); i++)
		if (families[i].mechanism == mechanism)
			choose = families[i].choose;
	choose(&call, request);
}

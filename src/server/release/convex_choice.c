/*
 * convex_choice.c - the request of a convex mechanism, from public parameters.
 */
#include "server/release/convex_choice.h"

#include <math.h>

#include "core/mechanisms/convex_net.h"
#include "core/mechanisms/convex_pool.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/convex_default.h"

#include "server/release/body_choice.h"
#include "server/release/descent_choice.h"
#include "server/release/mechanism_choice.h"
#include "server/release/opsamp_choice.h"

/* ---- radius ---- */

/* The radius that rows are clipped to: the option's, or the default for their encoding. */
static double
choose_radius(TrainingMethod method, const Options *options, const Mechanism *mechanism,
			  const Encoding *encoding)
{
	double share = mechanism->clip_share > 0 ? mechanism->clip_share : 1;
	double radius = options->radius;

	if (radius == 0 && method == METHOD_LINEAR)
		return convex_usual_radius(encoding);
	if (radius == 0 && method == METHOD_SOFTMAX)
		return mechanism->terms == TERMS_DESCENT ? convex_default_radius(encoding)
												 : convex_even_radius(encoding);
	if (radius == 0)
		return fmax(convex_default_radius(encoding) * share, CONVEX_RADIUS_MIN);
	if (radius < CONVEX_RADIUS_MIN || radius > CONVEX_RADIUS_MAX)
		mechanism_refuse_range("radius", CONVEX_RADIUS_MIN, CONVEX_RADIUS_MAX, NULL);
	return radius;
}

/* ---- noise ---- */

/* Chooses the law with the least noise unless the options name one. */
static void
choose_noise(TrainingMethod method, const Options *options, const Encoding *encoding, int64 delta,
			 MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);

	if (options->noise != NOISE_AUTO && options->noise != NOISE_GAMMA &&
		options->noise != NOISE_GAUSSIAN && options->noise != NOISE_KNORM)
		mechanism_refuse_noise(options, "method", method_name(method),
							   "Noises are: auto, gamma, gaussian, knorm.");
	if (options->noise == NOISE_KNORM && method == METHOD_SOFTMAX)
		mechanism_refuse_noise(options, "method", method_name(method),
							   "Noises are: auto, gamma, gaussian.");
	if (options->noise == NOISE_KNORM && mechanism->noise_on != CONVEX_OBJECTIVE)
		mechanism_refuse_noise(options, "mechanism", mechanism->name,
							   "It is for mechanism \"objective\", whose noise is on gradients.");
	if (options->noise == NOISE_GAUSSIAN && delta == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("noise \"gaussian\" needs delta greater than zero"),
						errhint("Noise \"gamma\" is pure: it needs no delta.")));
	if (options->noise == NOISE_AUTO)
		convex_set_shorter_noise(request, encoding, delta);
	else if (options->noise == NOISE_KNORM)
		convex_set_knorm(request, encoding);
	else
		convex_set_noise(request, options->noise == NOISE_GAUSSIAN ? CONVEX_GAUSSIAN : CONVEX_GAMMA,
						 delta);
}

/* ---- regularisation ---- */

static int64
default_lambda(const MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);

	return mechanism->default_lambda > 0 ? mechanism->default_lambda
										 : convex_default_lambda(request);
}

/*
 * Sets lambda in units of LAMBDA_ONE, rounded down.  The noise is scaled for the rounded lambda,
 * and the minimiser uses it too.  from_least: the mechanism takes none below LAMBDA_MIN.
 */
static void
choose_lambda(const Options *options, bool from_least, MechanismRequest *request)
{
	double radius = request->convex.radius;
	double lambda = options->regularization / (radius * radius) * LAMBDA_ONE;

	request->convex.lambda =
		options->regularization > 0 ? (int64) fmin(lambda, 0x1p62) : default_lambda(request);
	if (request->convex.lambda > LAMBDA_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"regularization\" must be at most %.6g",
							   LAMBDA_MAX / LAMBDA_ONE * radius * radius * (1 - 1e-5)),
						errdetail("That is 2^24 times the square of the radius, %g.", radius)));
	if (from_least && request->convex.lambda < LAMBDA_MIN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"regularization\" must be at least %.6g",
							   (double) LAMBDA_MIN / LAMBDA_ONE * radius * radius * (1 + 1e-5)),
						errdetail("That is 2^-10 times the square of the radius, %g.", radius)));
}

/* ---- the request ---- */

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
							   (double) scale.least / LAMBDA_ONE * radius * radius * (1 + 1e-5),
							   radius)));
			break;
		case CONVEX_NOISE_TOO_LARGE:
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("epsilon is too small for %d weights: the model would be noise "
								   "alone",
								   mechanism_weights(request)),
							errhint("Raise epsilon or \"regularization\".")));
	}
}

/* A centre is found by output perturbation, so its request must meet the conditions of that. */
static void
choose_over_body(const Options *options, MechanismRequest *request)
{
	MechanismRequest centre = convex_net_centre(request);
	bool centred = mechanism_get(request->kind)->centred;

	if (centred || options->regularization > 0)
		choose_lambda(options, false, &centre);
	request->convex.lambda = centre.convex.lambda;
	body_choose(options, request);
	centre = convex_net_centre(request);
	if (centred)
		check_scale(&centre);
}

static void
choose_perturbation(TrainingMethod method, const Options *options, const Encoding *encoding,
					int64 delta, MechanismRequest *request)
{
	choose_lambda(options, false, request);
	choose_noise(method, options, encoding, delta, request);
	if (options->regularization == 0)
		request->convex.lambda = convex_default_lambda_for_noise(request, options->n);
	check_scale(request);
}

/* Of mechanisms for labels whose terms all follow from public numbers. */
static void
refuse_terms(TrainingMethod method, const Options *options, const Mechanism *mechanism)
{
	if (method != METHOD_LOGISTIC)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("mechanism \"%s\" is not for method \"%s\"", mechanism->name,
							   method_name(method)),
						errhint("It is for method \"logistic\".")));
	if (options->radius != 0 || options->regularization > 0 || options->noise != NOISE_AUTO ||
		options->loss != LOSS_LOGISTIC)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("mechanism \"%s\" chooses noise, loss, radius and regularization "
							   "by itself",
							   mechanism->name),
						errhint("Leave these options out, or use mechanism \"objective\".")));
}

static void
choose_residuals(const Encoding *encoding, int64 delta, MechanismRequest *request)
{
	if (delta == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("mechanism \"descent\" needs delta greater than zero"),
						errhint("Mechanisms \"objective\" and \"output\" need none.")));
	convex_set_noise(request, CONVEX_GAUSSIAN, delta);
	request->convex.lambda = LAMBDA_MIN;
	residual_describe(encoding, &request->convex, &request->residual);
	if (!mechanism_verdict(request).admitted)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is too small: no noise is known to do"),
						errhint("Raise epsilon or delta.")));
}

/* Both stages follow from public numbers (rules U13 and U18). */
static void
choose_pool(const Options *options, const Encoding *encoding, int64 delta,
			MechanismRequest *request)
{
	MechanismRequest centre;

	convex_pool_settle(request, encoding, delta, options->n);
	centre = convex_pool_centre(request);
	check_scale(&centre);
}

static void
refuse_levels(const char *what, const char *name, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s \"%s\" does not take levels", what, name),
					errdetail("Declared columns with more than %d features have them, and those of "
							  "option \"levels\".",
							  GRID_MAX_DIMENSION),
					errhint("%s", hint)));
}

/* Levels are for the mechanisms with a minimiser, and for the noises of theorem V19. */
static void
choose_levels(const Options *options, const Encoding *encoding, const Mechanism *mechanism,
			  MechanismRequest *request)
{
	if (!encoding->indices)
		return;
	if (mechanism->terms != TERMS_NOISE && mechanism->terms != TERMS_RESIDUAL)
		refuse_levels("mechanism", mechanism->name,
					  "Use mechanism \"objective\", \"output\" or \"descent\".");
	if (options->noise == NOISE_KNORM)
		refuse_levels("noise", noise_choice_name(NOISE_KNORM),
					  "Noises are: auto, gamma, gaussian.");
	memcpy(request->convex.levels, encoding->levels, sizeof(encoding->levels));
}

static void
check_dimension(const Mechanism *mechanism, int dimension)
{
	int most = mechanism_most_dimension(mechanism);

	if (dimension > most)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("mechanism \"%s\" takes %d weights, and the model has %d",
							   mechanism->name, most, dimension),
						errhint("Leave option \"mechanism\" out.")));
}

/* The mechanism, where the default depends on more than the method (rule D7). */
static const Mechanism *
choose_mechanism(TrainingMethod method, const Options *options, const Encoding *encoding,
				 int64 delta, const MechanismRequest *request)
{
	MechanismRequest descent = *request;
	bool named = options->mechanism != NULL || options->noise != NOISE_AUTO ||
				 options->radius != 0 || options->regularization > 0;

	if (method == METHOD_SOFTMAX && !named &&
		convex_default_descent(&descent, encoding, delta, options->n))
		return mechanism_get(descent.kind);
	return mechanism_choose(method, options);
}

void
convex_choose(TrainingMethod method, const Options *options, const Encoding *encoding, int64 delta,
			  MechanismRequest *request)
{
	const Mechanism *mechanism;

	grid_set_plain(&request->grid, mechanism_choose_weights(options, encoding_dimension(encoding)));
	request->convex.classes = options->classes;
	mechanism = choose_mechanism(method, options, encoding, delta, request);
	check_dimension(mechanism, request->grid.dimension);
	request->kind = mechanism_kind(mechanism);
	request->convex.loss = method == METHOD_SVM       ? LOSS_HUBER
						   : method == METHOD_LINEAR  ? LOSS_SQUARES
						   : method == METHOD_SOFTMAX ? LOSS_CLIPPED
													  : options->loss;
	request->convex.radius = choose_radius(method, options, mechanism, encoding);
	choose_levels(options, encoding, mechanism, request);
	convex_set_noise(request, CONVEX_GAMMA, 0);
	mechanism_check_options(options, mechanism);
	switch (mechanism->terms)
	{
		case TERMS_NOISE:
			choose_perturbation(method, options, encoding, delta, request);
			break;
		case TERMS_BODY:
			choose_over_body(options, request);
			break;
		case TERMS_POOL:
			refuse_terms(method, options, mechanism);
			choose_pool(options, encoding, delta, request);
			break;
		case TERMS_RESIDUAL:
			refuse_terms(method, options, mechanism);
			choose_residuals(encoding, delta, request);
			break;
		case TERMS_DESCENT:
			choose_lambda(options, true, request);
			descent_choose(options, delta, request);
			break;
		case TERMS_ORACLE:
			choose_lambda(options, true, request);
			opsamp_choose(options, encoding, delta, request);
			break;
	}
}

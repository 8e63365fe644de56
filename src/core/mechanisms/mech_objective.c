/*
 * mech_objective.c - objective perturbation of a convex model (Chaudhuri, Monteleoni and
 * Sarwate 2011; Kifer, Smith and Thakurta 2012; theorem V4) in its approximate form
 * (Iyengar and others 2019; theorem V8), with ln(1 + beta / lambda) for the Hessian.
 */
#include "core/convex/convex_loss.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/mechanism.h"

/*
 * The objective has mu = g / sigma and ln(1 + beta / lambda); the noise that hides how near the
 * answer is to its minimum has epsilon / 256 (theorems V4 and V8).
 */
static void
set_pair(const MechanismRequest *request, Pair *pair)
{
	ConvexScale scale;

	if (request->convex.noise != CONVEX_GAUSSIAN || pair->delta == 0 ||
		convex_request_scale(request, &scale) != CONVEX_FITS)
		return;
	pair->kind = PAIR_OBJECTIVE;
	pair->mu = PAIR_ROUNDED_UP * convex_gradient_change(request->convex.loss, request->adjacency) /
			   scale.inner;
	pair->ratio = PAIR_ROUNDED_UP * loss_curvature(request->convex.loss) * (double) LAMBDA_ONE /
				  (double) request->convex.lambda;
	pair->outer = PAIR_ROUNDED_UP * convex_outer_epsilon(privacy_epsilon(request->epsilon));
}

const Mechanism mechanism_objective = {
	.name = "objective",
	.also = "amp", /* approximate minima perturbation, the form that is released */
	.convex = true,
	.noise_on = CONVEX_OBJECTIVE,
	.streams = true,
	.admit = convex_admit,
	.release = convex_release,
	.describe = convex_describe_scale,
	.error = convex_error,
	.pair = set_pair,
};

/*
 * mech_linear.c - linear regression by objective perturbation (theorem Y1): clipped
 * squares of residuals instead of a loss of margins, all else as in mech_objective.c.
 *
 * Targets are in units of the threshold beyond which a residual pulls no harder (rule Y3).
 */
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/mechanism.h"

/* A loss of margins would ignore the targets, and its slope at a residual means nothing. */
static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	convex_admit(request, verdict);
	verdict->admitted = verdict->admitted && request->convex.loss == LOSS_SQUARES;
}

static void
describe(const MechanismRequest *request, Facts *facts)
{
	convex_describe_scale(request, facts);
	facts_number(facts, "threshold", request->convex.unit, FACT_EXACT);
}

const Mechanism mechanism_linear = {
	.name = "linear",
	.convex = true,
	.targets = true,
	.noise_on = CONVEX_OBJECTIVE,
	.streams = true,
	.passes = true,
	.admit = admit,
	.release = convex_release,
	.describe = describe,
	.error = convex_error,
	.useless_rows = convex_useless_rows,
	.pair = convex_objective_pair,
};

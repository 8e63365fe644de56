/*
 * mech_output.c - output perturbation of a convex model (Chaudhuri, Monteleoni and Sarwate
 * 2011; theorem V2): the minimiser, which one row can move by g / lambda only, plus
 * Gamma or Gaussian noise.
 */
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/mechanism.h"

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	convex_admit(CONVEX_OUTPUT, request, verdict);
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	convex_release(CONVEX_OUTPUT, request, instance, tools, answer);
}

static void
describe(const MechanismRequest *request, Facts *facts)
{
	convex_describe_scale(CONVEX_OUTPUT, request, facts);
}

static void
describe_error(const MechanismRequest *request, double beta, Facts *facts)
{
	convex_error(CONVEX_OUTPUT, request, beta, facts);
}

const Mechanism mechanism_output = {
	.name = "output",
	.bounded_range = false,
	.convex = true,
	.streams = true,
	.admit = admit,
	.release = release,
	.describe = describe,
	.error = describe_error,
	.pair = convex_gaussian_pair,
};

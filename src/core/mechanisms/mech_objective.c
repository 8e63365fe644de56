/*
 * mech_objective.c - objective perturbation of a convex model (Chaudhuri, Monteleoni and
 * Sarwate 2011; Kifer, Smith and Thakurta 2012; theorem V4) in its approximate form
 * (Iyengar and others 2019; theorem V8), with ln(1 + beta / lambda) for the Hessian.
 */
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/mechanism.h"

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	convex_admit(CONVEX_OBJECTIVE, request, verdict);
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	convex_release(CONVEX_OBJECTIVE, request, instance, tools, answer);
}

const Mechanism mechanism_objective = {
	.name = "objective",
	.bounded_range = false,
	.convex = true,
	.streams = true,
	.admit = admit,
	.release = release,
};

/*
 * mech_localized.c - localisation: output perturbation says where to look, the exponential
 * mechanism chooses there (Bassily, Smith and Thakurta 2014, algorithms 3 and 4; theorem
 * V12).  Pure epsilon-DP, half and half.
 */
#include "core/mechanisms/convex_net.h"
#include "core/mechanisms/mechanism.h"

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	convex_net_admit(CONVEX_NET_LOCAL, request, verdict);
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	convex_net_release(CONVEX_NET_LOCAL, request, instance, tools, answer);
}

const Mechanism mechanism_localized = {
	.name = "localized",
	.options = {"norm", "net"},
	.bounded_range = false,
	.convex = true,
	.centred = true,
	.streams = true,
	.admit = admit,
	.release = release,
	.describe = convex_net_describe,
	.error = convex_net_error,
};

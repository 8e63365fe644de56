/*
 * mech_convex_exponential.c - the exponential mechanism for convex losses, over a net of a
 * ball (Bassily, Smith and Thakurta 2014; theorem V11).  Pure epsilon-DP, and
 * epsilon-bounded-range: between neighbours the logarithm of a point's mass moves within an
 * interval of rate times margin times osc = epsilon, and the normaliser is the same
 * for all points.
 */
#include "core/mechanisms/convex_net.h"
#include "core/mechanisms/mechanism.h"

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	convex_net_admit(CONVEX_NET_BODY, request, verdict);
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	convex_net_release(CONVEX_NET_BODY, request, instance, tools, answer);
}

const Mechanism mechanism_convex_exponential = {
	.name = "exponential",
	.options = {"norm", "net"},
	.bounded_range = true,
	.convex = true,
	.streams = true,
	.admit = admit,
	.release = release,
	.describe = convex_net_describe,
	.error = convex_net_error,
};

/*
 * mech_convex_exponential.c - the exponential mechanism for convex losses, over a net of a ball
 * (Bassily, Smith and Thakurta 2014).  Pure epsilon-DP of bounded range epsilon (theorem V11).
 */
#include "core/mechanisms/convex_net.h"
#include "core/mechanisms/mechanism.h"

const Mechanism mechanism_convex_exponential = {
	.name = "exponential",
	.options = {"norm", "net"},
	.bounded_range = true,
	.convex = true,
	.terms = TERMS_BODY,
	.streams = true,
	.passes = true,
	.admit = convex_net_admit,
	.release = convex_net_release,
	.describe = convex_net_describe,
	.error = convex_net_error,
};

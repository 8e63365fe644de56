/*
 * mech_localized.c - localisation: half of epsilon finds a centre by output perturbation, the other
 * half chooses near it by the exponential mechanism (Bassily, Smith and Thakurta 2014, algorithms 3
 * and 4). Pure epsilon-DP (theorem V12).
 */
#include "core/mechanisms/convex_net.h"
#include "core/mechanisms/mechanism.h"

const Mechanism mechanism_localized = {
	.name = "localized",
	.options = {"norm", "net"},
	.convex = true,
	.terms = TERMS_BODY,
	.centred = true,
	.streams = true,
	.passes = true,
	.admit = convex_net_admit,
	.release = convex_net_release,
	.describe = convex_net_describe,
	.error = convex_net_error,
};

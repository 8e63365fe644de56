/*
 * mech_opsamp.c - OPSamp of Neel, Roth, Vietri and Wu for convex losses, with the corrected
 * stability lemma, Chernoff's bound and noise in each coordinate (theorem O2).
 * (epsilon, delta)-DP; what the paper prints is not proved.
 */
#include "core/mechanisms/convex_opsamp.h"
#include "core/mechanisms/mechanism.h"

const Mechanism mechanism_opsamp = {
	.name = "opsamp",
	.bounded_range = false,
	.convex = true,
	.streams = true,
	.admit = convex_opsamp_admit,
	.release = convex_opsamp_release,
};

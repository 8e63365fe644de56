/*
 * mech_objective.c - objective perturbation of a convex model (Chaudhuri, Monteleoni and
 * Sarwate 2011; Kifer, Smith and Thakurta 2012; theorem V4) in its approximate form
 * (Iyengar and others 2019; theorem V8), with ln(1 + beta / lambda) for the Hessian.
 */
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/mechanism.h"

const Mechanism mechanism_objective = {
	.name = "objective",
	.also = "amp", /* approximate minima perturbation, the form that is released */
	.convex = true,
	.noise_on = CONVEX_OBJECTIVE,
	.streams = true,
	.passes = true,
	.admit = convex_admit,
	.release = convex_release,
	.describe = convex_describe_scale,
	.error = convex_error,
	.useless_rows = convex_useless_rows,
	.pair = convex_objective_pair,
};

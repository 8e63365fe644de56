/*
 * mech_output.c - output perturbation of a convex model (Chaudhuri, Monteleoni and Sarwate 2011;
 * theorem V2): the minimiser, which one row moves by g / lambda at most, plus Gamma or Gaussian
 * noise.
 */
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/mechanism.h"

const Mechanism mechanism_output = {
	.name = "output",
	.convex = true,
	.streams = true,
	.passes = true,
	.admit = convex_admit,
	.release = convex_release,
	.describe = convex_describe_scale,
	.error = convex_error,
	.useless_rows = convex_useless_rows,
	.pair = convex_gaussian_pair,
};

/*
 * mech_pool.c - a halfspace with real weights: objective perturbation of a convex loss, then the
 * exponential mechanism over a public pool around its answer (theorems C1 to C3).
 */
#include "core/mechanisms/convex_pool.h"

const Mechanism mechanism_pool = {
	.name = "pool",
	.convex = true,
	.streams = true,
	.counts_rows = true,
	.terms = TERMS_POOL,
	.noise_on = CONVEX_OBJECTIVE,
	.admit = convex_pool_admit,
	.release = convex_pool_release,
	.pair = convex_pool_pair,
	.describe = convex_pool_describe,
	.error = convex_pool_error,
};

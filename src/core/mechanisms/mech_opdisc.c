/*
 * mech_opdisc.c - OPDisc of Neel, Roth, Vietri and Wu.
 *
 * Objective perturbation over a finite grid (objective.h) with features of the vector
 * itself.  Gauge, Laplace, spherical and paraboloid noise are epsilon-DP (theorems G3 and
 * R4), rightly scaled Gaussian noise is (epsilon, delta)-DP (theorem R5), and all are drawn
 * exactly; the Gaussian noise of the paper is not private (counterexample R7), and is there for
 * comparison.
 */
#include "core/mechanisms/objective.h"
#include "core/mechanisms/utility.h"

const Mechanism mechanism_opdisc = {
	.name = "opdisc",
	.bounded_range = false,
	.perturbs = true,
	.admit = objective_admit,
	.release = objective_release,
	.bound = objective_bound,
	.describe = objective_describe,
	.error = utility_error,
};

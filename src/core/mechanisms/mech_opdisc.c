/*
 * mech_opdisc.c - OPDisc of Neel, Roth, Vietri and Wu.
 *
 * Objective perturbation over a finite grid (objective.h) whose features are the vector itself.
 * Gauge, Laplace, spherical and paraboloid noise are epsilon-DP (theorems G3 and R4).  Gaussian
 * noise of the proved scale is (epsilon, delta)-DP (theorem R5).  The paper's Gaussian noise is not
 * private (counterexample R7); it is offered for comparison.
 */
#include "core/mechanisms/objective.h"
#include "core/mechanisms/utility.h"

const Mechanism mechanism_opdisc = {
	.name = "opdisc",
	.perturbs = true,
	.admit = objective_admit,
	.release = objective_release,
	.bound = objective_bound,
	.useless_rows = utility_useless_rows,
	.describe = objective_describe,
	.error = utility_error,
};

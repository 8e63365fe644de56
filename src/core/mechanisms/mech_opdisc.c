/*
 * mech_opdisc.c - OPDisc of Neel, Roth, Vietri and Wu.
 *
 * Objective perturbation over a finite grid (objective.h) with features of the vector
 * itself.  Gauge, Laplace, spherical and paraboloid noise are epsilon-DP (PRIVACY.md 1.4,
 * 1.6), rightly scaled Gaussian noise is (epsilon, delta)-DP (1.3), and all are drawn
 * exactly; the Gaussian noise of the paper is not private (1.1), and is there for comparison.
 */
#include "core/mechanisms/objective.h"

const Mechanism mechanism_opdisc = {
	.name = "opdisc",
	.bounded_range = false,
	.admit = objective_admit,
	.release = objective_release,
};

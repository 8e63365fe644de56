/*
 * mech_opdisc.c - OPDisc of Neel, Roth, Vietri and Wu.
 *
 * Objective perturbation over a finite grid (objective.h) with features of the vector
 * itself.  With gauge or Laplace noise it is exactly epsilon-DP (PRIVACY.md 1.4, 1.6);
 * spherical, paraboloid and rightly scaled Gaussian noise are proved private as laws of
 * real numbers (1.3, 1.4); the Gaussian noise of the paper is not (1.1), and is
 * there for comparison.
 */
#include "core/objective.h"

const Mechanism mechanism_opdisc = {
	.name = "opdisc",
	.bounded_range = false,
	.admit = objective_admit,
	.release = objective_release,
};

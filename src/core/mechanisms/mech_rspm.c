/*
 * mech_rspm.c - RSPM of Neel, Roth and Wu: random weights on a separating set of examples.
 *
 * The objective is L(w) + sum_i eta_i e_i(w), e_i(w) = 1 where w errs on the i-th
 * example of a fixed set that tells any two vectors of the grid apart (theorem G14).
 * An example is a unit vector with a label, so e_i is a threshold of one weight: on
 * {-1,0,1} the examples (e_j, positive) and (-e_j, positive) err where w_j <= 0 and where
 * w_j >= 0; for q levels it takes q - 1 examples, whose last feature is a constant of
 * known weight, the threshold.  (Without that constant the examples cannot tell w from
 * 2 w.)  Such a loss is a function of one weight, so its random weight, of either sign,
 * is a reward of each level: no row of the programme, and no one-sided indicator that
 * would take a negative weight for free (1.8).
 *
 * r = -eta: a weight is eta_i [w_j <= level] = eta_i - eta_i [w_j > level].
 */
#include "core/mechanisms/objective.h"
#include "core/mechanisms/utility.h"

const Mechanism mechanism_rspm = {
	.name = "rspm",
	.bounded_range = false,
	.perturbs = true,
	.separators = true,
	.admit = objective_admit,
	.release = objective_release,
	.bound = objective_bound,
	.describe = objective_describe,
	.error = utility_error,
};

/*
 * mech_rspm.c - RSPM of Neel, Roth and Wu: random weights on a separating set of examples.
 *
 * The objective is L(w) + sum_i eta_i e_i(w), where e_i(w) = 1 if w errs on the i-th example of a
 * fixed set that separates any two vectors of the grid (theorem G14).  An example is a unit vector
 * with a label, so e_i is a threshold of one weight.  On {-1, 0, 1} the examples (e_j, positive)
 * and (-e_j, positive) err where w_j <= 0 and where w_j >= 0.  For q levels there are q - 1
 * examples, whose last feature is a constant of known weight, the threshold; without it the
 * examples could not separate w from 2 w.  The random weight of such an example, of either sign, is
 * a reward of each level of one weight: r = -eta, because eta_i [w_j <= level] = eta_i - eta_i [w_j
 * > level].
 */
#include "core/mechanisms/objective.h"
#include "core/mechanisms/utility.h"

const Mechanism mechanism_rspm = {
	.name = "rspm",
	.perturbs = true,
	.separators = true,
	.admit = objective_admit,
	.release = objective_release,
	.bound = objective_bound,
	.useless_rows = utility_useless_rows,
	.describe = objective_describe,
	.error = utility_error,
};

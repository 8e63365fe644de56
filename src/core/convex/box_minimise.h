/*
 * box_minimise.h - the minimiser of J(u) + <b, u> over a cube, with a certificate.
 *
 * The cube is |u_j| <= bound for every j.  J is lambda-strongly convex, so with its gradient g at u
 *
 *   J(u) - J* <= sum over j of  max over s in the cube of  g_j (u_j - s) - lambda / 2 (u_j - s)^2,
 *
 * which is g_j^2 / (2 lambda) inside, and 0 at a wall that g pushes against.  It is computed from
 * the exact gradient (convex_pass.h), rounded to the safe side.
 *
 * The search always ends (theorems V9, O3): a gradient step of length 1 / M, M = beta n + lambda,
 * clipped to the cube, takes J - J* to at most 1 - lambda / M times what it was, and the gap is at
 * most M / lambda times J - J* (Karimi, Nutini and Schmidt 2016, proximal gradients).
 */
#ifndef DPOBJ_CORE_BOX_MINIMISE_H
#define DPOBJ_CORE_BOX_MINIMISE_H

#include "core/convex/newton.h"

/*
 * Moves u within the cube to a vector whose objective is at most gap above the least.  The result
 * is a function of the objective and of the starting point.  bound is in units of 2^-96, below
 * 2^20.  Returns the number of rounds.
 */
extern int64_t box_minimise(const ConvexObjective *objective, Wide bound, double gap,
							Memory *memory, Wide *u);

#endif

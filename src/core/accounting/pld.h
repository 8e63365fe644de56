/*
 * pld.h - privacy loss distributions: what many releases cost together (theorems A8, A9).
 *
 * A release is dominated by a pair of laws (P, Q) if its delta at every epsilon is at most the
 * pair's, E_P max(0, 1 - e^(epsilon - l)) with the privacy loss l = ln(P / Q).  Releases one after
 * the other are dominated by the products, whose loss is the sum of independent losses.  Here the
 * law of a loss is on a grid of multiples of a step and may have an atom at infinity.
 *
 * Every result is an upper bound: the grid's delta is exact at the grid's points and above the true
 * one between them, each mass is raised by a bound on its rounding error, and a bound on the
 * transforms' error is added.
 *
 * Epsilon and losses are in units of 1.0, delta is a probability.  These bounds serve reports and
 * batches that are fixed in advance.  They do not hold if somebody chooses the next release after
 * seeing the last one (theorem A6), so no budget is enforced with them.
 */
#ifndef DPOBJ_CORE_PLD_H
#define DPOBJ_CORE_PLD_H

#include <stdint.h>

#include "core/base/memory.h"
#include "core/base/privacy.h"

typedef struct Pld
{
	double step;
	int64_t first; /* the least loss, in steps */
	int64_t count;
	double *mass;    /* of the losses first .. first + count - 1 steps, or more */
	double infinite; /* of an infinite loss, or more */
	double slack;    /* true losses exceed those of the grid by at most this */
} Pld;

/* ---- laws of one release ---- */

/*
 * (epsilon, delta)-DP, pure for delta = 0: randomised response, with an atom of infinite loss
 * (Kairouz, Oh and Viswanath 2015).
 */
extern void pld_approximate(double epsilon, double delta, double step, Memory *memory, Pld *pld);

/* The Gaussian mechanism, mu = sensitivity / sigma. */
extern void pld_gaussian(double mu, double step, Memory *memory, Pld *pld);

typedef enum PldDirection
{
	PLD_REMOVE, /* P has the row, Q has not */
	PLD_ADD,    /* Q has it */
	PLD_REPLACE /* P and Q have different rows: the envelope, which covers both directions */
} PldDirection;

/*
 * One step of noisy gradients (theorems D2 and D3): vectors |g_i| <= 1 of a Poisson sample,
 * 0 < rate <= 1, are added up with N(0, noise^2).  For PLD_REPLACE also of a batch of a fixed
 * size, a share rate of the rows.
 */
extern void pld_sampled_gaussian(double rate, double noise, PldDirection direction, double step,
								 Memory *memory, Pld *pld);

/*
 * A mechanism of bounded range: on neighbours ln(P / Q) lies in an interval of length range (the
 * exponential mechanism, draws from a simplex).  The pair also dominates mixtures of such
 * mechanisms: its profile is above that of each one, and the profile of a mixture is at most the
 * mean of their profiles.
 */
extern void pld_bounded_range(double range, double step, Memory *memory, Pld *pld);

/*
 * Objective perturbation with Gaussian noise, mu = g / sigma, g = L R under add_remove and 2 L R
 * under replace; determinant = ln(1 + beta / Lambda) (theorems V4 and V6).
 */
extern void pld_objective(double determinant, double mu, Adjacency adjacency, double step,
						  Memory *memory, Pld *pld);

/* ---- composition ---- */

typedef struct PldPart
{
	const Pld *pld;
	int64_t times;
} PldPart;

/*
 * The guarantee of all parts together, which must have the same step: delta at an epsilon >= 0,
 * and the least epsilon >= 0 for a delta, INFINITY where there is none.
 */
extern double pld_delta(const PldPart *part, int parts, double epsilon, Memory *memory);
extern double pld_epsilon(const PldPart *part, int parts, double delta, Memory *memory);

#endif

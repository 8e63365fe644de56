/*
 * pld.h - privacy loss distributions: what many releases cost together (PRIVACY.md 6).
 *
 * A release is dominated by a pair of laws (P, Q): its delta at every epsilon is at
 * most the pair's, E max(0, 1 - e^(epsilon - l)), where l = ln(P / Q) under P is the
 * privacy loss.  Releases one after the other are dominated by the products, whose
 * loss is the sum of independent losses.  Here the law of a loss stands on a grid of
 * multiples of a step and may have an atom at infinity; sums are convolutions.
 *
 * Between two points of the grid the mass is shared out so that both P and Q keep
 * theirs ("connect the dots", Doroshenko and others 2022): the grid's delta is right at
 * the grid's points and above the true one between them.  What lies outside the grid goes
 * upwards.  So all results are upper bounds, but for the rounding of doubles, which
 * is below 1e-11 in delta.  They are for reports and for batches that are fixed in
 * advance: they say nothing where somebody chooses the next release after seeing the last
 * one (PRIVACY.md 0.1 C5), so no budget is enforced with them.
 */
#ifndef DPOBJ_CORE_PLD_H
#define DPOBJ_CORE_PLD_H

#include <stdint.h>

#include "core/memory.h"

typedef struct Pld
{
	double step;
	int64_t first; /* the least loss, in steps */
	int64_t count;
	double *mass;    /* of the losses first .. first + count - 1 steps */
	double infinite; /* of an infinite loss */
} Pld;

/* (epsilon, delta)-DP: randomised response.  epsilon is rounded up to a whole step. */
extern void pld_approximate(double epsilon, double delta, double step, Memory *memory, Pld *pld);

/* The Gaussian mechanism, mu = sensitivity / sigma. */
extern void pld_gaussian(double mu, double step, Memory *memory, Pld *pld);

typedef enum PldDirection
{
	PLD_REMOVE, /* P has the row, Q has not */
	PLD_ADD
} PldDirection;

/* One step of the Gaussian mechanism on a Poisson sample, sigma = noise * sensitivity; 0 < rate
 * <= 1. */
extern void pld_sampled_gaussian(double rate, double noise, PldDirection direction, double step,
								 Memory *memory, Pld *pld);

/*
 * Objective perturbation with Gaussian noise: a loss of determinant + mu^2 / 2 + mu |Z|
 * at most, Z normal; determinant = ln(1 + beta / Lambda) (PRIVACY.md 5.2).
 */
extern void pld_objective(double determinant, double mu, double step, Memory *memory, Pld *pld);

typedef struct PldPart
{
	const Pld *pld;
	int64_t times;
} PldPart;

/* All parts together; they must have the same step. */
extern void pld_compose(const PldPart *part, int parts, Memory *memory, Pld *sum);

/* The composed guarantee at a fixed epsilon >= 0 or delta; epsilon is infinite where there is none.
 */
extern double pld_delta(const Pld *pld, double epsilon);
extern double pld_epsilon(const Pld *pld, double delta);

#endif

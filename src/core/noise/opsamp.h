/*
 * opsamp.h - how much noise OPSamp needs (lemma O1, theorem O2).
 *
 * m calls of an oracle return minimisers of F - <sigma, u> over the cube |u_j| <= D / 2, to within
 * alpha in units of F, the sum of losses.  sigma has independent geometric coordinates of rate eta
 * on multiples of 2^-20.  The mean of the minimisers is released with Laplace noise of scale shift
 * / epsilon in each coordinate.
 *
 * Neighbours' minimisers for the same sigma differ by X in l1.  With G and the range of one loss,
 * margin M, g = M G and o = M range, for any multiple t of 2^-20
 *
 *   E X <= d (3 alpha / t + eta t D) / (1 - d g / t)        for t > d g      (Lipschitz)
 *   E X <= d ((o + 3 alpha) / t + (1 - e^(-eta t)) D)       for t > 0        (oscillation)
 *
 * With B the least bound and R = d D, shift = R a where kl(a || B / R) = ln(1 / delta) / m, or R if
 * there is no such a < 1.
 */
#ifndef DPOBJ_CORE_OPSAMP_H
#define DPOBJ_CORE_OPSAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/pause.h"
#include "core/base/privacy.h"

/* sigma is a multiple of 2^-20, eta one of 2^-40. */
#define OPSAMP_LATTICE_BITS 20
#define OPSAMP_RATE_BITS 40

typedef struct OpsampProblem
{
	int dimension;
	double side;      /* D */
	double lipschitz; /* G, of one loss in l1 */
	double range;     /* of one loss over the cube */
	double pull;      /* of the regularisation, in each coordinate of the cube at most */
	double epsilon;
	double delta;
	double rows;
	int calls; /* m */
	Adjacency adjacency;
	Pause pause; /* called by opsamp_plan() */
} OpsampProblem;

typedef struct OpsampPlan
{
	int64_t rate; /* eta, units of 2^-40 */
	double eta;
	double gap;    /* alpha */
	double stable; /* B */
	double shift;  /* R_1 a of theorem O2 */
	double risk;   /* F / rows is above the least by this at most, in the mean */
} OpsampPlan;

/* The least bound on E X, for oracles that are within gap. */
extern double opsamp_stability(const OpsampProblem *problem, double eta, double gap);

/* shift, from a bound on E X. */
extern double opsamp_shift(const OpsampProblem *problem, double stability);

/*
 * (G + pull / rows) d (shift / epsilon + 2^-21) + (d D / eta + gap) / rows: the risk from the noise
 * and its rounding to 2^-20, plus that from the random objective.  This bound on utility needs
 * convexity.
 */
extern double opsamp_risk(const OpsampProblem *problem, double eta, double gap, double shift);

/* Chooses the eta of least risk among 400 values between 1e-8 and 1. */
extern void opsamp_plan(const OpsampProblem *problem, OpsampPlan *plan);

#endif

/*
 * convex_net.h - two convex mechanisms that choose from a net of a ball (theorems V11, V12).
 *
 * The body is the ball |u| <= norm, in the units of convex.h, so scores are in -norm .. norm.
 *
 * convex_exponential: the exponential mechanism over a net of the body, with all of epsilon.  The
 * loss of a row changes by osc = psi(-norm) - psi(norm) at most, and the difference of two rows' by
 * twice that:
 *
 *   rate = epsilon / osc under add_remove, epsilon / (2 osc) under replace.
 *
 * localized (Bassily, Smith and Thakurta 2014, algorithms 3 and 4): half of epsilon goes to output
 * perturbation, which gives a centre.  The other half goes to the exponential mechanism over a net
 * of a ball around the centre, restricted to the body.  The ball's radius r is a quantile of the
 * centre's noise; psi changes by 2 r at most in it, so osc = 2 r.  The centre counts as released,
 * so the two parts compose, whether the minimiser is in the ball or not.
 */
#ifndef DPOBJ_CORE_CONVEX_NET_H
#define DPOBJ_CORE_CONVEX_NET_H

#include "core/convex/convex_scale.h"
#include "core/mechanisms/mechanism.h"
#include "core/convex/net_law.h"

/* The probability that the minimiser is outside the ball around the centre. */
#define CENTRE_MISSES 0.025

/* The plan of a release, from public parameters. */
typedef struct ConvexNetPlan
{
	int64_t points; /* of the net */
	int64_t step;   /* units of 2^-20 */
	int64_t limit;  /* of |u|: the norm, and for localized a step more in each coordinate */
	int64_t range;  /* osc, units of 2^-18 */
	NetRate rate;
	double noise; /* of the centre, scale of its Gamma law; 0 for convex_exponential */
} ConvexNetPlan;

/*
 * Makes the plan, or returns why there is none: localized has the conditions of output
 * perturbation.
 */
extern ConvexVerdict convex_net_plan(const MechanismRequest *request, ConvexNetPlan *plan);

/* The request for the centre of localized: output perturbation with half of epsilon. */
extern MechanismRequest convex_net_centre(const MechanismRequest *request);

/*
 * Returns the steps of a net whose points times rows are few enough, 0 if no net has so few.  rows
 * is the declared number, 0 if none is declared, which counts as NET_DEFAULT_ROWS.  points is the
 * option's limit, 0 if none is given.
 */
extern int convex_net_steps(int dimension, int64_t rows, int64_t points);

#define NET_DEFAULT_ROWS 100000
#define NET_DEFAULT_WORK INT64_C(10000000000)
#define NET_MOST_WORK INT64_C(100000000000)

extern void convex_net_admit(const MechanismRequest *request, MechanismVerdict *verdict);

extern void convex_net_release(const MechanismRequest *request, const Instance *instance,
							   const MechanismTools *tools, MechanismAnswer *answer);

/*
 * An error bound that fails with probability beta >= 0.05 at most: the summed loss of the answer is
 * at most loss above that of the best point of the net.  No vector of the body (for localized: no
 * minimiser in the body) is farther from the net than mesh, in units of the weights.
 */
typedef struct NetBound
{
	double loss;
	double mesh;
} NetBound;

extern void convex_net_bound(const MechanismRequest *request, double beta, NetBound *bound);

/* Body and net, and the bound, as facts. */
extern void convex_net_describe(const MechanismRequest *request, Facts *facts);
extern void convex_net_error(const MechanismRequest *request, double beta, Facts *facts);

/*
 * The losses of the points around a centre, from which convex_net_release() draws.  Public for
 * tests; the arrays belong to memory.
 */
typedef struct ConvexNetLaw
{
	LossTable slopes;
	NetLoss table;
	Net net;
	NetProblem problem;
	int64_t centre[NET_MAX_DIMENSION];
	int64_t *loss;
} ConvexNetLaw;

extern ConvexNetLaw *convex_net_law_create(const MechanismRequest *request,
										   const Instance *instance, const ConvexNetPlan *plan,
										   const int64_t *centre, Memory *memory);
extern void convex_net_law_destroy(ConvexNetLaw *law, Memory *memory);

#endif

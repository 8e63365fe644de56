/*
 * convex_net.h - two convex mechanisms that choose from a net of a ball (theorems V11, V12).
 *
 * The body is the ball |u| <= norm, in the units of convex.h: scores are in -norm ..
 * norm.
 *
 * CONVEX_NET_BODY: the exponential mechanism over a net of the body, with all of epsilon.
 * The loss of a row changes by osc = psi(-norm) - psi(norm) at most, and the
 * difference of two rows' by twice that:
 *
 *   rate = epsilon / osc under add_remove, epsilon / (2 osc) under replace.
 *
 * CONVEX_NET_LOCAL (Bassily, Smith and Thakurta 2014, algorithms 3 and 4): half of epsilon goes to
 * output perturbation, which gives a centre; the other half to the exponential mechanism over a net
 * of the ball around it whose radius r is a quantile of that noise, as far as it lies in the body.
 * There psi changes by 2 r at most, so osc = 2 r.  The centre counts as released, so the two parts
 * compose, whether the minimiser is in the ball or not.
 */
#ifndef DPOBJ_CORE_CONVEX_NET_H
#define DPOBJ_CORE_CONVEX_NET_H

#include "core/convex/convex_scale.h"
#include "core/mechanisms/mechanism.h"
#include "core/convex/net_law.h"

typedef enum ConvexNetKind
{
	CONVEX_NET_BODY,
	CONVEX_NET_LOCAL
} ConvexNetKind;

/* The minimiser is outside the ball around the centre with this probability. */
#define CENTRE_MISSES 0.025

/* The plan of a release, from public parameters. */
typedef struct ConvexNetPlan
{
	int64_t points; /* of the net */
	int64_t step;   /* units of 2^-20 */
	int64_t limit;  /* of |u|: the body's, and a step beyond it */
	int64_t range;  /* osc, units of 2^-18 */
	NetRate rate;
	double noise; /* of the centre, scale of its Gamma law; 0 for CONVEX_NET_BODY */
} ConvexNetPlan;

/*
 * Makes the plan, or returns why there is none; CONVEX_NET_LOCAL has the conditions of output
 * perturbation.
 */
extern ConvexVerdict convex_net_plan(ConvexNetKind kind, const MechanismRequest *request,
									 ConvexNetPlan *plan);

/* The request of the centre, for CONVEX_NET_LOCAL: output perturbation with half of epsilon. */
extern MechanismRequest convex_net_centre(const MechanismRequest *request);

/*
 * Steps of a net, 0 if none is small enough: work is points times rows. rows is the declared
 * number, 0 if there is none; then NET_DEFAULT_ROWS is assumed. points is the user's limit, 0 if
 * none is given.
 */
extern int convex_net_steps(int dimension, int64_t rows, int64_t points);

#define NET_DEFAULT_ROWS 100000
#define NET_DEFAULT_WORK INT64_C(10000000000)
#define NET_MOST_WORK INT64_C(100000000000)

extern void convex_net_admit(ConvexNetKind kind, const MechanismRequest *request,
							 MechanismVerdict *verdict);

extern void convex_net_release(ConvexNetKind kind, const MechanismRequest *request,
							   const Instance *instance, const MechanismTools *tools,
							   MechanismAnswer *answer);

/*
 * Of a convex mechanism over a net (convex_net.h), but for a chance of beta >= 0.05: the
 * summed loss of the answer, as it is computed, is at most loss above that of the best
 * point of the net, and no vector of the body, or the minimiser if it is in the body, is
 * farther from the net than mesh, in units of the weights.
 */
typedef struct NetBound
{
	double loss;
	double mesh;
} NetBound;

extern void convex_net_bound(ConvexNetKind kind, const MechanismRequest *request, double beta,
							 NetBound *bound);

/* Body and net, and that bound, as facts. */
extern void convex_net_describe(const MechanismRequest *request, Facts *facts);
extern void convex_net_error(const MechanismRequest *request, double beta, Facts *facts);

/*
 * The losses of the points around a centre, and the problem they are of: what
 * convex_net_release() draws from.  For tests; the array belongs to memory.
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

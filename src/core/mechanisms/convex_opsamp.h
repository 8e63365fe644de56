/*
 * convex_opsamp.h - OPSamp of Neel, Roth, Vietri and Wu for convex losses, with the proved
 * calibration (opsamp.h; theorem O2).
 *
 * The cube is |u_j| <= norm in the units of convex.h.  Rows are clipped to |v_j| <= peak, so G =
 * peak, because |psi'| <= 1.  A row's score is at most s = norm min(sqrt(d), d G), which bounds the
 * range of its loss.  F is the regularised J, with the same regularisation for all neighbours.
 */
#ifndef DPOBJ_CORE_CONVEX_OPSAMP_H
#define DPOBJ_CORE_CONVEX_OPSAMP_H

#include "core/convex/convex_loss.h"
#include "core/mechanisms/mechanism.h"
#include "core/noise/opsamp.h"

#define OPSAMP_MAX_CALLS (1 << 17)

/* Calls times rows: the default, and the limit. */
#define OPSAMP_DEFAULT_WORK (INT64_C(1) << 28)
#define OPSAMP_MOST_WORK (INT64_C(1) << 32)
#define OPSAMP_DEFAULT_CALLS (1 << 14)
#define OPSAMP_LEAST_CALLS (1 << 8)

/* The default number of calls for a declared number of rows. */
extern int convex_opsamp_calls(int64_t rows);

/* The problem of the calibration, for a request with norm, rows, peak and calls. */
extern OpsampProblem convex_opsamp_problem(const MechanismRequest *request);

/* A bound on the excess mean loss of zero weights; an answer with a larger bound is useless. */
extern double convex_opsamp_trivial(const MechanismRequest *request);

extern void convex_opsamp_admit(const MechanismRequest *request, MechanismVerdict *verdict);
extern void convex_opsamp_release(const MechanismRequest *request, const Instance *instance,
								  const MechanismTools *tools, MechanismAnswer *answer);

/* The two steps of a release: the sum of all minimisers, in units of 2^-96, and its noise. */
extern int64_t convex_opsamp_sum(const MechanismRequest *request, const OpsampPlan *plan,
								 const Instance *instance, const MechanismTools *tools, Wide *sum);
extern void convex_opsamp_noise(const MechanismRequest *request, const OpsampPlan *plan,
								const MechanismTools *tools, const Wide *sum, int64_t *weight);

#endif

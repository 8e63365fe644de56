/*
 * convex_opsamp.h - OPSamp of Neel, Roth, Vietri and Wu for convex losses, as it is proved
 * (opsamp.h; theorem O2).
 *
 * The cube is |u_j| <= norm in the units of convex.h.  Rows are cut off at |v_j| <= peak, so that
 * G = peak: |psi'| <= 1.  A row's score is at most s = norm min(sqrt(d), d G), which bounds the
 * range of its loss.  F is the regularised J, with the same regularisation for all neighbours.  F
 * and the starting point of each search for a minimiser are functions of the rows.
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

/* From the declared number of rows. */
extern int convex_opsamp_calls(int64_t rows);

/* The calibration's problem of a request with norm, rows, peak and calls. */
extern OpsampProblem convex_opsamp_problem(const MechanismRequest *request);

/* A bound on the excess mean loss of the weights 0; a larger bound on the answer's is useless. */
extern double convex_opsamp_trivial(const MechanismRequest *request);

extern void convex_opsamp_admit(const MechanismRequest *request, MechanismVerdict *verdict);
extern void convex_opsamp_release(const MechanismRequest *request, const Instance *instance,
								  const MechanismTools *tools, MechanismAnswer *answer);

/* The two halves of a release: the sum of all minimisers, units of 2^-96, and the noise on it. */
extern int64_t convex_opsamp_sum(const MechanismRequest *request, const OpsampPlan *plan,
								 const Instance *instance, const MechanismTools *tools, Wide *sum);
extern void convex_opsamp_noise(const MechanismRequest *request, const OpsampPlan *plan,
								const MechanismTools *tools, const Wide *sum, int64_t *weight);

#endif

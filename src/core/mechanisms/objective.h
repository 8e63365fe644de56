/*
 * objective.h - objective perturbation over a finite grid: release the argmin of
 * N L(w) - <r, phi(w)>, with r as perturbation.h has it and ties broken by the
 * public order.  The oracle certifies its answer, so that the proof of
 * theorem G1 is about what runs.
 */
#ifndef DPOBJ_CORE_OBJECTIVE_H
#define DPOBJ_CORE_OBJECTIVE_H

#include "core/mechanisms/mechanism.h"

/* The entries of the mechanisms' tables. */
extern void objective_admit(const MechanismRequest *request, MechanismVerdict *verdict);
extern void objective_release(const MechanismRequest *request, const Instance *instance,
							  const MechanismTools *tools, MechanismAnswer *answer);
extern void objective_bound(const MechanismRequest *request, double beta, UtilityBound *bound);
extern void objective_describe(const MechanismRequest *request, Facts *facts);

#endif

/*
 * objective.h - objective perturbation over a finite grid: release the argmin of N L(w) - <r,
 * phi(w)>, with r from perturbation.h and ties broken by the public order.  The oracle certifies
 * the optimum, so what runs is what theorem G1 is about.
 */
#ifndef DPOBJ_CORE_OBJECTIVE_H
#define DPOBJ_CORE_OBJECTIVE_H

#include "core/mechanisms/mechanism.h"

/* Functions of the rows of opdisc and rspm (mechanism.h). */
extern void objective_admit(const MechanismRequest *request, MechanismVerdict *verdict);
extern void objective_release(const MechanismRequest *request, const Instance *instance,
							  const MechanismTools *tools, MechanismAnswer *answer);
extern void objective_bound(const MechanismRequest *request, double beta, UtilityBound *bound);
extern void objective_describe(const MechanismRequest *request, Facts *facts);

#endif

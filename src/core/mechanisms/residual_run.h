/*
 * residual_run.h - a run of descent on clipped residuals.
 */
#ifndef DPOBJ_CORE_RESIDUAL_RUN_H
#define DPOBJ_CORE_RESIDUAL_RUN_H

#include "core/mechanisms/mechanism.h"

extern void residual_run(const MechanismRequest *request, const ResidualScale *scale,
						 const Instance *instance, const MechanismTools *tools,
						 MechanismAnswer *answer);

#endif

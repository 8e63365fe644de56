/*
 * descent_run.h - a run of noisy gradient descent.
 */
#ifndef DPOBJ_CORE_DESCENT_RUN_H
#define DPOBJ_CORE_DESCENT_RUN_H

#include "core/mechanisms/mechanism.h"

/* With noise of that deviation in each step, which descent_noise() tells. */
extern void descent_run(const MechanismRequest *request, double noise, const Instance *instance,
						const MechanismTools *tools, MechanismAnswer *answer);

#endif

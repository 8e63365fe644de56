/*
 * descent_run.h - a run of noisy gradient descent.
 */
#ifndef DPOBJ_CORE_DESCENT_RUN_H
#define DPOBJ_CORE_DESCENT_RUN_H

#include "core/mechanisms/mechanism.h"

/* Runs descent; noise is the deviation of each step's noise, from descent_noise(). */
extern void descent_run(const MechanismRequest *request, double noise, const Instance *instance,
						const MechanismTools *tools, MechanismAnswer *answer);

#endif

/*
 * descent_choice.h - the terms of mechanism "sgd", from options "sampling", "batch",
 * "iterations", "step" and "norm".
 */
#ifndef DPOBJ_DESCENT_CHOICE_H
#define DPOBJ_DESCENT_CHOICE_H

#include "postgres.h"

#include "core/mechanisms/mechanism.h"

#include "server/rows/options.h"

/*
 * Sets the noise and the descent of a request whose radius and lambda are set.  delta is for one
 * row, in atto-units.  Raises 22023 if the options contradict each other.
 */
extern void descent_choose(const Options *options, int64 delta, MechanismRequest *request);

#endif

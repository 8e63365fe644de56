/*
 * descent_choice.h - options "sampling", "batch", "iterations", "step" and "norm" of
 * mechanism "sgd" made a request.
 */
#ifndef DPOBJ_DESCENT_CHOICE_H
#define DPOBJ_DESCENT_CHOICE_H

#include "postgres.h"

#include "core/mechanisms/mechanism.h"

#include "server/base/options.h"

/*
 * Sets the noise and the descent of a request whose convex terms have their radius; delta
 * is that of one row, in atto-units.  Raises 22023 where the options do not go together.
 */
extern void descent_choose(const Options *options, int64 delta, MechanismRequest *request);

#endif

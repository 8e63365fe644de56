/*
 * descent_choice.h - options "sampling", "batch", "iterations", "step" and "norm" of
 * mechanism "sgd" made a request.
 */
#ifndef DPOBJ_DESCENT_CHOICE_H
#define DPOBJ_DESCENT_CHOICE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/mechanisms/mechanism.h"

#include "server/base/options.h"

/* Raises 22023 if one of them is given for another mechanism. */
extern void descent_check_options(const Options *options);

/*
 * Sets the noise and the descent of a request whose convex terms have their radius; delta
 * is that of one row, in atto-units.  Raises 22023 where the options do not go together.
 */
extern void descent_choose(const Options *options, int64 delta, MechanismRequest *request);

/* Members about sampling and noise, ", \"iterations\": ...", for jsonb text. */
extern void descent_append_terms(StringInfo text, const MechanismRequest *request);

#endif

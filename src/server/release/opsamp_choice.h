/*
 * opsamp_choice.h - the terms of mechanism "opsamp" (core/mechanisms/convex_opsamp.h), from
 * public parameters.
 */
#ifndef DPOBJ_OPSAMP_CHOICE_H
#define DPOBJ_OPSAMP_CHOICE_H

#include "postgres.h"

#include "core/rows/encoding.h"
#include "core/mechanisms/mechanism.h"

#include "server/rows/options.h"

/*
 * Sets noise, cube and calls of a request whose loss, radius and lambda are set.  delta is for one
 * row, in atto-units.  Raises 22023 if the options contradict each other, or if weights of 0 meet
 * the bound on the loss too.
 */
extern void opsamp_choose(const Options *options, const Encoding *encoding, int64 delta,
						  MechanismRequest *request);

#endif

/*
 * convex_choice.h - the request of a convex mechanism, from options "mechanism", "noise",
 * "regularization" and "radius".
 */
#ifndef DPOBJ_CONVEX_CHOICE_H
#define DPOBJ_CONVEX_CHOICE_H

#include "postgres.h"

#include "core/rows/encoding.h"
#include "core/mechanisms/mechanism.h"

#include "server/rows/options.h"

/*
 * Sets kind, grid and terms of a request whose epsilon and adjacency are set.  delta is for one
 * row, in atto-units, 0 for pure differential privacy.  Raises 22023 if the options contradict each
 * other.
 */
extern void convex_choose(TrainingMethod method, const Options *options, const Encoding *encoding,
						  int64 delta, MechanismRequest *request);

#endif

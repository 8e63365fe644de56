/*
 * convex_choice.h - options "mechanism", "noise", "regularization" and "radius" of
 * the convex methods made a request.
 */
#ifndef DPOBJ_CONVEX_CHOICE_H
#define DPOBJ_CONVEX_CHOICE_H

#include "postgres.h"

#include "core/rows/encoding.h"
#include "core/mechanisms/mechanism.h"

#include "server/base/options.h"

/*
 * Sets kind, grid and terms of a request that has its epsilon and adjacency; delta is
 * that of one row, in atto-units, 0 for pure differential privacy.  Raises 22023
 * where the options do not go together.
 */
extern void convex_choose(TrainingMethod method, const Options *options, const Encoding *encoding,
						  int64 delta, MechanismRequest *request);

/* Of the rows, as the options have it or by their encoding; raises 22023 if it is out of range. */
extern double convex_choose_radius(const Options *options, const Encoding *encoding);

#endif

/*
 * opsamp_choice.h - mechanism "opsamp" settled from public parameters
 * (core/mechanisms/convex_opsamp.h).
 */
#ifndef DPOBJ_OPSAMP_CHOICE_H
#define DPOBJ_OPSAMP_CHOICE_H

#include "postgres.h"

#include "core/rows/encoding.h"
#include "core/mechanisms/mechanism.h"

#include "server/base/options.h"

/*
 * Sets what is missing of a request that has its loss, radius and lambda; delta is that of
 * one row.  Raises 22023 where the options do not go together, and where the bound on the
 * loss says nothing.
 */
extern void opsamp_choose(const Options *options, const Encoding *encoding, int64 delta,
						  MechanismRequest *request);

#endif

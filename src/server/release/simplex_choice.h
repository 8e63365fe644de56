/*
 * simplex_choice.h - sampling from a simplex, settled from public parameters.
 */
#ifndef DPOBJ_SIMPLEX_CHOICE_H
#define DPOBJ_SIMPLEX_CHOICE_H

#include "postgres.h"

#include "core/rows/encoding.h"
#include "core/mechanisms/mechanism.h"

#include "server/base/options.h"

/*
 * Sets kind, grid and terms of a request that has its epsilon and adjacency.  The encoding
 * starts with the target; delta is that of one row, in units of 1e-18, and
 * n is declared.  True if delta is not spent.  Raises 22023 where the options do not go together.
 */
extern bool simplex_choose(const Options *options, const Encoding *encoding, int64 delta,
						   MechanismRequest *request);

#endif

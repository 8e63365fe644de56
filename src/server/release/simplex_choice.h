/*
 * simplex_choice.h - the request of method simplex, from public parameters.
 */
#ifndef DPOBJ_SIMPLEX_CHOICE_H
#define DPOBJ_SIMPLEX_CHOICE_H

#include "postgres.h"

#include "core/rows/encoding.h"
#include "core/mechanisms/mechanism.h"

#include "server/rows/options.h"

/*
 * Sets kind, grid and terms of a request whose epsilon and adjacency are set.  The encoding starts
 * with the target, n is declared, and delta is for one row, in atto-units.  Returns true if delta
 * is not spent.  Raises 22023 if the regularisation is out of range.
 */
extern bool simplex_choose(const Options *options, const Encoding *encoding, int64 delta,
						   MechanismRequest *request);

#endif

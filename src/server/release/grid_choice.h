/*
 * grid_choice.h - the grid of weight vectors that the options ask for.
 */
#ifndef DPOBJ_GRID_CHOICE_H
#define DPOBJ_GRID_CHOICE_H

#include "postgres.h"

#include "core/rows/encoding.h"
#include "core/grid/grid.h"
#include "core/mechanisms/grid_default.h"

#include "server/rows/options.h"

/* Sets the grid; raises 22023 if it does not fit the features or its weights are too large. */
extern void grid_choose(const Options *options, const Encoding *encoding, Grid *grid);

/* Do the options leave the choice of the grid to grid_default()? */
extern bool grid_is_open(const Options *options);

/* Sets the public parameters that it is chosen from. */
extern void grid_terms(const Options *options, const Encoding *encoding, int64 epsilon,
					   RunTerms run, GridTerms *terms);

/* Raises 22023 if scores may be larger than predictions compute with. */
extern void grid_check_scores(const Grid *grid, const Encoding *encoding);

#endif

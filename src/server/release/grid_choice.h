/*
 * grid_choice.h - the grid of weight vectors that the options ask for.
 */
#ifndef DPOBJ_GRID_CHOICE_H
#define DPOBJ_GRID_CHOICE_H

#include "postgres.h"

#include "core/rows/encoding.h"
#include "core/grid/grid.h"
#include "core/mechanisms/grid_default.h"

#include "server/base/options.h"

/* Raises 22023 for a grid that does not fit the features, or is too wide to compute with. */
extern void grid_choose(const Options *options, const Encoding *encoding, Grid *grid);

/* Is the grid left open, so that the declared number of rows may choose it? */
extern bool grid_is_open(const Options *options);

/* What it is chosen from; raises 22023 for numeric columns that do not exist. */
extern void grid_terms(const Options *options, const Encoding *encoding, int64 epsilon, bool finish,
					   GridTerms *terms);

/* Raises 22023 where even weights of -1, 0 and 1 are too wide to compute with. */
extern void grid_check_scores(const Grid *grid, const Encoding *encoding);

#endif

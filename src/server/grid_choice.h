/*
 * grid_choice.h - the grid of weight vectors that the options ask for.
 */
#ifndef DPOBJ_GRID_CHOICE_H
#define DPOBJ_GRID_CHOICE_H

#include "postgres.h"

#include "core/encoding.h"
#include "core/grid.h"

#include "options.h"

/* Raises 22023 for a grid that does not fit the features, or is too wide to compute with. */
extern void grid_choose(const Options *options, const Encoding *encoding, Grid *grid);

#endif

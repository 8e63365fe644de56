/*
 * halfspace_choice.h - options "mechanism", "noise", "solver", "parts" and "part_nodes" of a
 * halfspace over a grid.
 */
#ifndef DPOBJ_HALFSPACE_CHOICE_H
#define DPOBJ_HALFSPACE_CHOICE_H

#include "postgres.h"

#include "server/release/training.h"

/*
 * Sets mechanism, noise and parts of a training whose epsilon, adjacency and grid are set.  Raises
 * 22023 if the options contradict each other, and at the analyst's door for a run that may not
 * finish.
 */
extern void halfspace_choose(Training *training);

#endif

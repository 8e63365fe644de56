/*
 * parallel.h - what a call costs whose rows are divided among groups (theorem P2).
 *
 * The list of keys is public and every key is answered.  A row is in one group at most, and
 * which one follows from that row alone; each group's mechanism has coins of its own.  It is
 * stated under add_remove, because how many rows a group has is not public: where a row is
 * replaced it may leave one group and come into another.  So the call costs
 *
 *   add_remove   what the dearest group costs
 *   replace      the larger of
 *                the worst pair of groups, cost_A + cost_B: the row goes from A to B;
 *                the worst group under replace: the row stays in it, that is, one row goes
 *                and another one comes
 *
 * A row that was or will be in no group is one that comes or goes: no more than the above.
 */
#ifndef DPOBJ_CORE_PARALLEL_H
#define DPOBJ_CORE_PARALLEL_H

#include <stdint.h>

#include "core/base/privacy.h"

/* epsilon in nano-units, delta in atto-units; of one group under add_remove, or of the call. */
typedef struct ParallelCost
{
	int64_t epsilon;
	int64_t delta;
} ParallelCost;

/* m below: how many rows that come or go a difference of so many rows is worth. */
extern int64_t parallel_rows(Adjacency adjacency, int64_t rows);

/*
 * What each group's mechanism may cost under add_remove, so that the call costs no more than
 * that under adjacency, whatever the number of groups: the most of epsilon, and then of delta.
 *
 * Neighbours differ in one row, rows = 1, or in a person with so many rows at most, which may be
 * in as many groups.  That is m = rows rows that come or go, and m = 2 rows under replace: group
 * privacy for m, which is largest where all of them are in one group.
 */
extern ParallelCost parallel_share(Adjacency adjacency, ParallelCost call, int rows);

#endif

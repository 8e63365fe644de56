/*
 * parallel.h - the cost of a call whose rows are divided among groups (theorem P2).
 *
 * The list of keys is public and every key gets an answer.  A row is in at most one group, which
 * the row alone determines; the groups' mechanisms use independent random bits.  Each group's
 * guarantee is under add_remove, because the number of rows of a group is not public: a replaced
 * row may leave one group and enter another.  So the call costs
 *
 *   add_remove   the cost of the dearest group
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

/* m below: the number of added or removed rows that make up a difference of this many rows. */
extern int64_t parallel_rows(Adjacency adjacency, int64_t rows);

/*
 * The largest epsilon, and then the largest delta, that each group's mechanism may cost under
 * add_remove so that the call costs at most `call` under adjacency, for any number of groups.
 *
 * Neighbours differ in one row, rows = 1, or in a person with so many rows at most, which may be
 * in as many groups.  That is m = rows rows that come or go, and m = 2 rows under replace: group
 * privacy for m, which is largest where all of them are in one group.
 */
extern ParallelCost parallel_share(Adjacency adjacency, ParallelCost call, int rows);

#endif

/*
 * parallel.h - the cost of a call whose rows are divided among groups (theorem P2).
 *
 * The list of keys is public, and every key gets an answer.  A row is in at most one group, which
 * the row alone determines; the groups' mechanisms use independent random bits.  Each group's
 * guarantee is under add_remove, because the number of rows of a group is not public: a replaced
 * row may leave one group and enter another.  The call costs
 *
 *   add_remove   the cost of the dearest group
 *   replace      the larger of
 *                the dearest pair of groups, cost_A + cost_B: the row moves from A to B;
 *                the dearest group under replace: the row stays in it
 *
 * A row that moves from or to no group is one that is removed or added, which costs no more.
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

/* m below: the number of rows added or removed when so many rows change. */
extern int64_t parallel_rows(Adjacency adjacency, int64_t rows);

/*
 * The largest epsilon, and then the largest delta, that each group's mechanism may cost under
 * add_remove so that the call costs at most `call` under adjacency, for any number of groups.
 *
 * rows is 1, or the most rows of a person, which may be in several groups.  m = rows rows are then
 * added or removed, and m = 2 rows under replace: group privacy for m, largest if all of them are
 * in one group.
 */
extern ParallelCost parallel_share(Adjacency adjacency, ParallelCost call, int rows);

#endif

/*
 * tree.h - the exponential mechanism over grids far too large to enumerate.
 *
 * Draws w with P(w) proportional to exp(-rate L(w)), rate = epsilon / margin (theorem E1), exactly
 * as select_exponential() does, but by rejection over a branch-and-bound tree of boxes with bounds
 * of their masses (theorem E7).  The time depends on the data.  Only the effort is limited, and an
 * attempt is never broken off: the limit is looked at between attempts, so it does not change the
 * law of an answer (theorem E10).
 *
 * SelectProblem.group and .threads are not used; .progress is.
 */
#ifndef DPOBJ_CORE_TREE_H
#define DPOBJ_CORE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random/bits.h"
#include "core/base/memory.h"
#include "core/exponential/select.h"

/*
 * The memory at which the tree stops growing; draws continue, more slowly.  With the tables of the
 * rows (at most 64 MiB for the tree's part), a node beyond the limit and a training set of 1e5
 * rows, memory stays within 512 MiB.
 */
#define TREE_MAX_BYTES (INT64_C(352) << 20)

#define TREE_NO_LIMIT INT64_MAX /* of effort */

/*
 * Makes one draw within so much effort; false if attempts have failed and one more might exceed it.
 * Effort counts what is read of rows and tables, and at least 1 for an attempt (tree_effort.c).
 */
extern bool tree_exponential(const SelectProblem *problem, int64_t effort, Bits *bits,
							 Memory *memory, SelectAnswer *answer);

/*
 * The same with a tree that is kept: each draw is exact and independent of the earlier ones.
 * Attempts end when they have failed and taken so much effort.
 */
typedef struct Tree Tree;

extern Tree *tree_create(const SelectProblem *problem, Memory *memory);
extern void tree_destroy(Tree *tree);
extern bool tree_draw(Tree *tree, int64_t effort, Bits *bits, SelectAnswer *answer);

/*
 * The most effort of an attempt, with that of making the tree's root.  It depends on the rows,
 * and only whether and when an attempt is made depends on it (theorem E10).
 */
extern int64_t tree_attempt_effort(const Tree *tree);

#endif

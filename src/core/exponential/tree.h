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
 * Makes one draw; false if the attempts have failed and taken so much effort.  Effort counts what
 * is read of rows and tables, and at least 1 for an attempt (tree_effort.c).
 */
extern bool tree_exponential(const SelectProblem *problem, int64_t effort, Bits *bits,
							 Memory *memory, SelectAnswer *answer);

/* The most effort of one attempt over so many rows, from public numbers. */
extern double tree_attempt_effort(const Grid *grid, double rows);

/* The same with a tree that is kept: each draw is exact and independent of the earlier ones. */
typedef struct Tree Tree;

extern Tree *tree_create(const SelectProblem *problem, Memory *memory);
extern void tree_destroy(Tree *tree);
extern bool tree_draw(Tree *tree, int64_t effort, Bits *bits, SelectAnswer *answer);

#endif

/*
 * tree.h - the exponential mechanism over grids far too large to enumerate.
 *
 * Draws w with P(w) proportional to exp(-rate L(w)), rate = epsilon / margin
 * (PRIVACY.md 1.5), exactly as select_exponential() does, but by rejection over a
 * branch-and-bound tree of boxes with bounds of their masses (SOLVER.md 6b; the
 * proof is in tree_sampler.c).  How long it takes depends on the data, so only
 * the number of attempts is limited: an attempt that has begun is finished, and
 * giving up between attempts does not change the law of what is answered.
 */
#ifndef DPOBJ_CORE_TREE_H
#define DPOBJ_CORE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bits.h"
#include "core/memory.h"
#include "core/select.h"

/* A tree that outgrows this, about, is given up too, between attempts. */
#define TREE_MAX_BYTES (INT64_C(400) << 20)

/*
 * One draw.  False if max_attempts attempts have failed or the tree has become
 * too large.  problem->group and problem->threads are not used.
 */
extern bool tree_exponential(const SelectProblem *problem, int64_t max_attempts, Bits *bits,
							 Memory *memory, SelectAnswer *answer);

/* The same, keeping the tree: each draw is exact and independent of those before. */
typedef struct Tree Tree;

extern Tree *tree_create(const SelectProblem *problem, Memory *memory);
extern void tree_destroy(Tree *tree);
extern bool tree_draw(Tree *tree, int64_t max_attempts, Bits *bits, SelectAnswer *answer);

#endif

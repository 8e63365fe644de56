/*
 * guarantee_laws.h - the laws behind pairs of the ledger, for privacy loss distributions.
 */
#ifndef DPOBJ_CORE_GUARANTEE_LAWS_H
#define DPOBJ_CORE_GUARANTEE_LAWS_H

#include "core/accounting/composition.h"
#include "core/accounting/guarantee.h"

/* A pair stands for so many laws at most. */
#define GUARANTEE_LAWS 2

/* The laws of a pair for neighbours of that kind; returns how many. */
extern int guarantee_laws_of(const CountedPair *counted, Adjacency neighbours,
							 CompositionPair law[GUARANTEE_LAWS]);

/*
 * Sorts a list and makes equal laws one, with their times.  Where more are left than can be
 * composed in seconds, parameters are rounded to fewer values that cost more, and the deltas of
 * claims are taken off *left, which falls below 0 if it does not cover them: (epsilon, delta)-DP
 * is epsilon-DP but for an event of probability delta.  Returns how many there are then, -1
 * where that did not help.
 */
extern int guarantee_few_laws(CompositionPair *law, int laws, int64_t *left, Memory *memory);

/* sum + times value, saturating; none is negative. */
extern int64_t guarantee_add(int64_t sum, int64_t times, int64_t value, int64_t limit);

#endif

/*
 * guarantee_laws.h - the laws of the ledger's pairs, for privacy loss distributions.
 */
#ifndef DPOBJ_CORE_GUARANTEE_LAWS_H
#define DPOBJ_CORE_GUARANTEE_LAWS_H

#include "core/accounting/composition.h"
#include "core/accounting/pair.h"

/* The largest number of laws of one pair. */
#define GUARANTEE_LAWS 3

/* The laws of a pair for neighbours of that kind; returns how many. */
extern int guarantee_laws_of(const CountedPair *counted, Adjacency neighbours,
							 CompositionPair law[GUARANTEE_LAWS]);

/*
 * Sorts a list and merges equal laws.  If more are left than can be composed in seconds, it rounds
 * parameters to fewer values that cost more, and subtracts the deltas of claims from *left, because
 * (epsilon, delta)-DP is epsilon-DP but for an event of probability delta; *left falls below 0 if
 * it does not cover them.  Returns the new number of laws, -1 if there are still too many.
 */
extern int guarantee_few_laws(CompositionPair *law, int laws, int64_t *left, Memory *memory);

#endif

/*
 * pair.h - the pair of laws of a request, of a person's rows and of a group (pair_law.h).
 */
#ifndef DPOBJ_CORE_PAIR_H
#define DPOBJ_CORE_PAIR_H

#include <stdint.h>

#include "core/mechanisms/mechanism.h"
#include "core/noise/pair_law.h"

/* The name of a kind in the ledger. */
extern const char *pair_name(PairKind kind);

/* The kind of that name, PAIR_KINDS if there is none. */
extern PairKind pair_kind(const char *name);

/*
 * The pair of a request that claims (epsilon, delta) in all.  If rows_per_person rows change at
 * once, the request's own epsilon and delta are those of each row.
 */
extern Pair pair_of_request(const MechanismRequest *request, int64_t epsilon, int64_t delta,
							int64_t rows_per_person);

/* The largest group; up to it no sum of costs overflows. */
#define PAIR_GROUP_MAX 100000

/*
 * The pair of a group of rows that change one after the other, each as the given pair says.  Its
 * claim grows with the number of rows (theorem N4).
 */
extern Pair pair_of_group(const Pair *pair, int64_t rows);

/*
 * The pair of a release that is followed by one that is epsilon-DP, in nano-units, on the same
 * rows: what they cost adds up (theorem A1).  epsilon may be 0.
 */
extern Pair pair_with_pure(const Pair *pair, int64_t epsilon);

/* Equal releases with their number, and the neighbours that the pair is about. */
typedef struct CountedPair
{
	Pair pair;
	Adjacency adjacency;
	int64_t times;
} CountedPair;

#endif

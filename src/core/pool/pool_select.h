/*
 * pool_select.h - the exponential mechanism over a public pool of candidates, in rounds.
 *
 * Round r draws one of the pool's vectors with P(w) proportional to exp(-rate L(w)), rate =
 * epsilon / (R M): M the margin of the 0/1 loss, R the number of rounds.  It is epsilon / R-DP of
 * bounded range given the centre and the seed (theorem C2).  The vector drawn is the centre of the
 * next round's pool; all rounds together are epsilon-DP (theorem C3).
 */
#ifndef DPOBJ_CORE_POOL_SELECT_H
#define DPOBJ_CORE_POOL_SELECT_H

#include "core/base/memory.h"
#include "core/base/privacy.h"
#include "core/exponential/select.h"
#include "core/pool/pool_candidates.h"
#include "core/random/bits.h"
#include "core/rows/instance.h"

typedef struct PoolProblem
{
	const Instance *instance;           /* with both counts of labels, in memory or spilled */
	PoolLaw law;                        /* public */
	int64_t centre[GRID_MAX_DIMENSION]; /* released; |weight| <= POOL_CENTRE_MAX */
	PoolSeed seed;                      /* released */
	int64_t candidates;                 /* of each round, 1 .. POOL_MOST */
	int rounds;                         /* 1 .. POOL_MOST_ROUNDS */
	int64_t epsilon;                    /* of all rounds together, in nano-units */
	Adjacency adjacency;
	int threads;
} PoolProblem;

#define POOL_MOST 100000
#define POOL_MOST_ROUNDS 16

/*
 * What is released of a run besides its answer.  With it and the law everybody can draw the
 * candidates of all rounds again: the centre of a round is the candidate drawn in the one before.
 */
typedef struct PoolRecord
{
	PoolSeed seed;
	int64_t centre[GRID_MAX_DIMENSION]; /* of the first round */
	int64_t drawn[POOL_MOST_ROUNDS];    /* the number of the candidate */
} PoolRecord;

/*
 * A number of candidates with which all rounds are done in a public time: products of a weight and
 * a feature are limited.
 */
extern int64_t pool_size(int64_t rows, int dimension, int rounds);

/* The rate of a round: epsilon / (R M) (theorem C2). */
extern SelectRate pool_rate(const PoolProblem *problem);

/* Sets answer, the candidate that the last round has drawn, and the record. */
extern void pool_select(const PoolProblem *problem, Bits *bits, Memory *memory, int64_t *answer,
						PoolRecord *record);

#endif

/*
 * pool_candidates.h - the candidates around a centre, from public numbers and public coins.
 *
 * Nothing here sees a row: the candidates are a function of what PoolLaw has and of the seed
 * (theorem C1).  The law they are drawn from is a guess of where good vectors may be and matters
 * for accuracy alone.
 */
#ifndef DPOBJ_CORE_POOL_CANDIDATES_H
#define DPOBJ_CORE_POOL_CANDIDATES_H

#include <stdint.h>

#include "core/base/memory.h"
#include "core/pool/pool_coins.h"
#include "core/pool/pool_units.h"

/* Weights of stretched columns (pool_units.h) count in 2^-20, as the answers of convex models do.
 */
#define POOL_CENTRE_BITS 20

/* The largest |weight| of a centre, 2^15 in units of 1.0. */
#define POOL_CENTRE_MAX (INT64_C(1) << 35)

typedef struct PoolLaw
{
	PoolShape shape;
	double rows; /* a declared number: it scales the jitter */
	/* Of the noise on the gradient from which the centre comes: deviations by column. */
	double noise[GRID_MAX_DIMENSION];
	double lambda; /* its regularisation, lambda w_j^2 / 2 in the sum over rows */
	double length; /* to which it clipped the rows; 0: they were not clipped */
} PoolLaw;

typedef struct PoolCandidates
{
	int64_t count;
	int64_t stay;    /* pool_stay() */
	int64_t stride;  /* pool_stride() */
	int16_t *weight; /* room for pool_room(count) candidates */
	uint8_t *shift;  /* candidate m's weights count in 2^shift[m] units of the centre */
} PoolCandidates;

/* How often candidate 0, the centre, counts in a draw from so many candidates. */
extern int64_t pool_stay(int64_t count);

/* A whole round's pool: 1 <= count < 2^31. */
extern void pool_candidates_create(PoolCandidates *pool, const PoolLaw *law, const int64_t *centre,
								   const PoolSeed *seed, int round, int64_t count, int threads,
								   Memory *memory);
extern void pool_candidates_destroy(PoolCandidates *pool, Memory *memory);

/* Sets weight, in units of the centre. */
extern void pool_candidate(const PoolCandidates *pool, int dimension, int64_t m, int64_t *weight);

#endif

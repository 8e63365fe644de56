/*
 * pool_coins.h - a pool's public coins: a stream for each round and candidate, from a seed of 128
 * bits.
 *
 * The seed is drawn once from the core's random bits and is part of the release, so everybody can
 * draw the pool again.  Privacy asks only that it does not depend on the rows (theorem C1); that
 * the stream is like random coins, which SipHash in counter mode provides, matters for accuracy
 * alone.
 *
 * Numbers are made by additions, multiplications, divisions and square roots, which IEEE 754 rounds
 * alike on all machines.
 */
#ifndef DPOBJ_CORE_POOL_COINS_H
#define DPOBJ_CORE_POOL_COINS_H

#include <stdint.h>

#include "core/base/siphash.h"
#include "core/random/bits.h"

typedef struct PoolSeed
{
	uint8_t byte[SIPHASH_KEY_LENGTH];
} PoolSeed;

typedef struct PoolCoins
{
	SipKey key;
	uint64_t stream;
	uint64_t next;
} PoolCoins;

extern PoolSeed pool_seed_draw(Bits *bits);

/* 0 <= round < 2^16, 0 <= candidate < 2^48. */
extern PoolCoins pool_coins(const PoolSeed *seed, int round, int64_t candidate);

extern uint64_t pool_coins_word(PoolCoins *coins);

/* Uniform between 0 and 1, neither of them included. */
extern double pool_coins_uniform(PoolCoins *coins);

/* Uniform on 0 .. n - 1, but for 2^-32; 1 <= n < 2^32. */
extern int pool_coins_below(PoolCoins *coins, int n);

/* Nearly normal, of mean 0 and variance 1: a sum of four uniform numbers. */
extern double pool_coins_normal(PoolCoins *coins);

/* Student's law with two degrees of freedom, divided by sqrt(2): heavy tails. */
extern double pool_coins_student(PoolCoins *coins);

/* 2^x, x rounded down to a multiple of 1/16; |x| < 1000. */
extern double pool_power(double x);

#endif

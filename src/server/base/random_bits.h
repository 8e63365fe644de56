/*
 * random_bits.h - the core's random bits, from pg_strong_random.
 */
#ifndef DPOBJ_RANDOM_BITS_H
#define DPOBJ_RANDOM_BITS_H

#include "postgres.h"

#include "core/random/bits.h"

/* Bits for noise that the backend draws itself; they raise an error when there are none. */
extern void random_bits_init(Bits *bits);

/* The same for millions of draws: a call of pg_strong_random costs more than a draw. */
typedef struct RandomPool
{
	uint8 bytes[4096];
	size_t left; /* unused ones, at the end */
} RandomPool;

extern void random_pool_init(RandomPool *pool, Bits *bits);
extern void random_pool_wipe(RandomPool *pool);

#endif

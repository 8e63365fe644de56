/*
 * random_bits.h - the core's random bits, from pg_strong_random.
 */
#ifndef DPOBJ_RANDOM_BITS_H
#define DPOBJ_RANDOM_BITS_H

#include "postgres.h"

#include "core/random/bits.h"

/* Fills bytes; raises an error if pg_strong_random fails, as the next ones do when they are used. */
extern void random_bytes(uint8 *bytes, size_t count);

/* For noise that the backend draws itself. */
extern void random_bits_init(Bits *bits);

/* A buffer for millions of draws, because a call of pg_strong_random takes longer than a draw. */
typedef struct RandomPool
{
	uint8 bytes[4096];
	size_t left; /* unused bytes, at the end */
} RandomPool;

extern void random_pool_init(RandomPool *pool, Bits *bits);
extern void random_pool_wipe(RandomPool *pool);

#endif

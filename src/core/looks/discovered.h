/*
 * discovered.h - the levels of a column that nobody has declared: how many persons have each, and which
 * are named (theorem T14).
 *
 * Levels are bytes, which are equal exactly for equal values.  Their number is not public, so the
 * memory grows with them.
 */
#ifndef DPOBJ_CORE_DISCOVERED_H
#define DPOBJ_CORE_DISCOVERED_H

#include <stdint.h>

#include "core/base/memory.h"
#include "core/base/siphash.h"
#include "core/looks/look.h"
#include "core/random/bits.h"

/* The longest level; longer values are none. */
#define LEVEL_MOST_BYTES 255

typedef struct Level
{
	uint64_t hash;
	int64_t persons;
	uint32_t length;
	uint8_t bytes[];
} Level;

typedef struct Levels Levels;

/* Starts without levels.  The hash decides nothing but the time. */
extern Levels *levels_create(const uint8_t key[SIPHASH_KEY_LENGTH], Memory *memory);

/* One more person has the level; a person adds a level once.  context: the levels. */
extern void levels_add(void *context, const uint8_t *bytes, size_t length);

/*
 * Adds noise by the reach of the look to the number of each level, and returns how many of them
 * reach the look's threshold: those of the largest noisy numbers, most at most, in this order, equal
 * numbers by their bytes.  Named levels have noisy numbers from then on.
 */
extern int levels_name(Levels *levels, const Look *look, int64_t epsilon, Bits *bits, int most,
					   const Level **named);

/* Bytes that so many levels take at most, each of so many bytes. */
extern double levels_memory_at_most(double levels, size_t bytes);

#endif

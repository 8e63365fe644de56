/*
 * holdout.h - the rule by which rows are held out of a training, to rate its model on them.
 *
 * A row's place is SipHash, under a secret key, of the values that the row is dealt by: eight bytes
 * for each, and then a bit for each, set for a null, from the lowest of a byte.  A value of eight
 * bytes stands for itself, one of any other length for its own SipHash, the lowest byte first, and
 * a null for zeros.  The places are divided into 1000 buckets of one size, and a row is held out at
 * a share of h thousandths if its bucket is one of the first h.  So the same row is always on the
 * same side, and what is held out at a share is held out at any larger one.
 *
 * The side of a row depends on that row alone, for every key (theorem N10).  Privacy does not rest
 * on the hash function, nor on the key's being secret.
 */
#ifndef DPOBJ_CORE_HOLDOUT_H
#define DPOBJ_CORE_HOLDOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/siphash.h"

/* Shares are in thousandths. */
#define HOLDOUT_ONE 1000

#define HOLDOUT_VALUE_BYTES 8

/* The bytes of a row of so many values. */
static inline size_t
holdout_row_bytes(size_t values)
{
	return values * HOLDOUT_VALUE_BYTES + (values + 7) / 8;
}

/* Writes a value of a row, numbered from 0; bytes: NULL for a null. */
extern void holdout_put(SipKey key, uint8_t *row, size_t values, size_t place, const void *bytes,
						size_t length);

/* Is the row held out, all of whose values have been written? */
extern bool holdout_has(SipKey key, const uint8_t *row, size_t values, int thousandths);

#endif

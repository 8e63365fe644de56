/*
 * random_bits.h - the core's random bits, from pg_strong_random.
 */
#ifndef DPOBJ_RANDOM_BITS_H
#define DPOBJ_RANDOM_BITS_H

#include "postgres.h"

#include "core/bits.h"

/* Bits for noise that the backend draws itself; they raise an error when there are none. */
extern void random_bits_init(Bits *bits);

#endif

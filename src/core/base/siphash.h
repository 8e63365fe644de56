/*
 * siphash.h - SipHash-2-4 (Aumasson and Bernstein 2012), a keyed pseudorandom function.
 */
#ifndef DPOBJ_CORE_SIPHASH_H
#define DPOBJ_CORE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_LENGTH 16

typedef struct SipKey
{
	uint64_t word[2];
} SipKey;

extern SipKey siphash_key(const uint8_t bytes[SIPHASH_KEY_LENGTH]);

extern uint64_t siphash(SipKey key, const void *bytes, size_t length);

#endif

/*
 * script.h - bits that a test writes down in advance: some words, then zeros.
 */
#ifndef DPOBJ_TESTS_SCRIPT_H
#define DPOBJ_TESTS_SCRIPT_H

#include <string.h>

#include "fixture.h"

#define SCRIPT_WORDS 32

/* bits_take() hands out the low end of a word first. */
typedef struct Script
{
	uint64_t word[SCRIPT_WORDS];
	size_t next;
} Script;

static inline void
script_fill(void *context, uint8_t *bytes, size_t count)
{
	Script *script = context;
	uint64_t word = script->next < SCRIPT_WORDS ? script->word[script->next] : 0;

	CHECK(count == sizeof(word));
	memcpy(bytes, &word, sizeof(word));
	script->next++;
}

static inline Bits
scripted(Script *script)
{
	Bits told;

	bits_init(&told, script_fill, script);
	return told;
}

#endif

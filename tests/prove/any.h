/*
 * any.h - what drivers share: bits that may be anything, and memory that never runs out.
 */
#ifndef DPOBJ_PROVE_ANY_H
#define DPOBJ_PROVE_ANY_H

#include <stdlib.h>

#include "core/base/memory.h"
#include "core/random/bits.h"

static inline bool
any_bool(void)
{
	return Frama_C_interval(0, 1) != 0;
}

static inline void
any_fill(void *context, uint8_t *bytes, size_t count)
{
	(void) context;
	Frama_C_make_unknown((char *) bytes, count);
}

/* As in the core, an allocator that has no memory does not return. */
void *
memory_allocate(Memory *memory, size_t count, size_t size)
{
	void *block = malloc(count * size > 0 ? count * size : 1);

	(void) memory;
	if (block == NULL)
		abort();
	return block;
}

void *
memory_allocate_zero(Memory *memory, size_t count, size_t size)
{
	void *block = calloc(count > 0 ? count : 1, size);

	(void) memory;
	if (block == NULL)
		abort();
	return block;
}

void
memory_release(Memory *memory, void *block)
{
	(void) memory;
	free(block);
}

#endif

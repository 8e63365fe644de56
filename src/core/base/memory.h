/*
 * memory.h - the core's only way to allocate memory.
 *
 * The server passes palloc in a named context; the solver process and the tests pass an Arena.
 * Neither returns NULL: they raise an error or end the process, so callers need no failure path.
 * (GMP and MPFR allocate by their own functions; code that uses them runs only in the solver
 * process and in tests.)
 */
#ifndef DPOBJ_CORE_MEMORY_H
#define DPOBJ_CORE_MEMORY_H

#include <stddef.h>

#include "core/base/pause.h"

typedef struct Memory Memory;

struct Memory
{
	void *(*allocate)(Memory *self, size_t bytes);
	void *(*reallocate)(Memory *self, void *block, size_t bytes);
	void (*release)(Memory *self, void *block);
	Pause pause; /* the caller's; long computations call it */
};

extern void *memory_allocate(Memory *memory, size_t count, size_t size);
extern void *memory_allocate_zero(Memory *memory, size_t count, size_t size);
extern void *memory_reallocate(Memory *memory, void *block, size_t count, size_t size);
extern void memory_release(Memory *memory, void *block);

/* An arena over malloc: arena_destroy() frees every block that is left. */
typedef struct Arena Arena;

extern Arena *arena_create(void (*exhausted)(void));
extern Memory *arena_memory(Arena *arena);
extern void arena_destroy(Arena *arena);

#endif

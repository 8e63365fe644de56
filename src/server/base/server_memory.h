/*
 * server_memory.h - memory and interrupts for computations of the core in this process.
 */
#ifndef DPOBJ_SERVER_MEMORY_H
#define DPOBJ_SERVER_MEMORY_H

#include "postgres.h"

#include "core/base/memory.h"

/* palloc in one memory context, for the core. */
typedef struct ServerMemory
{
	Memory memory;
	MemoryContext context;
	MemoryContext bounded; /* at first the same; limit holds for it and its children: */
	Size limit;            /* bytes; 0, as at first: no limit */
} ServerMemory;

/* The Pause of core computations in this process: raises the error of a cancel. */
extern void server_pause(void);

extern void server_memory_init(ServerMemory *memory, MemoryContext context);

#endif

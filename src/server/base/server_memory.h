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
	MemoryContext bounded; /* the limit holds for it and its children; at first the same context */
	Size limit;            /* bytes; 0: none, as at first */
} ServerMemory;

/* Checks for interrupts in computations of the core; raises the error of a cancel. */
extern void server_pause(void);

extern void server_memory_init(ServerMemory *memory, MemoryContext context);

#endif

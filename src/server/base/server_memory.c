/*
 * server_memory.c - the core's Memory over PostgreSQL's memory contexts.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "server/base/gate.h"
#include "server/base/server_memory.h"

static void
check_size(const ServerMemory *memory, size_t bytes, Size given_back)
{
	Size used = memory->limit > 0 ? MemoryContextMemAllocated(memory->bounded, true) : 0;

	if (!AllocHugeSizeIsValid(bytes) ||
		(memory->limit > 0 && bytes > memory->limit - Min(memory->limit, used - given_back)))
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
						errdetail("The training set does not fit into memory.")));
}

static void *
server_allocate(Memory *self, size_t bytes)
{
	ServerMemory *memory = (ServerMemory *) self;

	check_size(memory, bytes, 0);
	return MemoryContextAllocHuge(memory->context, bytes);
}

static void *
server_reallocate(Memory *self, void *block, size_t bytes)
{
	ServerMemory *memory = (ServerMemory *) self;

	check_size(memory, bytes, memory->limit > 0 ? GetMemoryChunkSpace(block) : 0);
	return repalloc_huge(block, bytes);
}

static void
server_release(Memory *self, void *block)
{
	pfree(block);
}

void
server_pause(void)
{
	GATE_CHECK_FOR_INTERRUPTS();
}

void
server_memory_init(ServerMemory *memory, MemoryContext context)
{
	memory->memory = (Memory){server_allocate, server_reallocate, server_release, server_pause};
	memory->context = memory->bounded = context;
	memory->limit = 0;
}

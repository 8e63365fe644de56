/*
 * composed.c - lists of releases under each accountant.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/json.h"

#include "composed.h"
#include "decimal.h"
#include "rows_state.h"

void
release_list_add(ReleaseList *list, const CountedPair *pair)
{
	if (list->count == list->room)
	{
		Size bytes;

		list->room = Max(16, 2 * list->room);
		bytes = list->room * sizeof(CountedPair);
		list->pair = list->pair == NULL ? palloc(bytes) : repalloc_huge(list->pair, bytes);
	}
	list->pair[list->count++] = *pair;
}

/* palloc, which a cancel may end: laws and their sums are made in blocks of memory one by one. */
typedef struct CancelledMemory
{
	Memory memory;
	ServerMemory server;
} CancelledMemory;

static void *
cancelled_allocate(Memory *self, size_t bytes)
{
	Memory *server = &((CancelledMemory *) self)->server.memory;

	CHECK_FOR_INTERRUPTS();
	return server->allocate(server, bytes);
}

static void *
cancelled_reallocate(Memory *self, void *block, size_t bytes)
{
	Memory *server = &((CancelledMemory *) self)->server.memory;

	return server->reallocate(server, block, bytes);
}

static void
cancelled_release(Memory *self, void *block)
{
	Memory *server = &((CancelledMemory *) self)->server.memory;

	server->release(server, block);
}

Guarantee
composed_guarantee(const ReleaseList *list, Adjacency neighbours, GuaranteeKind kind, int64 delta)
{
	CancelledMemory memory = {{cancelled_allocate, cancelled_reallocate, cancelled_release}};

	server_memory_init(&memory.server, CurrentMemoryContext);
	return guarantee_composed(list->pair, list->count, neighbours, kind, delta, &memory.memory);
}

const char *
composed_reason(GuaranteeKind kind)
{
	if (kind == GUARANTEE_OPTIMAL)
		return "no total: this is for equal claims, and for a delta above the sum of theirs";
	return "no total: delta does not cover the deltas of the releases, or the sum is too large";
}

void
composed_append(StringInfo json, GuaranteeKind kind, const Guarantee *guarantee)
{
	appendStringInfo(json, "{\"epsilon\": %s, \"delta\": %s",
					 guarantee->known ? decimal_text(guarantee->epsilon, EPSILON_UNIT) : "null",
					 decimal_text(guarantee->delta, DELTA_UNIT));
	if (guarantee->order > 0)
		appendStringInfo(json, ", \"rdp_order\": %d", guarantee->order);
	appendStringInfoString(json, ", \"assumes\": ");
	escape_json(json, guarantee->known ? guarantee_assumes(kind) : composed_reason(kind));
	appendStringInfoChar(json, '}');
}

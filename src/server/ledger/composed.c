/*
 * composed.c - the joint guarantee of a list of releases, for prices and reports.
 */
#include "postgres.h"

#include "utils/json.h"

#include "server/ledger/composed.h"
#include "server/base/decimal.h"
#include "server/base/server_memory.h"

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

Guarantee
composed_guarantee(const ReleaseList *list, Adjacency neighbours, GuaranteeKind kind, int64 delta)
{
	ServerMemory memory;

	server_memory_init(&memory, CurrentMemoryContext);
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

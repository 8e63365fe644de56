/*
 * part_provider.c - the table of providers.
 */
#include "postgres.h"

#include "server/remote/citus_parts.h"
#include "server/remote/foreign_parts.h"
#include "server/remote/part_provider.h"

static const PartProvider *const providers[] = {&citus_parts, &foreign_parts};

const PartProvider *
part_provider_of(Oid relation)
{
	for (int i = 0; i < lengthof(providers); i++)
		if (providers[i]->serves(relation))
			return providers[i];
	return NULL;
}

static bool
is_same(const RemotePart *one, const RemotePart *other)
{
	int i = 0;

	if (one->provider != other->provider || one->id != other->id ||
		one->relation != other->relation || strcmp(one->schema, other->schema) != 0 ||
		strcmp(one->table, other->table) != 0)
		return false;
	for (; one->keyword[i] != NULL && other->keyword[i] != NULL; i++)
		if (strcmp(one->keyword[i], other->keyword[i]) != 0 ||
			strcmp(one->value[i], other->value[i]) != 0)
			return false;
	return one->keyword[i] == other->keyword[i];
}

bool
parts_are_same(const List *one, const List *other)
{
	ListCell *cell;
	ListCell *match;

	if (list_length(one) != list_length(other))
		return false;
	forboth(cell, one, match, other) if (!is_same(lfirst(cell), lfirst(match))) return false;
	return true;
}

/*
 * part_providers.c - the table of providers.
 */
#include "postgres.h"

#include "server/remote/citus_parts.h"
#include "server/remote/foreign_parts.h"

static const PartProvider *const providers[] = {&citus_parts, &foreign_parts};

const PartProvider *
part_provider_of(Oid relation)
{
	for (int i = 0; i < lengthof(providers); i++)
		if (providers[i]->serves(relation))
			return providers[i];
	return NULL;
}

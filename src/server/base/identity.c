/*
 * identity.c - finds the row of dpobj.identities for a table.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/uuid.h"
#include "utils/varlena.h"

#include "server/base/extension.h"
#include "server/base/identity.h"

char *
identity_origin(void)
{
	return psprintf(UINT64_FORMAT "/%u", GetSystemIdentifier(), MyDatabaseId);
}

PG_FUNCTION_INFO_V1(dpobj_origin);
Datum
dpobj_origin(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(identity_origin()));
}

Datum
identity_attribute(HeapTuple tuple, TupleDesc descriptor, const char *name, bool *isnull)
{
	int number = SPI_fnumber(descriptor, name);

	if (number <= 0)
		elog(ERROR, "a table of dpobj has no column \"%s\"", name);
	return heap_getattr(tuple, number, descriptor, isnull);
}

static bool
text_is(HeapTuple tuple, TupleDesc descriptor, const char *name, const char *expected)
{
	bool isnull;
	Datum value = identity_attribute(tuple, descriptor, name, &isnull);

	return !isnull && strcmp(TextDatumGetCString(value), expected) == 0;
}

/* Compares the parts of the qualified name, because quoting depends on a setting of the session. */
static bool
has_name_of(HeapTuple tuple, TupleDesc descriptor, Oid relation)
{
	bool isnull;
	Datum value = identity_attribute(tuple, descriptor, "name", &isnull);
	const char *schema = get_namespace_name(get_rel_namespace(relation));
	const char *name = get_rel_name(relation);
	List *parts;

	return !isnull && schema != NULL && name != NULL &&
		   SplitIdentifierString(TextDatumGetCString(value), '.', &parts) &&
		   list_length(parts) == 2 && strcmp(linitial(parts), schema) == 0 &&
		   strcmp(lsecond(parts), name) == 0;
}

int64
identity_of_table(Oid relation)
{
	const char *origin = identity_origin();
	Relation identities = extension_open_table("identities");
	TupleDesc descriptor = RelationGetDescr(identities);
	SysScanDesc scan = systable_beginscan(identities, InvalidOid, false, NULL, 0, NULL);
	HeapTuple tuple;
	int64 by_oid = 0; /* there is at most one */
	int64 by_name = 0;

	while (by_oid == 0 && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull;
		int64 id = DatumGetInt64(identity_attribute(tuple, descriptor, "id", &isnull));
		Oid object = DatumGetObjectId(identity_attribute(tuple, descriptor, "object", &isnull));
		bool is_local;

		if (!text_is(tuple, descriptor, "kind", "table"))
			continue;
		is_local = text_is(tuple, descriptor, "origin", origin);
		if (is_local && object == relation)
			by_oid = id;
		else if (has_name_of(tuple, descriptor, relation) &&
				 !(is_local && SearchSysCacheExists1(RELOID, ObjectIdGetDatum(object))))
			by_name = Max(by_name, id);
	}
	systable_endscan(scan);
	table_close(identities, AccessShareLock);
	return by_oid != 0 ? by_oid : by_name;
}

void
identity_holdout_key(Oid relation, uint8 *key)
{
	int64 identity = identity_of_table(relation);
	Relation identities = extension_open_table("identities");
	TupleDesc descriptor = RelationGetDescr(identities);
	SysScanDesc scan = systable_beginscan(identities, InvalidOid, false, NULL, 0, NULL);
	HeapTuple tuple;
	bool found = false;

	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull;

		if (DatumGetInt64(identity_attribute(tuple, descriptor, "id", &isnull)) != identity)
			continue;
		memcpy(key,
			   DatumGetUUIDP(identity_attribute(tuple, descriptor, "holdout_key", &isnull))->data,
			   UUID_LEN);
		found = true;
	}
	systable_endscan(scan);
	table_close(identities, AccessShareLock);
	if (!found)
		elog(ERROR, "table %u has no identity", relation);
}

bool
identity_is_system_table(Oid table)
{
	return table < FirstNormalObjectId ||
		   get_rel_namespace(table) == get_namespace_oid("dpobj", false);
}

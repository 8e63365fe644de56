/*
 * identity.c - finds the row of dpobj.identities for a table, and names of tables.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"
#include "utils/uuid.h"
#include "utils/varlena.h"

#include "server/base/compat.h"
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

/*
 * The relation that has a qualified name; InvalidOid if there is none.  Quoting depends on a
 * setting of the session that has written the name, so the parts count.
 */
static Oid
relation_named(const char *name)
{
	List *parts;
	Oid space;

	if (!SplitIdentifierString(pstrdup(name), '.', &parts) || list_length(parts) != 2)
		return InvalidOid;
	space = get_namespace_oid(linitial(parts), true);
	return OidIsValid(space) ? get_relname_relid(lsecond(parts), space) : InvalidOid;
}

/* dpobj_internal.table_name(relation) -> name */
PG_FUNCTION_INFO_V1(dpobj_table_name);
Datum
dpobj_table_name(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);
	const char *name = get_rel_name(relation);
	const char *space = name == NULL ? NULL : get_namespace_name(get_rel_namespace(relation));

	if (space == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(quote_qualified_identifier(space, name)));
}

/* dpobj_internal.table_named(name) -> relation */
PG_FUNCTION_INFO_V1(dpobj_table_named);
Datum
dpobj_table_named(PG_FUNCTION_ARGS)
{
	Oid relation = relation_named(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	char kind = OidIsValid(relation) ? get_rel_relkind(relation) : '\0';

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		PG_RETURN_NULL();
	PG_RETURN_OID(relation);
}

Oid
identity_owner(Oid relation)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/* dpobj_internal.table_owner(relation) -> role */
PG_FUNCTION_INFO_V1(dpobj_table_owner);
Datum
dpobj_table_owner(PG_FUNCTION_ARGS)
{
	Oid owner = identity_owner(PG_GETARG_OID(0));

	if (!OidIsValid(owner))
		PG_RETURN_NULL();
	PG_RETURN_OID(owner);
}

static bool
has_name_of(HeapTuple tuple, TupleDesc descriptor, Oid relation)
{
	bool isnull;
	Datum value = identity_attribute(tuple, descriptor, "name", &isnull);

	return !isnull && relation_named(TextDatumGetCString(value)) == relation;
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

/* The population of a table, or the table if it is in none. */
static int64
population_or_table(int64 identity)
{
	Relation tables = extension_open_table("population_tables");
	TupleDesc descriptor = RelationGetDescr(tables);
	SysScanDesc scan = systable_beginscan(tables, InvalidOid, false, NULL, 0, NULL);
	HeapTuple tuple;
	int64 found = identity;
	bool isnull;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		if (DatumGetInt64(identity_attribute(tuple, descriptor, "relation", &isnull)) == identity)
			found = DatumGetInt64(identity_attribute(tuple, descriptor, "population", &isnull));
	systable_endscan(scan);
	table_close(tables, AccessShareLock);
	return found;
}

void
identity_holdout_key(Oid relation, uint8 *key)
{
	int64 identity = population_or_table(identity_of_table(relation));
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
table_is_readable(Oid table, Oid role)
{
	return schema_aclcheck(get_rel_namespace(table), role) == ACLCHECK_OK &&
		   pg_class_aclcheck(table, role, ACL_SELECT) == ACLCHECK_OK &&
		   check_enable_rls(table, role, true) != RLS_ENABLED;
}

bool
identity_is_system_table(Oid table)
{
	return table < FirstNormalObjectId ||
		   get_rel_namespace(table) == get_namespace_oid("dpobj", false);
}

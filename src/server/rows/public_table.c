/*
 * public_table.c - dpobj.declare_public() and the reading of its table.
 */
#include "server/rows/public_table.h"

#include "access/relation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/base/dpobj.h"
#include "server/ledger/budget.h"
#include "server/ledger/charge.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_tables.h"
#include "server/rows/protection.h"
#include "server/rows/scan_tables.h"

bool
public_table_is_declared(Relation relation)
{
	static const char *const statement =
		"SELECT true FROM dpobj.public_tables WHERE relation = $1 AND owner = $2"
		" AND origin = dpobj_internal.origin()";
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(RelationGetRelid(relation)),
					  ObjectIdGetDatum(relation->rd_rel->relowner)};
	Datum found;
	bool isnull;

	return admin_select(statement, lengthof(types), types, values, &found, &isnull);
}

/* The table, its ancestors and its descendants. */
static List *
family_of(Oid relation)
{
	return list_concat_unique_oid(charge_table_and_ancestors(relation),
								  find_all_inheritors(relation, AccessShareLock, NULL));
}

void
public_table_check_none(Oid relation)
{
	ListCell *cell;

	foreach (cell, family_of(relation))
	{
		Relation member = acting_open(lfirst_oid(cell), AccessShareLock);

		if (public_table_is_declared(member))
			ereport(ERROR,
					(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
					 errmsg("table \"%s\" is declared public", RelationGetRelationName(member)),
					 errhint("Its owner may take that back, by dpobj.declare_public(relation, "
							 "false).")));
		relation_close(member, NoLock);
	}
}

static void
refuse(Relation relation, const char *rule)
{
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("relation \"%s\" cannot be declared public", RelationGetRelationName(relation)),
			 errdetail("%s", rule)));
}

/* What it reads and who reads it must be clear: one table by itself. */
static void
check_table(Relation relation)
{
	const char *rule = scan_rule(relation, true);
	Protection protection;

	if (rule != NULL)
		refuse(relation, rule);
	if (protection_find(relation, &protection))
		refuse(relation, "It is protected.");
	if (relation->rd_rel->relkind != RELKIND_RELATION ||
		list_length(family_of(RelationGetRelid(relation))) > 1)
		refuse(relation, "It is partitioned, or a parent or child of another table.");
}

/* dpobj.declare_public(relation, is_public) */
PG_FUNCTION_INFO_V1(dpobj_declare_public);
Datum
dpobj_declare_public(PG_FUNCTION_ARGS)
{
	static const char *const declare =
		"INSERT INTO dpobj.public_tables (relation, owner, origin)"
		" VALUES ($1, $2, dpobj_internal.origin()) ON CONFLICT (relation) DO UPDATE SET"
		" owner = EXCLUDED.owner, origin = EXCLUDED.origin, at = pg_catalog.clock_timestamp()";
	static const char *const end =
		"DELETE FROM dpobj.public_tables WHERE relation = $1 AND $2 IS NOT NULL";
	Oid table = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	bool is_public = DatumGetBool(argument_value(fcinfo, 1, "is_public"));
	Relation relation = acting_open(table, AccessShareLock);
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(table), ObjectIdGetDatum(relation->rd_rel->relowner)};

	budget_require_owner(table, "dpobj.declare_public()");
	charge_lock_table(table, true);
	if (is_public)
		check_table(relation);
	(void) admin_execute(is_public ? declare : end, lengthof(types), types, values, NULL);
	relation_close(relation, NoLock);
	PG_RETURN_VOID();
}

/*
 * failures.c - dpobj.reset_failures(): an administrator lets failures count no longer.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/json.h"

#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/ledger/charge.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_tables.h"

static char *
describe_reset(Oid role)
{
	StringInfoData parameters;

	initStringInfo(&parameters);
	appendStringInfoString(&parameters, "{\"role\": ");
	if (OidIsValid(role))
		escape_json(&parameters, GetUserNameFromId(role, false));
	else
		appendStringInfoString(&parameters, "null");
	appendStringInfoChar(&parameters, '}');
	return parameters.data;
}

/* Those that the reset covers (dpobj.counted_failures): of the table, and of all its children. */
static int64
count_failures(const TableChange *change)
{
	static const char *const statement =
		"SELECT count(*) FROM dpobj.counted_failures f JOIN dpobj.identity_tables t"
		" ON t.id = f.relation_identity JOIN dpobj.identity_roles r ON r.id = f.role_identity"
		" WHERE ($2 = 0 OR r.role = $2) AND (t.relation IN (WITH RECURSIVE down(relation) AS"
		" (SELECT $1 UNION SELECT h.inhrelid FROM down JOIN pg_inherits h"
		" ON h.inhparent = down.relation) SELECT relation FROM down)"
		" OR f.relation_identity IN (SELECT l.descendant FROM dpobj.lineage l"
		" JOIN dpobj.identity_tables a ON a.id = l.ancestor WHERE a.relation = $1))";
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(change->relation), ObjectIdGetDatum(change->role)};
	Datum count;
	bool isnull;

	(void) admin_select(statement, lengthof(types), types, values, &count, &isnull);
	return DatumGetInt64(count);
}

/* dpobj.reset_failures(relation, role) -> bigint */
PG_FUNCTION_INFO_V1(dpobj_reset_failures);
Datum
dpobj_reset_failures(PG_FUNCTION_ARGS)
{
	TableChange change = {InvalidOid};
	int64 count;

	admin_require("dpobj.reset_failures()");
	change.relation = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	change.role = PG_ARGISNULL(1) ? InvalidOid : PG_GETARG_OID(1);
	change.parameters = describe_reset(change.role);
	relation_close(acting_open(change.relation, AccessShareLock), NoLock);
	charge_tables_check_topmost(change.relation, "Name the topmost parent.");
	charge_lock_table(change.relation, true);
	count = count_failures(&change);
	charge_table_change(CHARGE_RESET_FAILURES, &change);
	PG_RETURN_INT64(count);
}

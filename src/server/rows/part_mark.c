/*
 * part_mark.c - dpobj.mark_part() and the reading of its table.
 *
 * Rows leave for a mark, so only the table's owner makes one, and for a role that may read the
 * table.  No epsilon bounds rows: while the owner limits the table here, they stay (part.c).
 *
 * The caller's transaction writes the mark; the charge worker commits its event in the ledger.  The
 * lock of charges makes releases of the table wait until the mark is committed.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/varlena.h"

#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/base/dpobj.h"
#include "server/base/identity.h"
#include "server/ledger/budget.h"
#include "server/ledger/charge.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_tables.h"
#include "server/rows/part_mark.h"
#include "server/rows/population.h"
#include "server/rows/scan_tables.h"

bool
part_is_marked(Oid relation, const char *coordinator)
{
	static const char *const statement =
		"SELECT true FROM dpobj.parts p JOIN dpobj.identity_tables t ON t.id = p.relation"
		" AND (p.object = t.relation OR p.origin <> dpobj_internal.origin())"
		" JOIN dpobj.identity_roles r ON r.id = p.role"
		" WHERE t.relation = $1 AND r.role = $2 AND p.coordinator = $3";
	Oid types[] = {OIDOID, OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(relation), ObjectIdGetDatum(GetSessionUserId()),
					  CStringGetTextDatum(coordinator)};
	Datum found;
	bool isnull;

	return GetUserId() == GetSessionUserId() && table_is_readable(relation, GetUserId()) &&
		   admin_select(statement, lengthof(types), types, values, &found, &isnull);
}

/*
 * The name of the coordinator's table as a coordinator says it: folded and quoted as in a
 * statement.
 */
static char *
name_of_table(const char *coordinator)
{
	List *names = textToQualifiedNameList(cstring_to_text(coordinator));

	if (list_length(names) != 3)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("coordinator must be the database, schema and name of a table"),
						errhint("For example: \"postgres.public.claim\".")));
	return psprintf("%s.%s", quote_identifier(strVal(linitial(names))),
					quote_qualified_identifier(strVal(lsecond(names)), strVal(lthird(names))));
}

static char *
describe_mark(const char *coordinator, Oid role)
{
	StringInfoData parameters;

	initStringInfo(&parameters);
	appendStringInfoString(&parameters, "{\"coordinator\": ");
	escape_json(&parameters, coordinator);
	appendStringInfoString(&parameters, ", \"role\": ");
	escape_json(&parameters, GetUserNameFromId(role, false));
	appendStringInfoChar(&parameters, '}');
	return parameters.data;
}

static void
check_relation(Oid table)
{
	Relation relation = acting_open(table, AccessShareLock);

	budget_require_owner(table, "dpobj.mark_part()");
	scan_check_relation(relation, true, false); /* the coordinator's declaration has ignore_rls */
	relation_close(relation, AccessShareLock);
	charge_tables_check_topmost(table, "Mark the topmost parent.");
}

/* The coordinator reads rows, so a mark gives the role nothing that it may not read anyway. */
static void
check_reader(Oid table, Oid role)
{
	if (table_is_readable(table, role))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("role \"%s\" may not read table \"%s\"", GetUserNameFromId(role, false),
					get_rel_name(table)),
			 errdetail("The server that connects as this role reads the rows."),
			 errhint("GRANT SELECT on the table, and USAGE on its schema, to a role that only "
					 "this server uses. Policies of row-level security must not apply to it.")));
}

static void
check_limit(Oid table)
{
	if (population_has(table))
		ereport(ERROR,
				(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
				 errmsg("table \"%s\" is in a population", get_rel_name(table)),
				 errdetail("Another server would read its rows and count what it releases of them "
						   "by itself."),
				 errhint("Have the table on the other server join a population there.")));
	if (!budget_is_limited(table))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("the owner of table \"%s\" has limited its budgets", get_rel_name(table)),
			 errdetail("Another server would read its rows and count what it releases of them "
					   "by itself."),
			 errhint("Remove the limit here, by dpobj.limit_budget(relation, NULL, NULL, reason), "
					 "and limit the table on the other server.")));
}

static void
mark(FunctionCallInfo fcinfo)
{
	static const char *const statement =
		"INSERT INTO dpobj.parts (relation, coordinator, role, origin, object)"
		" VALUES ($1, $2, $3, dpobj_internal.origin(), $4)"
		" ON CONFLICT (relation) DO UPDATE SET coordinator = EXCLUDED.coordinator,"
		" role = EXCLUDED.role, origin = EXCLUDED.origin, object = EXCLUDED.object,"
		" at = pg_catalog.clock_timestamp()";
	TableChange change = {InvalidOid};
	Oid types[] = {INT8OID, TEXTOID, INT8OID, OIDOID};
	Datum values[lengthof(types)];
	char *coordinator;

	change.relation = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	coordinator = name_of_table(TextDatumGetCString(argument_value(fcinfo, 1, "coordinator")));
	change.role = DatumGetObjectId(argument_value(fcinfo, 2, "role"));
	change.parameters = describe_mark(coordinator, change.role);
	check_relation(change.relation);
	check_reader(change.relation, change.role);
	charge_lock_table(change.relation, true);
	check_limit(change.relation);
	charge_table_change(CHARGE_MARK_PART, &change);
	values[0] = Int64GetDatum(change.relation_identity);
	values[1] = CStringGetTextDatum(coordinator);
	values[2] = Int64GetDatum(change.role_identity);
	values[3] = ObjectIdGetDatum(change.relation);
	(void) admin_execute(statement, lengthof(types), types, values, NULL);
}

static void
unmark(FunctionCallInfo fcinfo)
{
	static const char *const exists =
		"SELECT FROM dpobj.parts p JOIN dpobj.identity_tables t ON t.id = p.relation"
		" WHERE t.relation = $1 FOR UPDATE OF p";
	static const char *const statement = "DELETE FROM dpobj.parts WHERE relation = $1";
	TableChange change = {InvalidOid};
	Oid types[] = {OIDOID};
	Oid identity_types[] = {INT8OID};
	Datum values[1];

	change.relation = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	change.parameters = "{}";
	relation_close(acting_open(change.relation, AccessShareLock), NoLock);
	budget_require_owner(change.relation, "dpobj.mark_part()");
	charge_lock_table(change.relation, true);
	values[0] = ObjectIdGetDatum(change.relation);
	if (admin_execute(exists, lengthof(types), types, values, NULL) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" is not marked as a part", get_rel_name(change.relation))));
	charge_table_change(CHARGE_UNMARK_PART, &change);
	values[0] = Int64GetDatum(change.relation_identity);
	if (admin_execute(statement, lengthof(identity_types), identity_types, values, NULL) != 1)
		elog(ERROR, "could not remove the mark of a part");
}

/* dpobj.mark_part(relation, coordinator, role): both null to unmark it */
PG_FUNCTION_INFO_V1(dpobj_mark_part);
Datum
dpobj_mark_part(PG_FUNCTION_ARGS)
{
	(PG_ARGISNULL(1) && PG_ARGISNULL(2) ? unmark : mark)(fcinfo);
	PG_RETURN_VOID();
}

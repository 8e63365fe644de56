/*
 * budget.c - the functions that set, drop and confirm budgets.
 *
 * The row of a budget belongs to the caller's transaction: ROLLBACK takes a grant
 * back.  Its event in the ledger is committed by the charge worker, like all
 * events: it records that the change was made by somebody who may, not that the
 * transaction committed.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rel.h"

#include "admin.h"
#include "charge.h"
#include "charge_budget.h"
#include "decimal.h"
#include "dpobj.h"

/* The timeline was a global variable before PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#define insertion_timeline() (RecoveryInProgress() ? 0 : ThisTimeLineID)
#else
#define insertion_timeline() (RecoveryInProgress() ? 0 : GetWALInsertionTimeLine())
#endif

/* ---- Epoch ------------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(dpobj_origin);
Datum
dpobj_origin(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(
		cstring_to_text(psprintf(UINT64_FORMAT "/%u", GetSystemIdentifier(), MyDatabaseId)));
}

/* On a standby the timeline reads 0; nothing is written there. */
PG_FUNCTION_INFO_V1(dpobj_epoch);
Datum
dpobj_epoch(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(psprintf(UINT64_FORMAT "/%u/%u", GetSystemIdentifier(),
											  MyDatabaseId, (uint32) insertion_timeline())));
}

static bool
epoch_is_confirmed(void)
{
	return admin_execute(
			   "SELECT FROM (SELECT epoch FROM dpobj.ledger_events ORDER BY id DESC LIMIT "
			   "1) last WHERE epoch <> dpobj.epoch()",
			   0, NULL, NULL, NULL) == 0;
}

static void
warn_of_unbound_budgets(void)
{
	uint64 unbound = admin_execute("SELECT FROM dpobj.budgets WHERE relation IS NULL"
								   " OR role IS NULL AND role_name IS NOT NULL",
								   0, NULL, NULL, NULL);

	if (unbound > 0)
		ereport(WARNING,
				(errmsg("tables or roles of some privacy budgets do not exist"),
				 errdetail("They are not found under the names that they had when a charge or a "
						   "budget last touched them, and their spending counts for nobody."),
				 errhint("See relation_name and role_name in dpobj.budgets; rename the table or "
						 "role if it has another name here.")));
}

PG_FUNCTION_INFO_V1(dpobj_confirm_epoch);
Datum
dpobj_confirm_epoch(PG_FUNCTION_ARGS)
{
	admin_require("dpobj.confirm_epoch()");
	if (epoch_is_confirmed())
		ereport(NOTICE, (errmsg("there is nothing to confirm")));
	else
	{
		charge_confirm_epoch();
		warn_of_unbound_budgets();
	}
	PG_RETURN_VOID();
}

/* ---- Arguments -------------------------------------------------------------- */

/* A table that can have a budget, locked against changes that would take that away. */
static Oid
budget_table(FunctionCallInfo fcinfo)
{
	Oid table;
	char kind;

	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the table of a privacy budget must not be null")));
	table = PG_GETARG_OID(0);
	LockRelationOid(table, AccessShareLock);
	kind = get_rel_relkind(table);
	if (kind == '\0')
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", table)));
	if ((kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE) ||
		get_rel_persistence(table) == RELPERSISTENCE_TEMP)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" cannot have a privacy budget", get_rel_name(table)),
						errdetail("Budgets are for tables that are not temporary.")));
	return table;
}

/* A partition's rows are rows of the whole: a cap of its own would not be the whole story. */
static void
check_topmost(Oid table)
{
	if (has_superclass(table))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a partition or child of another table", get_rel_name(table)),
				 errhint("Set the budget on the topmost parent.")));
}

static Oid
budget_role(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(1))
		return InvalidOid;
	(void) GetUserNameFromId(PG_GETARG_OID(1), false); /* raises an error if there is none */
	return PG_GETARG_OID(1);
}

static Datum
required_cap(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s of a privacy budget must not be null", name)));
	return PG_GETARG_DATUM(argument);
}

static void
check_accountant(FunctionCallInfo fcinfo)
{
	if (!PG_ARGISNULL(4) && strcmp(text_to_cstring(PG_GETARG_TEXT_PP(4)), "basic") == 0)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					PG_ARGISNULL(4) ? errmsg("the accountant must not be null")
									: errmsg("accountant \"%s\" is not known",
											 text_to_cstring(PG_GETARG_TEXT_PP(4))),
					errhint("The accountant of this version is \"basic\": costs add up.")));
}

static void
check_max_releases(FunctionCallInfo fcinfo)
{
	if (!PG_ARGISNULL(5) && PG_GETARG_INT64(5) < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_releases must not be negative")));
}

/* ---- Changes ---------------------------------------------------------------- */

static void
append_role(StringInfo parameters, Oid role)
{
	appendStringInfoString(parameters, "{\"role\": ");
	if (OidIsValid(role))
		escape_json(parameters, GetUserNameFromId(role, false));
	else
		appendStringInfoString(parameters, "null");
}

static char *
describe_budget(Oid role, Datum epsilon, Datum delta, FunctionCallInfo fcinfo)
{
	StringInfoData parameters;

	initStringInfo(&parameters);
	append_role(&parameters, role);
	appendStringInfo(&parameters,
					 ", \"epsilon\": %s, \"delta\": %s, \"accountant\": \"basic\", "
					 "\"max_releases\": ",
					 numeric_normalize(DatumGetNumeric(epsilon)),
					 numeric_normalize(DatumGetNumeric(delta)));
	if (PG_ARGISNULL(5))
		appendStringInfoString(&parameters, "null}");
	else
		appendStringInfo(&parameters, INT64_FORMAT "}", PG_GETARG_INT64(5));
	return parameters.data;
}

PG_FUNCTION_INFO_V1(dpobj_set_budget);
Datum
dpobj_set_budget(PG_FUNCTION_ARGS)
{
	static const char *const statement =
		"INSERT INTO dpobj.budget_rows (relation, role, accountant, epsilon_nano, delta_units,"
		" max_releases) VALUES ($1, nullif($2, 0), 'basic', $3, $4, $5) "
		"ON CONFLICT (relation, (coalesce(role, 0))) DO UPDATE SET accountant = "
		"excluded.accountant,"
		" epsilon_nano = excluded.epsilon_nano, delta_units = excluded.delta_units,"
		" max_releases = excluded.max_releases";
	Oid types[] = {INT8OID, INT8OID, INT8OID, INT8OID, INT8OID};
	Datum values[lengthof(types)];
	const char *nulls = PG_ARGISNULL(5) ? "    n" : "     ";
	BudgetChange change = {InvalidOid};
	Datum epsilon;
	Datum delta;

	admin_require("dpobj.set_budget()");
	epsilon = required_cap(fcinfo, 2, "epsilon");
	delta = required_cap(fcinfo, 3, "delta");
	values[2] = Int64GetDatum(decimal_epsilon_cap(epsilon));
	values[3] = Int64GetDatum(decimal_delta_cap(delta));
	values[4] = PG_ARGISNULL(5) ? (Datum) 0 : PG_GETARG_DATUM(5);
	check_accountant(fcinfo);
	check_max_releases(fcinfo);
	change.role = budget_role(fcinfo);
	change.relation = budget_table(fcinfo);
	check_topmost(change.relation);
	change.parameters = describe_budget(change.role, epsilon, delta, fcinfo);

	charge_lock_table(change.relation, true);
	charge_set_budget(&change);
	values[0] = Int64GetDatum(change.relation_identity);
	values[1] = Int64GetDatum(change.role_identity);
	(void) admin_execute(statement, lengthof(types), types, values, nulls);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dpobj_drop_budget);
Datum
dpobj_drop_budget(PG_FUNCTION_ARGS)
{
	static const char *const statement =
		"DELETE FROM dpobj.budget_rows WHERE relation = $1 AND coalesce(role, 0) = $2";
	static const char *const exists =
		"SELECT FROM dpobj.budget_rows b JOIN dpobj.identity_tables t ON t.id = b.relation"
		" LEFT JOIN dpobj.identity_roles r ON r.id = b.role"
		" WHERE t.relation = $1 AND (r.role = $2 OR b.role IS NULL AND $2 = 0) FOR UPDATE OF b";
	Oid exists_types[] = {OIDOID, OIDOID};
	Datum exists_values[lengthof(exists_types)];
	Oid types[] = {INT8OID, INT8OID};
	Datum values[lengthof(types)];
	BudgetChange change = {InvalidOid};
	StringInfoData parameters;

	admin_require("dpobj.drop_budget()");
	change.role = budget_role(fcinfo);
	change.relation = budget_table(fcinfo);
	initStringInfo(&parameters);
	append_role(&parameters, change.role);
	appendStringInfoChar(&parameters, '}');
	change.parameters = parameters.data;

	charge_lock_table(change.relation, true);
	exists_values[0] = ObjectIdGetDatum(change.relation);
	exists_values[1] = ObjectIdGetDatum(change.role);
	if (admin_execute(exists, lengthof(exists_types), exists_types, exists_values, NULL) == 0)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("there is no such privacy budget on table \"%s\"",
							   get_rel_name(change.relation))));
	charge_drop_budget(&change);
	values[0] = Int64GetDatum(change.relation_identity);
	values[1] = Int64GetDatum(change.role_identity);
	if (admin_execute(statement, lengthof(types), types, values, NULL) != 1)
		elog(ERROR, "could not drop the privacy budget");
	PG_RETURN_VOID();
}

/* ---- The trigger ------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(dpobj_budget_refuse_change);

/* Only our functions and the charge worker, which run as superuser, and superusers pass. */
Datum
dpobj_budget_refuse_change(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("function can only be called as a trigger")));
	if (superuser())
		PG_RETURN_POINTER(NULL);
	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					errmsg("table \"%s\" cannot be changed by hand",
						   RelationGetRelationName(trigger->tg_relation)),
					errhint("Use dpobj.protect, dpobj.set_budget and dpobj.drop_budget.")));
}

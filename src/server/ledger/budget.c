/*
 * budget.c - the SQL functions that set, raise, drop and limit budgets.
 *
 * The row of a budget belongs to the caller's transaction, and ROLLBACK undoes its change.  The
 * charge worker commits the event in the ledger: the event records that an authorised role made
 * the change, not that the transaction committed.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rel.h"

#include "server/ledger/accountant.h"
#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/ledger/budget.h"
#include "server/ledger/charge.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_citus.h"
#include "server/ledger/charge_tables.h"
#include "server/base/argument.h"
#include "server/base/compat.h"
#include "server/base/decimal.h"
#include "server/base/dpobj.h"
#include "server/base/identity.h"

/* ---- Arguments -------------------------------------------------------------- */

/* Returns why the relation cannot have a budget; NULL if it can. */
static const char *
no_budget_table(Oid table)
{
	switch (get_rel_relkind(table))
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
			return get_rel_persistence(table) == RELPERSISTENCE_TEMP ? "temporary" : NULL;
		case RELKIND_VIEW:
			return "a view";
		case RELKIND_MATVIEW:
			return "a materialized view";
		case RELKIND_FOREIGN_TABLE:
			return "a foreign table";
		default:
			return "no table";
	}
}

/* Reads the table argument and locks it, so that it stays a table that can have a budget. */
static Oid
budget_table(FunctionCallInfo fcinfo)
{
	Oid table = DatumGetObjectId(argument_value(fcinfo, 0, "the table of a privacy budget"));
	const char *reason;

	LockRelationOid(table, AccessShareLock);
	if (get_rel_relkind(table) == '\0')
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", table)));
	reason = no_budget_table(table);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" cannot have a privacy budget", get_rel_name(table)),
				 errdetail("It is %s. Budgets are for tables that are not temporary.", reason)));
	return table;
}

/* Another node of Citus counts what is released of the table. */
static void
check_node(Oid table)
{
	const char *hint;
	const char *rule = citus_rule(table, &hint);

	if (rule != NULL)
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("\"%s\" cannot have a privacy budget", get_rel_name(table)),
						errdetail("%s", rule), errhint("%s", hint)));
}

/*
 * Checks the table of a new budget.  Older budgets may be on other tables, after ALTER TABLE ...
 * INHERIT.
 */
static void
check_new_budget(Oid table, const char *hint)
{
	if (identity_is_system_table(table))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" cannot have a privacy budget", get_rel_name(table)),
						errdetail("System catalogs and the tables of dpobj are not read.")));
	charge_tables_check_topmost(table, hint);
	check_node(table);
}

static Oid
budget_role(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(1))
		return InvalidOid;
	(void) GetUserNameFromId(PG_GETARG_OID(1), false); /* raises an error if it does not exist */
	return PG_GETARG_OID(1);
}

static void
check_max_releases(FunctionCallInfo fcinfo)
{
	if (!PG_ARGISNULL(5) && PG_GETARG_INT64(5) < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_releases must not be negative")));
}

/* hint: NULL for none. */
static void
deny_missing_budget(Oid table, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
					errmsg("there is no such privacy budget on table \"%s\"", get_rel_name(table)),
					hint == NULL ? 0 : errhint("%s", hint)));
}

/* ---- Changes ---------------------------------------------------------------- */

/* Returns members of an event's parameters. */
static char *
describe_terms(const AccountantTerms *terms)
{
	StringInfoData members;

	initStringInfo(&members);
	appendStringInfo(&members, "\"accountant\": \"%s\"", accountant_name(terms->kind));
	if (terms->kind == ACCOUNTANT_RDP)
		appendStringInfo(&members, ", \"rdp_order\": %d", terms->order);
	if (terms->kind != ACCOUNTANT_BASIC)
		appendStringInfo(&members, ", \"delta_reserve\": %s",
						 decimal_text(terms->reserve, DELTA_UNIT));
	return members.data;
}

/* Returns the parameters of an event: members (each with a comma after it), role and reason (or
 * NULL). */
static char *
describe_change(Oid role, const char *members, const char *reason)
{
	StringInfoData parameters;

	initStringInfo(&parameters);
	appendStringInfo(&parameters, "{%s\"role\": ", members);
	if (OidIsValid(role))
		escape_json(&parameters, GetUserNameFromId(role, false));
	else
		appendStringInfoString(&parameters, "null");
	if (reason != NULL)
	{
		appendStringInfoString(&parameters, ", \"reason\": ");
		escape_json(&parameters, reason);
	}
	appendStringInfoChar(&parameters, '}');
	return parameters.data;
}

static char *
describe_budget(Oid role, Datum epsilon, Datum delta, const AccountantTerms *terms,
				FunctionCallInfo fcinfo, const char *reason)
{
	const char *most = PG_ARGISNULL(5) ? "null" : psprintf(INT64_FORMAT, PG_GETARG_INT64(5));

	return describe_change(role,
						   psprintf("\"epsilon\": %s, \"delta\": %s, %s, \"max_releases\": %s, ",
									numeric_normalize(DatumGetNumeric(epsilon)),
									numeric_normalize(DatumGetNumeric(delta)),
									describe_terms(terms), most),
						   reason);
}

/* The present terms of a budget. */
typedef struct Budget
{
	AccountantTerms terms;
	int64 max_releases; /* INT64_MAX: any number */
} Budget;

/* Reads a budget or, if limit, the owner's limit; false if there is none. */
static bool
read_budget(Oid table, Oid role, bool limit, Budget *budget)
{
	static const char *const statement =
		"SELECT b.accountant, b.rdp_order, b.epsilon_nano, b.delta_units, b.reserve_units,"
		" b.cost_limit, b.max_releases"
		" FROM dpobj.budget_rows b JOIN dpobj.identity_tables t ON t.id = b.relation"
		" LEFT JOIN dpobj.identity_roles r ON r.id = b.role"
		" WHERE t.relation = $1 AND CASE WHEN $3 THEN b.role = " CppAsString2(
			BUDGET_OF_OWNER) " ELSE r.role = $2 OR b.role IS NULL AND $2 = 0 END";
	Oid types[] = {OIDOID, OIDOID, BOOLOID};
	Datum values[] = {ObjectIdGetDatum(table), ObjectIdGetDatum(role), BoolGetDatum(limit)};
	Datum column[7];
	bool isnull[7];

	if (!admin_select(statement, lengthof(types), types, values, column, isnull))
		return false;
	*budget = (Budget){{.kind = accountant_require(TextDatumGetCString(column[0])),
						.order = isnull[1] ? 0 : DatumGetInt32(column[1]),
						.epsilon = DatumGetInt64(column[2]),
						.delta = DatumGetInt64(column[3]),
						.reserve = DatumGetInt64(column[4]),
						.cost_limit = DatumGetInt64(column[5])},
					   isnull[6] ? INT64_MAX : DatumGetInt64(column[6])};
	return true;
}

/*
 * Refuses another accountant than the present one (theorem A6): an administrator who has seen
 * answers could choose the accountant that suits them.  A missing order is set to the present one.
 */
static void
check_accountant(const AccountantTerms *now, AccountantTerms *terms, const char *first)
{
	const char *name = accountant_name(now->kind);

	if (terms->order == 0 && terms->kind == now->kind)
		terms->order = now->order;
	if (now->kind == terms->kind && now->order == terms->order)
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("the accountant of a privacy budget cannot be changed"),
		 now->kind == ACCOUNTANT_RDP ? errdetail("It is \"rdp\" of order %d.", now->order)
									 : errdetail("It is \"%s\".", name),
		 now->kind == terms->kind
			 ? errhint("To change its other limits, leave rdp_order out. For another order, %s.",
					   first)
			 : errhint("To change its other limits, pass accountant => '%s'. For another "
					   "accountant, %s.",
					   name, first)));
}

/* Refuses a budget above the owner's limit. */
static void
check_limit(Oid table, const AccountantTerms *terms)
{
	Budget limit;

	if (!read_budget(table, InvalidOid, true, &limit) ||
		(terms->epsilon <= limit.terms.epsilon && terms->delta <= limit.terms.delta))
		return;
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
					errmsg("the privacy budget would exceed the limit of the table's owner"),
					errdetail("The limit is epsilon %s and delta %s.",
							  decimal_text(limit.terms.epsilon, EPSILON_UNIT),
							  decimal_text(limit.terms.delta, DELTA_UNIT)),
					errhint("Ask the owner of the table to raise it: dpobj.limit_budget(relation, "
							"epsilon, delta, reason).")));
}

static void
read_terms(FunctionCallInfo fcinfo, Datum epsilon, Datum delta, AccountantTerms *terms)
{
	*terms = (AccountantTerms){
		.kind =
			accountant_require(TextDatumGetCString(argument_value(fcinfo, 4, "the accountant"))),
		.epsilon = decimal_epsilon_cap(epsilon, "epsilon of a budget"),
		.delta = decimal_delta_cap(delta, "delta of a budget"),
	};
	if (!PG_ARGISNULL(6))
	{
		if (terms->kind != ACCOUNTANT_RDP)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("rdp_order is for accountant \"rdp\"")));
		terms->order = PG_GETARG_INT32(6);
		accountant_check_order(terms->order);
	}
	if (!PG_ARGISNULL(7))
	{
		if (terms->kind == ACCOUNTANT_BASIC)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("delta_reserve is for accountants \"zcdp\" and \"rdp\""),
							errdetail("Under \"basic\" all of delta is for releases.")));
		terms->reserve = decimal_delta_cap(PG_GETARG_DATUM(7), "delta_reserve");
	}
}

static void
change_row(const char *statement, int count, Oid *types, Datum *values, const char *nulls)
{
	if (admin_execute(statement, count, types, values, nulls) != 1)
		elog(ERROR, "could not change the privacy budget");
}

/* role: an identity, 0 for all roles, or BUDGET_OF_OWNER. */
static void
store_budget(const TableChange *change, int64 role, const AccountantTerms *terms,
			 FunctionCallInfo fcinfo)
{
	/* the next charge computes the sums, because this transaction may not see all charges */
	static const char *const statement =
		"INSERT INTO dpobj.budget_rows (relation, role, accountant, rdp_order, epsilon_nano,"
		" delta_units, reserve_units, cost_limit, max_releases)"
		" VALUES ($1, nullif($2, 0), $3, nullif($4, 0), $5, $6, $7, $8, $9) "
		"ON CONFLICT (relation, (coalesce(role, 0))) DO UPDATE SET"
		" epsilon_nano = excluded.epsilon_nano, delta_units = excluded.delta_units,"
		" reserve_units = excluded.reserve_units, cost_limit = excluded.cost_limit,"
		" max_releases = excluded.max_releases,"
		" cost_spent = NULL, delta_spent = NULL, releases_spent = NULL"
		" WHERE (budget_rows.accountant, coalesce(budget_rows.rdp_order, 0))"
		" = (excluded.accountant, coalesce(excluded.rdp_order, 0))";
	Oid types[] = {INT8OID, INT8OID, TEXTOID, INT4OID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID};
	const char *nulls = PG_ARGISNULL(5) ? "        n" : "         ";
	Datum values[] = {Int64GetDatum(change->relation_identity),
					  Int64GetDatum(role),
					  CStringGetTextDatum(accountant_name(terms->kind)),
					  Int32GetDatum(terms->order),
					  Int64GetDatum(terms->epsilon),
					  Int64GetDatum(terms->delta),
					  Int64GetDatum(terms->reserve),
					  Int64GetDatum(terms->cost_limit),
					  PG_ARGISNULL(5) ? (Datum) 0 : PG_GETARG_DATUM(5)};

	/* check_accountant() has compared the accountants of the WHERE clause */
	change_row(statement, lengthof(types), types, values, nulls);
}

/* role as in store_budget() */
static void
delete_budget(const TableChange *change, int64 role)
{
	static const char *const statement =
		"DELETE FROM dpobj.budget_rows WHERE relation = $1 AND coalesce(role, 0) = $2";
	Oid types[] = {INT8OID, INT8OID};
	Datum values[] = {Int64GetDatum(change->relation_identity), Int64GetDatum(role)};

	change_row(statement, lengthof(types), types, values, NULL);
}

PG_FUNCTION_INFO_V1(dpobj_set_budget);
Datum
dpobj_set_budget(PG_FUNCTION_ARGS)
{
	TableChange change = {InvalidOid};
	AccountantTerms terms;
	Budget now;
	Datum epsilon;
	Datum delta;

	admin_require("dpobj.set_budget()");
	epsilon = argument_value(fcinfo, 2, "epsilon of a privacy budget");
	delta = argument_value(fcinfo, 3, "delta of a privacy budget");
	read_terms(fcinfo, epsilon, delta, &terms);
	check_max_releases(fcinfo);
	change.role = budget_role(fcinfo);
	change.relation = budget_table(fcinfo);
	check_new_budget(change.relation, "Set the budget on the topmost parent.");

	charge_lock_table(change.relation, true);
	if (read_budget(change.relation, change.role, false, &now))
		check_accountant(&now.terms, &terms,
						 "drop the budget first, before anybody has seen answers under it");
	accountant_set_limit(&terms);
	check_limit(change.relation, &terms);
	decimal_warn_of_large_delta(terms.delta);
	change.parameters = describe_budget(change.role, epsilon, delta, &terms, fcinfo, NULL);
	charge_table_change(CHARGE_SET_BUDGET, &change);
	store_budget(&change, change.role_identity, &terms, fcinfo);
	PG_RETURN_VOID();
}

/* ---- Top-ups ---------------------------------------------------------------- */

#define REASON_MAX 1000

static char *
required_reason(FunctionCallInfo fcinfo, int argument)
{
	char *reason = PG_ARGISNULL(argument) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(argument));

	if (strspn(reason, " \t\n\r") == strlen(reason))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("raising or removing a limit needs a reason"),
						errhint("Pass it as \"reason\": the ledger keeps it.")));
	if (strlen(reason) > REASON_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the reason must not be longer than %d bytes", REASON_MAX)));
	return reason;
}

static char *
describe_raise(Oid role, Datum epsilon, Datum delta, const AccountantTerms *terms,
			   const char *reason)
{
	return describe_change(role,
						   psprintf("\"epsilon_added\": %s, \"delta_added\": %s, \"epsilon\": %s,"
									" \"delta\": %s, %s, ",
									numeric_normalize(DatumGetNumeric(epsilon)),
									numeric_normalize(DatumGetNumeric(delta)),
									decimal_text(terms->epsilon, EPSILON_UNIT),
									decimal_text(terms->delta, DELTA_UNIT), describe_terms(terms)),
						   reason);
}

static void
store_raise(const TableChange *change, const AccountantTerms *terms)
{
	static const char *const statement =
		"UPDATE dpobj.budget_rows SET epsilon_nano = $3, delta_units = $4, reserve_units = $5,"
		" cost_limit = $6 WHERE relation = $1 AND coalesce(role, 0) = $2";
	Oid types[] = {INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID};
	Datum values[] = {Int64GetDatum(change->relation_identity),
					  Int64GetDatum(change->role_identity),
					  Int64GetDatum(terms->epsilon),
					  Int64GetDatum(terms->delta),
					  Int64GetDatum(terms->reserve),
					  Int64GetDatum(terms->cost_limit)};

	change_row(statement, lengthof(types), types, values, NULL);
}

static void
raise_terms(AccountantTerms *terms, int64 epsilon, int64 delta)
{
	if (epsilon == 0 && delta == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon or delta must be greater than zero")));
	terms->epsilon += epsilon;
	terms->delta += delta;
	if (terms->epsilon > EPSILON_CAP_MAX * EPSILON_ONE || terms->delta > DELTA_ONE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the raised privacy budget would be out of range"),
						errdetail("epsilon is at most %d, delta at most 1.", EPSILON_CAP_MAX)));
	accountant_set_limit(terms);
}

/* The added delta is for the conversion of the sum; under "basic" it is for releases. */
PG_FUNCTION_INFO_V1(dpobj_raise_budget);
Datum
dpobj_raise_budget(PG_FUNCTION_ARGS)
{
	TableChange change = {InvalidOid};
	Budget budget;
	AccountantTerms *terms = &budget.terms;
	Datum epsilon;
	Datum delta;
	char *reason;

	admin_require("dpobj.raise_budget()");
	epsilon = argument_value(fcinfo, 2, "epsilon of a privacy budget");
	delta = argument_value(fcinfo, 3, "delta of a privacy budget");
	reason = required_reason(fcinfo, 4);
	change.role = budget_role(fcinfo);
	change.relation = budget_table(fcinfo);
	check_node(change.relation);

	charge_lock_table(change.relation, true);
	if (!read_budget(change.relation, change.role, false, &budget))
		deny_missing_budget(change.relation, "To set one, use dpobj.set_budget(relation, role, "
											 "epsilon, delta).");
	raise_terms(terms, decimal_epsilon_cap(epsilon, "added epsilon"),
				decimal_delta_cap(delta, "added delta"));
	check_limit(change.relation, terms);
	decimal_warn_of_large_delta(terms->delta);
	change.parameters = describe_raise(change.role, epsilon, delta, terms, reason);
	charge_table_change(CHARGE_RAISE_BUDGET, &change);
	store_raise(&change, terms);
	PG_RETURN_VOID();
}

/* ---- Dropping --------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(dpobj_drop_budget);
Datum
dpobj_drop_budget(PG_FUNCTION_ARGS)
{
	static const char *const exists =
		"SELECT FROM dpobj.budget_rows b JOIN dpobj.identity_tables t ON t.id = b.relation"
		" LEFT JOIN dpobj.identity_roles r ON r.id = b.role"
		" WHERE t.relation = $1 AND (r.role = $2 OR b.role IS NULL AND $2 = 0) FOR UPDATE OF b";
	Oid types[] = {OIDOID, OIDOID};
	Datum values[lengthof(types)];
	TableChange change = {InvalidOid};

	admin_require("dpobj.drop_budget()");
	change.role = budget_role(fcinfo);
	change.relation = budget_table(fcinfo);
	change.parameters = describe_change(change.role, "", NULL);

	charge_lock_table(change.relation, true);
	values[0] = ObjectIdGetDatum(change.relation);
	values[1] = ObjectIdGetDatum(change.role);
	if (admin_execute(exists, lengthof(types), types, values, NULL) == 0)
		deny_missing_budget(change.relation, NULL);
	charge_table_change(CHARGE_DROP_BUDGET, &change);
	delete_budget(&change, change.role_identity);
	PG_RETURN_VOID();
}

/* ---- The owner's limit ------------------------------------------------------ */

void
budget_require_owner(Oid table, const char *function)
{
	PreventCommandIfReadOnly(function);
	PreventCommandIfParallelMode(function);
	PreventCommandDuringRecovery(function);
	acting_refuse_maintenance(function);
	if (!owns_table(table, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table %s", get_rel_name(table)),
				 errdetail("Only the owner or a superuser may call function %s.", function)));
}

bool
budget_is_limited(Oid table)
{
	static const char *const statement =
		"SELECT true FROM dpobj.identity_tables t JOIN dpobj.families f ON f.id = t.id"
		" JOIN dpobj.budget_rows b ON b.relation = ANY (f.members)"
		" WHERE t.relation = $1 AND b.role = " CppAsString2(BUDGET_OF_OWNER);
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(table)};
	Datum found;
	bool isnull;

	return admin_select(statement, lengthof(types), types, values, &found, &isnull);
}

static bool
is_raise(const Budget *now, const AccountantTerms *terms, FunctionCallInfo fcinfo)
{
	int64 max_releases = PG_ARGISNULL(5) ? INT64_MAX : PG_GETARG_INT64(5);

	return terms->epsilon > now->terms.epsilon || terms->delta > now->terms.delta ||
		   terms->reserve > now->terms.reserve || terms->cost_limit > now->terms.cost_limit ||
		   max_releases > now->max_releases;
}

static void
remove_limit(TableChange *change, const char *reason)
{
	Budget now;

	if (!read_budget(change->relation, InvalidOid, true, &now))
		deny_missing_budget(change->relation, NULL);
	change->parameters =
		describe_change(InvalidOid, "\"epsilon\": null, \"delta\": null, ", reason);
	charge_table_change(CHARGE_LIMIT_BUDGET, change);
	delete_budget(change, BUDGET_OF_OWNER);
}

static void
set_limit(TableChange *change, FunctionCallInfo fcinfo)
{
	Datum epsilon = argument_value(fcinfo, 1, "epsilon of a privacy budget");
	Datum delta = argument_value(fcinfo, 2, "delta of a privacy budget");
	char *reason = PG_ARGISNULL(3) ? NULL : required_reason(fcinfo, 3);
	AccountantTerms terms;
	Budget now;
	bool exists = read_budget(change->relation, InvalidOid, true, &now);

	if (!exists)
		check_new_budget(change->relation, "Limit the topmost parent.");
	read_terms(fcinfo, epsilon, delta, &terms);
	check_max_releases(fcinfo);
	if (exists)
		check_accountant(
			&now.terms, &terms,
			"remove the limit first: dpobj.limit_budget(relation, NULL, NULL, reason)");
	accountant_set_limit(&terms);
	if (exists && is_raise(&now, &terms, fcinfo))
		reason = required_reason(fcinfo, 3);
	decimal_warn_of_large_delta(terms.delta);
	change->parameters = describe_budget(InvalidOid, epsilon, delta, &terms, fcinfo, reason);
	charge_table_change(CHARGE_LIMIT_BUDGET, change);
	store_budget(change, BUDGET_OF_OWNER, &terms, fcinfo);
}

/*
 * dpobj.limit_budget(relation, epsilon, delta, reason, accountant, max_releases, rdp_order,
 * delta_reserve): the last four have the same positions as in dpobj.set_budget.  The limit is a
 * budget for all roles, stored with the role BUDGET_OF_OWNER.  Charges count and lock it like any
 * other budget, and no function of administrators can name it.
 */
PG_FUNCTION_INFO_V1(dpobj_limit_budget);
Datum
dpobj_limit_budget(PG_FUNCTION_ARGS)
{
	TableChange change = {InvalidOid};

	change.relation = budget_table(fcinfo);
	budget_require_owner(change.relation, "dpobj.limit_budget()");
	charge_lock_table(change.relation, true);
	if (PG_ARGISNULL(1) && PG_ARGISNULL(2))
		remove_limit(&change, required_reason(fcinfo, 3));
	else
		set_limit(&change, fcinfo);
	PG_RETURN_VOID();
}

/* Under other neighbours the same costs could count for less, so only the owner may change them. */
void
budget_check_unit(Oid table, const char *adjacency, const char *person, int earlier_rows)
{
	static const char *const statement =
		"SELECT true FROM dpobj.budget_rows b JOIN dpobj.identity_tables t ON t.id = b.relation"
		" LEFT JOIN dpobj.protections p ON p.relation = b.relation"
		" WHERE t.relation = $1 AND b.role = " CppAsString2(
			BUDGET_OF_OWNER) " AND (coalesce(p.adjacency, 'replace'), coalesce(p.person, ''),"
							 " coalesce(p.earlier_rows_per_person, 0)) "
							 "<> ($2, $3, $4)";
	Oid types[] = {OIDOID, TEXTOID, TEXTOID, INT4OID};
	Datum values[] = {ObjectIdGetDatum(table), CStringGetTextDatum(adjacency),
					  CStringGetTextDatum(person == NULL ? "" : person),
					  Int32GetDatum(earlier_rows)};
	Datum found;
	bool isnull;

	if (owns_table(table, GetUserId()) ||
		!admin_select(statement, lengthof(types), types, values, &found, &isnull))
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
		 errmsg("the limit of the table's owner is about other neighbours"),
		 errdetail("The adjacency, the person or earlier_rows_per_person of table \"%s\" "
				   "would change.",
				   get_rel_name(table)),
		 errhint("The owner can remove the limit first: dpobj.limit_budget(relation, NULL, NULL, "
				 "reason).")));
}

/* ---- The trigger ------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(dpobj_refuse_change);

/* Allows superusers: the functions of dpobj and the charge worker act as one. */
Datum
dpobj_refuse_change(PG_FUNCTION_ARGS)
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
					errhint("%s", trigger->tg_trigger->tgnargs > 0 ? trigger->tg_trigger->tgargs[0]
																   : "It is written by dpobj.")));
}

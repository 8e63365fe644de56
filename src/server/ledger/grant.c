/*
 * grant.c - the grant to train, checked in the backend before a worker starts.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/base/admin.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_cost.h"
#include "server/ledger/charge_tables.h"
#include "server/base/dpobj.h"
#include "server/ledger/grant.h"

/* The budgets on some tables that a role holds itself or as a member of a group. */
#define GRANTS(tables, role)                                                                       \
	"ARRAY(WITH RECURSIVE payers(role) AS (SELECT " role                                           \
	" UNION SELECT m.roleid FROM pg_auth_members m JOIN payers p ON m.member = p.role)"            \
	" SELECT b.id FROM dpobj.budget_rows b"                                                        \
	" JOIN dpobj.identity_tables t ON t.id = b.relation"                                           \
	" JOIN dpobj.identity_roles r ON r.id = b.role"                                                \
	" WHERE t.relation " tables " AND r.role IN (SELECT role FROM payers) ORDER BY b.id)"

void
grant_check_caller(Oid table, bool must_hold)
{
	static const char *const statement =
		"SELECT s = c AND (s <> '{}' OR NOT $4) FROM (SELECT " GRANTS(
			"= ANY ($1::oid[])", "$2") " AS s, " GRANTS("= ANY ($1::oid[])", "$3") " AS c) g";
	const char *texts[CHARGE_TEXTS];
	Oid types[] = {TEXTOID, OIDOID, OIDOID, BOOLOID};
	Datum values[lengthof(types)];
	Datum same;
	bool isnull;

	if (GetUserId() == GetSessionUserId())
		return;
	(void) charge_tables_describe(table, texts);
	values[0] = CStringGetTextDatum(texts[CHARGE_TEXT_OIDS]);
	values[1] = ObjectIdGetDatum(GetSessionUserId());
	values[2] = ObjectIdGetDatum(GetUserId());
	values[3] = BoolGetDatum(must_hold);
	if (admin_select(statement, lengthof(types), types, values, &same, &isnull) &&
		DatumGetBool(same))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("current role \"%s\" does not hold the privacy budgets of session user \"%s\"",
					GetUserNameFromId(GetUserId(), false),
					GetUserNameFromId(GetSessionUserId(), false)),
			 errdetail("The session user would pay and the current role would get the answer."),
			 errhint("Call it outside of SECURITY DEFINER functions, after RESET ROLE "
					 "or SET SESSION AUTHORIZATION.")));
}

/* ---- Budgets ---------------------------------------------------------------- */

bool
grant_is_held(Oid table)
{
	static const char *const statement = "SELECT cardinality(" GRANTS("= $1", "$2") ") > 0";
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(table), ObjectIdGetDatum(GetSessionUserId())};
	Datum held;
	bool isnull;

	return admin_select(statement, lengthof(types), types, values, &held, &isnull) &&
		   DatumGetBool(held);
}

void
grant_require(Oid table)
{
	if (grant_is_held(table))
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_DPOBJ_NO_BUDGET),
		 errmsg("role \"%s\" has no privacy budget on table \"%s\"",
				GetUserNameFromId(GetSessionUserId(), false), get_rel_name(table)),
		 errdetail("A budget of the role, or of a group that it is a member of, is the grant to "
				   "train on a table."),
		 errhint("Ask a member of dpobj_admin for one: SELECT dpobj.set_budget(relation, role, "
				 "epsilon, delta).")));
}

void
grant_check_budgets(Oid table, const Pair *pair, Adjacency adjacency)
{
	static const char *const exceeded =
		"WITH RECURSIVE payers(role) AS (SELECT $10"
		" UNION SELECT m.roleid FROM pg_auth_members m JOIN payers p ON m.member = p.role) "
		"SELECT dpobj_internal.budget_exceeded("
		"ARRAY(SELECT unnest(t.id || ARRAY(SELECT p.population FROM dpobj.population_tables p"
		" WHERE p.relation = t.id)) FROM dpobj.identity_tables t WHERE t.relation = $9),"
		" ARRAY(SELECT r.id FROM dpobj.identity_roles r WHERE r.role IN (SELECT role FROM payers)),"
		" " CHARGE_COST_ROW ")";
	Oid types[CHARGE_COST_PARAMETERS + 2];
	Datum values[lengthof(types)];
	ChargeCost cost;
	Datum result;
	bool isnull;

	grant_require(table);
	charge_cost_of(pair, adjacency, &cost);
	charge_cost_parameters(&cost, types, values);
	types[CHARGE_COST_PARAMETERS] = types[CHARGE_COST_PARAMETERS + 1] = OIDOID;
	values[CHARGE_COST_PARAMETERS] = ObjectIdGetDatum(table);
	values[CHARGE_COST_PARAMETERS + 1] = ObjectIdGetDatum(GetSessionUserId());
	(void) admin_select(exceeded, lengthof(types), types, values, &result, &isnull);
	if (!isnull)
		charge_deny_exhausted(TextDatumGetCString(result));
}

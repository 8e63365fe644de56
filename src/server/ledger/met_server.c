/*
 * met_server.c - remembers the epochs of other servers, and lets an administrator confirm all.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/json.h"

#include "server/base/admin.h"
#include "server/ledger/charge.h"
#include "server/ledger/epoch.h"
#include "server/ledger/met_server.h"

/* ---- Other servers ---------------------------------------------------------- */

/* Events since the last confirmation; ledger_events_servers_idx has them. */
#define REMEMBERED                                                                                 \
	" FROM dpobj.ledger_events e WHERE e.event = 'remember_server' AND e.id > coalesce((SELECT"    \
	" max(c.id) FROM dpobj.ledger_events c WHERE c.event = 'confirm_epoch'), 0)"

#define IDENTITY(epoch) "(split_part(" epoch ", '/', 1), split_part(" epoch ", '/', 2))"
#define FIRST_EPOCH(condition)                                                                     \
	"(SELECT (SELECT e.parameters ->> 'epoch'" REMEMBERED " AND e.parameters ->> 'owner' = $2"     \
	" AND " condition " ORDER BY e.id LIMIT 1))"

/*
 * Is its epoch the first one that was met under its name and with its identity?  *is_new: none was
 * under its name.  The first event counts: of two at a time, the second one finds that it is not.
 */
static bool
is_as_remembered(const MetServer *met, bool *is_new)
{
	static const char *const statement =
		"SELECT n.epoch IS NULL, (coalesce(n.epoch, $3), coalesce(i.epoch, $3)) = ($3, $3)"
		" FROM " FIRST_EPOCH("e.parameters ->> 'server' = $1") " n(epoch), " FIRST_EPOCH(
			IDENTITY("e.parameters ->> 'epoch'") " = " IDENTITY("$3")) " i(epoch)";
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(met->name), CStringGetTextDatum(met->owner),
					  CStringGetTextDatum(met->epoch)};
	Datum found[2];
	bool isnull[2];

	if (!admin_select(statement, lengthof(types), types, values, found, isnull))
		elog(ERROR, "a query of one row has none");
	*is_new = DatumGetBool(found[0]);
	return DatumGetBool(found[1]);
}

static void
remember(const MetServer *met)
{
	TableChange change = {met->table};
	StringInfoData parameters;

	charge_precheck();
	initStringInfo(&parameters);
	appendStringInfoString(&parameters, "{\"server\": ");
	escape_json(&parameters, met->name);
	appendStringInfoString(&parameters, ", \"owner\": ");
	escape_json(&parameters, met->owner);
	appendStringInfoString(&parameters, ", \"epoch\": ");
	escape_json(&parameters, met->epoch);
	appendStringInfoChar(&parameters, '}');
	change.parameters = parameters.data;
	if (OidIsValid(met->table))
		charge_table_change(CHARGE_REMEMBER_SERVER, &change);
	else
		charge_without_table(CHARGE_REMEMBER_SERVER, parameters.data);
}

bool
epoch_of_server_is(const MetServer *met)
{
	bool is_new;

	if (!is_as_remembered(met, &is_new))
		return false;
	if (!is_new)
		return true;
	remember(met);
	return is_as_remembered(met, &is_new);
}

static bool
any_is_remembered(void)
{
	Datum found;
	bool isnull;

	return admin_select("SELECT true" REMEMBERED " LIMIT 1", 0, NULL, NULL, &found, &isnull);
}

/* ---- Confirmation ----------------------------------------------------------- */

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
	if (epoch_is_confirmed() && !any_is_remembered())
		ereport(NOTICE, (errmsg("there is nothing to confirm")));
	else
	{
		charge_without_table(CHARGE_CONFIRM_EPOCH, "{}");
		warn_of_unbound_budgets();
	}
	PG_RETURN_VOID();
}

/*
 * role_end.c - drops the budgets and schedules of a dropped role, and the shares of models with it.
 *
 * The OID of a dropped role can be given to another one.  Its identity in the ledger is found by
 * name only from then on: a role that is created under the old name goes on with what was spent.
 * DROP ROLE does this in the database where it runs.  In others the process that writes the
 * ledger does it, before a role or table gets an identity or a name there.
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"

#include "server/base/admin.h"
#include "server/base/extension.h"
#include "server/ledger/charge_plan.h"
#include "server/ledger/role_end.h"

#define HERE "dpobj_internal.origin()"

/* $1: a role that is being dropped, or 0. */
#define ENDED(object)                                                                              \
	"(" object " = $1 OR NOT EXISTS (SELECT FROM pg_authid a WHERE a.oid = " object "))"

/* The suffix makes room for the identity of the next role with the OID. */
static const char *const statement =
	"WITH ended AS (UPDATE dpobj.identities i SET origin = i.origin || ' until ' || i.id"
	" WHERE i.kind = 'role' AND i.origin = " HERE " AND " ENDED(
		"i.object") " RETURNING i.id),"
					" unshared AS (DELETE FROM dpobj.model_shares s WHERE s.origin = " HERE
					" AND " ENDED(
						"s.role") "),"
								  " unscheduled AS (DELETE FROM dpobj.schedule_rows s WHERE "
								  "s.origin = " HERE " AND " ENDED(
									  "s.owner") "),"
												 " disowned AS (UPDATE dpobj.job_rows j SET role = "
												 "0 WHERE j.origin = " HERE " AND " ENDED(
													 "j.role") " AND j.role <> 0 AND j.state NOT "
															   "IN ('queued', 'running'))"
															   " DELETE FROM dpobj.budget_rows b "
															   "USING ended e WHERE b.role = e.id";

static object_access_hook_type next_hook = NULL;

static void
end_with_role(ObjectAccessType access, Oid class, Oid object, int part, void *argument)
{
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(object)};

	if (next_hook != NULL)
		next_hook(access, class, object, part, argument);
	if (access != OAT_DROP || class != AuthIdRelationId || !extension_hold())
		return;
	extension_release();
	(void) admin_execute_latest(statement, lengthof(types), types, values);
}

void
role_end_sweep(void)
{
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(InvalidOid)};

	(void) charge_query(statement, lengthof(types), types, values);
}

void
role_end_install(void)
{
	next_hook = object_access_hook;
	object_access_hook = end_with_role;
}

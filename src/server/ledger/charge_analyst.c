/*
 * charge_analyst.c - the charge worker's further checks at the analyst's door: grant, least epsilon
 * and failures.
 *
 * The backend has checked the same and reported it to the analyst.  The worker's checks decide:
 * they run under the locks of the table's budgets, and the session's settings have no effect on
 * them.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "core/base/privacy.h"

#include "server/ledger/charge_analyst.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_setting.h"
#include "server/base/dpobj.h"

/* ---- Grant ------------------------------------------------------------------ */

/* A budget for all roles is a cap, not a grant. */
static void
check_grant(ChargeRequest *request, const ChargeParties *parties)
{
	static const char *const statement =
		"SELECT FROM dpobj.budget_rows b WHERE b.relation = ANY ($1) AND b.role = ANY ($2)";
	Oid types[] = {INT8ARRAYOID, INT8ARRAYOID};
	Datum values[] = {parties->tables, parties->payers};

	if (!charge_query(statement, lengthof(types), types, values))
		charge_deny_without_budget(request);
}

/* ---- Settings --------------------------------------------------------------- */

/*
 * The value of a setting for the role: the session's if it is a superuser, else the stored setting,
 * else the server's.
 */
static double
real_setting(const ChargeRequest *request, const char *name, double session, double server)
{
	const char *text;
	double number;

	if (superuser_arg(request->role))
		return session;
	text = charge_setting(request->role, name);
	return text != NULL && parse_real(text, &number, 0, NULL) ? number : server;
}

static int
integer_setting(const ChargeRequest *request, const char *name, int flags, int session, int server)
{
	const char *text;
	int number;

	if (superuser_arg(request->role))
		return session;
	text = charge_setting(request->role, name);
	return text != NULL && parse_int(text, &number, flags, NULL) ? number : server;
}

/* ---- Least epsilon ---------------------------------------------------------- */

void
charge_check_least_epsilon(int64 epsilon, double least)
{
	if (epsilon < (int64) ceil(least * EPSILON_ONE))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon of a release must be at least %g", least),
						errdetail("The least is the setting dpobj.min_epsilon.")));
}

static void
check_epsilon(ChargeRequest *request)
{
	double least =
		real_setting(request, "dpobj.min_epsilon", request->min_epsilon, dpobj_min_epsilon);

	if (request->cost.epsilon < (int64) ceil(least * EPSILON_ONE))
		request->denied = true;
	charge_check_least_epsilon(request->cost.epsilon, least);
}

/* ---- Failures --------------------------------------------------------------- */

/* The limit for all roles together, as a multiple of the limit for one. */
#define ROLES_THAT_FAIL 3

static _Noreturn void
deny_failures(ChargeRequest *request, const char *whose, int64 limit)
{
	request->denied = true;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("releases from this table have failed too often"),
			 errdetail("At most " INT64_FORMAT " releases of %s may fail, because each "
					   "failure may tell something about the rows.",
					   limit, whose),
			 errhint("A superuser can find the reasons in the server log; a member of dpobj_admin "
					 "can call dpobj.reset_failures().")));
}

/*
 * The failure of a release is a bit about the rows that no noise protects (rule F2), so failures
 * are limited: for each role, so that no role closes the table to others, and for all roles
 * together, which may collude.  Failures on relatives count too, because their rows are rows of
 * this table, and those on other tables of the population, because they are about the same people.
 */
static void
check_failures(ChargeRequest *request, const ChargeParties *parties)
{
	static const char *const statement =
		"SELECT count(*) FILTER (WHERE f.role_identity = $2), count(*)"
		" FROM dpobj.counted_failures f WHERE f.relation_identity = ANY ($1)"
		" OR f.relation_identity IN (SELECT unnest(o.members) FROM dpobj.population_tables t"
		" JOIN dpobj.families o ON o.id = t.population WHERE t.relation = ANY ($1))";
	Oid types[] = {INT8ARRAYOID, INT8OID};
	Datum values[] = {parties->tables, parties->role};
	int64 limit = integer_setting(request, "dpobj.max_failures", 0, request->max_failures,
								  dpobj_max_failures);
	bool isnull;

	(void) charge_query(statement, lengthof(types), types, values);
	if (DatumGetInt64(charge_column(0, 1, &isnull)) >= limit)
		deny_failures(request, "a role", limit);
	if (DatumGetInt64(charge_column(0, 2, &isnull)) >= ROLES_THAT_FAIL * limit)
		deny_failures(request, "all roles", ROLES_THAT_FAIL * limit);
}

void
charge_check_analyst(ChargeRequest *request, const ChargeParties *parties)
{
	check_grant(request, parties);
	check_epsilon(request);
	check_failures(request, parties);
	request->release_tick = integer_setting(request, "dpobj.release_tick", GUC_UNIT_MS,
											request->release_tick, dpobj_release_tick);
}

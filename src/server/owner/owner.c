/*
 * owner.c - what follows the charge of an aggregate or of a window function.
 */
#include "postgres.h"

#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "server/analyst/analyst.h"
#include "server/ledger/charge.h"
#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/owner/owner.h"

/*
 * The outer user is the one who gets the answer: the session's, or that of its SET ROLE.  Column
 * privileges are not looked at; who has only those is taken for somebody who may not read.
 */
static bool
caller_may_read(Oid table)
{
	Oid caller = GetOuterUserId();

	return schema_aclcheck(get_rel_namespace(table), caller) == ACLCHECK_OK &&
		   pg_class_aclcheck(table, caller, ACL_SELECT) == ACLCHECK_OK &&
		   check_enable_rls(table, caller, true) != RLS_ENABLED;
}

bool
owner_attempt(int64 release, const PlanTable *table, bool (*work)(void *context), void *context)
{
	AnalystTerms terms = {.release_tick = dpobj_release_tick};

	if (caller_may_read(table->named))
		return work(context);
	if (!analyst_try(release, &terms, work, context))
	{
		charge_failed(NULL, release);
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_STOPPED), errmsg(ANALYST_FAILURE),
						errdetail("The charge stays. The reason is in the server log only.")));
	}
	return true;
}

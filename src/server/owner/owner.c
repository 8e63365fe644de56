/*
 * owner.c - the checks of the aggregates and the window function.
 */
#include "postgres.h"

#include "access/relation.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "server/base/acting.h"
#include "server/ledger/charge.h"
#include "server/base/argument.h"
#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/identity.h"
#include "server/owner/owner.h"
#include "server/rows/declared_values.h"
#include "server/rows/protection.h"

/* ---- checks ---- */

void
owner_open_call(FunctionCallInfo fcinfo, PlanCall *call, PlanTable *table)
{
	plan_read_call(fcinfo, call);
	plan_check_shape(call, table);
	charge_precheck();
}

Oid
owner_argument_type(PlanCall *call, int position)
{
	return exprType((Node *) list_nth_node(TargetEntry, call->aggref->args, position)->expr);
}

Datum
owner_argument(PlanCall *call, int position, const char *name)
{
	bool isnull;
	Datum value = plan_constant_argument(call, position, name, &isnull);

	argument_require(isnull, name);
	return value;
}

void
owner_check_label(PlanCall *call, int position, const PlanTable *table, const LabelRule *rule,
				  const char *place)
{
	bool has_values = rule->positive.count > 0 || rule->classes.count > 0;
	const char *column = NULL;
	Protection protection;
	Relation relation;
	Encoders declared;

	if (has_values && table != NULL && table->is_protected)
		column = plan_argument_column(call, position);
	if (column == NULL)
		return;
	relation = acting_open(table->oid, AccessShareLock);
	if (protection_find_topmost(relation, &protection))
	{
		protection_encoders(&protection, RelationGetDescr(relation),
							list_make1(unconstify(char *, column)), NULL, NIL, &declared);
		if (declared.count > 0)
			declared_values_check_label(&declared.encoder[0], rule, place);
	}
	relation_close(relation, AccessShareLock);
}

void *
owner_accumulation(FunctionCallInfo fcinfo, MemoryContext *context,
				   void *(*create)(FunctionCallInfo fcinfo))
{
	if (AggCheckCallContext(fcinfo, context) != AGG_CONTEXT_AGGREGATE)
	{
		PlanCall call;

		plan_read_call(fcinfo, &call); /* raises the error that fits */
	}
	if (fcinfo->flinfo->fn_extra == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		fcinfo->flinfo->fn_extra = create(fcinfo);
		MemoryContextSwitchTo(old);
	}
	return fcinfo->flinfo->fn_extra;
}

void
owner_check_combine(FunctionCallInfo fcinfo, const char *name, MemoryContext *context)
{
	if (!AggCheckCallContext(fcinfo, context))
		ereport(ERROR,
				(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
				 errmsg("dpobj_internal.%s cannot be called outside an aggregate query", name)));
	plan_check_aggregate(fcinfo);
}

/* ---- the release ---- */

/* The outer user gets the answer: the session's user, or that of its SET ROLE. */
void
owner_begin(Release *release, const ReleaseKind *kind, FunctionCallInfo fcinfo,
			const PlanTable *table)
{
	release->kind = kind;
	release->fcinfo = fcinfo;
	release->table = table->oid;
	release->by_reader = table_is_readable(table->named, GetOuterUserId());
}

/*
 * plan_model.c - the only argument that a sub-select may compute: the model that is evaluated.
 *
 * The model must have one value for the whole statement, as an uncorrelated sub-select has: it runs
 * once, as an InitPlan.  The guarantee is for the rows under a model that does not depend on them,
 * so a sub-select that scans the evaluated table is refused, unless it takes only a release of a
 * private aggregate from there.  Views of dpobj read none.  Tables that functions of the sub-select
 * read are not seen, and neither is a copy of the rows in another table.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "parser/parsetree.h"

#include "server/base/argument.h"
#include "server/base/compat.h"
#include "server/base/seen_scan.h"
#include "server/plan/plan_shape.h"

/* ---- what a sub-select reads ---- */

typedef struct Reader
{
	EState *estate;
	Oid table; /* topmost ancestor */
} Reader;

/* Is it an aggregation by private aggregates only, without groups?  Its result is released. */
static bool
is_release(PlanState *state)
{
	AggState *aggregate = (AggState *) state;
	ListCell *cell;

	if (!IsA(state, AggState) || aggregate->aggs == NIL ||
		((Agg *) state->plan)->aggstrategy != AGG_PLAIN)
		return false;
	foreach (cell, aggregate->aggs)
		if (!plan_is_own_function(lfirst_node(Aggref, cell)->aggfnoid))
			return false;
	return true;
}

static bool
scans_table(const Reader *reader, Plan *plan)
{
	RangeTblEntry *entry;

	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
		case T_ForeignScan:
		case T_CustomScan:
			break;
		default:
			return false;
	}
	if (seen_scan_is(plan))
		return false;
	if (((Scan *) plan)->scanrelid == 0)
		return true; /* a join by another server or extension, of tables that are not shown */
	entry = rt_fetch(((Scan *) plan)->scanrelid, reader->estate->es_plannedstmt->rtable);
	return entry->rtekind == RTE_RELATION && plan_topmost_ancestor(entry->relid) == reader->table;
}

static bool reads_table(PlanState *state, void *context);

static bool
reads_in_sub_selects(List *sub_selects, Reader *reader)
{
	ListCell *cell;

	foreach (cell, sub_selects)
		if (reads_table(lfirst_node(SubPlanState, cell)->planstate, reader))
			return true;
	return false;
}

/* Walker: does the node, or a node that it needs, read the table? */
static bool
reads_table(PlanState *state, void *context)
{
	Reader *reader = context;

	check_stack_depth();
	if (is_release(state))
		return reads_in_sub_selects(state->initPlan, reader) ||
			   reads_in_sub_selects(state->subPlan, reader);
	if (scans_table(reader, state->plan))
		return true;
	if (IsA(state->plan, CteScan) && reads_table(list_nth(reader->estate->es_subplanstates,
														  ((CteScan *) state->plan)->ctePlanId - 1),
												 reader))
		return true;
	return planstate_tree_walker(state, reads_table, reader);
}

/* Checks the sub-select that plan_find_result() found, and those whose results it needs. */
static void
check_sub_select(PlanCall *call, const PlanTable *table, const SubPlan *sub_select)
{
	Reader reader = {.estate = call->aggregate->ss.ps.state, .table = table->oid};
	PlannedStmt *statement = reader.estate->es_plannedstmt;
	int place = sub_select->plan_id - 1;
	Bitmapset *needed = ((Plan *) list_nth(statement->subplans, place))->extParam;
	int parameter = -1;

	check_stack_depth();
	if (reads_table(list_nth(reader.estate->es_subplanstates, place), &reader))
		plan_refuse("The model is computed from rows of the table that it is rated on.",
					"Train it by a private aggregate, or pass it as a parameter of the statement.");
	while ((parameter = bms_next_member(needed, parameter)) >= 0)
		if (!list_member_int(sub_select->setParam, parameter))
			check_sub_select(call, table, plan_find_result(statement, parameter));
}

/* ---- the argument ---- */

typedef struct Argument
{
	PlanCall *call;
	const PlanTable *table; /* NULL in a parallel worker, as the leader has checked */
} Argument;

/*
 * Copies an expression with constants for the results of sub-selects, so that the rules for fixed
 * expressions apply to the rest.  Values of an outer row stay as they are.
 */
static Node *
without_results(Node *node, void *context)
{
	Argument *argument = context;
	const Param *param = (Param *) node;

	if (node != NULL && IsA(node, Param) && param->paramkind == PARAM_EXEC)
	{
		PlannedStmt *statement = argument->call->aggregate->ss.ps.state->es_plannedstmt;
		const SubPlan *sub_select =
			argument->table == NULL ? NULL : plan_find_result(statement, param->paramid);

		if (argument->table != NULL && sub_select == NULL)
			return copyObject(node);
		if (sub_select != NULL)
			check_sub_select(argument->call, argument->table, sub_select);
		return (Node *) makeNullConst(param->paramtype, param->paramtypmod, param->paramcollid);
	}
	return expression_tree_mutator(node, without_results, context);
}

Datum
plan_model_argument(PlanCall *call, int position, const char *name, const PlanTable *table)
{
	Node *expression = plan_entry(call->aggref->args, position);
	Argument argument = {.call = call, .table = table};
	Datum value;
	bool isnull;

	if (!plan_expression_is_fixed(without_results(expression, &argument)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must not vary", name),
						errhint("Write a constant, a parameter of the statement or a sub-select "
								"that does not depend on a row.")));
	value = plan_evaluate(call->aggregate->ss.ps.state, expression, &isnull);
	argument_require(isnull, name);
	return value;
}

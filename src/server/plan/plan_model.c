/*
 * plan_model.c - the argument that a sub-select may feed: the model that is rated.
 *
 * Like every argument that is not a row's it must have one value for the statement,
 * which an uncorrelated sub-select has: it runs once (an InitPlan).  The guarantee is
 * about the rows under this one model, so that it must not be computed from them: a
 * sub-select that scans the table which is rated on is refused, unless what it takes
 * from there is a release of a private aggregate.  What the functions of a sub-select
 * read is not seen, and neither is a copy of the rows in another table.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "parser/parsetree.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "server/base/argument.h"
#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/plan/plan_shape.h"

/* ---- what a sub-select reads ---- */

typedef struct Reader
{
	EState *estate;
	Oid table; /* topmost ancestor */
} Reader;

/* One plain aggregation by private aggregates only: what leaves it was released and charged. */
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
	if (((Scan *) plan)->scanrelid == 0)
		return true; /* joins of another server or extension: nobody knows */
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

/* A walker: does the node, or what it needs, read the table? */
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

/* Of the sub-select that plan_find_result() found, and of those whose results it needs. */
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
	const PlanTable *table; /* NULL in a parallel worker, where the leader has looked */
} Argument;

/*
 * A copy in which results of sub-selects are constants, so that the rules for fixed
 * expressions can judge the rest: what comes from an outer row stays as it is.
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

static Datum
evaluate(EState *estate, Node *expression, bool *isnull)
{
	ExprContext *context = CreateExprContext(estate); /* knows the results of sub-selects */
	ExprState *state = ExecInitExprWithParams((Expr *) expression, estate->es_param_list_info);
	Datum value = ExecEvalExprSwitchContext(state, context, isnull);
	int16 length;
	bool by_value;

	if (!*isnull)
	{
		get_typlenbyval(exprType(expression), &length, &by_value);
		value = datumCopy(value, by_value, length);
	}
	FreeExprContext(context, true);
	return value;
}

Datum
plan_model_argument(PlanCall *call, int position, const char *name, const PlanTable *table)
{
	Node *expression = (Node *) list_nth_node(TargetEntry, call->aggref->args, position)->expr;
	Argument argument = {.call = call, .table = table};
	Datum value;
	bool isnull;

	if (!plan_expression_is_fixed(without_results(expression, &argument)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must not vary", name),
						errhint("Write a constant, a parameter of the statement or a sub-select "
								"that does not depend on a row.")));
	value = evaluate(call->aggregate->ss.ps.state, expression, &isnull);
	argument_require(isnull, name);
	return value;
}

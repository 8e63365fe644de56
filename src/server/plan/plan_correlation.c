/*
 * plan_correlation.c - finds sub-selects in plans, and tells whether a call is in a correlated one.
 *
 * In a plan, a value of an outer row and the result of a sub-select that runs once are both
 * executor parameters.  A parameter that no InitPlan of the statement sets comes from an outer row.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "nodes/nodeFuncs.h"

#include "server/base/compat.h"
#include "server/plan/plan_shape.h"

/* ---- all nodes of a plan ---- */

static bool
any_node_of_all(List *plans, bool (*test)(Plan *node, void *context), void *context)
{
	ListCell *cell;

	foreach (cell, plans)
		if (plan_any_node(lfirst(cell), test, context))
			return true;
	return false;
}

bool
plan_any_node(Plan *plan, bool (*test)(Plan *node, void *context), void *context)
{
	List *inputs = NIL;

	if (plan == NULL)
		return false;
	check_stack_depth();
	if (IsA(plan, Append))
		inputs = ((Append *) plan)->appendplans;
	else if (IsA(plan, MergeAppend))
		inputs = ((MergeAppend *) plan)->mergeplans;
	else if (IsA(plan, SubqueryScan))
		inputs = list_make1(((SubqueryScan *) plan)->subplan);
	else if (IsA(plan, CustomScan))
		inputs = ((CustomScan *) plan)->custom_plans;
	return test(plan, context) || any_node_of_all(inputs, test, context) ||
		   plan_any_node(plan->lefttree, test, context) ||
		   plan_any_node(plan->righttree, test, context);
}

bool
plan_any_node_of(const PlannedStmt *statement, bool (*test)(Plan *node, void *context),
				 void *context)
{
	return plan_any_node(statement->planTree, test, context) ||
		   any_node_of_all(statement->subplans, test, context);
}

/* ---- correlation ---- */

/* Adds the parameters that the InitPlans of a node set, to a Bitmapset. */
static bool
collect_results(Plan *plan, void *context)
{
	Bitmapset **results = context;
	ListCell *cell;
	ListCell *number;

	foreach (cell, plan->initPlan)
		foreach (number, lfirst_node(SubPlan, cell)->setParam)
			*results = bms_add_member(*results, lfirst_int(number));
	return false;
}

/* Leaves out what is below an aggregate call, where plan_expression.c allows no parameter. */
static bool
uses_outer_row(Node *node, void *results)
{
	if (node == NULL || IsA(node, Aggref))
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_EXEC &&
			   !bms_is_member(((Param *) node)->paramid, results);
	if (IsA(node, SubPlan))
		return uses_outer_row((Node *) ((SubPlan *) node)->args, results);
	return expression_tree_walker(node, uses_outer_row, results);
}

bool
plan_is_correlated(const PlannedStmt *statement, Plan *plan)
{
	Bitmapset *results = NULL;

	(void) plan_any_node_of(statement, collect_results, &results);
	return uses_outer_row((Node *) plan->targetlist, results);
}

/* ---- the sub-select behind a parameter ---- */

typedef struct Wanted
{
	int parameter;
	const SubPlan *found;
} Wanted;

static bool
sets_parameter(Plan *plan, void *context)
{
	Wanted *wanted = context;
	ListCell *cell;

	foreach (cell, plan->initPlan)
		if (list_member_int(lfirst_node(SubPlan, cell)->setParam, wanted->parameter))
		{
			wanted->found = lfirst_node(SubPlan, cell);
			return true;
		}
	return false;
}

/* A sub-select that needs a value of an outer row, directly or not, runs once for each such row. */
const SubPlan *
plan_find_result(const PlannedStmt *statement, int parameter)
{
	Wanted wanted = {parameter, NULL};
	Plan *plan;
	int needed = -1;

	check_stack_depth();
	if (!plan_any_node_of(statement, sets_parameter, &wanted))
		return NULL;
	plan = list_nth(statement->subplans, wanted.found->plan_id - 1);
	while ((needed = bms_next_member(plan->extParam, needed)) >= 0)
		if (!list_member_int(wanted.found->setParam, needed) &&
			plan_find_result(statement, needed) == NULL)
			return NULL;
	return wanted.found;
}

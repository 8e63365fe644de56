/*
 * plan_correlation.c - is the aggregate part of a correlated sub-select?
 *
 * In a plan a value of an outer row and the result of a sub-select that runs once
 * look the same, an executor parameter: what no InitPlan of the statement sets
 * comes from an outer row.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "nodes/nodeFuncs.h"

#include "server/plan/plan_shape.h"

static void collect_results(Plan *plan, Bitmapset **results);

static void
collect_all(List *plans, Bitmapset **results)
{
	ListCell *cell;

	foreach (cell, plans)
		collect_results(lfirst(cell), results);
}

/* Numbers of the parameters that sub-selects of this plan set, once each. */
static void
collect_results(Plan *plan, Bitmapset **results)
{
	ListCell *cell;
	ListCell *number;

	if (plan == NULL)
		return;
	check_stack_depth();
	foreach (cell, plan->initPlan)
		foreach (number, lfirst_node(SubPlan, cell)->setParam)
			*results = bms_add_member(*results, lfirst_int(number));
	collect_results(plan->lefttree, results);
	collect_results(plan->righttree, results);
	if (IsA(plan, Append))
		collect_all(((Append *) plan)->appendplans, results);
	else if (IsA(plan, MergeAppend))
		collect_all(((MergeAppend *) plan)->mergeplans, results);
	else if (IsA(plan, SubqueryScan))
		collect_results(((SubqueryScan *) plan)->subplan, results);
}

/* What is below an aggregate call is for plan_expression.c, which lets no parameter through. */
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
plan_is_correlated(PlannedStmt *statement, Plan *plan)
{
	Bitmapset *results = NULL;

	collect_results(statement->planTree, &results);
	collect_all(statement->subplans, &results);
	return uses_outer_row((Node *) plan->targetlist, results);
}

/* ---- the sub-select behind a parameter ---- */

static const SubPlan *find_in_plan(Plan *plan, int parameter);

static const SubPlan *
find_in_all(List *plans, int parameter)
{
	const SubPlan *found = NULL;
	ListCell *cell;

	foreach (cell, plans)
		if (found == NULL)
			found = find_in_plan(lfirst(cell), parameter);
	return found;
}

static const SubPlan *
find_in_plan(Plan *plan, int parameter)
{
	const SubPlan *found = NULL;
	ListCell *cell;

	if (plan == NULL)
		return NULL;
	check_stack_depth();
	foreach (cell, plan->initPlan)
		if (list_member_int(lfirst_node(SubPlan, cell)->setParam, parameter))
			return lfirst_node(SubPlan, cell);
	if (IsA(plan, Append))
		found = find_in_all(((Append *) plan)->appendplans, parameter);
	else if (IsA(plan, MergeAppend))
		found = find_in_all(((MergeAppend *) plan)->mergeplans, parameter);
	else if (IsA(plan, SubqueryScan))
		found = find_in_plan(((SubqueryScan *) plan)->subplan, parameter);
	if (found == NULL)
		found = find_in_plan(plan->lefttree, parameter);
	return found != NULL ? found : find_in_plan(plan->righttree, parameter);
}

/* One that needs a value of an outer row, perhaps by way of another, runs once for each. */
const SubPlan *
plan_find_result(PlannedStmt *statement, int parameter)
{
	const SubPlan *found = find_in_plan(statement->planTree, parameter);
	Plan *plan;
	int needed = -1;

	check_stack_depth();
	if (found == NULL)
		found = find_in_all(statement->subplans, parameter);
	if (found == NULL)
		return NULL;
	plan = list_nth(statement->subplans, found->plan_id - 1);
	while ((needed = bms_next_member(plan->extParam, needed)) >= 0)
		if (!list_member_int(found->setParam, needed) &&
			plan_find_result(statement, needed) == NULL)
			return NULL;
	return found;
}

/*
 * view_set.c - UNION ALL: the rows of several queries, one after the other.
 */
#include "server/views/view_scope.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"

/* The planner would cast a column of another type, by a cast that may fail. */
static void
check_types(const Query *branch, const SetOperationStmt *all, ViewScope *scope)
{
	int column = 0;
	ListCell *cell;

	foreach (cell, branch->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);
		Oid type;

		if (entry->resjunk)
			continue;
		type = exprType((Node *) entry->expr);
		if (type != list_nth_oid(all->colTypes, column))
			view_refuse(scope,
						psprintf("a column of UNION ALL is of type %s in one query and %s in "
								 "another one",
								 format_type_be(type),
								 format_type_be(list_nth_oid(all->colTypes, column))),
						"Cast it in the query.");
		column++;
	}
}

static void
add_branch(ViewRows *rows, const ViewRows *branch, ViewScope *scope)
{
	if ((rows->kind == VIEW_PERSONS) != (branch->kind == VIEW_PERSONS))
		view_refuse(scope, "UNION ALL adds rows without persons to rows of persons",
					"Let every query have the column of persons.");
	rows->kind = Max(rows->kind, branch->kind);
	rows->persons = bms_intersect(rows->persons, branch->persons);
	for (int i = 0; i < rows->columns; i++)
		rows->column[i] = view_value_either(rows->column[i], branch->column[i]);
}

static void
check_branches(Node *node, ViewRows *rows, ViewScope *scope)
{
	SetOperationStmt *operation = (SetOperationStmt *) node;

	check_stack_depth();
	if (IsA(node, RangeTblRef))
	{
		int position = ((RangeTblRef *) node)->rtindex;
		RangeTblEntry *entry = rt_fetch(position, scope->query->rtable);
		ViewRows *branch = view_check_query(entry->subquery, scope, scope->work,
											psprintf("a query of UNION ALL in %s", scope->name));

		check_types(entry->subquery, (SetOperationStmt *) scope->query->setOperations, scope);
		scope->from[position - 1] = branch;
		if (rows->column != NULL)
		{
			add_branch(rows, branch, scope);
			return;
		}
		*rows = *branch;
		rows->column = palloc(rows->columns * sizeof(ViewValue));
		memcpy(rows->column, branch->column, rows->columns * sizeof(ViewValue));
		return;
	}
	if (operation->op != SETOP_UNION || !operation->all)
		view_refuse(scope,
					psprintf("%s is used", operation->op == SETOP_UNION       ? "UNION"
										   : operation->op == SETOP_INTERSECT ? "INTERSECT"
																			  : "EXCEPT"),
					"Use UNION ALL, and GROUP BY or DISTINCT with the column of persons around it; "
					"or EXISTS.");
	check_branches(operation->larg, rows, scope);
	check_branches(operation->rarg, rows, scope);
}

ViewRows *
view_check_set(ViewScope *scope)
{
	ViewRows *rows = palloc0(sizeof(ViewRows));

	scope->clause = "UNION";
	check_branches(scope->query->setOperations, rows, scope);
	scope->target = palloc0(list_length(scope->query->targetList) * sizeof(ViewValue));
	memcpy(scope->target, rows->column, rows->columns * sizeof(ViewValue));
	rows->keys = NIL;
	rows->at_most_one = false;
	return rows;
}

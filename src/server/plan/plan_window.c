/*
 * plan_window.c - the shape guard of a window function that learns row by row.
 *
 * Below the WindowAgg the rules for aggregates hold (plan_shape.c).  The guarantee is for a row
 * that keeps its position among the others (rule L7), so two more rules are needed: ORDER BY names
 * plain columns that the costs do not use, and only these columns decide whether a row takes part.
 * Else one row could move all rows after it.
 */
#include "postgres.h"

#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "windowapi.h"

#include "server/base/dpobj.h"
#include "server/plan/plan_shape.h"

/* ---- the call ---- */

/*
 * The beginning of PostgreSQL's WindowObjectData, which no header declares (nodeWindowAgg.c; the
 * same in all versions since 8.4).  plan_read_window() checks the state's tag before it is used.
 */
typedef struct WindowObjectBeginning
{
	NodeTag type;
	WindowAggState *state;
} WindowObjectBeginning;

static bool
is_call_of(WindowAggState *state, Node *call)
{
	ListCell *cell;

	foreach (cell, state->funcs)
		if (lfirst_node(WindowFuncExprState, cell)->wfunc == (WindowFunc *) call)
			return true;
	return false;
}

void
plan_read_window(FunctionCallInfo fcinfo, PlanWindow *window)
{
	WindowObject object = PG_WINDOW_OBJECT();
	Node *call = fcinfo->flinfo->fn_expr;

	if (!WindowObjectIsValid(object) || call == NULL || !IsA(call, WindowFunc))
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("a private window function cannot be called without OVER"),
						errhint("Write SELECT t, dp_ftrl(...) OVER (ORDER BY t) FROM one_table.")));
	window->window = ((WindowObjectBeginning *) object)->state;
	window->call = (WindowFunc *) call;
	if (window->window == NULL || !IsA(window->window, WindowAggState) ||
		!is_call_of(window->window, call))
		elog(ERROR, "window function call not found in its plan");
	if (!plan_is_own_function(window->call->winfnoid))
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("query shape is not allowed for a private window function"),
						errdetail("The function is not one of dpobj, but calls its functions."),
						errhint("Call dp_ftrl.")));
}

Datum
plan_window_argument(const PlanWindow *window, int position, const char *name, bool *isnull)
{
	return plan_fixed_value(window->window->ss.ps.state, list_nth(window->call->args, position),
							name, isnull);
}

Node *
plan_window_expression(const PlanWindow *window, int position)
{
	Plan *plan = window->window->ss.ps.plan;

	return plan_source_expression(&plan, list_nth(window->call->args, position));
}

/* ---- columns ---- */

/* Returns the name of the table's column that a reference means, NULL if it means none. */
static const char *
column_name(const Shape *shape, Plan *plan, Var *column)
{
	Oid relation;
	AttrNumber number;

	return plan_find_column(shape->statement, plan, column, &relation, &number)
			   ? get_attname(relation, number, true)
			   : NULL;
}

static bool
is_named(List *names, const char *name)
{
	ListCell *cell;

	foreach (cell, names)
		if (name != NULL && strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

/* ---- the order ---- */

/* Sets the order to the names of the columns of ORDER BY, with "" for what is no column. */
static void
find_order(Shape *shape, WindowAgg *top)
{
	for (int i = 0; i < top->ordNumCols; i++)
	{
		Plan *plan = top->plan.lefttree;
		Node *expression = plan_entry(plan->targetlist, top->ordColIdx[i] - 1);
		char *name = NULL;
		Oid relation;
		AttrNumber number;

		expression = plan_source_expression(&plan, expression);
		if (IsA(expression, Var) &&
			plan_find_column(shape->statement, plan, (Var *) expression, &relation, &number))
			name = get_attname(relation, number, true);
		if (name != NULL && get_attgenerated(relation, number) != '\0')
			plan_refuse("A generated column of ORDER BY is made of others, which may be the costs.",
						"Order by columns that are stored as they were written.");
		shape->order = lappend(shape->order, name == NULL ? pstrdup("") : name);
	}
}

typedef struct Search
{
	const Shape *shape;
	Plan *plan; /* the node of the expression */
} Search;

/* Does an expression use a column of ORDER BY, or a value that is no column? */
static bool
uses_order(Node *node, void *context)
{
	const Search *search = context;
	Search below = *search;
	const char *name;
	Node *source;

	if (node == NULL)
		return false;
	if (!IsA(node, Var))
		return expression_tree_walker(node, uses_order, context);
	source = plan_source_expression(&below.plan, node);
	if (!IsA(source, Var))
		return uses_order(source, &below);
	name = column_name(search->shape, below.plan, (Var *) source);
	return name == NULL || is_named(search->shape->order, name);
}

static void
check_order(const Shape *shape, WindowAgg *top, Node *costs)
{
	Search search = {shape, &top->plan};

	if (is_named(shape->order, ""))
		plan_refuse("ORDER BY must name columns of the table.",
					"Store what orders the steps in a column of its own.");
	if (uses_order(costs, &search))
		plan_refuse("The columns of ORDER BY are public, and the costs use one of them, or what "
					"is no column.",
					"Order by columns that have no part in the costs.");
}

/* ---- conditions ---- */

typedef struct Filter
{
	const Shape *shape;
	Oid relation;
	List *index_columns;
} Filter;

/* Does a condition use anything but columns of ORDER BY? */
static bool
uses_others(Node *node, void *context)
{
	const Filter *filter = context;
	Var *column = (Var *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Var))
		return expression_tree_walker(node, uses_others, context);
	if (column->varno == INDEX_VAR && filter->index_columns != NIL)
		return uses_others(plan_entry(filter->index_columns, column->varattno - 1), context);
	if (IS_SPECIAL_VARNO(column->varno) || !OidIsValid(filter->relation) || column->varattno <= 0)
		return true;
	return !is_named(filter->shape->order, get_attname(filter->relation, column->varattno, true));
}

void
plan_shape_conditions(Shape *shape, Oid relation, void *conditions, List *index_columns)
{
	Filter filter = {shape, relation, index_columns};

	plan_shape_collect(shape, conditions, index_columns);
	if (shape->order != NIL && uses_others(conditions, &filter))
		plan_refuse("A condition lets a row decide whether it has a place, and so which places the "
					"others have.",
					"Write conditions on columns of ORDER BY only; give a row without costs a "
					"null, which makes it a neutral one.");
}

/*
 * Refuses to read a partition or a child alone, or a parent without its children, because the rows
 * themselves may decide in which of them they are.
 */
static void
check_whole_table(const Shape *shape)
{
	RangeTblEntry *entry;

	if (shape->source == 0)
		return; /* plan_shape_end() refuses it */
	entry = rt_fetch(shape->source, shape->statement->rtable);
	if (plan_topmost_ancestor(entry->relid) != entry->relid ||
		(!entry->inh && find_inheritance_children(entry->relid, NoLock) != NIL))
		plan_refuse("Only a part of a table with partitions or children is read, so that a row "
					"decides by where it is whether it has a place.",
					"Name the whole table, with a condition on columns of ORDER BY.");
}

/* ---- the window ---- */

static void
check_window(const Shape *shape, WindowAggState *state, WindowAgg *top)
{
	if (top->partNumCols > 0)
		plan_refuse("PARTITION BY would start a run for each group that the rows make.",
					"Write one statement for each group that you know of, with a table each.");
	if (top->ordNumCols == 0)
		plan_refuse("Without ORDER BY in OVER there are no steps.", PLAN_HINT);
	if (top->frameOptions & FRAMEOPTION_NONDEFAULT)
		plan_refuse("A frame is not allowed: the choice at a step looks at all rows before it.",
					PLAN_HINT);
	if (list_length(state->funcs) > 1)
		plan_refuse("Another window function stands beside the private one.",
					"Compute it in a query of its own.");
	if (plan_is_correlated(shape->statement, &top->plan))
		plan_refuse("A correlated sub-select would start a run for each row of the outer query.",
					"Put the choices into a table, and use that in the other query.");
}

void
plan_check_window(const PlanWindow *window, PlanTable *table)
{
	WindowAgg *top = (WindowAgg *) window->window->ss.ps.plan;
	Node *costs = linitial(window->call->args);
	Shape shape;

	plan_shape_begin(&shape, window->window->ss.ps.state, true);
	check_window(&shape, window->window, top);
	find_order(&shape, top);
	plan_shape_collect(&shape, list_make1(costs), NIL);
	plan_shape_input(&shape, top->plan.lefttree, false);
	check_order(&shape, top, costs);
	check_whole_table(&shape);
	plan_shape_end(&shape, table);
}

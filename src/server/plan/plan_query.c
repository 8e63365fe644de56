/*
 * plan_query.c - refuses functions of users in what feeds a private aggregate or window function.
 *
 * A call is fed by its arguments, and by the tables, conditions and ordering of its query, with all
 * that is in subqueries, common table expressions and policies.  Expressions over the answer are
 * free.  If the query refers to an outer query, all tables of the outer query feed the call,
 * because the planner may turn each of them into a constant.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/planner.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "server/base/admin.h"
#include "server/base/compat.h"
#include "server/plan/plan_query.h"
#include "server/plan/plan_shape.h"

static planner_hook_type next_planner = NULL;

/* A query, and the query that it is part of. */
typedef struct Level
{
	Query *query;
	const struct Level *above;
} Level;

/* The state of the search through one statement. */
typedef struct Statement
{
	List *feeding;  /* queries whose rows feed a call */
	List *searched; /* queries found to be without functions of users */
	bool inlines;   /* is there a function in FROM that the planner may replace by its query? */
} Statement;

/* The state of a walk through one query. */
typedef struct Walk
{
	Statement *statement;
	const Level *level;
	bool in_model; /* in the model argument, whose sub-selects plan_model.c checks */
} Walk;

static const Level *
level_above(const Level *level, Index steps)
{
	while (steps-- > 0 && level != NULL)
		level = level->above;
	return level;
}

/* Is the function of this extension?  Works also in a database without it. */
static bool
is_own(Oid function)
{
	return function >= FirstGenbkiObjectId && OidIsValid(get_extension_oid("dpobj", true)) &&
		   plan_is_own_function(function);
}

/* ---- what feeds a call ---- */

static bool search(Node *node, void *context);

/* Callback of check_functions_in_node(). */
static bool
refuse_function(Oid function, void *context)
{
	if (function >= FirstGenbkiObjectId && !is_own(function))
		plan_refuse(psprintf("Function %s is not built in.", format_procedure(function)),
					PLAN_HINT_FUNCTION);
	return false;
}

static bool
search_query(Query *query, Statement *statement, const Level *above)
{
	Level level = {query, above};
	Walk walk = {statement, &level, false};

	if (list_member_ptr(statement->searched, query))
		return false;
	statement->searched = lappend(statement->searched, query);
	return query_tree_walker(query, search, &walk, QTW_EXAMINE_RTES_BEFORE);
}

static void
search_clauses(List *clauses, const Level *level, Walk *walk)
{
	ListCell *cell;

	foreach (cell, clauses)
		(void) search((Node *) get_sortgroupclause_tle(lfirst_node(SortGroupClause, cell),
													   level->query->targetList)
						  ->expr,
					  walk);
}

/* Searches everything that decides which rows a query has, and in which order. */
static void
search_rows(Statement *statement, const Level *level)
{
	Walk walk = {statement, level, false};
	Query *query;
	ListCell *cell;

	if (level == NULL || list_member_ptr(statement->feeding, level->query))
		return;
	query = level->query;
	statement->feeding = lappend(statement->feeding, query);
	(void) range_table_walker(query->rtable, search, &walk, QTW_EXAMINE_RTES_BEFORE);
	(void) search((Node *) query->jointree, &walk);
	(void) search(query->havingQual, &walk);
	search_clauses(query->groupClause, level, &walk);
	foreach (cell, query->windowClause)
	{
		search_clauses(lfirst_node(WindowClause, cell)->partitionClause, level, &walk);
		search_clauses(lfirst_node(WindowClause, cell)->orderClause, level, &walk);
	}
}

static void
search_common_table(const RangeTblEntry *entry, const Walk *walk)
{
	const Level *level = level_above(walk->level, entry->ctelevelsup);
	ListCell *cell;

	foreach (cell, level == NULL ? NIL : level->query->cteList)
	{
		CommonTableExpr *table = lfirst_node(CommonTableExpr, cell);

		if (strcmp(table->ctename, entry->ctename) == 0)
			(void) search_query((Query *) table->ctequery, walk->statement, level);
	}
}

/* Walker: raises UB003 for a function of a user; never returns true. */
static bool
search(Node *node, void *context)
{
	Walk *walk = context;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (IsA(node, Query))
		return search_query((Query *) node, walk->statement, walk->level);
	if (IsA(node, RangeTblEntry))
	{
		if (((RangeTblEntry *) node)->rtekind == RTE_CTE)
			search_common_table((RangeTblEntry *) node, walk);
		return false; /* the walker comes to its parts */
	}
	if (IsA(node, SubLink) && walk->in_model)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup > 0)
		search_rows(walk->statement, level_above(walk->level, ((Var *) node)->varlevelsup));
	(void) check_functions_in_node(node, refuse_function, NULL);
	return expression_tree_walker(node, search, walk);
}

/* ---- who may call ---- */

/*
 * Raises 42501 with a hint who can grant the call; the executor would raise it without.  trains:
 * the routine is an aggregate or window function.  Of other functions, checks those that members of
 * dpobj_admin may call.
 */
static void
check_privilege(Oid routine, bool trains)
{
	Oid administrators;

	if (routine < FirstGenbkiObjectId || routine_aclcheck(routine, GetUserId()) == ACLCHECK_OK ||
		!is_own(routine))
		return;
	if (strcmp(get_func_name(routine), "grant_trainer") == 0)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("permission denied for function grant_trainer"),
						errhint("Only a superuser can run it, because the aggregates read a table "
								"as it is; members of dpobj_admin let others train by "
								"dpobj.set_budget.")));
	administrators = admin_role("admin");
	if (trains)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg(get_func_prokind(routine) == PROKIND_AGGREGATE
								   ? "permission denied for aggregate %s"
								   : "permission denied for function %s",
							   get_func_name(routine)),
						errhint("A superuser can run SELECT dpobj.grant_trainer(role) for roles "
								"that may read the table as it is; others use dpobj.train, with a "
								"privacy budget.")));
	if (OidIsValid(administrators) && routine_aclcheck(routine, administrators) == ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for function %s", get_func_name(routine)),
				 errhint("It is for members of dpobj_admin, a role that a superuser can grant.")));
}

/* ---- calls ---- */

static void
check_aggregate(Aggref *call, const Walk *walk)
{
	Walk arguments = {walk->statement, walk->level, false};
	ListCell *cell;

	plan_set_subject(false);
	foreach (cell, call->args)
	{
		arguments.in_model = plan_model_leads(call) && cell == list_head(call->args);
		(void) search((Node *) lfirst_node(TargetEntry, cell)->expr, &arguments);
	}
	arguments.in_model = false;
	(void) search((Node *) call->aggfilter, &arguments);
	search_rows(walk->statement, level_above(walk->level, call->agglevelsup));
}

static void
check_window(WindowFunc *call, const Walk *walk)
{
	Walk arguments = {walk->statement, walk->level, false};

	plan_set_subject(true);
	(void) search((Node *) call->args, &arguments);
	(void) search((Node *) call->aggfilter, &arguments);
	search_rows(walk->statement, walk->level);
}

/* Checks the first conditions of PostgreSQL's inline_set_returning_function(), not all of them. */
static bool
may_be_inlined(const RangeTblEntry *entry)
{
	const RangeTblFunction *function;
	Oid oid;
	HeapTuple tuple;
	bool may;

	if (entry->rtekind != RTE_FUNCTION || list_length(entry->functions) != 1)
		return false;
	function = linitial_node(RangeTblFunction, entry->functions);
	if (!IsA(function->funcexpr, FuncExpr))
		return false;
	oid = ((FuncExpr *) function->funcexpr)->funcid;
	if (oid < FirstGenbkiObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
	may = HeapTupleIsValid(tuple) && ((Form_pg_proc) GETSTRUCT(tuple))->prolang == SQLlanguageId &&
		  ((Form_pg_proc) GETSTRUCT(tuple))->provolatile != PROVOLATILE_VOLATILE;
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return may;
}

/* Walker: checks all calls in a statement. */
static bool
find_calls(Node *node, void *context)
{
	Walk *walk = context;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (IsA(node, Query))
	{
		Level level = {(Query *) node, walk->level};
		Walk inner = {walk->statement, &level, false};

		return query_tree_walker((Query *) node, find_calls, &inner, QTW_EXAMINE_RTES_BEFORE);
	}
	if (IsA(node, RangeTblEntry))
	{
		if (may_be_inlined((RangeTblEntry *) node))
			walk->statement->inlines = true;
		return false; /* the walker comes to its parts */
	}
	if (IsA(node, FuncExpr))
		check_privilege(((FuncExpr *) node)->funcid, false);
	else if (IsA(node, Aggref))
		check_privilege(((Aggref *) node)->aggfnoid, true);
	else if (IsA(node, WindowFunc))
		check_privilege(((WindowFunc *) node)->winfnoid, true);
	if (IsA(node, Aggref) && is_own(((Aggref *) node)->aggfnoid))
		check_aggregate((Aggref *) node, walk);
	else if (IsA(node, WindowFunc) && is_own(((WindowFunc *) node)->winfnoid))
		check_window((WindowFunc *) node, walk);
	return expression_tree_walker(node, find_calls, walk);
}

/* ---- calls in functions that the planner inlines ---- */

static bool
is_call(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return (IsA(node, Aggref) && is_own(((Aggref *) node)->aggfnoid)) ||
		   (IsA(node, WindowFunc) && is_own(((WindowFunc *) node)->winfnoid)) ||
		   expression_tree_walker(node, is_call, context);
}

static bool
holds_call(Plan *plan, void *context)
{
	return (IsA(plan, Agg) || IsA(plan, WindowAgg)) && is_call((Node *) plan->targetlist, context);
}

/* Refuses a call in the query of such a function, which is not checked before it is planned. */
static void
check_plan(const PlannedStmt *plan)
{
	if (!plan_any_node_of(plan, holds_call, NULL))
		return;
	plan_set_subject(false);
	plan_refuse(
		"A function in FROM is replaced by its query, whose functions the planner may call before "
		"they are checked.",
		"Declare the function VOLATILE if it trains, which writes to the ledger; else use it "
		"in a statement of its own.");
}

/* ---- the hook ---- */

static PlannedStmt *
check_and_plan(Query *query, const char *text, int options,
			   ParamListInfo parameters EXPLAIN_PARAMETER)
{
	Statement statement = {NIL, NIL, false};
	Walk walk = {&statement, NULL, false};
	PlannedStmt *plan;

	(void) find_calls((Node *) query, &walk);
	plan = next_planner != NULL
			   ? next_planner(query, text, options, parameters EXPLAIN_ARGUMENT)
			   : standard_planner(query, text, options, parameters EXPLAIN_ARGUMENT);
	if (statement.inlines)
		check_plan(plan);
	return plan;
}

void
plan_query_install(void)
{
	next_planner = planner_hook;
	planner_hook = check_and_plan;
}

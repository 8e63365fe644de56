/*
 * plan_query.c - refuses functions of users in what feeds a private aggregate or window function.
 *
 * A call is fed by its arguments, and by the tables, conditions and ordering of its query, with all
 * that is in subqueries, common table expressions and policies.  Expressions over the answer are
 * free.  If the query refers to an outer query, all tables of the outer query feed the call,
 * because the planner may turn each of them into a constant.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/planner.h"
#include "optimizer/tlist.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

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
	List *feeding;    /* queries whose rows feed a call */
	List *searched;   /* queries found to be without functions of users */
	bool taken_apart; /* is there a function in FROM that the planner may replace by its query? */
} Statement;

/* Where a walk is. */
typedef struct Place
{
	Statement *statement;
	const Level *level;
	bool model; /* in the argument whose sub-selects are judged elsewhere (plan_model.c) */
} Place;

static const Level *
climb(const Level *level, Index steps)
{
	while (steps-- > 0 && level != NULL)
		level = level->above;
	return level;
}

/* Also in a database without the extension. */
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
	Place place = {statement, &level, false};

	if (list_member_ptr(statement->searched, query))
		return false;
	statement->searched = lappend(statement->searched, query);
	return query_tree_walker(query, search, &place, QTW_EXAMINE_RTES_BEFORE);
}

static void
search_clauses(List *clauses, const Level *level, Place *place)
{
	ListCell *cell;

	foreach (cell, clauses)
		(void) search((Node *) get_sortgroupclause_tle(lfirst_node(SortGroupClause, cell),
													   level->query->targetList)
						  ->expr,
					  place);
}

/* Searches all that decides which rows a query has, and in which order. */
static void
search_rows(Statement *statement, const Level *level)
{
	Place place = {statement, level, false};
	Query *query;
	ListCell *cell;

	if (level == NULL || list_member_ptr(statement->feeding, level->query))
		return;
	query = level->query;
	statement->feeding = lappend(statement->feeding, query);
	(void) range_table_walker(query->rtable, search, &place, QTW_EXAMINE_RTES_BEFORE);
	(void) search((Node *) query->jointree, &place);
	(void) search(query->havingQual, &place);
	search_clauses(query->groupClause, level, &place);
	foreach (cell, query->windowClause)
	{
		search_clauses(lfirst_node(WindowClause, cell)->partitionClause, level, &place);
		search_clauses(lfirst_node(WindowClause, cell)->orderClause, level, &place);
	}
}

static void
search_common_table(const RangeTblEntry *entry, const Place *place)
{
	const Level *level = climb(place->level, entry->ctelevelsup);
	ListCell *cell;

	foreach (cell, level == NULL ? NIL : level->query->cteList)
	{
		CommonTableExpr *table = lfirst_node(CommonTableExpr, cell);

		if (strcmp(table->ctename, entry->ctename) == 0)
			(void) search_query((Query *) table->ctequery, place->statement, level);
	}
}

/* A walker that never returns true: it raises UB003. */
static bool
search(Node *node, void *context)
{
	Place *place = context;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (IsA(node, Query))
		return search_query((Query *) node, place->statement, place->level);
	if (IsA(node, RangeTblEntry))
	{
		if (((RangeTblEntry *) node)->rtekind == RTE_CTE)
			search_common_table((RangeTblEntry *) node, place);
		return false; /* its parts come by themselves */
	}
	if (IsA(node, SubLink) && place->model)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup > 0)
		search_rows(place->statement, climb(place->level, ((Var *) node)->varlevelsup));
	(void) check_functions_in_node(node, refuse_function, NULL);
	return expression_tree_walker(node, search, place);
}

/* ---- who may call ---- */

/*
 * The executor denies the call, too, but without a hint who can grant it.  Of plain functions,
 * looks only at those for administrators.
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
	administrators = get_role_oid("dpobj_admin", true);
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
judge_aggregate(Aggref *call, const Place *place)
{
	Place arguments = {place->statement, place->level, false};
	ListCell *cell;

	plan_set_subject(false);
	foreach (cell, call->args)
	{
		arguments.model = plan_model_leads(call) && cell == list_head(call->args);
		(void) search((Node *) lfirst_node(TargetEntry, cell)->expr, &arguments);
	}
	arguments.model = false;
	(void) search((Node *) call->aggfilter, &arguments);
	search_rows(place->statement, climb(place->level, call->agglevelsup));
}

static void
judge_window(WindowFunc *call, const Place *place)
{
	Place arguments = {place->statement, place->level, false};

	plan_set_subject(true);
	(void) search((Node *) call->args, &arguments);
	(void) search((Node *) call->aggfilter, &arguments);
	search_rows(place->statement, place->level);
}

/* The conditions of PostgreSQL's inline_set_returning_function(), which has more of them. */
static bool
may_be_taken_apart(const RangeTblEntry *entry)
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

/* A walker through all of a statement, for the calls in it. */
static bool
find_calls(Node *node, void *context)
{
	Place *place = context;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (IsA(node, Query))
	{
		Level level = {(Query *) node, place->level};
		Place inner = {place->statement, &level, false};

		return query_tree_walker((Query *) node, find_calls, &inner, QTW_EXAMINE_RTES_BEFORE);
	}
	if (IsA(node, RangeTblEntry))
	{
		if (may_be_taken_apart((RangeTblEntry *) node))
			place->statement->taken_apart = true;
		return false; /* its parts come by themselves */
	}
	if (IsA(node, FuncExpr))
		check_privilege(((FuncExpr *) node)->funcid, false);
	else if (IsA(node, Aggref))
		check_privilege(((Aggref *) node)->aggfnoid, true);
	else if (IsA(node, WindowFunc))
		check_privilege(((WindowFunc *) node)->winfnoid, true);
	if (IsA(node, Aggref) && is_own(((Aggref *) node)->aggfnoid))
		judge_aggregate((Aggref *) node, place);
	else if (IsA(node, WindowFunc) && is_own(((WindowFunc *) node)->winfnoid))
		judge_window((WindowFunc *) node, place);
	return expression_tree_walker(node, find_calls, place);
}

/* ---- calls that the planner brings in ---- */

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

/* The query of such a function is not checked before it is planned, so it must not train. */
static void
check_plan(const PlannedStmt *plan)
{
	if (!plan_any_node_of(plan, holds_call, NULL))
		return;
	plan_set_subject(false);
	plan_refuse(
		"A function in FROM is replaced by its query, and another's functions are computed "
		"before anybody looks.",
		"Declare the function VOLATILE if it trains, which writes to the ledger; else use it "
		"in a statement of its own.");
}

/* ---- the hook ---- */

static PlannedStmt *
judge_and_plan(Query *query, const char *text, int options, ParamListInfo parameters)
{
	Statement statement = {NIL, NIL, false};
	Place place = {&statement, NULL, false};
	PlannedStmt *plan;

	(void) find_calls((Node *) query, &place);
	plan = next_planner != NULL ? next_planner(query, text, options, parameters)
								: standard_planner(query, text, options, parameters);
	if (statement.taken_apart)
		check_plan(plan);
	return plan;
}

void
plan_query_install(void)
{
	next_planner = planner_hook;
	planner_hook = judge_and_plan;
}

/*
 * view_query.c - a query of a view: from the kind of its joined rows to that of its result.
 */
#include "server/views/view_scope.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

#include "server/base/compat.h"

bool
view_names_person(const List *persons, int table, AttrNumber column)
{
	ListCell *cell;

	foreach (cell, persons)
	{
		const ViewPerson *person = lfirst(cell);

		if (person->table == table && person->column == column)
			return true;
	}
	return false;
}

/* ---- what a query as a whole may not have ---- */

static const char *
found_in(const Query *query)
{
	if (query->commandType != CMD_SELECT || query->utilityStmt != NULL || query->hasModifyingCTE)
		return "a statement that changes rows is used";
	if (query->hasRecursive)
		return "WITH RECURSIVE is used";
	if (query->rowMarks != NIL || query->hasForUpdate)
		return "FOR UPDATE or FOR SHARE is used";
	if (query->groupingSets != NIL)
		return "GROUPING SETS, ROLLUP or CUBE is used";
	if (query->hasTargetSRFs)
		return "a function that returns a set is used";
	return NULL;
}

/* ---- columns of persons ---- */

static bool
is_person(Node *expression, ViewScope *scope, const List *persons)
{
	ViewScope *level;
	Var *column = view_bare_column(expression, scope, &level);

	return column != NULL && level == scope &&
		   view_names_person(persons, column->varno, column->varattno);
}

/* The columns of persons that are in a list of GROUP BY, PARTITION BY or DISTINCT. */
static List *
persons_among(const List *clauses, ViewScope *scope, const List *persons)
{
	List *among = NIL;
	ListCell *cell;

	foreach (cell, clauses)
	{
		TargetEntry *entry = get_sortgroupref_tle(
			lfirst_node(SortGroupClause, cell)->tleSortGroupRef, scope->query->targetList);
		ViewScope *level;
		ViewPerson *person;
		Var *column;

		if (!is_person((Node *) entry->expr, scope, persons))
			continue;
		column = view_bare_column((Node *) entry->expr, scope, &level);
		person = palloc(sizeof(ViewPerson));
		person->table = column->varno;
		person->column = column->varattno;
		among = lappend(among, person);
	}
	return among;
}

/* Rows of persons are merged only with rows that are equal in these columns. */
static List *
keep_persons(const List *clauses, ViewScope *scope, const List *persons, const char *what)
{
	List *kept = persons_among(clauses, scope, persons);

	if (kept == NIL)
		view_refuse(scope, psprintf("%s puts rows of different persons together", what),
					"Let its list have the column of persons, as a plain column.");
	return kept;
}

/* ---- clauses ---- */

static void
check_targets(ViewScope *scope)
{
	ListCell *cell;

	scope->target = palloc0(list_length(scope->query->targetList) * sizeof(ViewValue));
	foreach (cell, scope->query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		scope->clause = entry->resname == NULL || entry->resjunk
							? "a column"
							: psprintf("column \"%s\"", entry->resname);
		scope->target[entry->resno - 1] = view_check_expression((Node *) entry->expr, scope);
	}
}

static bool
is_count_of_rows(Node *limit, int64 high)
{
	return limit == NULL || view_constant_between(limit, 0, high);
}

static void
check_sorted(ViewScope *scope, ViewKind kind)
{
	Query *query = scope->query;

	scope->clause = "ORDER BY";
	view_check_sort(query->sortClause, scope);
	if (query->limitCount == NULL && query->limitOffset == NULL)
		return;
	scope->clause = "LIMIT";
	if (kind == VIEW_PERSONS)
		view_refuse(scope, "LIMIT or OFFSET chooses among rows of different persons",
					"Use it in a subquery about one person, or row_number() OVER (PARTITION BY the "
					"person ORDER BY ...).");
	if (query->limitOption != LIMIT_OPTION_COUNT)
		view_refuse(scope, "FETCH FIRST WITH TIES is used", "Use LIMIT.");
	for (int i = 0; i < 2; i++)
	{
		Node *limit = i == 0 ? query->limitCount : query->limitOffset;

		if (limit != NULL)
			(void) view_check_expression(limit, scope);
		if (!is_count_of_rows(limit, PG_INT64_MAX))
			view_refuse(scope, "LIMIT or OFFSET is no constant, or less than 0",
						"Write a constant.");
	}
	if (query->distinctClause == NIL)
		view_require_order(query->sortClause, false, "LIMIT or OFFSET", scope);
	else if (list_difference(query->distinctClause, query->sortClause) != NIL)
		view_refuse(scope,
					"LIMIT or OFFSET of DISTINCT rows has an order that leaves open which is "
					"first",
					"Let ORDER BY have every column.");
}

/* From which kind the joined rows are to what is known of the result's rows; in this order. */
static void
check_clauses(ViewScope *scope, ViewKind kind)
{
	Query *query = scope->query;

	scope->grouped = query->groupClause != NIL || query->hasAggs || query->havingQual != NULL;
	if (scope->grouped)
	{
		scope->clause = "GROUP BY";
		scope->persons =
			kind == VIEW_PERSONS
				? keep_persons(query->groupClause, scope, scope->from_persons, "an aggregate")
				: persons_among(query->groupClause, scope, scope->from_persons);
	}
	scope->after_grouping = scope->grouped;
	check_targets(scope);
	scope->clause = "HAVING";
	if (query->havingQual != NULL)
		(void) view_check_expression(query->havingQual, scope);
	scope->clause = "GROUP BY";
	view_check_keys(query->groupClause, scope);
	scope->clause = "WINDOW";
	view_check_windows(scope);
	scope->clause = "DISTINCT";
	view_check_keys(query->distinctClause, scope);
	if (query->hasDistinctOn)
		view_require_order(list_concat_copy(query->distinctClause, query->sortClause), false,
						   "DISTINCT ON", scope);
}

/* Which columns of persons are still those of the whole row after windows and DISTINCT. */
static List *
persons_in_result(ViewScope *scope)
{
	List *persons = scope->persons;
	ListCell *cell;

	scope->clause = "WINDOW";
	foreach (cell, scope->query->windowClause)
		persons = keep_persons(lfirst_node(WindowClause, cell)->partitionClause, scope, persons,
							   "a window");
	scope->clause = "DISTINCT";
	if (scope->query->distinctClause != NIL)
		persons = keep_persons(scope->query->distinctClause, scope, persons, "DISTINCT");
	return persons;
}

static Bitmapset *
shown_persons(ViewScope *scope, const List *persons)
{
	Bitmapset *shown = NULL;
	ListCell *cell;

	foreach (cell, scope->query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!entry->resjunk && is_person((Node *) entry->expr, scope, persons))
			shown = bms_add_member(shown, entry->resno);
	}
	return shown;
}

/* ---- the result ---- */

static bool
has_one_row_at_most(const ViewScope *scope)
{
	const Query *query = scope->query;

	return (scope->grouped && query->groupClause == NIL) ||
		   (query->limitCount != NULL && is_count_of_rows(query->limitCount, 1)) ||
		   (query->jointree->fromlist == NIL && query->setOperations == NULL);
}

static ViewRows *
check_select(ViewScope *scope)
{
	ViewRows *rows = palloc0(sizeof(ViewRows));
	ViewKind kind = view_check_from(scope);

	check_clauses(scope, kind);
	if (kind == VIEW_PERSONS)
		rows->persons = shown_persons(scope, persons_in_result(scope));
	check_sorted(scope, kind);
	/* A subquery of a column may have read a protected table. */
	rows->kind = kind == VIEW_PUBLIC && scope->is_private ? VIEW_FIXED : kind;
	rows->columns = list_length(scope->query->targetList);
	rows->column = scope->target;
	rows->keys = view_result_keys(scope);
	return rows;
}

ViewRows *
view_check_query(Query *query, ViewScope *outer, ViewWork *work, const char *name)
{
	ViewScope scope = {.work = work, .outer = outer, .query = query, .name = name};
	const char *found = found_in(query);
	ViewRows *rows;

	check_stack_depth();
	scope.clause = "the query";
	if (found != NULL)
		view_refuse(&scope, found, "docs/reference.md lists what a query of a view may have.");
	scope.from = palloc0(Max(list_length(query->rtable), 1) * sizeof(ViewRows *));
	if (query->setOperations == NULL)
		rows = check_select(&scope);
	else
	{
		rows = view_check_set(&scope);
		check_sorted(&scope, rows->kind);
	}
	rows->at_most_one = has_one_row_at_most(&scope);
	if (rows->kind != VIEW_PUBLIC && outer != NULL)
		outer->is_private = true;
	return rows;
}

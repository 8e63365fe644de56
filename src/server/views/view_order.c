/*
 * view_order.c - sorts and keys: what may be compared, and which orders leave nothing open.
 *
 * Where two rows tie, which of them is first depends on where they are stored, and so on other
 * persons' rows (rule M12).
 */
#include "server/views/view_scope.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ---- what may be compared ---- */

/* Types whose built-in order is total and cannot fail. */
static bool
is_sortable_type(Oid type)
{
	static const Oid types[] = {BOOLOID,        INT2OID,   INT4OID, INT8OID,   NUMERICOID,
								FLOAT4OID,      FLOAT8OID, DATEOID, TIMEOID,   TIMESTAMPOID,
								TIMESTAMPTZOID, UUIDOID,   TEXTOID, VARCHAROID};

	type = getBaseType(type);
	for (int i = 0; i < lengthof(types); i++)
		if (types[i] == type)
			return true;
	return get_typtype(type) == TYPTYPE_ENUM;
}

void
view_check_sortable(Oid type, Oid collation, ViewScope *scope)
{
	if (!is_sortable_type(type))
		view_refuse(scope, psprintf("values of type %s are compared", format_type_be(type)),
					"Compare booleans, numbers, dates, times without a zone, timestamps, uuids, "
					"enums, or texts.");
	if (!OidIsValid(get_typcollation(getBaseType(type))))
		return;
	if (!OidIsValid(collation))
		view_refuse(scope, "texts of different collations are compared",
					"Say which one holds, as in a COLLATE \"C\".");
	if (!get_collation_isdeterministic(collation))
		view_refuse(scope, "texts are compared by a nondeterministic collation",
					"Say which other one holds, as in a COLLATE \"C\".");
}

void
view_check_key(Oid type, Oid collation, const ViewValue *value, ViewScope *scope)
{
	view_check_sortable(type, collation, scope);
	if (value->alike || value->is_absent)
		return;
	view_refuse(scope,
				psprintf("values of type %s that are equal may still differ, and are merged",
						 format_type_be(type)),
				"Of numbers, use integers or numerics of a fixed number of digits after the point, "
				"as in numeric(12, 2) or round(a, 2).");
}

static const ViewValue *
value_of(const TargetEntry *entry, const ViewScope *scope)
{
	return &scope->target[entry->resno - 1];
}

void
view_check_operators(const SortGroupClause *clause, ViewScope *scope)
{
	if (clause->eqop >= FirstGenbkiObjectId || clause->sortop >= FirstGenbkiObjectId)
		view_refuse(scope, "rows are sorted by an operator that is not built in",
					"Sort by the default order of the type.");
}

static void
check_clause(const SortGroupClause *clause, ViewScope *scope)
{
	const TargetEntry *entry =
		get_sortgroupref_tle(clause->tleSortGroupRef, scope->query->targetList);
	Node *expression = (Node *) entry->expr;

	view_check_operators(clause, scope);
	view_check_sortable(exprType(expression), exprCollation(expression), scope);
}

void
view_check_sort(const List *clauses, ViewScope *scope)
{
	ListCell *cell;

	foreach (cell, clauses)
		check_clause(lfirst_node(SortGroupClause, cell), scope);
}

void
view_check_keys(const List *clauses, ViewScope *scope)
{
	ListCell *cell;

	view_check_sort(clauses, scope);
	foreach (cell, clauses)
	{
		const TargetEntry *entry = get_sortgroupref_tle(
			lfirst_node(SortGroupClause, cell)->tleSortGroupRef, scope->query->targetList);

		view_check_key(exprType((Node *) entry->expr), exprCollation((Node *) entry->expr),
					   value_of(entry, scope), scope);
	}
}

/* ---- orders that leave nothing open ---- */

static bool
sorts_by(const List *clauses, Index reference)
{
	ListCell *cell;

	foreach (cell, clauses)
		if (lfirst_node(SortGroupClause, cell)->tleSortGroupRef == reference)
			return true;
	return false;
}

/* Does the list have every entry of the other one? */
static bool
sorts_by_all(const List *clauses, const List *others)
{
	ListCell *cell;

	foreach (cell, others)
		if (!sorts_by(clauses, lfirst_node(SortGroupClause, cell)->tleSortGroupRef))
			return false;
	return true;
}

/* The columns of a table of FROM that are in the list by themselves. */
static Bitmapset *
sorted_columns(const List *clauses, int table, ViewScope *scope)
{
	Bitmapset *columns = NULL;
	ListCell *cell;

	foreach (cell, clauses)
	{
		TargetEntry *entry = get_sortgroupref_tle(
			lfirst_node(SortGroupClause, cell)->tleSortGroupRef, scope->query->targetList);
		ViewScope *level;
		Var *column = view_bare_column((Node *) entry->expr, scope, &level);

		if (column != NULL && level == scope && column->varno == table)
			columns = bms_add_member(columns, column->varattno);
	}
	return columns;
}

bool
view_lists_column(const List *clauses, const Var *column, ViewScope *scope)
{
	return bms_is_member(column->varattno, sorted_columns(clauses, column->varno, scope));
}

bool
view_lists_key(const List *clauses, int table, ViewScope *scope)
{
	const ViewRows *rows = scope->from[table - 1];
	const Bitmapset *columns = sorted_columns(clauses, table, scope);
	ListCell *cell;

	if (rows->at_most_one)
		return true;
	foreach (cell, rows->keys)
		if (bms_is_subset(lfirst(cell), columns))
			return true;
	return false;
}

/* Does the list tell apart any two rows of FROM? */
static bool
tells_rows_apart(const List *clauses, ViewScope *scope)
{
	for (int i = 0; i < list_length(scope->query->rtable); i++)
		if (scope->from[i] != NULL && !view_lists_key(clauses, i + 1, scope))
			return false;
	return true;
}

typedef struct UsedColumns
{
	ViewScope *scope;
	const List *clauses;
	int levels; /* of subqueries */
} UsedColumns;

static bool
is_left_open(Node *node, void *context)
{
	UsedColumns *used = context;

	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == used->levels)
	{
		Var *var = copyObject((Var *) node);
		ViewScope *level;

		var->varlevelsup = 0;
		var = view_bare_column((Node *) var, used->scope, &level);
		return var == NULL || level != used->scope ||
			   !used->scope->from[var->varno - 1]->column[var->varattno - 1].alike ||
			   !view_lists_column(used->clauses, var, used->scope);
	}
	if (IsA(node, Query))
	{
		bool open;

		used->levels++;
		open = query_tree_walker((Query *) node, is_left_open, used, 0);
		used->levels--;
		return open;
	}
	return expression_tree_walker(node, is_left_open, used);
}

/*
 * Are rows that tie the same in every column that is used?  What windows say of them, such as their
 * numbers, differs.
 */
static bool
ties_are_alike(const List *clauses, bool with_windows, ViewScope *scope)
{
	UsedColumns used = {.scope = scope, .clauses = clauses};

	if (with_windows && scope->query->hasWindowFuncs)
		return false;
	return !is_left_open((Node *) scope->query->targetList, &used);
}

/* UNION ALL: every column of the result is in the list. */
static bool
sorts_whole_rows(const List *clauses, ViewScope *scope)
{
	ListCell *cell;

	foreach (cell, scope->query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (entry->ressortgroupref == 0 || !sorts_by(clauses, entry->ressortgroupref) ||
			!value_of(entry, scope)->alike)
			return false;
	}
	return true;
}

void
view_require_order(const List *clauses, bool is_window, const char *for_what, ViewScope *scope)
{
	const Query *query = scope->query;
	bool total;

	if (query->setOperations != NULL)
		total = sorts_whole_rows(clauses, scope);
	else if (scope->grouped)
		total = sorts_by_all(clauses, query->groupClause);
	else
		total = tells_rows_apart(clauses, scope) || ties_are_alike(clauses, !is_window, scope);
	if (!total)
		view_refuse(
			scope,
			psprintf("%s has an order that leaves open which of two rows is first", for_what),
			"Let the order have, as plain columns, a unique key that is NOT NULL of every "
			"table in FROM, or all columns of GROUP BY.");
}

/* ---- the keys of a result ---- */

static Bitmapset *
shown_columns(const List *clauses, ViewScope *scope)
{
	Bitmapset *shown = NULL;
	ListCell *cell;

	foreach (cell, clauses)
	{
		const TargetEntry *entry = get_sortgroupref_tle(
			lfirst_node(SortGroupClause, cell)->tleSortGroupRef, scope->query->targetList);

		if (entry->resjunk)
			return NULL;
		shown = bms_add_member(shown, entry->resno);
	}
	return shown;
}

/* A key of the table, as columns of the result; NULL: one of its columns is not shown. */
static Bitmapset *
shown_key(const Bitmapset *key, int table, ViewScope *scope)
{
	Bitmapset *shown = NULL;
	bool found = false;
	ListCell *cell;

	foreach (cell, scope->query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);
		ViewScope *level;
		Var *column = entry->resjunk ? NULL : view_bare_column((Node *) entry->expr, scope, &level);

		if (column == NULL || level != scope || column->varno != table ||
			!bms_is_member(column->varattno, key))
			continue;
		shown = bms_add_member(shown, entry->resno);
		found = true;
		key = bms_del_member(bms_copy(key), column->varattno);
	}
	return found && bms_is_empty(key) ? shown : NULL;
}

static Bitmapset *
shown_key_of(const ViewRows *rows, int table, ViewScope *scope)
{
	ListCell *cell;

	foreach (cell, rows->keys)
	{
		Bitmapset *shown = shown_key(lfirst(cell), table, scope);

		if (shown != NULL)
			return shown;
	}
	return NULL;
}

List *
view_result_keys(ViewScope *scope)
{
	const Query *query = scope->query;
	Bitmapset *key = NULL;

	if (query->setOperations != NULL)
		return NIL;
	if (query->distinctClause != NIL)
		key = shown_columns(query->distinctClause, scope);
	else if (scope->grouped)
		key = shown_columns(query->groupClause, scope);
	else
		for (int i = 0; i < list_length(query->rtable); i++)
		{
			Bitmapset *of_table;

			if (scope->from[i] == NULL || scope->from[i]->at_most_one)
				continue;
			of_table = shown_key_of(scope->from[i], i + 1, scope);
			if (of_table == NULL)
				return NIL;
			key = bms_add_members(key, of_table);
		}
	return key == NULL ? NIL : list_make1(key);
}

/*
 * view_from.c - FROM and WHERE: of which kind the joined rows are (lemmas M5 to M7).
 *
 * Inner joins and WHERE are one condition on all items of FROM.  Items with persons must be linked by
 * equalities of their columns of persons at the top level of that condition, or each to a column
 * of persons of an enclosing query: then the rows are fixed.  An outer join is one item.
 */
#include "server/views/view_scope.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "parser/parsetree.h"

/* A WITH query that was checked; it stands for the same rows wherever it is named. */
typedef struct KnownCte
{
	const CommonTableExpr *cte;
	ViewRows *rows;
} KnownCte;

/* ---- tables ---- */

static ViewRows *
rows_of_with(ViewScope *scope, const RangeTblEntry *table)
{
	ViewScope *level = scope;
	CommonTableExpr *cte = NULL;
	KnownCte *known;
	ListCell *cell;

	for (Index levels = table->ctelevelsup; levels > 0; levels--)
		level = level->outer;
	foreach (cell, level->query->cteList)
		if (strcmp(lfirst_node(CommonTableExpr, cell)->ctename, table->ctename) == 0)
			cte = lfirst_node(CommonTableExpr, cell);
	if (cte == NULL || table->self_reference || cte->cterecursive)
		view_refuse(scope, "WITH RECURSIVE is used",
					"WITH may name queries that name no later one.");
	foreach (cell, level->ctes)
		if (((KnownCte *) lfirst(cell))->cte == cte)
			return ((KnownCte *) lfirst(cell))->rows;
	known = palloc(sizeof(KnownCte));
	known->cte = cte;
	known->rows = view_check_query(castNode(Query, cte->ctequery), level, scope->work,
								   psprintf("WITH query \"%s\"", cte->ctename));
	level->ctes = lappend(level->ctes, known);
	return known->rows;
}

static ViewRows *
rows_of_values(ViewScope *scope, const RangeTblEntry *table)
{
	ViewRows *rows = palloc0(sizeof(ViewRows));
	ListCell *cell;

	rows->columns = list_length(linitial(table->values_lists));
	rows->column = palloc(rows->columns * sizeof(ViewValue));
	for (int i = 0; i < rows->columns; i++)
		rows->column[i] = (ViewValue){.alike = true, .is_absent = true};
	foreach (cell, table->values_lists)
	{
		ListCell *of_row;

		foreach (of_row, lfirst(cell))
		{
			ViewValue *value = &rows->column[foreach_current_index(of_row)];

			*value = view_value_either(*value, view_check_expression(lfirst(of_row), scope));
		}
	}
	rows->at_most_one = list_length(table->values_lists) == 1;
	return rows;
}

static bool
is_series(const FuncExpr *call)
{
	static const Oid functions[] = {F_GENERATE_SERIES_INT4_INT4, F_GENERATE_SERIES_INT4_INT4_INT4,
									F_GENERATE_SERIES_INT8_INT8, F_GENERATE_SERIES_INT8_INT8_INT8};

	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i] == call->funcid)
			return true;
	return false;
}

/* A step of 0 is an error, which only shows if a row asks for the series. */
static bool
are_bounds(List *arguments, ViewScope *scope)
{
	ListCell *cell;

	foreach (cell, arguments)
	{
		(void) view_check_expression(lfirst(cell), scope);
		if (!view_constant_between(lfirst(cell), PG_INT64_MIN, PG_INT64_MAX))
			return false;
	}
	return list_length(arguments) < 3 || !view_constant_between(lthird(arguments), 0, 0);
}

static ViewRows *
rows_of_function(ViewScope *scope, const RangeTblEntry *table)
{
	RangeTblFunction *function = linitial_node(RangeTblFunction, table->functions);
	ViewRows *rows = palloc0(sizeof(ViewRows));

	if (list_length(table->functions) != 1 || table->funcordinality ||
		!IsA(function->funcexpr, FuncExpr) || !is_series((FuncExpr *) function->funcexpr))
		view_refuse(
			scope,
			psprintf("FROM has %s",
					 IsA(function->funcexpr, FuncExpr)
						 ? psprintf("function %s",
									format_procedure(((FuncExpr *) function->funcexpr)->funcid))
						 : "a function"),
			"Of functions, FROM may have generate_series of integers.");
	if (!are_bounds(((FuncExpr *) function->funcexpr)->args, scope))
		view_refuse(scope, "generate_series has an argument that is no constant, or steps of 0",
					"Write constants.");
	rows->columns = 1;
	rows->column = palloc(sizeof(ViewValue));
	rows->column[0] = view_value_of_type(exprType(function->funcexpr), -1);
	rows->keys = list_make1(bms_make_singleton(1));
	return rows;
}

static ViewRows *
rows_of(ViewScope *scope, const RangeTblEntry *table)
{
	switch (table->rtekind)
	{
		case RTE_RELATION:
			return view_check_relation(scope, table);
		case RTE_SUBQUERY:
			return view_check_query(table->subquery, scope, scope->work,
									psprintf("subquery \"%s\"", table->eref->aliasname));
		case RTE_VALUES:
			return rows_of_values(scope, table);
		case RTE_FUNCTION:
			return rows_of_function(scope, table);
		case RTE_CTE:
			return rows_of_with(scope, table);
		default:
			view_refuse(scope, "FROM has an item that is no table, subquery, VALUES or WITH query",
						NULL);
	}
}

/* ---- items ---- */

/* An item of FROM: its columns of persons, none if it is public or fixed. */
typedef struct Item
{
	List *persons;
} Item;

static const char *
name_of(const Item *item, const ViewScope *scope)
{
	const ViewPerson *person = linitial(item->persons);

	return rt_fetch(person->table, scope->query->rtable)->eref->aliasname;
}

static Item *
read_table(ViewScope *scope, int position)
{
	Item *item = palloc0(sizeof(Item));
	ViewRows *rows = rows_of(scope, rt_fetch(position, scope->query->rtable));
	int column = -1;

	if (rows->kind == VIEW_PERSONS && rows->persons == NULL)
		view_refuse(scope,
					psprintf("no column of \"%s\" says whose row it is",
							 rt_fetch(position, scope->query->rtable)->eref->aliasname),
					"Select the column of persons in it, as a plain column.");
	scope->from[position - 1] = rows;
	scope->is_private |= rows->kind != VIEW_PUBLIC;
	while (rows->kind == VIEW_PERSONS && (column = bms_next_member(rows->persons, column)) >= 0)
	{
		ViewPerson *person = palloc(sizeof(ViewPerson));

		person->table = position;
		person->column = column;
		item->persons = lappend(item->persons, person);
	}
	/* What stands to the right of LATERAL sees these already. */
	scope->persons = list_concat(scope->persons, item->persons);
	return item;
}

/* ---- conditions ---- */

static List *
top_conditions(Node *condition, List *list)
{
	ListCell *cell;

	if (condition == NULL || !IsA(condition, BoolExpr) ||
		((BoolExpr *) condition)->boolop != AND_EXPR)
		return condition == NULL ? list : lappend(list, condition);
	check_stack_depth();
	foreach (cell, ((BoolExpr *) condition)->args)
		list = top_conditions(lfirst(cell), list);
	return list;
}

#define NO_ITEM (-1)
#define ENCLOSING (-2)

/* Of which item the expression is a column of persons; ENCLOSING: of an enclosing query. */
static int
item_of(Node *expression, const List *items, ViewScope *scope)
{
	ViewScope *level;
	Var *column = view_bare_column(expression, scope, &level);
	ListCell *cell;

	if (column == NULL)
		return NO_ITEM;
	if (level != scope)
		return view_names_person(level->persons, column->varno, column->varattno) ? ENCLOSING
																				  : NO_ITEM;
	foreach (cell, items)
		if (view_names_person(((Item *) lfirst(cell))->persons, column->varno, column->varattno))
			return foreach_current_index(cell);
	return NO_ITEM;
}

/* The two items that the condition links; false if it is no such equality. */
static bool
read_link(Node *condition, const List *items, ViewScope *scope, int *a, int *b)
{
	OpExpr *equality = (OpExpr *) condition;

	if (!IsA(condition, OpExpr) || !view_is_person_equality(equality))
		return false;
	*a = item_of(linitial(equality->args), items, scope);
	*b = item_of(lsecond(equality->args), items, scope);
	return *a != NO_ITEM && *b != NO_ITEM && *a != *b;
}

static void
merge(int *set, int count, int a, int b)
{
	int from = set[a];

	for (int i = 0; i < count; i++)
		if (set[i] == from)
			set[i] = set[b];
}

/* ---- joins ---- */

#define LINK_HINT                                                                                  \
	"Let the condition say, at its top level and joined by AND, that the columns of persons are "  \
	"equal, as in ON v.patient_id = p.id."

/*
 * One item for all that are joined by the conditions.  Without fixed an enclosing query does not
 * count; else says whether the rows are those of one of its persons.
 */
static Item *
join_items(List *items, List *conditions, bool *fixed, ViewScope *scope)
{
	int count = list_length(items) + 1; /* the last one is the enclosing query */
	int *set = palloc(count * sizeof(int));
	Item *joined = palloc0(sizeof(Item));
	int first = NO_ITEM;
	ListCell *cell;

	for (int i = 0; i < count; i++)
		set[i] = i;
	foreach (cell, conditions)
	{
		int a;
		int b;

		if (!read_link(lfirst(cell), items, scope, &a, &b) ||
			(fixed == NULL && (a == ENCLOSING || b == ENCLOSING)))
			continue;
		merge(set, count, a == ENCLOSING ? count - 1 : a, b == ENCLOSING ? count - 1 : b);
	}
	foreach (cell, items)
	{
		Item *item = lfirst(cell);
		int number = foreach_current_index(cell);

		if (item->persons == NIL)
			continue;
		if (first == NO_ITEM)
			first = number;
		if (set[number] != set[first])
			view_refuse(scope,
						psprintf("rows of \"%s\" and of \"%s\" of different persons are joined",
								 name_of(list_nth(items, first), scope), name_of(item, scope)),
						LINK_HINT);
		joined->persons = list_concat(joined->persons, item->persons);
	}
	if (fixed != NULL)
		*fixed = first != NO_ITEM && set[first] == set[count - 1];
	return joined;
}

static void gather(Node *node, ViewScope *scope, List **items, List **conditions);

static Item *
join_side(Node *side, ViewScope *scope)
{
	List *items = NIL;
	List *conditions = NIL;

	gather(side, scope, &items, &conditions);
	return join_items(items, conditions, NULL, scope);
}

static bool
are_linked(Item *kept, Item *other, List *conditions, ViewScope *scope)
{
	List *items = list_make2(kept, other);
	ListCell *cell;
	int a;
	int b;

	foreach (cell, conditions)
		if (read_link(lfirst(cell), items, scope, &a, &b) && a >= 0 && b >= 0)
			return true;
	return false;
}

static void
check_condition(Node *condition, ViewScope *scope)
{
	const char *before = scope->clause;

	if (condition == NULL)
		return;
	if (strcmp(before, "FROM") == 0)
		scope->clause = "ON";
	(void) view_check_expression(condition, scope);
	scope->clause = before;
}

/* A row of the kept side that finds no other row has NULL in the other columns. */
static Item *
outer_join(JoinExpr *join, ViewScope *scope)
{
	Item *left = join_side(join->larg, scope);
	Item *right = join_side(join->rarg, scope);
	Item *kept = join->jointype == JOIN_LEFT ? left : right;
	Item *other = join->jointype == JOIN_LEFT ? right : left;
	Item *joined = palloc0(sizeof(Item));

	check_condition(join->quals, scope);
	if (join->jointype != JOIN_LEFT && join->jointype != JOIN_RIGHT)
		view_refuse(scope, "FULL JOIN is used", "Use LEFT JOIN, or UNION ALL of two queries.");
	if (other->persons != NIL && kept->persons == NIL)
		view_refuse(scope,
					psprintf("an outer join keeps rows without persons where \"%s\" has none",
							 name_of(other, scope)),
					"Use JOIN, or let the side with persons be the one that is kept.");
	if (other->persons != NIL && !are_linked(kept, other, top_conditions(join->quals, NIL), scope))
		view_refuse(scope,
					psprintf("rows of \"%s\" and of \"%s\" of different persons are joined",
							 name_of(kept, scope), name_of(other, scope)),
					LINK_HINT);
	joined->persons = list_concat_copy(kept->persons, other->persons);
	return joined;
}

static void
gather_list(List *nodes, ViewScope *scope, List **items, List **conditions)
{
	ListCell *cell;

	foreach (cell, nodes)
		gather(lfirst(cell), scope, items, conditions);
}

/* Adds the items that inner joins join, and their conditions. */
static void
gather(Node *node, ViewScope *scope, List **items, List **conditions)
{
	JoinExpr *join = (JoinExpr *) node;

	check_stack_depth();
	if (IsA(node, RangeTblRef))
		*items = lappend(*items, read_table(scope, ((RangeTblRef *) node)->rtindex));
	else if (IsA(node, JoinExpr) && join->jointype != JOIN_INNER)
		*items = lappend(*items, outer_join(join, scope));
	else if (IsA(node, JoinExpr))
	{
		gather_list(list_make2(join->larg, join->rarg), scope, items, conditions);
		check_condition(join->quals, scope);
		*conditions = top_conditions(join->quals, *conditions);
	}
	else
		elog(ERROR, "FROM has a node of kind %d", (int) nodeTag(node));
}

ViewKind
view_check_from(ViewScope *scope)
{
	List *items = NIL;
	List *conditions = NIL;
	Item *joined;
	bool fixed;

	scope->clause = "FROM";
	gather_list(scope->query->jointree->fromlist, scope, &items, &conditions);
	scope->clause = "WHERE";
	check_condition(scope->query->jointree->quals, scope);
	conditions = top_conditions(scope->query->jointree->quals, conditions);
	scope->clause = "FROM";
	joined = join_items(items, conditions, &fixed, scope);
	scope->from_persons = joined->persons;
	scope->persons = list_copy(joined->persons);
	if (joined->persons != NIL)
		return fixed ? VIEW_FIXED : VIEW_PERSONS;
	return scope->is_private ? VIEW_FIXED : VIEW_PUBLIC;
}

/*
 * view_aggregates.c - the aggregates of views: a table.
 *
 * None fails, and none depends on the order of its rows: sums are exact, and of equal values it does
 * not matter which is taken.  Sums of double precision are rounded in that order, and overflow.
 */
#include "server/views/view_scope.h"

#include <limits.h>

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

/* A sum of 1e20 rows has 20 digits more. */
#define DIGITS_OF_ROWS 20

/* The value of an aggregate of one argument, or of none. */
typedef ViewValue (*Rule)(const ViewValue *value, Node *argument, bool distinct, Oid collation,
						  ViewScope *scope);

static ViewValue
count(const ViewValue *value, Node *argument, bool distinct, Oid collation, ViewScope *scope)
{
	if (distinct)
		view_check_sortable(exprType(argument), collation, scope);
	return view_value_of_type(INT8OID, -1);
}

/* A sum has as many digits after the point as the longest number, so DISTINCT must not choose. */
static ViewValue
sum(const ViewValue *value, Node *argument, bool distinct, Oid collation, ViewScope *scope)
{
	ViewValue total = *value;

	if (distinct)
		view_check_key(exprType(argument), collation, value, scope);
	view_require_bounds(value, INT_MAX, INT_MAX, "sum()", scope);
	total.digits += DIGITS_OF_ROWS;
	total.is_absent = false;
	return view_value_bounded(total, scope);
}

static ViewValue
average(const ViewValue *value, Node *argument, bool distinct, Oid collation, ViewScope *scope)
{
	ViewValue total = sum(value, argument, distinct, collation, scope);

	total.scale = 1000;
	total.alike = false;
	return total;
}

/* The sum of squares, times the number of rows. */
static ViewValue
variance(const ViewValue *value, Node *argument, bool distinct, Oid collation, ViewScope *scope)
{
	ViewValue total = average(value, argument, distinct, collation, scope);

	(void) view_value_bounded((ViewValue){.digits = 2 * total.digits, .scale = 2 * value->scale},
							  scope);
	total.digits *= 2;
	return total;
}

/*
 * One of several values that are equal may be taken.  Of floats these are 0 and -0, and NaNs, which
 * are the same to every function and to every encoder.
 */
static ViewValue
choose(const ViewValue *value, Node *argument, bool distinct, Oid collation, ViewScope *scope)
{
	Oid type = getBaseType(exprType(argument));

	if (type == FLOAT4OID || type == FLOAT8OID)
		view_check_sortable(type, collation, scope);
	else
		view_check_key(type, collation, value, scope);
	return *value;
}

static ViewValue
logic(const ViewValue *value, Node *argument, bool distinct, Oid collation, ViewScope *scope)
{
	return view_value_of_type(BOOLOID, -1);
}

typedef struct Allowed
{
	Oid function;
	Rule rule;
} Allowed;

#define EACH_NUMBER(name, rule)                                                                    \
	{F_##name##_INT2, rule}, {F_##name##_INT4, rule}, {F_##name##_INT8, rule},                     \
	{                                                                                              \
		F_##name##_NUMERIC, rule                                                                   \
	}
#define EACH_ORDERED(name)                                                                         \
	EACH_NUMBER(name, choose), {F_##name##_FLOAT4, choose}, {F_##name##_FLOAT8, choose},           \
		{F_##name##_DATE, choose}, {F_##name##_TIME, choose}, {F_##name##_TIMESTAMP, choose},      \
		{F_##name##_TIMESTAMPTZ, choose}, {F_##name##_TEXT, choose},                               \
	{                                                                                              \
		F_##name##_ANYENUM, choose                                                                 \
	}

static const Allowed table[] = {
	{F_COUNT_, count},
	{F_COUNT_ANY, count},
	EACH_NUMBER(SUM, sum),
	EACH_NUMBER(AVG, average),
	EACH_NUMBER(VARIANCE, variance),
	EACH_NUMBER(VAR_SAMP, variance),
	EACH_NUMBER(VAR_POP, variance),
	EACH_NUMBER(STDDEV, variance),
	EACH_NUMBER(STDDEV_SAMP, variance),
	EACH_NUMBER(STDDEV_POP, variance),
	EACH_ORDERED(MIN),
	EACH_ORDERED(MAX),
	{F_BOOL_AND, logic},
	{F_BOOL_OR, logic},
	{F_EVERY, logic},
};

/* Aggregates that sort; the constant says where in the order. */
static const Allowed ordered[] = {
	{F_MODE, choose},
	{F_PERCENTILE_DISC_FLOAT8_ANYELEMENT, choose},
	{F_PERCENTILE_CONT_FLOAT8_FLOAT8, choose},
};

static Rule
find(const Allowed *in, int count, Oid function)
{
	for (int i = 0; i < count; i++)
		if (in[i].function == function)
			return in[i].rule;
	return NULL;
}

static _Noreturn void
refuse(Oid function, ViewScope *scope)
{
	view_refuse(scope, psprintf("aggregate %s is used", format_procedure(function)),
				"Aggregates are count, sum, avg, variance and stddev of integers and numeric, min, "
				"max, bool_and, bool_or, mode, percentile_disc and percentile_cont.");
}

ViewValue
view_check_aggregated(Oid function, List *arguments, bool distinct, Oid collation, ViewScope *scope)
{
	Rule rule = find(table, lengthof(table), function);
	ViewValue value = {.alike = true};
	Node *argument = arguments == NIL ? NULL : linitial(arguments);

	if (rule == NULL || list_length(arguments) > 1)
		refuse(function, scope);
	if (argument != NULL)
		value = view_check_expression(argument, scope);
	return (*rule)(&value, argument, distinct, collation, scope);
}

/* ---- in a group ---- */

static void
check_fraction(Node *fraction, ViewScope *scope)
{
	Const *constant;

	(void) view_check_expression(fraction, scope);
	constant = view_constant(fraction);
	if (constant == NULL || constant->constisnull || constant->consttype != FLOAT8OID ||
		!(DatumGetFloat8(constant->constvalue) >= 0 && DatumGetFloat8(constant->constvalue) <= 1))
		view_refuse(scope, "a percentile has a fraction that is no constant between 0 and 1",
					"Write a constant.");
}

static ViewValue
check_ordered(Aggref *aggregate, ViewScope *scope)
{
	Rule rule = find(ordered, lengthof(ordered), aggregate->aggfnoid);
	TargetEntry *sorted;
	SortGroupClause *clause;
	ViewValue value;

	if (rule == NULL || list_length(aggregate->args) != 1 || list_length(aggregate->aggorder) != 1)
		refuse(aggregate->aggfnoid, scope);
	if (aggregate->aggdirectargs != NIL)
		check_fraction(linitial(aggregate->aggdirectargs), scope);
	sorted = linitial_node(TargetEntry, aggregate->args);
	clause = linitial_node(SortGroupClause, aggregate->aggorder);
	view_check_operators(clause, scope);
	value = view_check_expression((Node *) sorted->expr, scope);
	return (*rule)(&value, (Node *) sorted->expr, false, exprCollation((Node *) sorted->expr),
				   scope);
}

static List *
arguments_of(Aggref *aggregate)
{
	List *arguments = NIL;
	ListCell *cell;

	foreach (cell, aggregate->args)
		arguments = lappend(arguments, lfirst_node(TargetEntry, cell)->expr);
	return arguments;
}

static ViewValue
check_normal(Aggref *aggregate, ViewScope *scope)
{
	ListCell *cell;

	if (aggregate->aggorder != NIL)
		view_refuse(scope,
					psprintf("aggregate %s has ORDER BY", format_procedure(aggregate->aggfnoid)),
					"Leave it out: no aggregate that is allowed depends on the order of rows.");
	foreach (cell, aggregate->aggdistinct)
		view_check_operators(lfirst_node(SortGroupClause, cell), scope);
	return view_check_aggregated(aggregate->aggfnoid, arguments_of(aggregate),
								 aggregate->aggdistinct != NIL, aggregate->inputcollid, scope);
}

/* Its arguments are evaluated for the rows of FROM. */
ViewValue
view_check_aggregate(Aggref *aggregate, ViewScope *scope)
{
	List *persons = scope->persons;
	bool after_grouping = scope->after_grouping;
	ViewValue value;

	if (aggregate->agglevelsup != 0)
		view_refuse(scope, "an aggregate of the enclosing query is used",
					"Compute it in that query.");
	if (aggregate->aggvariadic)
		refuse(aggregate->aggfnoid, scope);
	scope->persons = scope->from_persons;
	scope->after_grouping = false;
	if (aggregate->aggfilter != NULL)
		(void) view_check_expression((Node *) aggregate->aggfilter, scope);
	value = aggregate->aggkind == AGGKIND_NORMAL ? check_normal(aggregate, scope)
												 : check_ordered(aggregate, scope);
	scope->persons = persons;
	scope->after_grouping = after_grouping;
	return value;
}

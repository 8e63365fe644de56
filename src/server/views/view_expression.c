/*
 * view_expression.c - which kinds of expressions a view may have: a table.
 *
 * A kind that is not in the table is refused, also one that a later version of PostgreSQL adds.  No
 * expression that is allowed can fail, and each is a function of the row, of public tables and of
 * the rows of the row's person (lemma M9).
 */
#include "server/views/view_scope.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "server/base/compat.h"

static const ViewValue plain = {.alike = true};

static ViewValue
check_list(List *nodes, ViewScope *scope)
{
	ViewValue value = {.alike = true, .is_absent = true};
	ListCell *cell;

	foreach (cell, nodes)
		value = view_value_either(value, view_check_expression(lfirst(cell), scope));
	return value;
}

/* ---- columns and constants ---- */

static ViewScope *
scope_above(ViewScope *scope, int levels)
{
	for (; levels > 0; levels--)
	{
		if (scope->outer == NULL)
			elog(ERROR, "a view refers to a query outside of it");
		scope = scope->outer;
	}
	return scope;
}

/* What a column of a join or of a grouped query stands for; NULL: it is a table's column. */
static Node *
expression_behind(const Var *var, const ViewScope *level)
{
	const RangeTblEntry *entry = rt_fetch(var->varno, level->query->rtable);
	List *expressions = entry->rtekind == RTE_JOIN ? entry->joinaliasvars : grouped_columns(entry);

	if (expressions == NIL || var->varattno < 1)
		return NULL;
	return list_nth(expressions, var->varattno - 1);
}

static bool
is_plain_type(Oid type)
{
	Oid base = getBaseType(type);

	if (get_typtype(base) == TYPTYPE_ENUM)
		return true;
	return base < FirstGenbkiObjectId && get_typtype(base) == TYPTYPE_BASE && !type_is_array(base);
}

static ViewValue
check_column(Node *node, ViewScope *scope)
{
	Var *var = (Var *) node;
	ViewScope *level = scope_above(scope, var->varlevelsup);
	Node *behind;

	if (var->varattno == 0)
		view_refuse(scope, "a whole row is used", "Name its columns.");
	if (var->varattno < 0)
		view_refuse(scope, "a system column is used",
					"Where and when a row was stored depends on other rows.");
	behind = expression_behind(var, level);
	if (behind != NULL)
		return view_check_expression(behind, level);
	if (!is_plain_type(var->vartype))
		view_refuse(scope, psprintf("a column of type %s is used", format_type_be(var->vartype)),
					"Use columns of built-in types and enums.");
	if (level->from[var->varno - 1] == NULL)
		elog(ERROR, "a view has a column of a table that is not read");
	if (level->after_grouping && !view_lists_column(level->query->groupClause, var, level) &&
		!view_lists_key(level->query->groupClause, var->varno, level))
		view_refuse(scope, "a column is used that may differ in the rows of a group",
					"Put it into GROUP BY, or use an aggregate.");
	return level->from[var->varno - 1]->column[var->varattno - 1];
}

static ViewValue
check_constant(Node *node, ViewScope *scope)
{
	Const *constant = (Const *) node;

	if (!is_plain_type(constant->consttype) && constant->consttype != UNKNOWNOID)
		view_refuse(scope,
					psprintf("a constant of type %s is used", format_type_be(constant->consttype)),
					"Use constants of built-in types and enums.");
	return view_value_of_constant(constant);
}

/* Is a value of one type the same bytes as of the other, and compared like it? */
static bool
keeps_bytes(Oid from, Oid to)
{
	from = getBaseType(from);
	return from == to ||
		   ((from == TEXTOID || from == VARCHAROID) && (to == TEXTOID || to == VARCHAROID));
}

static ViewValue
check_relabel(Node *node, ViewScope *scope)
{
	RelabelType *relabel = (RelabelType *) node;
	Oid from = exprType((Node *) relabel->arg);
	ViewValue value = view_check_expression((Node *) relabel->arg, scope);

	if (relabel->resulttypmod >= 0 || !keeps_bytes(from, relabel->resulttype))
		view_refuse(scope,
					psprintf("a cast of %s to %s is used", format_type_be(from),
							 format_type_with_typemod(relabel->resulttype, relabel->resulttypmod)),
					"Such casts are not allowed, nor any to a type with a length or precision.");
	return value;
}

static ViewValue
check_collate(Node *node, ViewScope *scope)
{
	CollateExpr *collate = (CollateExpr *) node;

	if (!get_collation_isdeterministic(collate->collOid))
		view_refuse(scope, "a nondeterministic collation is used",
					"Use a deterministic collation.");
	return view_check_expression((Node *) collate->arg, scope);
}

/* What is cast to a type that has the same values among others; NULL: it is no such cast. */
static Node *
widened(Node *node)
{
	if (IsA(node, RelabelType))
	{
		RelabelType *relabel = (RelabelType *) node;

		return keeps_bytes(exprType((Node *) relabel->arg), relabel->resulttype)
				   ? (Node *) relabel->arg
				   : NULL;
	}
	if (IsA(node, FuncExpr))
	{
		FuncExpr *call = (FuncExpr *) node;

		return call->funcid == F_INT4_INT2 || call->funcid == F_INT8_INT2 ||
					   call->funcid == F_INT8_INT4
				   ? linitial(call->args)
				   : NULL;
	}
	return NULL;
}

Var *
view_bare_column(Node *node, ViewScope *scope, ViewScope **level)
{
	for (;;)
	{
		Node *behind;

		if (!IsA(node, Var))
		{
			node = widened(node);
			if (node == NULL)
				return NULL;
			continue;
		}
		scope = scope_above(scope, ((Var *) node)->varlevelsup);
		behind = expression_behind((Var *) node, scope);
		if (behind == NULL)
			break;
		node = behind;
	}
	*level = scope;
	return (Var *) node;
}

static bool
is_changing(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Param:
		case T_SubLink:
		case T_Aggref:
		case T_WindowFunc:
		case T_CaseTestExpr:
			return true;
		default:
			return expression_tree_walker(node, is_changing, context);
	}
}

/* Only built-in functions that cannot fail are left in it. */
Const *
view_constant(Node *node)
{
	if (is_changing(node, NULL))
		return NULL;
	node = eval_const_expressions(NULL, copyObject(node));
	return IsA(node, Const) ? (Const *) node : NULL;
}

bool
view_constant_between(Node *node, int64 low, int64 high)
{
	Const *constant = view_constant(node);
	int64 value;

	if (constant == NULL || constant->constisnull ||
		(constant->consttype != INT4OID && constant->consttype != INT8OID))
		return false;
	value = constant->consttype == INT4OID ? DatumGetInt32(constant->constvalue)
										   : DatumGetInt64(constant->constvalue);
	return low <= value && value <= high;
}

/* ---- functions and operators ---- */

static ViewValue
check_call(ViewCall *call, ViewScope *scope)
{
	ListCell *cell;

	call->argument = palloc(Max(list_length(call->arguments), 1) * sizeof(ViewValue));
	foreach (cell, call->arguments)
		call->argument[foreach_current_index(cell)] = view_check_expression(lfirst(cell), scope);
	return view_check_call(call, scope);
}

static ViewValue
check_function(Node *node, ViewScope *scope)
{
	FuncExpr *call = (FuncExpr *) node;

	if (call->funcretset)
		view_refuse(scope, psprintf("function %s returns a set", format_procedure(call->funcid)),
					"Of such functions, FROM may have generate_series of constants.");
	return check_call(&(ViewCall){.function = call->funcid,
								  .type = call->funcresulttype,
								  .collation = call->inputcollid,
								  .arguments = call->args},
					  scope);
}

static ViewCall
call_of(const OpExpr *operation)
{
	return (ViewCall){.function = get_opcode(operation->opno),
					  .opno = operation->opno,
					  .type = operation->opresulttype,
					  .collation = operation->inputcollid,
					  .arguments = operation->args};
}

static ViewValue
check_operation(Node *node, ViewScope *scope)
{
	ViewCall call = call_of((OpExpr *) node);

	return check_call(&call, scope);
}

/* The result is the first argument, not what the operator says of both. */
static ViewValue
check_nullif(Node *node, ViewScope *scope)
{
	ViewCall call = call_of((NullIfExpr *) node);

	call.type = BOOLOID;
	(void) check_call(&call, scope);
	return call.argument[0];
}

/* A list of constants, as IN has it: an array, or what the parser makes of ('a', 'b'). */
static void
check_elements(Node *node, ViewScope *scope)
{
	if (IsA(node, ArrayCoerceExpr) &&
		keeps_bytes(get_element_type(exprType((Node *) ((ArrayCoerceExpr *) node)->arg)),
					get_element_type(((ArrayCoerceExpr *) node)->resulttype)) &&
		((ArrayCoerceExpr *) node)->resulttypmod < 0)
		node = (Node *) ((ArrayCoerceExpr *) node)->arg;
	if (IsA(node, RelabelType) && ((RelabelType *) node)->resulttypmod < 0)
		node = (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, Const) && type_is_array(((Const *) node)->consttype) &&
		is_plain_type(get_element_type(((Const *) node)->consttype)))
		return;
	if (IsA(node, ArrayExpr) && !((ArrayExpr *) node)->multidims && !is_changing(node, NULL))
		(void) check_list(((ArrayExpr *) node)->elements, scope);
	else
		view_refuse(scope, "a value is compared with an array", "IN may have a list of constants.");
}

static ViewValue
check_in(Node *node, ViewScope *scope)
{
	ScalarArrayOpExpr *in = (ScalarArrayOpExpr *) node;

	(void) view_check_expression(linitial(in->args), scope);
	check_elements(lsecond(in->args), scope);
	view_check_comparison(in->opno, in->inputcollid, scope);
	return plain;
}

/* ---- logic ---- */

static ViewValue
check_logic(Node *node, ViewScope *scope)
{
	(void) check_list(((BoolExpr *) node)->args, scope);
	return plain;
}

static ViewValue
check_null_test(Node *node, ViewScope *scope)
{
	NullTest *test = (NullTest *) node;

	if (test->argisrow)
		view_refuse(scope, "a row is tested for NULL", "Test its columns.");
	(void) view_check_expression((Node *) test->arg, scope);
	return plain;
}

static ViewValue
check_boolean_test(Node *node, ViewScope *scope)
{
	(void) view_check_expression((Node *) ((BooleanTest *) node)->arg, scope);
	return plain;
}

static ViewValue
check_case(Node *node, ViewScope *scope)
{
	CaseExpr *choice = (CaseExpr *) node;
	ViewValue before = scope->tested;
	ViewValue value = {.alike = true, .is_absent = true};
	ListCell *cell;

	if (choice->arg != NULL)
		scope->tested = view_check_expression((Node *) choice->arg, scope);
	foreach (cell, choice->args)
	{
		CaseWhen *when = lfirst_node(CaseWhen, cell);

		(void) view_check_expression((Node *) when->expr, scope);
		value = view_value_either(value, view_check_expression((Node *) when->result, scope));
	}
	if (choice->defresult != NULL)
		value = view_value_either(value, view_check_expression((Node *) choice->defresult, scope));
	scope->tested = before;
	return value;
}

static ViewValue
check_tested(Node *node, ViewScope *scope)
{
	return scope->tested;
}

static ViewValue
check_coalesce(Node *node, ViewScope *scope)
{
	return check_list(((CoalesceExpr *) node)->args, scope);
}

static ViewValue
check_greatest(Node *node, ViewScope *scope)
{
	MinMaxExpr *choice = (MinMaxExpr *) node;

	view_check_sortable(choice->minmaxtype, choice->inputcollid, scope);
	return check_list(choice->args, scope);
}

/* ---- subqueries ---- */

/* A column of the rows that IN or ANY searches. */
static ViewValue
check_searched(Node *node, ViewScope *scope)
{
	Param *column = (Param *) node;

	if (column->paramkind != PARAM_SUBLINK || scope->searched == NULL ||
		column->paramid > scope->searched->columns)
		view_refuse(scope, "a parameter is used", "Write a constant.");
	return scope->searched->column[column->paramid - 1];
}

static ViewValue
check_subquery(Node *node, ViewScope *scope)
{
	SubLink *link = (SubLink *) node;
	const ViewRows *before = scope->searched;
	ViewRows *rows =
		view_check_query(castNode(Query, link->subselect), scope, scope->work,
						 psprintf("a subquery in %s of %s", scope->clause, scope->name));

	if (rows->kind == VIEW_PERSONS)
		view_refuse(scope, "a subquery reads rows of other persons",
					"At the top level of its WHERE, joined by AND, let it say that its column of "
					"persons equals the one of the enclosing query, as in WHERE v.patient_id = "
					"p.id.");
	switch (link->subLinkType)
	{
		case EXISTS_SUBLINK:
			return plain;
		case EXPR_SUBLINK:
			if (!rows->at_most_one)
				view_refuse(scope, "a subquery that may have several rows is used as a value",
							"Let it have an aggregate without GROUP BY, or LIMIT 1.");
			return rows->column[0];
		case ANY_SUBLINK:
		case ALL_SUBLINK:
			if (rows->kind != VIEW_PUBLIC)
				view_refuse(scope, "IN, ANY or ALL reads a protected table",
							"Use EXISTS with the column of persons and the value in its WHERE.");
			scope->searched = rows;
			(void) view_check_expression(link->testexpr, scope);
			scope->searched = before;
			return plain;
		default:
			view_refuse(scope, "a subquery makes an array or compares rows",
						"Subqueries may be scalar, or stand in EXISTS; those of public tables in "
						"IN.");
	}
}

/* ---- aggregates and windows ---- */

static ViewValue
check_aggregate(Node *node, ViewScope *scope)
{
	return view_check_aggregate((Aggref *) node, scope);
}

static ViewValue
check_window_call(Node *node, ViewScope *scope)
{
	return view_check_window_call((WindowFunc *) node, scope);
}

/* ---- the table ---- */

typedef struct ExpressionKind
{
	NodeTag tag;
	const char *name;                                 /* for messages */
	ViewValue (*check)(Node *node, ViewScope *scope); /* NULL: refused */
} ExpressionKind;

static const ExpressionKind kinds[] = {
	{T_Var, "a column", check_column},
	{T_Const, "a constant", check_constant},
	{T_RelabelType, "a cast", check_relabel},
	{T_CollateExpr, "COLLATE", check_collate},
	{T_FuncExpr, "a function", check_function},
	{T_OpExpr, "an operator", check_operation},
	{T_DistinctExpr, "IS DISTINCT FROM", check_operation},
	{T_NullIfExpr, "NULLIF", check_nullif},
	{T_ScalarArrayOpExpr, "IN", check_in},
	{T_BoolExpr, "AND, OR, NOT", check_logic},
	{T_NullTest, "IS NULL", check_null_test},
	{T_BooleanTest, "IS TRUE", check_boolean_test},
	{T_CaseExpr, "CASE", check_case},
	{T_CaseTestExpr, "the value of CASE", check_tested},
	{T_CoalesceExpr, "COALESCE", check_coalesce},
	{T_MinMaxExpr, "GREATEST or LEAST", check_greatest},
	{T_Param, "a parameter", check_searched},
	{T_SubLink, "a subquery", check_subquery},
	{T_Aggref, "an aggregate", check_aggregate},
	{T_WindowFunc, "a window function", check_window_call},
	{T_GroupingFunc, "GROUPING()", NULL},
	{T_SubscriptingRef, "an element of an array or a jsonb", NULL},
	{T_NamedArgExpr, "a named argument", NULL},
	{T_FieldSelect, "a field of a composite value", NULL},
	{T_FieldStore, "a field of a composite value", NULL},
	{T_CoerceViaIO, "a cast through text", NULL},
	{T_ArrayCoerceExpr, "a cast of an array", NULL},
	{T_ConvertRowtypeExpr, "a row as another type", NULL},
	{T_ArrayExpr, "an array", NULL},
	{T_RowExpr, "a row constructor", NULL},
	{T_RowCompareExpr, "a comparison of rows", NULL},
	{T_SQLValueFunction, "the time or the user of the session", NULL},
	{T_XmlExpr, "an XML function", NULL},
	{T_CoerceToDomain, "a cast to a domain", NULL},
	{T_CoerceToDomainValue, "a value of a domain", NULL},
	{T_NextValueExpr, "a sequence", NULL},
	{T_CurrentOfExpr, "CURRENT OF", NULL},
};

/* Is it an expression of GROUP BY, which all rows of a group have in common? */
static bool
is_grouped(Node *node, const ViewScope *scope)
{
	ListCell *cell;

	foreach (cell, scope->query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);
		ListCell *clause;

		foreach (clause, scope->query->groupClause)
			if (lfirst_node(SortGroupClause, clause)->tleSortGroupRef == entry->ressortgroupref &&
				equal(node, entry->expr))
				return true;
	}
	return false;
}

static ViewValue
check_grouped(Node *node, ViewScope *scope)
{
	ViewValue value;

	scope->after_grouping = false;
	value = view_check_expression(node, scope);
	scope->after_grouping = true;
	return value;
}

ViewValue
view_check_expression(Node *node, ViewScope *scope)
{
	check_stack_depth();
	if (scope->after_grouping && is_grouped(node, scope))
		return check_grouped(node, scope);
	for (int i = 0; i < lengthof(kinds); i++)
		if (kinds[i].tag == nodeTag(node))
		{
			if (kinds[i].check != NULL)
				return kinds[i].check(node, scope);
			view_refuse(scope, psprintf("%s is used", kinds[i].name),
						"docs/reference.md lists which expressions a view may have.");
		}
	view_refuse(scope, psprintf("an expression of kind %d is used", (int) nodeTag(node)),
				"docs/reference.md lists which expressions a view may have.");
}

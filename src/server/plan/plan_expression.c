/*
 * plan_expression.c - which expressions may be evaluated on the rows of a training set.
 *
 * Only immutable built-in functions are allowed.  A user's function could read other tables, count
 * the rows or report them, and a volatile function gives two runs different rows.  The node kinds
 * are a whitelist, so a kind that a later version of PostgreSQL adds is refused until it is listed.
 *
 * On a protected table a row must not even decide whether an error is raised (rule H10), so only
 * leakproof functions are allowed, and some that is_silent() lists.  On other tables whoever may
 * call the aggregate may also read the rows, so float8 arithmetic, LIKE and upper() are allowed.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/typcache.h"

#include "server/base/compat.h"
#include "server/plan/plan_shape.h"

typedef struct Walk
{
	List *index_columns;
	bool is_protected;
	bool fixed; /* columns are refused, too */
	PlanFault *fault;
} Walk;

static bool
note_fault(Walk *walk, const char *rule, const char *hint)
{
	walk->fault->rule = rule;
	walk->fault->hint = hint;
	return true;
}

#define HINT_FIXED "Compute it first and pass it as a parameter of the statement."
#define HINT_PROTECTED                                                                             \
	"On a protected table write plain columns and comparisons, such as ARRAY[a, b] and WHERE a > " \
	"1, with \"center\", \"scale\" and \"clip\" in the options; or dpobj.features or dpobj.train."

/* ---- functions ---- */

bool
plan_is_own_function(Oid function)
{
	return getExtensionOfObject(ProcedureRelationId, function) == get_extension_oid("dpobj", false);
}

/* Is it a stable function of its arguments, the session's settings and the clock, but no table? */
static bool
depends_on_settings_only(Oid function)
{
	static const Oid functions[] = {
		F_JSONB_BUILD_OBJECT_ANY,
		F_JSONB_BUILD_OBJECT_,
		F_JSONB_BUILD_ARRAY_ANY,
		F_JSONB_BUILD_ARRAY_,
		F_TO_JSONB,
		F_NOW,
		F_STATEMENT_TIMESTAMP,
		F_TRANSACTION_TIMESTAMP,
		F_TIMESTAMPTZ_PL_INTERVAL,
		F_TIMESTAMPTZ_MI_INTERVAL,
		F_TIMESTAMPTZ_DATE,
		F_TIMESTAMPTZ_TIMESTAMP,
		F_DATE_TIMESTAMPTZ,
		F_TIMESTAMP_TIMESTAMPTZ,
		F_DATE_TRUNC_TEXT_TIMESTAMPTZ,
		F_DATE_PART_TEXT_TIMESTAMPTZ,
		F_EXTRACT_TEXT_TIMESTAMPTZ,
		F_TIMESTAMP_LT_TIMESTAMPTZ,
		F_TIMESTAMP_LE_TIMESTAMPTZ,
		F_TIMESTAMP_EQ_TIMESTAMPTZ,
		F_TIMESTAMP_NE_TIMESTAMPTZ,
		F_TIMESTAMP_GE_TIMESTAMPTZ,
		F_TIMESTAMP_GT_TIMESTAMPTZ,
		F_TIMESTAMPTZ_LT_TIMESTAMP,
		F_TIMESTAMPTZ_LE_TIMESTAMP,
		F_TIMESTAMPTZ_EQ_TIMESTAMP,
		F_TIMESTAMPTZ_NE_TIMESTAMP,
		F_TIMESTAMPTZ_GE_TIMESTAMP,
		F_TIMESTAMPTZ_GT_TIMESTAMP,
		F_DATE_LT_TIMESTAMPTZ,
		F_DATE_LE_TIMESTAMPTZ,
		F_DATE_EQ_TIMESTAMPTZ,
		F_DATE_NE_TIMESTAMPTZ,
		F_DATE_GE_TIMESTAMPTZ,
		F_DATE_GT_TIMESTAMPTZ,
		F_TIMESTAMPTZ_LT_DATE,
		F_TIMESTAMPTZ_LE_DATE,
		F_TIMESTAMPTZ_EQ_DATE,
		F_TIMESTAMPTZ_NE_DATE,
		F_TIMESTAMPTZ_GE_DATE,
		F_TIMESTAMPTZ_GT_DATE,
	};

	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i] == function)
			return true;
	return false;
}

/*
 * Does the function return for every value, and report nothing?  Float8 arithmetic does not:
 * whether it overflows depends on the row.  PostgreSQL marks few functions as leakproof.  Those
 * listed here compare digits or OIDs, change a sign bit or cut blanks, and cannot fail.
 */
static bool
is_silent(Oid function)
{
	static const Oid proved[] = {
		F_NUMERIC_EQ,
		F_NUMERIC_NE,
		F_NUMERIC_LT,
		F_NUMERIC_LE,
		F_NUMERIC_GT,
		F_NUMERIC_GE,
		F_ENUM_EQ,
		F_ENUM_NE,
		F_FLOAT8ABS,
		F_FLOAT8UM,
		F_ABS_FLOAT8,
		F_TEXT_BPCHAR,
		F_ISFINITE_DATE,
		F_ISFINITE_TIMESTAMP,
		F_ISFINITE_TIMESTAMPTZ,
		F_ISFINITE_INTERVAL,
	};

	for (int i = 0; i < lengthof(proved); i++)
		if (proved[i] == function)
			return true;
	return get_func_leakproof(function);
}

bool
plan_is_features(Oid function)
{
	return strcmp(get_func_name(function), "features") == 0 &&
		   get_func_namespace(function) == get_namespace_oid("dpobj", false);
}

/*
 * Allows immutable functions of this extension, such as dp_score, and dpobj.features, which is
 * stable only because types can be altered.  No row makes dpobj.features fail, but its declaration
 * may: see call_fault().
 */
static bool
own_function_fault(Oid function, Walk *walk)
{
	if (plan_is_features(function) || (func_volatile(function) == PROVOLATILE_IMMUTABLE &&
									   !get_func_retset(function) && !walk->is_protected))
		return false;
	return note_fault(
		walk, psprintf("Function %s is not for expressions over rows.", format_procedure(function)),
		walk->is_protected ? HINT_PROTECTED : PLAN_HINT_FUNCTION);
}

/* Callback of check_functions_in_node(). */
static bool
function_fault(Oid function, void *context)
{
	Walk *walk = context;

	if (function >= FirstGenbkiObjectId)
	{
		if (plan_is_own_function(function))
			return own_function_fault(function, walk);
		return note_fault(walk,
						  psprintf("Function %s is not built in.", format_procedure(function)),
						  PLAN_HINT_FUNCTION);
	}
	if (get_func_retset(function))
		return note_fault(walk, psprintf("Function %s returns a set.", format_procedure(function)),
						  PLAN_HINT_FUNCTION);
	if (func_volatile(function) == PROVOLATILE_VOLATILE)
		return note_fault(walk, psprintf("Function %s is volatile.", format_procedure(function)),
						  PLAN_HINT_FUNCTION);
	if (func_volatile(function) == PROVOLATILE_STABLE && !depends_on_settings_only(function))
		return note_fault(walk,
						  psprintf("Function %s is not immutable.", format_procedure(function)),
						  HINT_FIXED);
	if (walk->is_protected && !is_silent(function))
		return note_fault(
			walk,
			psprintf("The table is protected, and whether function %s fails depends on "
					 "the row.",
					 format_procedure(function)),
			HINT_PROTECTED);
	return false;
}

/* ---- types ---- */

/*
 * Built-in functions such as array_eq, record_eq or range_overlaps call functions of the element
 * type, which may be a user's.  Enums have no such functions.
 */
static bool
is_plain_type(Oid type)
{
	Oid element;

	type = getBaseType(type);
	element = get_element_type(type);
	if (OidIsValid(element))
		type = getBaseType(element);
	if (type == RECORDOID || type == RECORDARRAYOID)
		return false;
	return type < FirstGenbkiObjectId || get_typtype(type) == TYPTYPE_ENUM;
}

static bool
type_fault(Oid type, Walk *walk)
{
	if (is_plain_type(type))
		return false;
	return note_fault(walk,
					  psprintf("Values of type %s are compared or computed.", format_type_be(type)),
					  "Use values of built-in types, compared column by column.");
}

static bool
types_fault(List *arguments, Walk *walk)
{
	ListCell *cell;

	foreach (cell, arguments)
		if (type_fault(exprType(lfirst(cell)), walk))
			return true;
	return false;
}

/* ---- nodes ---- */

static bool find_fault(Node *node, void *context);

/* A column of an index-only scan is checked as the expression that it stands for. */
static bool
var_fault(Var *var, Walk *walk)
{
	ListCell *cell;

	if (walk->fixed)
		return note_fault(walk, "A column is used.", HINT_FIXED);
	if (var->varno == INDEX_VAR)
		foreach (cell, walk->index_columns)
			if (lfirst_node(TargetEntry, cell)->resno == var->varattno)
			{
				Walk below = *walk;

				below.index_columns = NIL;
				return find_fault((Node *) lfirst_node(TargetEntry, cell)->expr, &below);
			}
	if (walk->is_protected && var->varattno < 0 && var->varattno != TableOidAttributeNumber)
		return note_fault(walk,
						  "The table is protected, and where a row is stored depends on others.",
						  "Use columns of the table instead of its system columns.");
	return false;
}

/* Refuses a declaration of dpobj.features that a row gives, because it could fail on that row. */
static bool
call_fault(FuncExpr *call, Walk *walk)
{
	if (call->funcid < FirstGenbkiObjectId || !plan_is_features(call->funcid))
		return call->funcid < FirstGenbkiObjectId && types_fault(call->args, walk);
	if (plan_expression_is_fixed(linitial(call->args)))
		return false;
	return note_fault(walk, "The declaration that dpobj.features uses comes from a row.",
					  HINT_FIXED);
}

static bool
comparison_fault(Oid type, Walk *walk)
{
	TypeCacheEntry *entry;

	if (type_fault(type, walk))
		return true;
	entry = lookup_type_cache(type, TYPECACHE_CMP_PROC);
	return OidIsValid(entry->cmp_proc) && function_fault(entry->cmp_proc, walk);
}

/* Reading an element of an array or of a jsonb cannot fail; other types have their own code. */
static bool
subscript_fault(SubscriptingRef *reference, Walk *walk)
{
	if (reference->refassgnexpr != NULL ||
		!subscript_is_known(reference->refcontainertype, walk->is_protected))
		return note_fault(walk, "A value of this type is subscripted.",
						  "Subscripts may read elements of arrays.");
	return false;
}

/* Checks a node, without its functions and the nodes below it. */
static bool
node_fault(Node *node, Walk *walk)
{
	switch (nodeTag(node))
	{
		case T_List:
		case T_TargetEntry:
		case T_Const:
		case T_RowExpr:
		case T_RelabelType:
		case T_CollateExpr:
		case T_ConvertRowtypeExpr: /* a row of a child as one of its parent */
		case T_ArrayCoerceExpr:
		case T_FieldSelect:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_SQLValueFunction: /* the clock and the user */
			return false;
		case T_Var:
			return var_fault((Var *) node, walk);
		case T_ArrayExpr:
			if (!walk->is_protected || !((ArrayExpr *) node)->multidims)
				return false;
			return note_fault(walk,
							  "The table is protected, and whether arrays fit depends on the row.",
							  HINT_PROTECTED);
		case T_Param:
			if (((Param *) node)->paramkind == PARAM_EXTERN)
				return false;
			return note_fault(walk, "A sub-select or a value of an outer query is used.",
							  HINT_FIXED);
		case T_FuncExpr:
			return call_fault((FuncExpr *) node, walk);
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return types_fault(((OpExpr *) node)->args, walk);
		case T_ScalarArrayOpExpr:
			return types_fault(((ScalarArrayOpExpr *) node)->args, walk);
		case T_CoerceViaIO:
			return type_fault(exprType((Node *) ((CoerceViaIO *) node)->arg), walk) ||
				   type_fault(((CoerceViaIO *) node)->resulttype, walk);
		case T_MinMaxExpr:
			return comparison_fault(((MinMaxExpr *) node)->minmaxtype, walk);
		case T_SubscriptingRef:
			return subscript_fault((SubscriptingRef *) node, walk);
		case T_SubPlan:
		case T_AlternativeSubPlan:
			return note_fault(walk, "A sub-select is used.", HINT_FIXED);
		case T_CoerceToDomain:
			return note_fault(walk, "A value is checked against the constraints of a domain.",
							  "Cast to the type that the domain is made of.");
		case T_RowCompareExpr:
			return note_fault(walk, "Rows are compared.", "Compare column by column.");
		default:
			return note_fault(walk, "An expression is of a kind that is not allowed.",
							  PLAN_HINT_FUNCTION);
	}
}

static bool
find_fault(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return node_fault(node, context) || check_functions_in_node(node, function_fault, context) ||
		   expression_tree_walker(node, find_fault, context);
}

bool
plan_expressions_allowed(const PlanExpressions *expressions, bool is_protected, PlanFault *fault)
{
	Walk walk = {
		.index_columns = expressions->index_columns, .is_protected = is_protected, .fault = fault};

	return !find_fault(expressions->expressions, &walk);
}

bool
plan_sort_allowed(Oid operator, Oid type, bool is_protected, PlanFault *fault)
{
	Walk walk = {.is_protected = is_protected, .fault = fault};

	return !function_fault(get_opcode(operator), &walk) && !type_fault(type, &walk);
}

bool
plan_expression_is_fixed(Node *expression)
{
	PlanFault fault;
	Walk walk = {.fixed = true, .fault = &fault};

	return !find_fault(expression, &walk);
}

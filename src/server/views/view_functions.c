/*
 * view_functions.c - the functions and operators of views: a table.
 *
 * Each gives a value or NULL for every value of its arguments, reads nothing but them, and gives
 * equal results for equal arguments that are alike.  They are known by OIDs, which only PostgreSQL
 * itself gives, so no search path and no schema has a say.  sql/view_functions.sql throws edge
 * values at each.
 */
#include "server/views/view_scope.h"

#include <limits.h>

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "catalog/dependency.h"
#include "commands/extension.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/regproc.h"

#define TEXT_CUT_MOST (1024 * 1024)
#define PATTERN_MOST 1000
#define ROUND_MOST 1000

static const char *
called(const ViewCall *call)
{
	return OidIsValid(call->opno) ? psprintf("operator %s", format_operator(call->opno))
								  : psprintf("function %s", format_procedure(call->function));
}

static Node *
argument_of(const ViewCall *call, int position)
{
	return list_nth(call->arguments, position);
}

/* ---- rules ---- */

typedef ViewValue (*Rule)(const ViewCall *call, ViewScope *scope);

static ViewValue
free_of_rules(const ViewCall *call, ViewScope *scope)
{
	return view_value_of_type(call->type, -1);
}

/* Without a collation that is known, the first row is an error. */
static ViewValue
compare(const ViewCall *call, ViewScope *scope)
{
	view_check_sortable(exprType(argument_of(call, 0)), call->collation, scope);
	return view_value_of_type(call->type, -1);
}

static ViewValue
change_case(const ViewCall *call, ViewScope *scope)
{
	return compare(call, scope);
}

/* A trailing backslash is an error for those texts that the pattern fits up to there. */
static ViewValue
match(const ViewCall *call, ViewScope *scope)
{
	Const *pattern = view_constant(argument_of(call, 1));
	const char *string;
	size_t length;
	size_t escapes = 0;

	(void) compare(call, scope);
	if (pattern == NULL)
		view_refuse(scope, "the pattern of LIKE is no constant",
					"Write the pattern as a constant.");
	if (pattern->constisnull)
		return view_value_of_type(BOOLOID, -1);
	string = TextDatumGetCString(pattern->constvalue);
	length = strlen(string);
	while (escapes < length && string[length - 1 - escapes] == '\\')
		escapes++;
	if (escapes % 2 != 0 || length > PATTERN_MOST)
		view_refuse(
			scope,
			length > PATTERN_MOST ? "the pattern of LIKE is too long"
								  : "the pattern of LIKE ends in a backslash",
			psprintf("It may have %d bytes, and ends in no single backslash.", PATTERN_MOST));
	return view_value_of_type(BOOLOID, -1);
}

static ViewValue
cut(const ViewCall *call, ViewScope *scope)
{
	for (int i = 1; i < list_length(call->arguments); i++)
		if (!view_constant_between(argument_of(call, i), 0, TEXT_CUT_MOST))
			view_refuse(scope,
						psprintf("%s has a place or length that may be less than 0", called(call)),
						"Write constants from 0 on.");
	return view_value_of_type(TEXTOID, -1);
}

/* The fields that every date has, and of which a timestamp has more; another one is an error. */
static ViewValue
extract(const ViewCall *call, ViewScope *scope)
{
	static const struct
	{
		const char *name;
		bool of_date;
		bool whole;
	} fields[] = {
		{"day", true, true},           {"month", true, true},      {"quarter", true, true},
		{"week", true, true},          {"year", true, true},       {"decade", true, true},
		{"century", true, true},       {"millennium", true, true}, {"isoyear", true, true},
		{"dow", true, true},           {"isodow", true, true},     {"doy", true, true},
		{"julian", true, false},       {"epoch", true, false},     {"hour", false, true},
		{"minute", false, true},       {"second", false, false},   {"millisecond", false, false},
		{"milliseconds", false, false}};
	Const *field = view_constant(argument_of(call, 0));

	for (int i = 0; i < lengthof(fields) && field != NULL && !field->constisnull; i++)
		if (pg_strcasecmp(TextDatumGetCString(field->constvalue), fields[i].name) == 0 &&
			(fields[i].of_date || call->function == F_EXTRACT_TEXT_TIMESTAMP))
			return (ViewValue){
				.digits = 20, .scale = fields[i].whole ? 0 : 40, .alike = fields[i].whole};
	view_refuse(scope, "extract() has a field that not every value has, or that is no constant",
				"Fields are day, month, quarter, week, year, decade, century, millennium, isoyear, "
				"dow, isodow, doy, julian and epoch; of a timestamp also hour, minute, second and "
				"millisecond.");
}

/* ---- rules of numbers ---- */

/* The bounds of a number that arithmetic is done with. */
static ViewValue
number(const ViewCall *call, int position, ViewScope *scope)
{
	ViewValue value = call->argument[position];

	view_require_bounds(&value, INT_MAX, INT_MAX, called(call), scope);
	return value;
}

static ViewValue
add(const ViewCall *call, ViewScope *scope)
{
	ViewValue a = number(call, 0, scope);
	ViewValue b = number(call, 1, scope);

	return view_value_bounded((ViewValue){.digits = Max(a.digits, b.digits) + 1,
										  .scale = Max(a.scale, b.scale),
										  .alike = a.alike && b.alike},
							  scope);
}

static ViewValue
multiply(const ViewCall *call, ViewScope *scope)
{
	ViewValue a = number(call, 0, scope);
	ViewValue b = number(call, 1, scope);

	return view_value_bounded((ViewValue){.digits = a.digits + b.digits,
										  .scale = a.scale + b.scale,
										  .alike = a.alike && b.alike},
							  scope);
}

static bool
is_zero(const Const *constant)
{
	return DatumGetBool(DirectFunctionCall2(numeric_eq, constant->constvalue,
											NumericGetDatum(int64_to_numeric(0))));
}

/* Can the divisor never be 0?  It is NULLIF(b, 0), or a constant. */
static bool
is_never_zero(Node *node)
{
	Const *constant = view_constant(node);

	if (constant != NULL)
		return constant->constisnull || !is_zero(constant);
	if (!IsA(node, NullIfExpr) || get_opcode(((NullIfExpr *) node)->opno) != F_NUMERIC_EQ)
		return false;
	constant = view_constant(lsecond(((NullIfExpr *) node)->args));
	return constant != NULL && constant->consttype == NUMERICOID && !constant->constisnull &&
		   is_zero(constant);
}

/* PostgreSQL never writes more digits of a quotient than NUMERIC_MAX_DISPLAY_SCALE. */
static ViewValue
divide(const ViewCall *call, ViewScope *scope)
{
	ViewValue a = number(call, 0, scope);
	ViewValue b = number(call, 1, scope);

	if (!is_never_zero(argument_of(call, 1)))
		view_refuse(scope, "a number is divided by one that may be 0",
					"Divide by nullif(b, 0), or by a constant that is not 0.");
	return view_value_bounded((ViewValue){.digits = a.digits + b.scale + 1, .scale = 1000}, scope);
}

static ViewValue
keep_number(const ViewCall *call, ViewScope *scope)
{
	return call->argument[0];
}

static ViewValue
whole(const ViewCall *call, ViewScope *scope)
{
	ViewValue value = number(call, 0, scope);

	return view_value_bounded((ViewValue){.digits = value.digits + 1, .alike = true}, scope);
}

static ViewValue
sign(const ViewCall *call, ViewScope *scope)
{
	return (ViewValue){.digits = 1, .alike = true};
}

static ViewValue
round_to(const ViewCall *call, ViewScope *scope)
{
	ViewValue value = number(call, 0, scope);
	Node *scale = argument_of(call, 1);

	if (!view_constant_between(scale, 0, ROUND_MOST))
		view_refuse(scope, "round() has a number of digits that is no constant from 0 on",
					psprintf("Write a constant of at most %d.", ROUND_MOST));
	return view_value_bounded((ViewValue){.digits = value.digits + 1,
										  .scale = DatumGetInt32(view_constant(scale)->constvalue),
										  .alike = true},
							  scope);
}

/* Equal numbers of the same type give the same digits; those of a float8 come by 15 digits. */
static ViewValue
to_numeric(const ViewCall *call, ViewScope *scope)
{
	return call->argument[0];
}

/* Beyond these bounds a numeric is no double precision, which is an error; 1e-400 is one, too. */
static ViewValue
to_float8(const ViewCall *call, ViewScope *scope)
{
	view_require_bounds(&call->argument[0], 300, 300, "a cast to double precision", scope);
	return view_value_of_type(call->type, -1);
}

/* ---- the table ---- */

typedef struct Allowed
{
	Oid function;
	Rule rule;
} Allowed;

#define EACH_COMPARISON(prefix, rule)                                                              \
	{prefix##EQ, rule}, {prefix##NE, rule}, {prefix##LT, rule}, {prefix##LE, rule},                \
		{prefix##GT, rule},                                                                        \
	{                                                                                              \
		prefix##GE, rule                                                                           \
	}

static const Allowed table[] = {
	/* comparisons of one type, and of integers and floats of several sizes */
	EACH_COMPARISON(F_BOOL, compare),
	EACH_COMPARISON(F_INT2, compare),
	EACH_COMPARISON(F_INT4, compare),
	EACH_COMPARISON(F_INT8, compare),
	EACH_COMPARISON(F_INT24, compare),
	EACH_COMPARISON(F_INT42, compare),
	EACH_COMPARISON(F_INT28, compare),
	EACH_COMPARISON(F_INT82, compare),
	EACH_COMPARISON(F_INT48, compare),
	EACH_COMPARISON(F_INT84, compare),
	EACH_COMPARISON(F_FLOAT4, compare),
	EACH_COMPARISON(F_FLOAT8, compare),
	EACH_COMPARISON(F_FLOAT48, compare),
	EACH_COMPARISON(F_FLOAT84, compare),
	EACH_COMPARISON(F_NUMERIC_, compare),
	EACH_COMPARISON(F_DATE_, compare),
	EACH_COMPARISON(F_TIMESTAMP_, compare),
	EACH_COMPARISON(F_TIMESTAMPTZ_, compare),
	EACH_COMPARISON(F_TIME_, compare),
	EACH_COMPARISON(F_UUID_, compare),
	EACH_COMPARISON(F_ENUM_, compare),
	{F_TEXTEQ, compare},
	{F_TEXTNE, compare},
	{F_TEXT_LT, compare},
	{F_TEXT_LE, compare},
	{F_TEXT_GT, compare},
	{F_TEXT_GE, compare},

	/* casts; what only changes the type is a RelabelType */
	{F_INT4_INT2, to_numeric},
	{F_INT8_INT2, to_numeric},
	{F_INT8_INT4, to_numeric},
	{F_INT4_BOOL, free_of_rules},
	{F_NUMERIC_INT2, to_numeric},
	{F_NUMERIC_INT4, to_numeric},
	{F_NUMERIC_INT8, to_numeric},
	{F_NUMERIC_FLOAT4, to_numeric},
	{F_NUMERIC_FLOAT8, to_numeric},
	{F_FLOAT8_INT2, free_of_rules},
	{F_FLOAT8_INT4, free_of_rules},
	{F_FLOAT8_INT8, free_of_rules},
	{F_FLOAT8_FLOAT4, free_of_rules},
	{F_FLOAT8_NUMERIC, to_float8},
	{F_DATE_TIMESTAMP, free_of_rules},
	{F_TEXT_BPCHAR, free_of_rules},

	/* arithmetic; that of integers and floats overflows */
	{F_NUMERIC_ADD, add},
	{F_NUMERIC_SUB, add},
	{F_NUMERIC_MUL, multiply},
	{F_NUMERIC_DIV, divide},
	{F_NUMERIC_UMINUS, keep_number},
	{F_NUMERIC_UPLUS, keep_number},
	{F_NUMERIC_ABS, keep_number},
	{F_ABS_NUMERIC, keep_number},
	{F_SIGN_NUMERIC, sign},
	{F_CEIL_NUMERIC, whole},
	{F_CEILING_NUMERIC, whole},
	{F_FLOOR_NUMERIC, whole},
	{F_ROUND_NUMERIC, whole},
	{F_ROUND_NUMERIC_INT4, round_to},

	/* dates */
	{F_EXTRACT_TEXT_DATE, extract},
	{F_EXTRACT_TEXT_TIMESTAMP, extract},
	{F_ISFINITE_DATE, free_of_rules},
	{F_ISFINITE_TIMESTAMP, free_of_rules},

	/* texts */
	{F_LENGTH_TEXT, free_of_rules},
	{F_LOWER_TEXT, change_case},
	{F_UPPER_TEXT, change_case},
	{F_LEFT, cut},
	{F_SUBSTR_TEXT_INT4, cut},
	{F_SUBSTR_TEXT_INT4_INT4, cut},
	{F_SUBSTRING_TEXT_INT4, cut},
	{F_SUBSTRING_TEXT_INT4_INT4, cut},
	{F_TEXTLIKE, match},
	{F_TEXTNLIKE, match},
	{F_LIKE_TEXT_TEXT, match},
	{F_NOTLIKE_TEXT_TEXT, match},
};

static const Allowed *
find(Oid function)
{
	for (int i = 0; i < lengthof(table); i++)
		if (table[i].function == function)
			return &table[i];
	return NULL;
}

/* dpobj.days(date, date) cannot fail, which date - date does for infinite dates. */
static bool
is_days(Oid function)
{
	return function >= FirstNormalObjectId &&
		   getExtensionOfObject(ProcedureRelationId, function) ==
			   get_extension_oid("dpobj", false) &&
		   get_func_namespace(function) == get_namespace_oid("dpobj", false) &&
		   strcmp(get_func_name(function), "days") == 0;
}

static _Noreturn void
refuse(const ViewCall *call, ViewScope *scope)
{
	const char *hint = "docs/reference.md lists the functions that a view may have.";

	if (call->function < FirstGenbkiObjectId &&
		(call->type == INT2OID || call->type == INT4OID || call->type == INT8OID ||
		 call->type == FLOAT4OID || call->type == FLOAT8OID))
		hint = "Integers and floats overflow: compute with numeric, as in a::numeric + b. Days "
			   "between dates are dpobj.days(a, b).";
	view_refuse(scope, psprintf("%s is used", called(call)), hint);
}

ViewValue
view_check_call(const ViewCall *call, ViewScope *scope)
{
	const Allowed *allowed = find(call->function);
	bool own_operator = OidIsValid(call->opno) && call->opno >= FirstGenbkiObjectId;

	if (allowed != NULL && !own_operator)
		return allowed->rule(call, scope);
	if (!own_operator && is_days(call->function))
		return view_value_of_type(call->type, -1);
	refuse(call, scope);
}

void
view_check_comparison(Oid opno, Oid collation, ViewScope *scope)
{
	const Allowed *allowed = opno < FirstGenbkiObjectId ? find(get_opcode(opno)) : NULL;
	Oid left;
	Oid right;

	if (allowed == NULL || allowed->rule != compare)
		view_refuse(scope, psprintf("operator %s is used with a list", format_operator(opno)),
					"A list may be compared by = and <>, or another comparison.");
	op_input_types(opno, &left, &right);
	view_check_sortable(left == ANYENUMOID ? INT4OID : left, collation, scope);
}

bool
view_is_person_equality(const OpExpr *operation)
{
	static const Oid equalities[] = {F_INT2EQ,  F_INT4EQ,  F_INT8EQ,  F_INT24EQ,
									 F_INT42EQ, F_INT28EQ, F_INT82EQ, F_INT48EQ,
									 F_INT84EQ, F_UUID_EQ, F_TEXTEQ};
	Oid function = get_opcode(operation->opno);

	if (operation->opno >= FirstGenbkiObjectId || list_length(operation->args) != 2)
		return false;
	if (function == F_TEXTEQ && (!OidIsValid(operation->inputcollid) ||
								 !get_collation_isdeterministic(operation->inputcollid)))
		return false;
	for (int i = 0; i < lengthof(equalities); i++)
		if (equalities[i] == function)
			return true;
	return false;
}

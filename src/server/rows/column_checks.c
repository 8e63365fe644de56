/*
 * column_checks.c - reads CHECK constraints without evaluating them.
 *
 * An operator is known by its OID, which only PostgreSQL itself gives, and by its strategy in the
 * built-in B-tree family of its type; operators and casts of users say nothing.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_am.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "core/rows/levels.h"

#include "server/base/compat.h"
#include "server/base/json_value.h"
#include "server/rows/column_checks.h"

/* Whose conditions are read: the column, or VALUE of a domain, whose number is 0. */
typedef struct Subject
{
	const Column *column;
	AttrNumber number;
} Subject;

/* A constant: of a text or an enum a text, else a number. */
typedef struct Constant
{
	Numeric number;
	char *text;
} Constant;

/* ---- casts ---- */

/* Types of one ten; a cast to a later one keeps the order, and rounds if that has fewer bits. */
typedef struct RankedType
{
	Oid type;
	int rank;
	int bits;
} RankedType;

static const RankedType *
ranked_type(Oid type)
{
	static const RankedType types[] = {
		{INT2OID, 1, 15},   {INT4OID, 2, 31},   {INT8OID, 3, 63},   {NUMERICOID, 4, PG_INT32_MAX},
		{FLOAT4OID, 5, 24}, {FLOAT8OID, 6, 53}, {BPCHAROID, 11, 0}, {TEXTOID, 12, 0}};

	for (int i = 0; i < lengthof(types); i++)
		if (types[i].type == type)
			return &types[i];
	return NULL;
}

/* Is it a built-in cast that keeps the order of values, or exactly the value? */
static bool
keeps_order(const FuncExpr *call, bool exactly)
{
	const RankedType *from;
	const RankedType *to;

	if (call->funcid >= FirstGenbkiObjectId || list_length(call->args) != 1 ||
		(call->funcformat != COERCE_IMPLICIT_CAST && call->funcformat != COERCE_EXPLICIT_CAST))
		return false;
	from = ranked_type(exprType(linitial(call->args)));
	to = ranked_type(call->funcresulttype);
	return from != NULL && to != NULL && from->rank < to->rank &&
		   from->rank / 10 == to->rank / 10 && (!exactly || from->bits <= to->bits);
}

/* Takes off casts that keep the order, or exactly the value. */
static Node *
strip(Node *node, bool exactly)
{
	for (;;)
	{
		if (IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (IsA(node, CollateExpr))
			node = (Node *) ((CollateExpr *) node)->arg;
		else if (IsA(node, FuncExpr) && keeps_order((FuncExpr *) node, exactly))
			node = linitial(((FuncExpr *) node)->args);
		else
			return node;
	}
}

static bool
is_subject(Node *node, bool exactly, const Subject *subject)
{
	node = strip(node, exactly);
	if (subject->number == 0)
		return IsA(node, CoerceToDomainValue);
	return IsA(node, Var) && ((Var *) node)->varattno == subject->number;
}

/* ---- constants ---- */

static bool
read_label(Oid label, Constant *constant)
{
	HeapTuple tuple = SearchSysCache1(ENUMOID, ObjectIdGetDatum(label));

	if (!HeapTupleIsValid(tuple))
		return false;
	constant->text = pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel));
	ReleaseSysCache(tuple);
	return true;
}

static bool
read_text(Oid type, Datum value, const Column *column, Constant *constant)
{
	if (column->kind == COLUMN_ENUM)
		return type == column->type && read_label(DatumGetObjectId(value), constant);
	if (type != TEXTOID && type != VARCHAROID && type != BPCHAROID)
		return false;
	constant->text = TextDatumGetCString(value);
	if (column->type == BPCHAROID)
		constant->text[bpchartruelen(constant->text, strlen(constant->text))] = '\0';
	return true;
}

/* A time without a zone says nothing of a column with one, nor the other way. */
static bool
read_time(Oid type, Datum value, const Column *column, Constant *constant)
{
	int64 time;

	if ((type == TIMESTAMPTZOID) != (column->type == TIMESTAMPTZOID))
		return false;
	if (type == DATEOID)
	{
		DateADT date = DatumGetDateADT(value);

		if (DATE_NOT_FINITE(date))
			return false;
		constant->number = DatumGetNumeric(
			DirectFunctionCall2(numeric_mul, NumericGetDatum(int64_to_numeric(date)),
								NumericGetDatum(int64_to_numeric(USECS_PER_DAY))));
		return true;
	}
	if (type != TIMESTAMPOID && type != TIMESTAMPTZOID)
		return false;
	time = DatumGetTimestamp(value);
	if (TIMESTAMP_NOT_FINITE(time))
		return false;
	constant->number = int64_to_numeric(time);
	return true;
}

static bool
read_number(Oid type, Datum value, Constant *constant)
{
	Datum number;

	switch (type)
	{
		case INT2OID:
			number = NumericGetDatum(int64_to_numeric(DatumGetInt16(value)));
			break;
		case INT4OID:
			number = NumericGetDatum(int64_to_numeric(DatumGetInt32(value)));
			break;
		case INT8OID:
			number = NumericGetDatum(int64_to_numeric(DatumGetInt64(value)));
			break;
		case NUMERICOID:
			number = value;
			break;
		case FLOAT4OID:
			number = DirectFunctionCall1(float4_numeric, value);
			break;
		case FLOAT8OID:
			number = DirectFunctionCall1(float8_numeric, value);
			break;
		default:
			return false;
	}
	constant->number = DatumGetNumericCopy(number);
	return !numeric_is_nan(constant->number) && !numeric_is_inf(constant->number);
}

/* The value of a constant of this type; false if it says nothing of the column. */
static bool
read_value(Oid type, Datum value, const Column *column, Constant *constant)
{
	memset(constant, 0, sizeof(*constant));
	if (column->kind == COLUMN_TEXT || column->kind == COLUMN_ENUM)
		return read_text(type, value, column, constant);
	if (column->kind == COLUMN_TIME)
		return read_time(type, value, column, constant);
	return read_number(type, value, constant);
}

static bool
read_constant(Node *node, bool exactly, const Column *column, Constant *constant)
{
	Const *read = (Const *) strip(node, exactly);

	return IsA(read, Const) && !read->constisnull &&
		   read_value(read->consttype, read->constvalue, column, constant);
}

/* ---- operators ---- */

/* The strategy of a built-in operator that orders values or compares them; else 0. */
static int
strategy_of(Oid operator)
{
	Oid left;
	Oid right;
	Oid class;
	Oid family;

	if (operator>= FirstGenbkiObjectId)
		return 0;
	op_input_types(operator, & left, &right);
	class = GetDefaultOpClass(left, BTREE_AM_OID);
	if (!OidIsValid(class) || class >= FirstNormalObjectId)
		return 0;
	family = get_opclass_family(class);
	return get_op_opfamily_strategy(operator, family);
}

static Numeric
rounded(Datum (*round)(PG_FUNCTION_ARGS), Numeric number)
{
	return DatumGetNumeric(DirectFunctionCall1(round, NumericGetDatum(number)));
}

static Numeric
plus(Numeric number, int64 more)
{
	return DatumGetNumeric(DirectFunctionCall2(numeric_add, NumericGetDatum(number),
											   NumericGetDatum(int64_to_numeric(more))));
}

static int
compare(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a), NumericGetDatum(b)));
}

static void
raise_low(Numeric bound, ColumnChecks *checks)
{
	if (checks->low == NULL || compare(bound, checks->low) > 0)
		checks->low = bound;
}

static void
lower_high(Numeric bound, ColumnChecks *checks)
{
	if (checks->high == NULL || compare(bound, checks->high) < 0)
		checks->high = bound;
}

/* The lowest and the highest value of the type of an integer column. */
static void
integer_limits(const Column *column, Numeric *lowest, Numeric *highest)
{
	int64 most = column->type == INT2OID   ? PG_INT16_MAX
				 : column->type == INT4OID ? PG_INT32_MAX
										   : PG_INT64_MAX;

	*lowest = int64_to_numeric(-most - 1);
	*highest = int64_to_numeric(most);
}

static void
read_bound(int strategy, Numeric bound, const Column *column, ColumnChecks *checks)
{
	bool whole = column->kind == COLUMN_INTEGER;

	if (strategy == BTGreaterStrategyNumber)
		raise_low(whole ? plus(rounded(numeric_floor, bound), 1) : bound, checks);
	else if (strategy == BTGreaterEqualStrategyNumber)
		raise_low(whole ? rounded(numeric_ceil, bound) : bound, checks);
	else if (strategy == BTLessStrategyNumber)
		lower_high(whole ? plus(rounded(numeric_ceil, bound), -1) : bound, checks);
	else if (strategy == BTLessEqualStrategyNumber)
		lower_high(whole ? rounded(numeric_floor, bound) : bound, checks);
}

/* ---- lists ---- */

/* Adds the value unless the list has it; false if these are too many. */
static bool
add_value(List **values, char *value)
{
	CHECK_FOR_INTERRUPTS();
	if (!names_include(*values, value))
		*values = lappend(*values, value);
	return list_length(*values) <= LEVELS_MAX;
}

/* Adds the constant, but for a number that an integer column cannot have. */
static bool
add_constant(List **values, const Constant *constant, const Column *column)
{
	Numeric lowest;
	Numeric highest;
	char *digits;

	if (constant->text != NULL)
		return add_value(values, constant->text);
	digits = numeric_normalize(constant->number);
	if (column->kind == COLUMN_INTEGER)
	{
		integer_limits(column, &lowest, &highest);
		if (strchr(digits, '.') != NULL || compare(constant->number, lowest) < 0 ||
			compare(constant->number, highest) > 0)
			return true;
	}
	return add_value(values, digits);
}

/* Must a list know the values exactly?  One of other numbers is used as a range (declare.c). */
static bool
is_exact(const Column *column)
{
	return column->kind != COLUMN_REAL && column->kind != COLUMN_NUMERIC;
}

/* Are strings that are equal under this collation the same? */
static bool
is_deterministic(Oid collation)
{
	return !OidIsValid(collation) || get_collation_isdeterministic(collation);
}

/* Two lists leave what both have; one that is too long leaves what the other has. */
static void
set_list(List *values, ColumnChecks *checks)
{
	List *both = NIL;
	ListCell *cell;

	checks->many |= list_length(values) > LEVELS_MAX;
	if (list_length(values) > LEVELS_MAX)
		return;
	foreach (cell, values)
	{
		CHECK_FOR_INTERRUPTS();
		if (!checks->listed || names_include(checks->values, lfirst(cell)))
			both = lappend(both, lfirst(cell));
	}
	checks->listed = true;
	checks->values = both;
}

/* A list with NULL refuses no value, so it says nothing. */
static bool
read_array(const Const *array, const Column *column, List **values)
{
	ArrayType *elements;
	Datum *element;
	bool *isnull;
	int count;
	int16 length;
	bool by_value;
	char align;

	if (array->constisnull || !OidIsValid(get_element_type(array->consttype)))
		return false;
	elements = DatumGetArrayTypeP(array->constvalue);
	get_typlenbyvalalign(ARR_ELEMTYPE(elements), &length, &by_value, &align);
	deconstruct_array(elements, ARR_ELEMTYPE(elements), length, by_value, align, &element, &isnull,
					  &count);
	for (int i = 0; i < count; i++)
	{
		Constant constant;

		if (isnull[i] || !read_value(ARR_ELEMTYPE(elements), element[i], column, &constant))
			return false;
		if (!add_constant(values, &constant, column))
			return true;
	}
	return true;
}

/* Takes off a cast of all elements that does not change them. */
static Node *
strip_array(Node *node, bool exactly)
{
	node = strip(node, exactly);
	if (IsA(node, ArrayCoerceExpr))
	{
		ArrayCoerceExpr *cast = (ArrayCoerceExpr *) node;

		if (IsA(strip((Node *) cast->elemexpr, exactly), CaseTestExpr))
			node = strip((Node *) cast->arg, exactly);
	}
	return node;
}

static bool
read_elements(Node *node, const Column *column, List **values)
{
	ListCell *cell;

	node = strip_array(node, is_exact(column));
	if (IsA(node, Const))
		return read_array((Const *) node, column, values);
	if (!IsA(node, ArrayExpr) || ((ArrayExpr *) node)->multidims)
		return false;
	foreach (cell, ((ArrayExpr *) node)->elements)
	{
		Constant constant;

		if (!read_constant(lfirst(cell), is_exact(column), column, &constant))
			return false;
		if (!add_constant(values, &constant, column))
			return true;
	}
	return true;
}

static void
read_in(const ScalarArrayOpExpr *in, const Subject *subject, ColumnChecks *checks)
{
	List *values = NIL;

	if (in->useOr && strategy_of(in->opno) == BTEqualStrategyNumber &&
		is_deterministic(in->inputcollid) &&
		is_subject(linitial(in->args), is_exact(subject->column), subject) &&
		read_elements(lsecond(in->args), subject->column, &values))
		set_list(values, checks);
}

/* ---- conditions ---- */

static void
read_comparison(const OpExpr *comparison, const Subject *subject, ColumnChecks *checks)
{
	const Column *column = subject->column;
	List *values = NIL;
	int strategy;
	bool equal;
	bool exactly;
	Constant constant;

	if (list_length(comparison->args) != 2)
		return;
	strategy = strategy_of(comparison->opno);
	equal = strategy == BTEqualStrategyNumber;
	exactly = equal && is_exact(column);
	if (strategy == 0 || (equal && !is_deterministic(comparison->inputcollid)))
		return;
	if (is_subject(linitial(comparison->args), exactly, subject))
	{
		if (!read_constant(lsecond(comparison->args), exactly, column, &constant))
			return;
	}
	else if (is_subject(lsecond(comparison->args), exactly, subject) &&
			 read_constant(linitial(comparison->args), exactly, column, &constant))
		strategy = BTMaxStrategyNumber + 1 - strategy;
	else
		return;
	if (equal)
	{
		(void) add_constant(&values, &constant, column);
		set_list(values, checks);
	}
	else if (constant.number != NULL)
		read_bound(strategy, constant.number, column, checks);
}

static void read_condition(Node *node, const Subject *subject, ColumnChecks *checks);

static bool
is_null_test(Node *node, NullTestType type, const Subject *subject)
{
	return IsA(node, NullTest) && ((NullTest *) node)->nulltesttype == type &&
		   is_subject((Node *) ((NullTest *) node)->arg, false, subject);
}

/* Lists joined by OR are one list; NULL is allowed without being named, too. */
static void
read_alternatives(List *alternatives, const Subject *subject, ColumnChecks *checks)
{
	List *values = NIL;
	ListCell *cell;

	foreach (cell, alternatives)
	{
		ColumnChecks one = {0};

		if (is_null_test(lfirst(cell), IS_NULL, subject))
			continue;
		read_condition(lfirst(cell), subject, &one);
		checks->many |= one.many;
		if (!one.listed)
			return;
		for (int i = 0; i < list_length(one.values); i++)
			if (!add_value(&values, list_nth(one.values, i)))
			{
				checks->many = true;
				return;
			}
	}
	if (values != NIL)
		set_list(values, checks);
}

static void
read_condition(Node *node, const Subject *subject, ColumnChecks *checks)
{
	check_stack_depth();
	if (IsA(node, OpExpr))
		read_comparison((OpExpr *) node, subject, checks);
	else if (IsA(node, ScalarArrayOpExpr))
		read_in((ScalarArrayOpExpr *) node, subject, checks);
	else if (is_null_test(node, IS_NOT_NULL, subject))
		checks->not_null = true;
	else if (is_andclause(node))
		for (int i = 0; i < list_length(((BoolExpr *) node)->args); i++)
			read_condition(list_nth(((BoolExpr *) node)->args, i), subject, checks);
	else if (is_orclause(node))
		read_alternatives(((BoolExpr *) node)->args, subject, checks);
}

/* ---- constraints ---- */

static void
read_domain_checks(Oid domain, const Column *column, ColumnChecks *checks)
{
	const Subject subject = {.column = column};
	Relation constraints = table_open(ConstraintRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(domain));
	scan = systable_beginscan(constraints, ConstraintTypidIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull;
		Datum stored =
			heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(constraints), &isnull);

		if (!isnull && ((Form_pg_constraint) GETSTRUCT(tuple))->contype == CONSTRAINT_CHECK)
			read_condition(stringToNode(TextDatumGetCString(stored)), &subject, checks);
	}
	systable_endscan(scan);
	table_close(constraints, AccessShareLock);
}

/* The domain and those that it is made of; returns at the base type. */
static void
read_domains(Oid type, const Column *column, ColumnChecks *checks)
{
	while (get_typtype(type) == TYPTYPE_DOMAIN)
	{
		HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
		Form_pg_type form;

		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for type %u", type);
		form = (Form_pg_type) GETSTRUCT(tuple);
		checks->not_null |= form->typnotnull;
		read_domain_checks(type, column, checks);
		type = form->typbasetype;
		ReleaseSysCache(tuple);
	}
}

/* Bounds of an integer column are values that its type has, if there are any between them. */
static void
clamp(const Column *column, ColumnChecks *checks)
{
	Numeric lowest;
	Numeric highest;

	integer_limits(column, &lowest, &highest);
	if (checks->low != NULL)
		raise_low(lowest, checks);
	if (checks->high != NULL)
		lower_high(highest, checks);
}

void
column_checks_read(Relation relation, Form_pg_attribute attribute, const Column *column,
				   ColumnChecks *checks)
{
	const Subject subject = {.column = column, .number = attribute->attnum};
	const TupleConstr *constraints = RelationGetDescr(relation)->constr;

	memset(checks, 0, sizeof(*checks));
	checks->not_null = attribute->attnotnull;
	read_domains(attribute->atttypid, column, checks);
	for (int i = 0; constraints != NULL && i < constraints->num_check; i++)
		read_condition(stringToNode(constraints->check[i].ccbin), &subject, checks);
	if (column->kind == COLUMN_INTEGER)
		clamp(column, checks);
}

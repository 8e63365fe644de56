/*
 * view_value.c - bounds of numbers, from types and constants (rule M13).
 *
 * A numeric has up to 131072 digits before the point and 16383 after it; more is an error, which a
 * row would decide about.  So the checker adds up how many digits each function may bring.
 */
#include "server/views/view_scope.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#define MOST_DIGITS 100000
#define MOST_SCALE 15000

/* A domain's constraints are not checked when a stored value is read. */
ViewValue
view_value_of_type(Oid type, int32 typmod)
{
	ViewValue value = {.alike = true};

	type = getBaseTypeAndTypmod(type, &typmod);
	switch (type)
	{
		case INT2OID:
			value.digits = 5;
			break;
		case INT4OID:
			value.digits = 10;
			break;
		case INT8OID:
			value.digits = 19;
			break;
		case FLOAT4OID: /* 0 and -0 are equal */
		case FLOAT8OID:
			value.digits = 309;
			value.scale = 340;
			value.alike = false;
			break;
		case BPCHAROID:
			value.alike = false;
			break;
		case NUMERICOID:
			value.digits = VIEW_UNBOUNDED;
			value.alike = typmod >= (int32) VARHDRSZ;
			if (value.alike)
			{
				int precision = ((typmod - VARHDRSZ) >> 16) & 0xffff;
				int scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;

				value.digits = Max(precision - scale, 0);
				value.scale = Max(scale, 0);
			}
			break;
		default:
			break;
	}
	return value;
}

/* A constant is written in one way. */
ViewValue
view_value_of_constant(const Const *constant)
{
	ViewValue value = view_value_of_type(constant->consttype, -1);
	const char *digits;
	const char *point;

	if (constant->constisnull)
		value.is_absent = true;
	if (constant->constisnull || constant->consttype != NUMERICOID)
		return value;
	digits = DatumGetCString(DirectFunctionCall1(numeric_out, constant->constvalue));
	point = strchr(digits, '.');
	value.digits = point == NULL ? strlen(digits) : point - digits;
	value.scale = point == NULL ? 0 : strlen(point + 1);
	value.alike = true;
	return value;
}

/* Of two numbers, or of two values of other types, one or the other. */
ViewValue
view_value_either(ViewValue a, ViewValue b)
{
	ViewValue value;

	if (a.is_absent || b.is_absent)
		return a.is_absent ? b : a;
	value.digits = a.digits == VIEW_UNBOUNDED || b.digits == VIEW_UNBOUNDED
					   ? VIEW_UNBOUNDED
					   : Max(a.digits, b.digits);
	value.scale = Max(a.scale, b.scale);
	value.alike = a.alike && b.alike && a.scale == b.scale;
	value.is_absent = false;
	return value;
}

ViewValue
view_value_bounded(ViewValue value, ViewScope *scope)
{
	if (value.digits > MOST_DIGITS || value.scale > MOST_SCALE)
		view_refuse(scope,
					psprintf("a number may have %d digits before and %d after the point",
							 value.digits, value.scale),
					psprintf("A number may have %d digits before and %d after the point.",
							 MOST_DIGITS, MOST_SCALE));
	return value;
}

void
view_require_bounds(const ViewValue *value, int digits, int scale, const char *for_what,
					ViewScope *scope)
{
	if (value->is_absent)
		return;
	if (value->digits == VIEW_UNBOUNDED)
		view_refuse(
			scope,
			psprintf("%s is given a numeric of unknown precision, which may overflow", for_what),
			"Give the column of the table a precision and a scale, as in numeric(12, 2).");
	if (value->digits > digits || value->scale > scale)
		view_refuse(scope,
					psprintf("%s is given a number of up to %d digits before and %d after the "
							 "point",
							 for_what, value->digits, value->scale),
					psprintf("At most %d and %d digits are allowed.", digits, scale));
}

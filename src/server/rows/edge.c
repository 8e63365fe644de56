/*
 * edge.c - makes edges from declared numbers, and compares values with them.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"

#include "server/base/json_value.h"
#include "server/base/numeric_value.h"
#include "server/base/real_value.h"
#include "server/rows/edge.h"

/* ---- numerics ---- */

static Numeric
numeric_of(int64 integer)
{
	return DatumGetNumeric(DirectFunctionCall1(int8_numeric, Int64GetDatum(integer)));
}

static Numeric
calculate(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

static int
compare_numerics(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a), NumericGetDatum(b)));
}

static int
sign_of(Numeric number)
{
	return compare_numerics(number, numeric_of(0));
}

Numeric
edge_scaled(Numeric center, Numeric scale, Numeric number)
{
	return calculate(numeric_add, center, calculate(numeric_mul, scale, number));
}

/* ---- making an edge ---- */

bool
edge_read(JsonbValue *json, Numeric *declared)
{
	double number;

	if (!json_get_number(json, &number))
		return false;
	*declared = DatumGetNumericCopy(NumericGetDatum(json->val.numeric));
	return true;
}

/*
 * Sets the edge to a quotient of whole numbers.  A quotient outside of the range is next to its
 * bound, on the outer side (1), or on the inner side (-1) if the bound is an infinity.
 */
static void
set_whole(Edge *edge, Numeric dividend, int64 divisor, int64 least, int64 greatest, int outer)
{
	Numeric quotient = calculate(numeric_div_trunc, dividend, numeric_of(divisor));

	edge->rest = sign_of(calculate(numeric_mod, dividend, numeric_of(divisor)));
	if (compare_numerics(quotient, numeric_of(greatest)) > 0)
	{
		edge->whole = greatest;
		edge->rest = outer;
	}
	else if (compare_numerics(quotient, numeric_of(least)) < 0)
	{
		edge->whole = least;
		edge->rest = -outer;
	}
	else
		edge->whole = DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(quotient)));
}

/* Rows hold times since 2000 in days or microseconds. */
static void
set_time(const Column *column, EdgeUnit unit, Edge *edge)
{
	const int64 since_1970 = (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (int64) SECS_PER_DAY;
	Numeric seconds = edge_scaled(numeric_of((int64) unit.origin - since_1970),
								  numeric_of((int64) unit.unit), edge->declared);

	if (column->type == DATEOID)
		set_whole(edge, seconds, SECS_PER_DAY, DATEVAL_NOBEGIN, DATEVAL_NOEND, -1);
	else
		set_whole(edge, calculate(numeric_mul, seconds, numeric_of(USECS_PER_SEC)), 1, DT_NOBEGIN,
				  DT_NOEND, -1);
}

Edge
edge_make(const Column *column, EdgeUnit unit, Numeric declared)
{
	Edge edge = {.declared = declared};

	switch (column->kind)
	{
		case COLUMN_INTEGER:
			set_whole(&edge, declared, 1, PG_INT64_MIN, PG_INT64_MAX, 1);
			break;
		case COLUMN_TIME:
			set_time(column, unit, &edge);
			break;
		case COLUMN_NUMERIC:
			edge.has_bits = numeric_bits(NumericGetDatum(declared), &edge.bits);
			edge.number = numeric_value(NumericGetDatum(declared));
			break;
		default:
			edge.number = column_nearest(column, declared);
			break;
	}
	return edge;
}

double
edge_number(const Edge *edge)
{
	return numeric_value(NumericGetDatum(edge->declared));
}

/* ---- comparing ---- */

/* A value; which member holds it follows from the column's kind. */
typedef struct Operand
{
	int64 whole;
	double number;
	Datum numeric; /* not compressed or outside of the row */
} Operand;

/*
 * A numeric is fetched once, whatever it is: the statistics of a TOAST table count it.  False for
 * NaN.
 */
static bool
read_operand(const Column *column, Datum datum, Operand *operand)
{
	ColumnValue value;

	if (column->kind == COLUMN_NUMERIC)
	{
		operand->numeric = PointerGetDatum(PG_DETOAST_DATUM_PACKED(datum));
		operand->number = numeric_value(operand->numeric);
		return !isnan(operand->number);
	}
	column_read(column, datum, 0, &value);
	if (column->kind != COLUMN_REAL)
	{
		operand->whole = value.integer;
		return true;
	}
	operand->number = value.real;
	return !isnan(value.real);
}

/* Two numerics that have the same nearest double. */
static int
compare_near(Datum numeric, const Edge *edge)
{
	uint64 bits;

	if (edge->has_bits && numeric_bits(numeric, &bits) && bits == edge->bits)
		return 0;
	return compare_numerics(DatumGetNumeric(numeric), edge->declared);
}

static int
compare_operand(const Column *column, const Operand *operand, const Edge *edge)
{
	if (column->kind == COLUMN_INTEGER || column->kind == COLUMN_TIME)
	{
		if (operand->whole != edge->whole)
			return operand->whole < edge->whole ? -1 : 1;
		return -edge->rest;
	}
	if (operand->number != edge->number)
		return operand->number < edge->number ? -1 : 1;
	return column->kind == COLUMN_NUMERIC ? compare_near(operand->numeric, edge) : 0;
}

bool
edge_follows(const Column *column, const Edge *edge, const Edge *before)
{
	return column->type == FLOAT8OID ? edge->number > before->number
									 : compare_numerics(edge->declared, before->declared) > 0;
}

int
edge_compare(const Column *column, const Edge *a, const Edge *b)
{
	if (column->kind != COLUMN_REAL)
		return compare_numerics(a->declared, b->declared);
	return a->number < b->number ? -1 : a->number > b->number;
}

int
edges_passed(const Column *column, const Edge *edges, int count, Datum datum)
{
	Operand operand;
	int low = 0;

	if (!read_operand(column, datum, &operand))
		return -1;
	while (low < count)
	{
		int middle = (low + count) / 2;

		if (compare_operand(column, &operand, &edges[middle]) < 0)
			count = middle;
		else
			low = middle + 1;
	}
	return low;
}

int
edges_side(const Column *column, const Edge *low, const Edge *high, Datum datum)
{
	Operand operand;

	if (!read_operand(column, datum, &operand))
		return 0;
	if (compare_operand(column, &operand, low) < 0)
		return -1;
	return compare_operand(column, &operand, high) > 0 ? 1 : 0;
}

/* ---- writing ---- */

char *
edge_text(const Column *column, const Edge *edge)
{
	return column->type == FLOAT8OID ? json_digits(edge->number)
									 : numeric_normalize(edge->declared);
}

double
edge_shown(const Column *column, const Edge *edge)
{
	float real = (float) edge->number;

	return column->type == FLOAT4OID && edge->number == real ? real_value(real) : edge->number;
}

bool
edge_is_double(const Edge *edge)
{
	Datum shortest =
		DirectFunctionCall3(numeric_in, CStringGetDatum(json_digits(edge_number(edge))),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

	return compare_numerics(DatumGetNumeric(shortest), edge->declared) == 0;
}

int64
edge_time(const Column *column, const Edge *edge)
{
	const int64 day = POSTGRES_EPOCH_JDATE;
	bool is_date = column->type == DATEOID;
	int64 least = is_date ? DATETIME_MIN_JULIAN - day : MIN_TIMESTAMP;
	int64 end = is_date ? DATE_END_JULIAN - day : END_TIMESTAMP;

	if (edge->whole >= end)
		return end;
	return Max(edge->whole + (edge->rest > 0 ? 1 : 0), least);
}

/* Reals are rounded to the nearest, so the number that one shows is on its side of the middle. */
double
edge_between(const Column *column, const Edge *edge)
{
	float real = (float) edge->number;

	if (column->type != FLOAT4OID || edge->number != real)
		return edge->number;
	return edge->number / 2 + nextafterf(real, -INFINITY) / 2;
}

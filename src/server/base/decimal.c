/*
 * decimal.c - SQL numbers to integer units, by numeric arithmetic.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "core/base/privacy.h"

#include "server/base/compat.h"
#include "server/base/decimal.h"

static Datum
numeric_from_text(const char *text)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

static Datum
to_numeric(Datum value, Oid type)
{
	char shortest[DOUBLE_SHORTEST_DECIMAL_LEN];

	switch (type)
	{
		case NUMERICOID:
			return value;
		case FLOAT8OID:
			double_to_shortest_decimal_buf(DatumGetFloat8(value), shortest);
			return numeric_from_text(shortest);
		case INT4OID:
			return DirectFunctionCall1(int4_numeric, value);
		default:
			elog(ERROR, "unexpected type %u of a privacy parameter", type);
	}
}

static bool
numeric_less(Datum a, Datum b)
{
	return DatumGetBool(DirectFunctionCall2(numeric_lt, a, b));
}

static bool
numeric_is_number(Datum value)
{
	return !numeric_is_nan(DatumGetNumeric(value)) && !numeric_is_inf(DatumGetNumeric(value));
}

static int64
units(Datum value, const char *units_per_one, PGFunction rounding)
{
	Datum product = DirectFunctionCall2(numeric_mul, value, numeric_from_text(units_per_one));

	return DatumGetInt64(DirectFunctionCall1(numeric_int8, DirectFunctionCall1(rounding, product)));
}

void
decimal_epsilon(Datum value, Oid type, PrivacyCost *cost)
{
	Datum epsilon = to_numeric(value, type);

	if (!numeric_is_number(epsilon) || !numeric_less(numeric_from_text("0"), epsilon))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon must be greater than zero")));
	if (numeric_less(numeric_from_text(CppAsString2(EPSILON_MAX)), epsilon))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon must be at most %d", EPSILON_MAX)));
	cost->epsilon = units(epsilon, "1000000000", numeric_floor);
	cost->epsilon_charged = units(epsilon, "1000000000", numeric_ceil);
	if (cost->epsilon == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon must be at least 0.000000001")));
}

void
decimal_delta(Datum value, Oid type, PrivacyCost *cost)
{
	Datum delta = to_numeric(value, type);

	if (!numeric_is_number(delta) || numeric_less(delta, numeric_from_text("0")) ||
		!numeric_less(delta, numeric_from_text("1")))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("delta must be at least zero and less than one")));
	cost->delta = units(delta, "1000000000000000000", numeric_floor);
	cost->delta_charged = units(delta, "1000000000000000000", numeric_ceil);
}

static bool
is_from_zero_to(Datum value, const char *most)
{
	return numeric_is_number(value) && !numeric_less(value, numeric_from_text("0")) &&
		   !numeric_less(numeric_from_text(most), value);
}

bool
decimal_epsilon_part(Datum value, int64 *part)
{
	if (!is_from_zero_to(value, CppAsString2(EPSILON_MAX)))
		return false;
	*part = units(value, "1000000000", numeric_floor);
	return *part > 0 || !numeric_less(numeric_from_text("0"), value);
}

static int64
cap(Datum value, const char *most, const char *units_per_one, const char *expected,
	const char *name)
{
	if (!is_from_zero_to(value, most))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be between zero and %s", name, expected)));
	return units(value, units_per_one, numeric_floor);
}

int64
decimal_epsilon_cap(Datum value, const char *name)
{
	return cap(value, CppAsString2(EPSILON_CAP_MAX), "1000000000", CppAsString2(EPSILON_CAP_MAX),
			   name);
}

int64
decimal_delta_cap(Datum value, const char *name)
{
	return cap(value, "1", "1000000000000000000", "one", name);
}

char *
decimal_text(int64 units, const char *unit)
{
	Datum product =
		DirectFunctionCall2(numeric_mul, DirectFunctionCall1(int8_numeric, Int64GetDatum(units)),
							numeric_from_text(unit));

	return DatumGetCString(
		DirectFunctionCall1(numeric_out, DirectFunctionCall1(numeric_trim_scale, product)));
}

/* A delta above this gets a warning. */
#define DELTA_CAUTION (DELTA_ONE / 100)

void
decimal_warn_of_large_delta(int64 delta)
{
	if (delta > DELTA_CAUTION)
		ereport(WARNING,
				(errmsg("delta %s is large", decimal_text(delta, DELTA_UNIT)),
				 errdetail("With this probability a release may tell anything about a row."),
				 errhint("Choose a delta well below 1 / n, such as 1e-6.")));
}

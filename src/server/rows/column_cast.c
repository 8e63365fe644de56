/*
 * column_cast.c - reads the values of a column as another type without raising an error.
 *
 * Raw tables keep numbers, booleans and dates as text, and booleans as 0 and 1.  A cast of SQL
 * raises an error for what it cannot read, and so tells of a row; here it is missing, as NULL is
 * (rule H12).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "core/base/names.h"
#include "core/rows/text_value.h"

#include "server/base/compat.h"
#include "server/rows/column.h"

/*
 * An interval that is longer counts as one of so many seconds, about 68 years: up to there a double
 * of seconds, which predict_sql.c computes with, tells one microsecond from the next.
 */
#define INTERVAL_MOST (INT64CONST(1) << 31)

/* ---- declaring ---- */

static const char *const cast_names[] = {[CAST_NONE] = "",
										 [CAST_NUMBER] = "number",
										 [CAST_BOOLEAN] = "boolean",
										 [CAST_DATE] = "date",
										 [CAST_TIMESTAMP] = "timestamp"};

static const Oid cast_types[] = {
	[CAST_NUMBER] = FLOAT8OID,       [CAST_BOOLEAN] = BOOLOID,   [CAST_DATE] = DATEOID,
	[CAST_TIMESTAMP] = TIMESTAMPOID, [CAST_TIME] = TIMESTAMPOID, [CAST_INTERVAL] = TIMESTAMPOID};

ColumnCast
column_cast_named(const char *name)
{
	int found = names_find(cast_names, lengthof(cast_names), name);

	return found == lengthof(cast_names) ? CAST_NONE : (ColumnCast) found;
}

ColumnCast
column_own_cast(Oid type)
{
	return type == TIMEOID ? CAST_TIME : type == INTERVALOID ? CAST_INTERVAL : CAST_NONE;
}

bool
column_set_cast(Column *column, ColumnCast cast)
{
	ColumnKind stored = column_kind_of(column->stored);

	if (cast == CAST_TIME || cast == CAST_INTERVAL)
	{
		if (column_own_cast(column->stored) != cast)
			return false;
	}
	else if (cast == CAST_NONE || column->stored == cast_types[cast] ||
			 (cast == CAST_NUMBER && column_is_number(stored)))
		return true;
	else if (stored != COLUMN_TEXT && !(cast == CAST_BOOLEAN && column_is_number(stored)))
		return false;
	column->cast = cast;
	column->type = cast_types[cast];
	column->kind = column_kind_of(column->type);
	return true;
}

/* ---- reading ---- */

/* Reads one byte more than the longest value has, so that a longer text is seen to be longer. */
static void
read_text(const Column *column, Datum datum, const char **text, int *length)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);

	if (column->stored == BPCHAROID)
		value = PG_DETOAST_DATUM_PACKED(datum);
	else if (VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value))
		value = PG_DETOAST_DATUM_SLICE(datum, 0, TEXT_VALUE_LONGEST + 1);
	*text = VARDATA_ANY(value);
	*length = VARSIZE_ANY_EXHDR(value);
	if (column->stored == BPCHAROID)
		*length = bpchartruelen(unconstify(char *, *text), *length);
}

static bool
cast_text(const Column *column, Datum *datum)
{
	const int32 days_to_2000 = POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE;
	const char *text;
	int length;
	double number = 0;
	bool truth = false;
	int32 days = 0;
	int64 time = 0;

	read_text(column, *datum, &text, &length);
	switch (column->cast)
	{
		case CAST_NUMBER:
			if (!text_number(text, length, &number))
				return false;
			*datum = Float8GetDatum(number);
			return true;
		case CAST_BOOLEAN:
			if (!text_boolean(text, length, &truth))
				return false;
			*datum = BoolGetDatum(truth);
			return true;
		case CAST_DATE:
			if (!text_date(text, length, &days))
				return false;
			*datum = DateADTGetDatum(days - days_to_2000);
			return true;
		default:
			if (!text_timestamp(text, length, &time))
				return false;
			*datum = TimestampGetDatum(time - days_to_2000 * USECS_PER_DAY);
			return true;
	}
}

static bool
is_whole(Datum numeric, int64 whole)
{
	Numeric number = int64_to_numeric(whole);
	int difference =
		DatumGetInt32(DirectFunctionCall2(numeric_cmp, numeric, NumericGetDatum(number)));

	pfree(number);
	return difference == 0;
}

/* A number that is exactly 0 or 1. */
static bool
cast_truth(const Column *column, Datum *datum)
{
	Column stored = *column;
	bool is_false;
	bool is_true;

	stored.type = column->stored;
	stored.kind = column_kind_of(column->stored);
	if (stored.kind == COLUMN_NUMERIC)
	{
		is_false = is_whole(*datum, 0);
		is_true = is_whole(*datum, 1);
	}
	else
	{
		is_false = column_number(&stored, *datum) == 0;
		is_true = column_number(&stored, *datum) == 1;
	}
	*datum = BoolGetDatum(is_true);
	return is_false || is_true;
}

/* In microseconds, with years of 365.25 and other months of 30 days, as extract(epoch) has it. */
static int64
interval_length(const Interval *interval)
{
	const int64 most = INTERVAL_MOST * USECS_PER_SEC;
	int64 quarters = (int64) (interval->month / MONTHS_PER_YEAR) * 1461 + /* of days */
					 (int64) (interval->month % MONTHS_PER_YEAR) * DAYS_PER_MONTH * 4 +
					 (int64) interval->day * 4;
	int64 seconds = quarters * (SECS_PER_DAY / 4) + interval->time / USECS_PER_SEC;
	int64 length;

	if (seconds > INTERVAL_MOST || seconds < -INTERVAL_MOST)
		return seconds > 0 ? most : -most;
	length = seconds * USECS_PER_SEC + interval->time % USECS_PER_SEC;
	return Max(Min(length, most), -most);
}

void
column_cast_value(const Column *column, Datum *datum, bool *isnull)
{
	const int64 to_2000 = (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

	if (column->cast == CAST_NONE || *isnull)
		return;
	if (column->cast == CAST_TIME)
		*datum = TimestampGetDatum(DatumGetTimeADT(*datum) - to_2000);
	else if (column->cast == CAST_INTERVAL)
		*datum = TimestampGetDatum(interval_length(DatumGetIntervalP(*datum)) - to_2000);
	else if (column_kind_of(column->stored) == COLUMN_TEXT)
		*isnull = !cast_text(column, datum);
	else
		*isnull = !cast_truth(column, datum);
}

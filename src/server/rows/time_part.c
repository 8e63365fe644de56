/*
 * time_part.c - takes dates and timestamps apart without raising an error.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "core/base/names.h"

#include "server/rows/time_part.h"

#define WEEKDAYS 7

/* ---- declarations ---- */

static const char *const part_names[] = {
	[PART_NONE] = "", [PART_MONTH] = "month", [PART_WEEKDAY] = "weekday"};

TimePart
time_part_named(const char *name)
{
	int found = names_find(part_names, lengthof(part_names), name);

	return found == lengthof(part_names) ? PART_NONE : (TimePart) found;
}

const char *
time_part_name(TimePart part)
{
	return part_names[part];
}

int
time_part_values(TimePart part)
{
	return part == PART_MONTH ? MONTHS_PER_YEAR : WEEKDAYS;
}

/*
 * Leap seconds would make days of different lengths; SET TIME ZONE refuses such zones, too.  A name
 * such as CET may also be an abbreviation, which a setting explains; the names of regions may not.
 */
pg_tz *
time_zone_named(const char *name)
{
	bool region = strchr(name, '/') != NULL || strcmp(name, "UTC") == 0;
	pg_tz *zone = region && strlen(name) <= TZ_STRLEN_MAX ? pg_tzset(name) : NULL;

	return zone != NULL && pg_tz_acceptable(zone) ? zone : NULL;
}

bool
time_read_date(const char *text, double *seconds)
{
	int year;
	int month;
	int day;
	int y;
	int m;
	int d;

	if (strlen(text) != 10 || strspn(text, "0123456789-") != 10 ||
		sscanf(text, "%4d-%2d-%2d", &year, &month, &day) != 3 || text[4] != '-' || text[7] != '-' ||
		year < 1 || month < 1 || month > MONTHS_PER_YEAR || day < 1)
		return false;
	j2date(date2j(year, month, day), &y, &m, &d);
	*seconds = (double) (date2j(year, month, day) - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
	return y == year && m == month && d == day;
}

/* ---- values of rows ---- */

Datum
time_local(const Column *column, const pg_tz *zone, Datum datum)
{
	Timestamp timestamp;
	struct pg_tm tm;
	fsec_t fraction;
	int west; /* seconds */

	if (zone == NULL || column->type != TIMESTAMPTZOID)
		return datum;
	timestamp = DatumGetTimestampTz(datum);
	if (TIMESTAMP_NOT_FINITE(timestamp) ||
		timestamp2tm(timestamp, &west, &tm, &fraction, NULL, unconstify(pg_tz *, zone)) != 0)
		return datum;
	/* all times are 8 days and more away from the bounds of int64 */
	return TimestampGetDatum(timestamp - (int64) west * USECS_PER_SEC);
}

static int64
days_of(Timestamp timestamp)
{
	int64 days = timestamp / USECS_PER_DAY;

	return timestamp % USECS_PER_DAY < 0 ? days - 1 : days;
}

int
time_part_of(const Column *column, TimePart part, Datum datum)
{
	int64 days;
	int year;
	int month;
	int day;

	if (column->type == DATEOID)
	{
		if (DATE_NOT_FINITE(DatumGetDateADT(datum)))
			return 0;
		days = DatumGetDateADT(datum);
	}
	else
	{
		if (TIMESTAMP_NOT_FINITE(DatumGetTimestamp(datum)))
			return 0;
		days = days_of(DatumGetTimestamp(datum));
	}
	days += POSTGRES_EPOCH_JDATE;
	if (part == PART_WEEKDAY)
		return (int) ((days % WEEKDAYS + WEEKDAYS) % WEEKDAYS) + 1;
	j2date((int) days, &year, &month, &day);
	return month;
}

/*
 * time_part.h - months and weekdays of dates and timestamps, by the clock of a declared time zone.
 *
 * A timestamp with time zone is read in UTC or in the zone that its declaration names, never in
 * that of the session: two sessions must train on the same features.
 */
#ifndef DPOBJ_TIME_PART_H
#define DPOBJ_TIME_PART_H

#include "postgres.h"

#include "pgtime.h"

#include "server/rows/column.h"

typedef enum TimePart
{
	PART_NONE,
	PART_MONTH,  /* 1 to 12 */
	PART_WEEKDAY /* 1 to 7, Monday to Sunday */
} TimePart;

/* The part of that name, PART_NONE if there is none; its name; and how many values it has. */
extern TimePart time_part_named(const char *name);
extern const char *time_part_name(TimePart part);
extern int time_part_values(TimePart part);

/* The zone of that name; NULL if there is none. */
extern pg_tz *time_zone_named(const char *name);

/* Midnight of a date as "2024-12-31", in seconds since 1970; false if it is none. */
extern bool time_read_date(const char *text, double *seconds);

/*
 * A time of a timestamptz column as a Datum of that zone's clock, which is read like one of UTC;
 * zone: NULL for UTC.  Other columns have no zone.
 */
extern Datum time_local(const Column *column, const pg_tz *zone, Datum datum);

/* The part of a time, from 1; 0 if the time is infinite. */
extern int time_part_of(const Column *column, TimePart part, Datum datum);

#endif

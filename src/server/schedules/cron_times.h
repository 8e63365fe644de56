/*
 * cron_times.h - the minutes that a schedule of five cron fields names.
 *
 *   CronTimes times;
 *   if (cron_times_parse("30 3 * * 1-5", false, &times) == NULL)
 *       cron_times_last(&times, now, &minute);
 *
 * Fields are minute, hour, day of month, month and day of week as crontab(5) has
 * them: numbers, ranges, lists, steps after * or a range, names of months and
 * days, Sunday as 0 or 7.  Where neither field of days begins with *, a day needs
 * to fit only one of them.  @hourly, @daily, @midnight, @weekly and @monthly
 * stand for five fields.
 *
 * Time is counted in minutes since 1970-01-01 00:00 on the schedule's clock, in the
 * Gregorian calendar and without daylight saving.
 */
#ifndef DPOBJ_CORE_CRON_TIMES_H
#define DPOBJ_CORE_CRON_TIMES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CronTimes
{
	uint64_t minutes;  /* bit m: minute m of an hour */
	uint64_t hours;    /* bit h: hour h of a day */
	uint64_t days;     /* bit d: day d of a month, from 1 */
	uint64_t months;   /* bit m: month m, from 1 */
	uint64_t weekdays; /* bit w: Sunday is 0 */
	bool any_day;      /* a day needs to fit only one of days and weekdays */
} CronTimes;

/*
 * Returns NULL, or a sentence that says what is wrong with the text.  both: a day must always fit
 * both fields of days, unlike in crontab(5), but as pg_cron can be set.
 */
extern const char *cron_times_parse(const char *text, bool both, CronTimes *times);

/*
 * Find the last minute of the schedule up to the given one, and the first one after it; false if
 * there is none within forty years, in which every date falls on every weekday.
 */
extern bool cron_times_last(const CronTimes *times, int64_t minute, int64_t *found);
extern bool cron_times_next(const CronTimes *times, int64_t minute, int64_t *found);

#endif

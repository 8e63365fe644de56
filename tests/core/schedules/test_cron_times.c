/*
 * test_cron_times.c - schedules against predicates on the C library's calendar, minute by minute.
 */
#include "core/check.h"

#include <string.h>
#include <time.h>

#include "server/schedules/cron_times.h"

#define DAY 1440

/* ---- schedules in C ---- */

static bool
every_minute(const struct tm *t)
{
	return t->tm_sec == 0;
}
static bool
quarters(const struct tm *t)
{
	return t->tm_min % 15 == 0;
}
static bool
nightly(const struct tm *t)
{
	return t->tm_hour == 3 && t->tm_min == 30;
}
static bool
workdays(const struct tm *t)
{
	return nightly(t) && t->tm_wday >= 1 && t->tm_wday <= 5;
}
static bool
midnight(const struct tm *t)
{
	return t->tm_hour == 0 && t->tm_min == 0;
}
static bool
sundays(const struct tm *t)
{
	return midnight(t) && t->tm_wday == 0;
}
static bool
first(const struct tm *t)
{
	return midnight(t) && t->tm_mday == 1;
}
static bool
new_year(const struct tm *t)
{
	return first(t) && t->tm_mon == 0;
}
static bool
leap_day(const struct tm *t)
{
	return midnight(t) && t->tm_mon == 1 && t->tm_mday == 29;
}
static bool
hourly(const struct tm *t)
{
	return t->tm_min == 0;
}
static bool
weekend(const struct tm *t)
{
	return midnight(t) && (t->tm_wday == 0 || t->tm_wday == 6);
}

/* Two fields of days: one of them is enough, unless one begins with a star. */
static bool
thirteenth_or_friday(const struct tm *t)
{
	return midnight(t) && (t->tm_mday == 13 || t->tm_wday == 5);
}

static bool
thirteenth_and_friday(const struct tm *t)
{
	return midnight(t) && t->tm_mday == 13 && t->tm_wday == 5;
}

static bool
odd_and_friday(const struct tm *t)
{
	return midnight(t) && t->tm_mday % 2 == 1 && t->tm_wday == 5;
}

static bool
office(const struct tm *t)
{
	return (t->tm_min == 5 || t->tm_min == 50) && t->tm_hour >= 9 && t->tm_hour <= 17 &&
		   (t->tm_hour - 9) % 2 == 0 && (t->tm_mon == 0 || t->tm_mon == 5 || t->tm_mon == 6);
}

static const struct
{
	const char *text;
	bool (*names)(const struct tm *);
	bool both;
} schedules[] = {
	{"* * * * *", every_minute, false},
	{"*/15 * * * *", quarters, false},
	{"0,15,30,45 * * * *", quarters, false},
	{"0-59/15 0-23 1-31 1-12 0-7", quarters, false},
	{"30 3 * * *", nightly, false},
	{"\t 30   3 * * * ", nightly, false},
	{"30 3 * * 1-5", workdays, false},
	{"30 3 * * mon-FRI", workdays, false},
	{"30 3 */1 * 1,2,3-5", workdays, false},
	{"0 0 * * 0", sundays, false},
	{"0 0 * * 7", sundays, false},
	{"0 0 * * Sun", sundays, false},
	{"@weekly", sundays, false},
	{"@daily", midnight, false},
	{"@midnight", midnight, false},
	{"@hourly", hourly, false},
	{"@monthly", first, false},
	{"0 0 1 1 *", new_year, false},
	{"0 0 29 feb *", leap_day, false},
	{"0 0 13 * 5", thirteenth_or_friday, false},
	{"0 0 */2 * fri", odd_and_friday, false},
	{"0 0 * * 6-7", weekend, false},
	{"5,50 9-17/2 * jan,6-7 *", office, false},
	{"0 0 13 * 5", thirteenth_and_friday, true},
	{"30 3 * * 1-5", workdays, true},
	{"@monthly", first, true},
};

/* ---- comparing ---- */

static bool
names(int schedule, int64_t minute)
{
	time_t seconds = (time_t) minute * 60;
	struct tm time;

	gmtime_r(&seconds, &time);
	return schedules[schedule].names(&time);
}

/* Over a span of minutes, both directions from each minute. */
static void
compare(int schedule, const CronTimes *times, int64_t from, int64_t to)
{
	int64_t last;
	int64_t found;
	int64_t wrong = 0;
	int64_t named = 0;

	if (!cron_times_last(times, from, &last))
		CHECK(!"a last minute");
	for (int64_t minute = from + 1; minute <= to; minute++)
	{
		if (names(schedule, minute))
		{
			/* the minute before leads here, and from here it is the last */
			wrong += !cron_times_next(times, minute - 1, &found) || found != minute;
			last = minute;
			named++;
		}
		wrong += !cron_times_last(times, minute, &found) || found != last;
	}
	if (wrong > 0)
		printf("\"%s\": %lld wrong\n", schedules[schedule].text, (long long) wrong);
	CHECK(wrong == 0);
	CHECK(named > 0 || to - from < 366 * DAY);
}

static void
test_schedules(void)
{
	CronTimes times;
	int days = check_repetitions(400);

	for (size_t i = 0; i < sizeof(schedules) / sizeof(schedules[0]); i++)
	{
		const char *problem = cron_times_parse(schedules[i].text, schedules[i].both, &times);

		CHECK(problem == NULL);
		compare((int) i, &times, (int64_t) 10957 * DAY,
				(int64_t) (10957 + days) * DAY); /* from 2000 */
		compare((int) i, &times, (int64_t) -3 * DAY, (int64_t) 3 * DAY);
	}
}

/* Over the ends of centuries: 2100 has no leap day, 2000 has. */
static void
test_leap_days(void)
{
	CronTimes times;
	int64_t found;

	CHECK(cron_times_parse("0 0 29 2 *", false, &times) == NULL);
	CHECK(cron_times_next(&times, (int64_t) 47541 * DAY, &found)); /* 2100-03-01 */
	CHECK(found == (int64_t) 49001 * DAY);                         /* 2104-02-29 */
	CHECK(cron_times_last(&times, found - 1, &found));
	CHECK(found == (int64_t) 46080 * DAY); /* 2096-02-29 */
	CHECK(cron_times_next(&times, (int64_t) 10957 * DAY, &found));
	CHECK(found == (int64_t) 11016 * DAY); /* 2000-02-29 */
	CHECK(cron_times_parse("0 0 29 2 */7", false, &times) == NULL);
	CHECK(cron_times_last(&times, (int64_t) 22704 * DAY - 1, &found));
	CHECK(found == (int64_t) 12477 * DAY); /* 2004-02-29, a Sunday */
	CHECK(cron_times_next(&times, found, &found));
	CHECK(found == (int64_t) 22704 * DAY); /* 2032-02-29, the next one that is */
}

static void
test_refusals(void)
{
	static const char *const texts[] = {
		"",
		" ",
		"@reboot",
		"@yearly",
		"@annually",
		"@DAILY",
		"30 seconds",
		"* * * *",
		"* * * * * *",
		"60 * * * *",
		"* 24 * * *",
		"* * 0 * *",
		"* * 32 * *",
		"* * * 0 *",
		"* * * 13 *",
		"* * * * 8",
		"5/10 * * * *",
		"*/0 * * * *",
		"-1 * * * *",
		"5-1 * * * *",
		"1- * * * *",
		"1,, * * * *",
		"1, * * * *",
		"a * * * *",
		"1a * * * *",
		"* jan * * *",
		"* * * ja *",
		"* * $ * *",
		"0 0 30 2 *",
		"0 0 31 4,6 *",
		"*/a * * * *",
		"1000 * * * *",
		"* * * * fr",
		"* * * * *;",
		"* * * * * CALL x",
		"**  * * * *",
		"*-5 * * * *",
		"99999999999 * * * *",
	};
	CronTimes times;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
	{
		const char *problem = cron_times_parse(texts[i], false, &times);

		if (problem == NULL)
			printf("\"%s\" is taken\n", texts[i]);
		CHECK(problem != NULL);
	}
	/* the Mondays of April, but not its 31st */
	CHECK(cron_times_parse("0 0 31 4 1", false, &times) == NULL);
	CHECK(cron_times_parse("0 0 31 4 1", true, &times) != NULL);
}

int
main(void)
{
	test_schedules();
	test_leap_days();
	test_refusals();
	return check_report("cron_times");
}

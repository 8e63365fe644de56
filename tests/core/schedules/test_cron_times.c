/*
 * test_cron_times.c - schedules against the C library's calendar, minute by minute.
 */
#include "core/check.h"

#include <string.h>
#include <time.h>

#include "server/schedules/cron_times.h"

#define DAY 1440

/* ---- schedules as sets of numbers, a bit for each ---- */

#define AT(number) (UINT64_C(1) << (number))
#define QUARTERS (AT(0) | AT(15) | AT(30) | AT(45))
#define WORKDAYS (AT(1) | AT(2) | AT(3) | AT(4) | AT(5))
#define ODD UINT64_C(0xaaaaaaaa)

/* The numbers are those of struct tm; 0 stands for all of them. */
typedef struct Schedule
{
	const char *text;
	uint64_t minutes;
	uint64_t hours;
	uint64_t days;
	uint64_t months;
	uint64_t weekdays;
	bool either; /* the day or the weekday is enough, because neither field begins with a star */
	bool both;   /* what cron_times_parse() is told */
} Schedule;

static const Schedule schedules[] = {
	{.text = "* * * * *"},
	{"*/15 * * * *", .minutes = QUARTERS},
	{"0,15,30,45 * * * *", .minutes = QUARTERS},
	{"0-59/15 0-23 1-31 1-12 0-7", .minutes = QUARTERS},
	{"30 3 * * *", AT(30), .hours = AT(3)},
	{"\t 30   3 * * * ", AT(30), .hours = AT(3)},
	{"30 3 * * 1-5", AT(30), AT(3), .weekdays = WORKDAYS},
	{"30 3 * * mon-FRI", AT(30), AT(3), .weekdays = WORKDAYS},
	{"30 3 */1 * 1,2,3-5", AT(30), AT(3), .weekdays = WORKDAYS},
	{"0 0 * * 0", AT(0), AT(0), .weekdays = AT(0)},
	{"0 0 * * 7", AT(0), AT(0), .weekdays = AT(0)},
	{"0 0 * * Sun", AT(0), AT(0), .weekdays = AT(0)},
	{"@weekly", AT(0), AT(0), .weekdays = AT(0)},
	{"@daily", AT(0), .hours = AT(0)},
	{"@midnight", AT(0), .hours = AT(0)},
	{"@hourly", .minutes = AT(0)},
	{"@monthly", AT(0), AT(0), .days = AT(1)},
	{"0 0 1 1 *", AT(0), AT(0), AT(1), .months = AT(0)},
	{"0 0 29 feb *", AT(0), AT(0), AT(29), .months = AT(1)},
	{"0 0 13 * 5", AT(0), AT(0), .days = AT(13), .weekdays = AT(5), .either = true},
	{"0 0 */2 * fri", AT(0), AT(0), .days = ODD, .weekdays = AT(5)},
	{"0 0 * * 6-7", AT(0), AT(0), .weekdays = AT(0) | AT(6)},
	{"5,50 9-17/2 * jan,6-7 *", AT(5) | AT(50), AT(9) | AT(11) | AT(13) | AT(15) | AT(17),
	 .months = AT(0) | AT(5) | AT(6)},
	{"0 0 13 * 5", AT(0), AT(0), .days = AT(13), .weekdays = AT(5), .both = true},
	{"30 3 * * 1-5", AT(30), AT(3), .weekdays = WORKDAYS, .both = true},
	{"@monthly", AT(0), AT(0), .days = AT(1), .both = true},
};

/* ---- comparing ---- */

static bool
has(uint64_t set, int number)
{
	return set == 0 || (set & AT(number)) != 0;
}

static bool
names(const Schedule *schedule, int64_t minute)
{
	time_t seconds = (time_t) minute * 60;
	bool day;
	bool weekday;
	struct tm t;

	gmtime_r(&seconds, &t);
	day = has(schedule->days, t.tm_mday);
	weekday = has(schedule->weekdays, t.tm_wday);
	return has(schedule->minutes, t.tm_min) && has(schedule->hours, t.tm_hour) &&
		   has(schedule->months, t.tm_mon) && (schedule->either ? day || weekday : day && weekday);
}

/* Over a span of minutes, both directions from each minute. */
static void
compare(const Schedule *schedule, const CronTimes *times, int64_t from, int64_t to)
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
		printf("\"%s\": %lld wrong\n", schedule->text, (long long) wrong);
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
		compare(&schedules[i], &times, (int64_t) 10957 * DAY,
				(int64_t) (10957 + days) * DAY); /* from 2000 */
		compare(&schedules[i], &times, (int64_t) -3 * DAY, (int64_t) 3 * DAY);
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

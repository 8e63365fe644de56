/*
 * cron_times.c - parses cron schedules and finds their minutes, day by day.
 */
#include "server/schedules/cron_times.h"

#include <string.h>
#include <strings.h>

#include "core/base/mutant.h"

#define DAY_MINUTES 1440

/* Over 2100, which is no leap year, 29 February falls on the same weekday after 40 years only. */
#define MOST_DAYS (40 * 366)

/* ---- reading ---- */

typedef struct Field
{
	int low;
	int high;
	const char *names; /* of three letters each, or NULL */
	int names_from;    /* the value of the first name */
} Field;

enum
{
	FIELD_MINUTE,
	FIELD_HOUR,
	FIELD_DAY,
	FIELD_MONTH,
	FIELD_WEEKDAY,
	FIELDS
};

static const Field fields[FIELDS] = {
	{0, 59, NULL, 0},
	{0, 23, NULL, 0},
	{1, 31, NULL, 0},
	{1, 12, "janfebmaraprmayjunjulaugsepoctnovdec", 1},
	{0, 7, "sunmontuewedthufrisat", 0},
};

/* @yearly and @annually are missing: newer versions of pg_cron accept but never run them. */
static const struct
{
	const char *name;
	const char *fields;
} nicknames[] = {
	{"@monthly", "0 0 1 * *"},  {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},
	{"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"},
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads a number of at most two digits or a name of the field; -1 if there is neither. */
static int
take_number(const char **text, const Field *field)
{
	int value = 0;
	int digits = 0;

	for (; is_digit(**text) && digits < 3; digits++)
		value = 10 * value + (*(*text)++ - '0');
	if (digits > 0)
		return digits < 3 ? value : -1;
	for (int i = 0; field->names != NULL && field->names[3 * i] != '\0'; i++)
		if (strncasecmp(*text, field->names + 3 * i, 3) == 0)
		{
			*text += 3;
			return field->names_from + i;
		}
	return -1;
}

/* Reads a member of a list: a number, or * or a range, which may have a step. */
static bool
take_member(const char **text, const Field *field, uint64_t *bits)
{
	int low = field->low;
	int high = field->high;
	int step = 1;
	bool stepped = true;

	if (**text == '*')
		(*text)++;
	else
	{
		low = high = take_number(text, field);
		stepped = **text == '-';
		if (stepped)
		{
			(*text)++;
			high = take_number(text, field);
		}
	}
	if (**text == '/' && stepped)
	{
		(*text)++;
		step = is_digit(**text) ? take_number(text, field) : -1;
	}
	if (low < field->low || high > field->high || low > high || step < 1)
		return false;
	for (int i = low; i <= high; i += step)
		*bits |= UINT64_C(1) << i;
	return true;
}

static bool
take_field(const char **text, const Field *field, uint64_t *bits)
{
	*bits = 0;
	if (!take_member(text, field, bits))
		return false;
	while (**text == ',')
	{
		(*text)++;
		if (!take_member(text, field, bits))
			return false;
	}
	return is_blank(**text) || **text == '\0';
}

static void
skip_blanks(const char **text)
{
	while (is_blank(**text))
		(*text)++;
}

static const char *
expand(const char *text)
{
	for (size_t i = 0; i < sizeof(nicknames) / sizeof(nicknames[0]); i++)
		if (strcmp(text, nicknames[i].name) == 0)
			return nicknames[i].fields;
	return text;
}

const char *
cron_times_parse(const char *text, bool both, CronTimes *times)
{
	uint64_t *bits[FIELDS] = {&times->minutes, &times->hours, &times->days, &times->months,
							  &times->weekdays};
	int64_t found;

	if (strcmp(text, "@yearly") == 0 || strcmp(text, "@annually") == 0)
		return "Newer versions of pg_cron never run it: write \"0 0 1 1 *\".";
	text = expand(text);
	times->any_day = !both && !MUTANT(190);
	for (int i = 0; i < FIELDS; i++)
	{
		skip_blanks(&text);
		if ((i == FIELD_DAY || i == FIELD_WEEKDAY) && *text == '*')
			times->any_day = false;
		if (!take_field(&text, &fields[i], bits[i]))
			return "Its five fields are minute, hour, day of month, month and day of week, as in "
				   "\"30 3 * * 1-5\".";
	}
	skip_blanks(&text);
	if (*text != '\0')
		return "It has more than the five fields minute, hour, day of month, month and day of "
			   "week.";
	times->weekdays |= times->weekdays >> 7 & 1; /* Sunday is 7, too */
	return cron_times_next(times, 0, &found) ? NULL : "It names a day that no year has.";
}

/* ---- the calendar ---- */

static int64_t
floor_division(int64_t dividend, int64_t divisor)
{
	return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}

/*
 * Year, month and day of the proleptic Gregorian calendar, by years that begin in
 * March, so that a leap day is the last of its year; 146097 days make 400 years.
 */
static void
civil_of_day(int64_t day, int *month, int *day_of_month)
{
	int64_t shifted = day + 719468; /* since 0000-03-01 */
	int64_t in_era = shifted - 146097 * floor_division(shifted, 146097);
	int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
	int64_t march_month = (5 * in_year + 2) / 153;

	*day_of_month = (int) (in_year - (153 * march_month + 2) / 5 + 1);
	*month = (int) (march_month < 10 ? march_month + 3 : march_month - 9);
}

static bool
names_day(const CronTimes *times, int64_t day)
{
	/* 1970-01-01 was a Thursday */
	int weekday = (int) (day + 4 - 7 * floor_division(day + 4, 7));
	int month;
	int day_of_month;
	bool by_weekday = times->weekdays >> weekday & 1;
	bool by_day;

	civil_of_day(day, &month, &day_of_month);
	by_day = times->days >> day_of_month & 1;
	return (times->months >> month & 1) &&
		   (times->any_day ? by_day || by_weekday : by_day && by_weekday);
}

static bool
names_minute(const CronTimes *times, int minute)
{
	return (times->hours >> minute / 60 & 1) && (times->minutes >> minute % 60 & 1);
}

/* Finds the first minute of the schedule from this one, forwards (1) or backwards (-1). */
static bool
find(const CronTimes *times, int64_t minute, int direction, int64_t *found)
{
	int64_t day = floor_division(minute, DAY_MINUTES);
	int at = (int) (minute - DAY_MINUTES * day);

	for (int i = 0; i < MOST_DAYS; i++)
	{
		if (names_day(times, day))
			for (; at >= 0 && at < DAY_MINUTES; at += direction)
				if (names_minute(times, at))
				{
					*found = DAY_MINUTES * day + at;
					return true;
				}
		day += direction;
		at = direction > 0 || MUTANT(191) ? 0 : DAY_MINUTES - 1;
	}
	return false;
}

bool
cron_times_last(const CronTimes *times, int64_t minute, int64_t *found)
{
	return find(times, minute, -1, found);
}

bool
cron_times_next(const CronTimes *times, int64_t minute, int64_t *found)
{
	return find(times, minute + 1, 1, found);
}

/*
 * test_text_value.c - texts are numbers, booleans, dates and times, or none of them.
 */
#include "core/rows/text_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/fixture.h"

static bool
number_is(const char *text, double expected)
{
	double number;

	return text_number(text, (int) strlen(text), &number) && number == expected;
}

static void
check_numbers(void)
{
	static const char *const none[] = {"",     " ",     "+",     ".",   "-.",    "e5",  "1e",
									   "1e+",  "1e100", "1 2",   "1,5", "0x10",  "NaN", "Infinity",
									   "1..2", "--1",   "1e5.0", "$1",  "1e5 x", "inf", "1_000"};
	double number;
	char text[2 * TEXT_VALUE_LONGEST];

	CHECK(number_is("0", 0) && number_is("-12", -12) && number_is("+.5", .5) && number_is("5.", 5));
	CHECK(number_is("\t 1e2\n", 100) && number_is("1E-99", 1e-99) && number_is("0.1", 0.1));
	/* the nearest double, where a sum of digits would be rounded twice */
	CHECK(number_is("9007199254740993", 9007199254740992.0));
	CHECK(number_is("9007199254740993.0000000000000000000001", 9007199254740994.0));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		CHECK(!text_number(none[i], (int) strlen(none[i]), &number));
	CHECK(!text_number("1\0"
					   "2",
					   3, &number));
	memset(text, '9', sizeof(text));
	CHECK(text_number(text, TEXT_VALUE_LONGEST, &number) && isfinite(number));
	CHECK(!text_number(text, TEXT_VALUE_LONGEST + 1, &number));
	memcpy(text + TEXT_VALUE_LONGEST - 3, "e99", 3);
	CHECK(text_number(text, TEXT_VALUE_LONGEST, &number) && isfinite(number));
}

/* 1 or 0; -1: none. */
static int
boolean_of(const char *text)
{
	bool value;

	return text_boolean(text, (int) strlen(text), &value) ? value : -1;
}

static void
check_booleans(void)
{
	static const char *const yes[] = {"t", "TRUE", "tru", "y", "Yes", "on", " 1 ", "oN"};
	static const char *const no[] = {"f", "False", "n", "NO", "of", "off", "0", "\tfalse"};
	static const char *const none[] = {"", "o", "truee", "10", "yess", "2", "nope", "t t", "ja"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		CHECK(boolean_of(yes[i]) == 1 && boolean_of(no[i]) == 0);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		CHECK(boolean_of(none[i]) == -1);
}

/* All days of 4,000 years follow each other, and no other text is a day. */
static void
check_dates(void)
{
	int32_t expected = -719162; /* of 0001-01-01 */
	int32_t days = 0;

	for (int year = 1; year <= 4000; year++)
		for (int month = 0; month <= 13; month++)
			for (int day = 0; day <= 32; day++)
			{
				static const int lengths[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0};
				int length = lengths[month] +
							 (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
				char text[40];
				bool is_day = day >= 1 && day <= length;

				snprintf(text, sizeof(text), "%04d-%02d-%02d", year, month, day);
				CHECK(text_date(text, (int) strlen(text), &days) == is_day);
				CHECK(!is_day || days == expected++);
			}
	CHECK(text_date("1970-01-01", 10, &days) && days == 0);
	CHECK(!text_date("1970-1-01", 9, &days) && !text_date("1970-01-011", 11, &days));
	CHECK(!text_date("0000-01-01", 10, &days) && !text_date("1970/01/01", 10, &days));
}

static bool
time_is(const char *text, int64_t expected)
{
	int64_t time;

	return text_timestamp(text, (int) strlen(text), &time) && time == expected;
}

static void
check_times(void)
{
	static const char *const none[] = {"1970-01-01 24:00",
									   "1970-01-01 1:00",
									   "1970-01-01 01:60",
									   "1970-01-01 01:00:60",
									   "1970-01-01 01:00:00.",
									   "1970-01-01 01:00 ago",
									   "1970-01-01 01:00:00.1234567",
									   "1970-01-01T",
									   "1970-01-01Z01:00",
									   "01:00",
									   "1970-01-01 01:00:00+02"};
	int64_t time;

	CHECK(time_is("1970-01-01", 0) && time_is(" 1970-01-02T00:00 ", INT64_C(86400000000)));
	CHECK(time_is("1970-01-01 23:59:59.5", INT64_C(86399500000)));
	CHECK(time_is("1969-12-31 23:59:59.999999", -1));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		CHECK(!text_timestamp(none[i], (int) strlen(none[i]), &time));
}

int
main(void)
{
	test_begin(2026);
	check_numbers();
	check_booleans();
	check_dates();
	check_times();
	return test_end("text_value");
}

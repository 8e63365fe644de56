/*
 * text_value.c - reads a number, a boolean, a date or a time from text without an error.
 */
#include "core/rows/text_value.h"

#include <stdlib.h>
#include <string.h>

/* What is left of a text. */
typedef struct Rest
{
	const char *at;
	const char *end;
} Rest;

static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The text without blanks around it; false if it is too long or nothing is left. */
static bool
trim(const char *text, int length, Rest *rest)
{
	*rest = (Rest){text, text + length};
	if (length > TEXT_VALUE_LONGEST)
		return false;
	while (rest->at < rest->end && is_blank(*rest->at))
		rest->at++;
	while (rest->at < rest->end && is_blank(rest->end[-1]))
		rest->end--;
	return rest->at < rest->end;
}

/* Takes one of these characters. */
static bool
take(Rest *rest, const char *characters)
{
	if (rest->at == rest->end || *rest->at == '\0' || strchr(characters, *rest->at) == NULL)
		return false;
	rest->at++;
	return true;
}

/* Takes digits, at most so many; returns their number. */
static int
take_digits(Rest *rest, int most, int *value)
{
	int digits = 0;

	for (*value = 0; digits < most && rest->at < rest->end && is_digit(*rest->at); digits++)
		*value = *value % 100000000 * 10 + (*rest->at++ - '0');
	return digits;
}

/* ---- numbers ---- */

bool
text_number(const char *text, int length, double *number)
{
	char copy[TEXT_VALUE_LONGEST + 1];
	char *end;
	Rest rest;
	size_t size;
	int digits;
	int value;

	if (!trim(text, length, &rest))
		return false;
	size = (size_t) (rest.end - rest.at);
	memcpy(copy, rest.at, size);
	copy[size] = '\0';
	(void) take(&rest, "+-");
	digits = take_digits(&rest, TEXT_VALUE_LONGEST, &value);
	if (take(&rest, "."))
		digits += take_digits(&rest, TEXT_VALUE_LONGEST, &value);
	if (digits == 0)
		return false;
	if (take(&rest, "eE"))
	{
		(void) take(&rest, "+-");
		if (take_digits(&rest, 2, &value) == 0)
			return false;
	}
	*number = strtod(copy, &end);
	return rest.at == rest.end && *end == '\0';
}

/* ---- booleans ---- */

/* Is the text the beginning of a word, of so many letters at least? */
static bool
begins(const Rest *rest, const char *word, int least)
{
	int length = (int) (rest->end - rest->at);

	if (length < least || length > (int) strlen(word))
		return false;
	for (int i = 0; i < length; i++)
	{
		char c = rest->at[i];

		if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != word[i])
			return false;
	}
	return true;
}

bool
text_boolean(const char *text, int length, bool *value)
{
	Rest rest;

	if (!trim(text, length, &rest))
		return false;
	*value = begins(&rest, "true", 1) || begins(&rest, "yes", 1) || begins(&rest, "on", 2) ||
			 begins(&rest, "1", 1);
	return *value || begins(&rest, "false", 1) || begins(&rest, "no", 1) ||
		   begins(&rest, "off", 2) || begins(&rest, "0", 1);
}

/* ---- times ---- */

#define SECONDS_OF_DAY 86400
#define MICROSECONDS 1000000

static int
days_of_month(int year, int month)
{
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	if (month == 2)
		return leap ? 29 : 28;
	return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* Takes a number of two digits from low to high. */
static bool
take_pair(Rest *rest, int low, int high, int *value)
{
	return take_digits(rest, 2, value) == 2 && *value >= low && *value <= high;
}

static bool
take_date(Rest *rest, int32_t *days)
{
	int year;
	int month;
	int day;
	int before; /* years before this one, counted from March of the year 0 */

	if (take_digits(rest, 4, &year) != 4 || year < 1 || !take(rest, "-") ||
		!take_pair(rest, 1, 12, &month) || !take(rest, "-") || !take_pair(rest, 1, 31, &day) ||
		day > days_of_month(year, month))
		return false;
	before = month > 2 ? year : year - 1;
	*days = 365 * before + before / 4 - before / 100 + before / 400 +
			(153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 719469;
	return true;
}

bool
text_date(const char *text, int length, int32_t *days)
{
	Rest rest;

	return trim(text, length, &rest) && take_date(&rest, days) && rest.at == rest.end;
}

/* Takes the fraction of a second. */
static bool
take_fraction(Rest *rest, int *fraction)
{
	int digits = take_digits(rest, 6, fraction);

	for (int i = digits; i < 6; i++)
		*fraction *= 10;
	return digits > 0;
}

bool
text_timestamp(const char *text, int length, int64_t *microseconds)
{
	Rest rest;
	int32_t days;
	int hour = 0;
	int minute = 0;
	int second = 0;
	int fraction = 0;

	if (!trim(text, length, &rest) || !take_date(&rest, &days))
		return false;
	if (rest.at < rest.end &&
		(!take(&rest, " T") || !take_pair(&rest, 0, 23, &hour) || !take(&rest, ":") ||
		 !take_pair(&rest, 0, 59, &minute) ||
		 (take(&rest, ":") && (!take_pair(&rest, 0, 59, &second) ||
							   (take(&rest, ".") && !take_fraction(&rest, &fraction))))))
		return false;
	*microseconds =
		((int64_t) days * SECONDS_OF_DAY + hour * 3600 + minute * 60 + second) * MICROSECONDS +
		fraction;
	return rest.at == rest.end;
}

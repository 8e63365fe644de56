/*
 * near_name.c - finds the known name that somebody may have meant, and lists what is declared.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/formatting.h"
#include "utils/varlena.h"

#include "server/base/near_name.h"

#define LISTED 20
#define LISTED_BYTES 60

/* In lower case and without blanks. */
static char *
fold(const char *text)
{
	char *lower = str_tolower(text, strlen(text), DEFAULT_COLLATION_OID);
	char *to = lower;

	for (const char *from = lower; *from != '\0'; from++)
		if (strchr(" \t\r\n\f\v", *from) == NULL)
			*to++ = *from;
	*to = '\0';
	return lower;
}

/* Is one name the other with two neighbours swapped? */
static bool
is_swapped(const char *one, const char *other)
{
	while (*one != '\0' && *one == *other)
		one++, other++;
	return one[0] != '\0' && one[0] == other[1] && one[1] == other[0] &&
		   strcmp(one + 2, other + 2) == 0;
}

/*
 * Steps from one name to the other, or more than most: letters that are inserted, left out or
 * replaced, or a swap of two.  Other case and blanks are none.
 */
static int
distance(const char *folded, const char *other, int most)
{
	int length = strlen(folded);
	int other_length;

	other = fold(other);
	other_length = strlen(other);
	if (strcmp(folded, other) == 0)
		return 0;
	if (is_swapped(folded, other))
		return 1;
	if (length >= NAMEDATALEN || other_length >= NAMEDATALEN)
		return most + 1;
	return varstr_levenshtein_less_equal(folded, length, other, other_length, 1, 1, 1, most, true);
}

static void
append_value(StringInfo text, const char *value)
{
	int length = strlen(value);

	if (length <= LISTED_BYTES)
		appendStringInfo(text, "\"%s\"", value);
	else
		appendStringInfo(text, "\"%.*s...\"", pg_mbcliplen(value, length, LISTED_BYTES), value);
}

const char *
near_name(const char *name, const List *known)
{
	char *folded = fold(name);
	int least = strlen(folded) / 3 + 1;
	const char *found = NULL;
	ListCell *cell;
	StringInfoData text;

	foreach (cell, known)
	{
		int steps;

		if (least == 0 || strcmp(name, lfirst(cell)) == 0) /* it is known, but not for this */
			continue;
		steps = distance(folded, lfirst(cell), least - 1);
		if (steps >= least)
			continue;
		least = steps;
		found = lfirst(cell);
	}
	if (found == NULL)
		return "";
	initStringInfo(&text);
	appendStringInfoString(&text, "Did you mean ");
	append_value(&text, found);
	appendStringInfoString(&text, "? ");
	return text.data;
}

List *
near_name_listed(const char *names)
{
	List *list = NIL;
	const char *end;

	for (; (end = strstr(names, ", ")) != NULL; names = end + 2)
		list = lappend(list, pnstrdup(names, end - names));
	return lappend(list, pstrdup(names));
}

int
near_name_errhint(const char *name, const List *known)
{
	const char *hint = near_name(name, known);
	int length = strlen(hint);

	return length == 0 ? 0 : errhint("%.*s", length - 1, hint);
}

char *
near_name_of_values(const char *constant, const List *values)
{
	StringInfoData text;
	ListCell *cell;
	int listed = 0;

	initStringInfo(&text);
	appendStringInfo(&text, "%sDeclared values are: ", near_name(constant, values));
	foreach (cell, values)
	{
		if (listed++ == LISTED)
			break;
		appendStringInfoString(&text, listed > 1 ? ", " : "");
		append_value(&text, lfirst(cell));
	}
	appendStringInfoString(&text, listed > LISTED ? " and more." : ".");
	return text.data;
}

/*
 * known_values.c - finds variants of a constant, and lists what is declared.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/formatting.h"

#include "server/base/known_values.h"

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

static void
append_value(StringInfo text, const char *value)
{
	int length = strlen(value);

	if (length <= LISTED_BYTES)
		appendStringInfo(text, "\"%s\"", value);
	else
		appendStringInfo(text, "\"%.*s...\"", pg_mbcliplen(value, length, LISTED_BYTES), value);
}

char *
known_values_hint(const char *constant, const List *values)
{
	char *folded = fold(constant);
	StringInfoData text;
	ListCell *cell;
	int listed = 0;

	initStringInfo(&text);
	foreach (cell, values)
		if (text.len == 0 && strcmp(fold(lfirst(cell)), folded) == 0)
		{
			appendStringInfoString(&text, "Did you mean ");
			append_value(&text, lfirst(cell));
			appendStringInfoString(&text, "? ");
		}
	appendStringInfoString(&text, "Declared values are: ");
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

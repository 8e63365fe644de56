/*
 * report_page.c - fills the template of a report's page, report_page.html.
 *
 * The page has no script and asks for nothing elsewhere, which its policy forbids, too.  Every text that
 * is not the template's goes through shown_html(), inside elements and inside attributes, which all have
 * double quotes.  In the template, a key is of the object or element that encloses it, or else of one
 * further out:
 *
 *   {{key}}       the text or number
 *   {{key|80}}    a name, cut off after 80 characters
 *   {{key|day}}   the day of a time
 *   {{#key}}      up to its {{/}}: for each element of the array, or once for the object
 *   {{?key}}      up to its {{/}}: if there is something, not null, false or an empty array
 *   {{^key}}      up to its {{/}}: if there is nothing
 *
 * and {{.}} is the element itself.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "server/base/json_value.h"
#include "server/base/shown_text.h"
#include "server/ledger/report_page.h"

/* The Makefile makes it of report_page.html: the string template. */
#include "report_page.inc"

typedef struct Scope
{
	JsonbValue *value;
	const struct Scope *outer; /* NULL: none */
} Scope;

/* ---- values ---- */

/* NULL: no scope has the key. */
static JsonbValue *
find(const char *key, const Scope *scope)
{
	JsonbValue *found = NULL;

	if (strcmp(key, ".") == 0)
		return scope->value;
	for (; scope != NULL && found == NULL; scope = scope->outer)
	{
		JsonbContainer *object = json_get_object(scope->value);

		found = object == NULL ? NULL : json_member(object, key);
	}
	return found;
}

static bool
is_something(JsonbValue *value)
{
	JsonbContainer *array = json_get_array(value);

	if (array != NULL)
		return JsonContainerSize(array) > 0;
	return value != NULL && value->type != jbvNull &&
		   (value->type != jbvBool || value->val.boolean);
}

/* NULL: it is no text or number. */
static char *
text_of(JsonbValue *value)
{
	if (value != NULL && value->type == jbvNumeric)
		return numeric_normalize(value->val.numeric);
	return json_get_string(value);
}

/* ---- texts ---- */

/* The element keeps the direction of the letters of a name from moving its neighbours. */
static void
put_name(StringInfo page, const char *name, int most)
{
	int length = pg_mbcharcliplen(name, strlen(name), most);

	appendStringInfoString(page, "<bdi>");
	shown_html(page, name[length] == '\0' ? name : psprintf("%.*s...", length, name));
	appendStringInfoString(page, "</bdi>");
}

/* A time of JSON begins with its day. */
static void
put_day(StringInfo page, const char *at)
{
	const char *day = pnstrdup(at, strcspn(at, "T"));

	appendStringInfoString(page, "<time datetime=\"");
	shown_html(page, day);
	appendStringInfoString(page, "\">");
	shown_html(page, day);
	appendStringInfoString(page, "</time>");
}

static void
put_value(StringInfo page, char *tag, const Scope *scope)
{
	char *form = strchr(tag, '|');
	char *words;

	if (form != NULL)
		*form++ = '\0';
	words = text_of(find(tag, scope));
	if (words == NULL)
		return;
	if (form == NULL)
		shown_html(page, words);
	else if (strcmp(form, "day") == 0)
		put_day(page, words);
	else
		put_name(page, words, atoi(form));
}

/* ---- the template ---- */

static const char *fill(StringInfo page, const char *from, const Scope *scope);

static void
fill_each(StringInfo page, const char *from, JsonbValue *value, const Scope *scope)
{
	JsonbContainer *array = json_get_array(value);

	if (array == NULL)
		(void) fill(page, from, &(Scope){value, scope});
	for (uint32 i = 0; array != NULL && i < JsonContainerSize(array); i++)
	{
		(void) fill(page, from, &(Scope){getIthJsonbValueFromContainer(array, i), scope});
		CHECK_FOR_INTERRUPTS();
	}
}

/* Returns where the block's {{/}} ends. */
static const char *
fill_block(StringInfo page, const char *tag, const char *from, const Scope *scope)
{
	JsonbValue *value = find(tag + 1, scope);

	if (page != NULL && is_something(value) != (*tag == '^'))
	{
		if (*tag == '#')
			fill_each(page, from, value, scope);
		else
			(void) fill(page, from, scope);
	}
	return fill(NULL, from, scope);
}

/* Fills the template up to the next {{/}} or its end, and returns where that ends; page NULL: only returns it. */
static const char *
fill(StringInfo page, const char *from, const Scope *scope)
{
	const char *start;

	while ((start = strstr(from, "{{")) != NULL)
	{
		const char *end = strstr(start, "}}");
		char *tag = pnstrdup(start + 2, end - start - 2);

		if (page != NULL)
			appendBinaryStringInfo(page, from, start - from);
		from = end + 2;
		if (*tag == '/')
			return from;
		if (strchr("#?^", *tag) != NULL)
			from = fill_block(page, tag, from, scope);
		else if (page != NULL)
			put_value(page, tag, scope);
		pfree(tag);
	}
	if (page != NULL)
		appendStringInfoString(page, from);
	return from + strlen(from);
}

void
report_page(StringInfo page, JsonbContainer *report)
{
	JsonbValue value = {.type = jbvBinary};

	value.val.binary.data = report;
	(void) fill(page, template, &(Scope){&value, NULL});
}

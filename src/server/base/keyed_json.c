/*
 * keyed_json.c - finds keys in tables, and reads the usual types of values.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/base/names.h"

#include "server/base/json_value.h"
#include "server/base/keyed_json.h"
#include "server/base/near_name.h"

/* ---- names ---- */

static char *
known_names(const char *what, const char *const *names, int count)
{
	if (count == 0)
		return "There are none.";
	return psprintf("%c%ss are: %s.", pg_toupper(what[0]), what + 1, json_known(names, count));
}

int
keyed_json_find(const char *what, const char *where, const char *const *names, int count,
				const char *name)
{
	int position = names_find(names, count, name);
	const char *known = position < count ? NULL : json_known(names, count);

	if (position == count)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s \"%s\"%s is not known", what, name, where),
						errhint("%sKnown %ss are: %s.", near_name(name, near_name_listed(known)),
								what, known)));
	return position;
}

char *
keyed_json_choices(const char *const *names, int count)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < count; i++)
		appendStringInfo(&text, "%s\"%s\"", i == 0 ? "" : i < count - 1 ? ", " : " or ", names[i]);
	return text.data;
}

/* ---- keys ---- */

static bool
is_taken(const KeyTable *table, const Key *key)
{
	return (key->setters & table->setter) != 0 && (key->takers & table->taker) != 0;
}

/* Raises 22023 for a key of another setter or taker, or of none. */
static void
refuse_key(const KeyTable *table, const char *name)
{
	const char **known = palloc(table->count * sizeof(char *));
	const Key *key = NULL;
	int count = 0;

	for (int i = 0; i < table->count; i++)
	{
		if (is_taken(table, &table->key[i]))
			known[count++] = table->key[i].name;
		else if (strcmp(table->key[i].name, name) == 0)
			key = &table->key[i];
	}
	if (key == NULL)
		(void) keyed_json_find(table->what, "", known, count, name);
	else if ((key->takers & table->taker) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s \"%s\" is not for %s", table->what, name, table->of),
						errhint("%s", known_names(table->what, known, count))));
	else
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s \"%s\" cannot be set here", table->what, name),
						errdetail("%s", table->elsewhere(key, table->setter)),
						errhint("%s", known_names(table->what, known, count))));
}

static int
find_key(const KeyTable *table, const char *name)
{
	for (int i = 0; i < table->count; i++)
		if (is_taken(table, &table->key[i]) && strcmp(table->key[i].name, name) == 0)
			return i;
	refuse_key(table, name);
	pg_unreachable();
}

/* ---- values ---- */

void
keyed_json_invalid(const char *name, const char *expected)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%s\" must be %s", name, expected)));
}

void
keyed_json_invalid_choice(const char *name, const char *given, const char *const *names, int count)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("option \"%s\" must be %s", name, keyed_json_choices(names, count)),
		 given == NULL ? 0 : near_name_errhint(given, near_name_listed(json_known(names, count)))));
}

static void
read_choice(const Key *key, JsonbValue *value, int *choice)
{
	int first = (int) key->least;
	int count = (int) key->most - first;

	for (int i = first; i < first + count; i++)
		if (json_is_string(value, key->names[i]))
		{
			*choice = i;
			return;
		}
	keyed_json_invalid_choice(key->name, json_get_string(value), key->names + first, count);
}

static void
read_value(const Key *key, JsonbValue *value, void *target)
{
	void *field = (char *) target + key->field;

	switch (key->type)
	{
		case KEY_VALUE:
			key->read(key, value, target);
			break;
		case KEY_BOOLEAN:
			if (value->type != jbvBool)
				keyed_json_invalid(key->name, "true or false");
			*(bool *) field = value->val.boolean;
			break;
		case KEY_INTEGER:
			if (!json_get_integer(value, key->least, key->most, field))
				keyed_json_invalid(key->name, key->expected != NULL
												  ? key->expected
												  : psprintf("an integer from %.0f to %.0f",
															 key->least, key->most));
			break;
		case KEY_ABOVE_ZERO:
			if (!json_get_number(value, field) || !(*(double *) field > 0))
				keyed_json_invalid(key->name, "a positive number");
			break;
		case KEY_CHOICE:
			read_choice(key, value, field);
			break;
	}
}

uint64
keyed_json_read(const KeyTable *table, Jsonb *jsonb, void *target)
{
	uint64 given = 0;
	ListCell *cell;

	if (!JB_ROOT_IS_OBJECT(jsonb))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%ss must be a JSON object", table->what)));
	foreach (cell, json_keys(&jsonb->root))
	{
		int key = find_key(table, lfirst(cell));

		read_value(&table->key[key], json_member(&jsonb->root, lfirst(cell)), target);
		given |= UINT64CONST(1) << key;
	}
	return given;
}

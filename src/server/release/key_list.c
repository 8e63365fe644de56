/*
 * key_list.c - reads a list of keys, or makes it from declared values; finds a key.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/json.h"

#include "server/base/json_value.h"
#include "server/release/key_list.h"

/* ---- finding ---- */

/* Compares by length first, then bytewise, so that no collation matters. */
static int
compare_bytes(const char *a, int a_length, const char *b, int b_length)
{
	if (a_length != b_length)
		return a_length < b_length ? -1 : 1;
	return memcmp(a, b, a_length);
}

static int
compare_keys(const void *a, const void *b, void *context)
{
	const KeyList *list = context;
	char *const *left = key_list_get(list, *(const int *) a);
	char *const *right = key_list_get(list, *(const int *) b);
	int order = 0;

	for (int i = 0; order == 0 && i < list->columns; i++)
		order = compare_bytes(left[i], strlen(left[i]), right[i], strlen(right[i]));
	return order;
}

int
key_list_find(const KeyList *list, const char *const *bytes, const int *lengths)
{
	int low = 0;
	int high = list->count - 1;

	while (low <= high)
	{
		int middle = (low + high) / 2;
		char *const *key = key_list_get(list, list->sorted[middle]);
		int order = 0;

		for (int i = 0; order == 0 && i < list->columns; i++)
			order = compare_bytes(bytes[i], lengths[i], key[i], strlen(key[i]));
		if (order == 0)
			return list->sorted[middle];
		if (order < 0)
			high = middle - 1;
		else
			low = middle + 1;
	}
	return -1;
}

/* ---- making ---- */

static void
check_lengths(const KeyList *list)
{
	for (int position = 0; position < list->count; position++)
	{
		char *const *key = key_list_get(list, position);
		Size length = 0;

		for (int i = 0; i < list->columns; i++)
			length += strlen(key[i]);
		if (length > KEY_MAX_LENGTH)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a key of a group must not have more than %d bytes", KEY_MAX_LENGTH)));
	}
}

/* Sorts the list, and refuses equal keys, which would share their rows. */
static void
finish(KeyList *list)
{
	check_lengths(list);
	list->sorted = palloc(list->count * sizeof(int));
	for (int i = 0; i < list->count; i++)
		list->sorted[i] = i;
	qsort_arg(list->sorted, list->count, sizeof(int), compare_keys, list);
	for (int i = 1; i < list->count; i++)
		if (compare_keys(&list->sorted[i - 1], &list->sorted[i], list) == 0)
		{
			StringInfoData key;

			initStringInfo(&key);
			key_append(&key, list, list->sorted[i]);
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("key %s is listed twice", key.data)));
		}
}

static void
check_count(int64 count)
{
	if (count > KEY_LIST_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("more than %d groups cannot be trained in one call", KEY_LIST_MAX)));
}

static void
invalid_keys(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"keys\" must be an array of keys"), errdetail("%s", detail),
					errhint("Write [\"n\", \"s\"], or [[\"n\", \"f\"], [\"n\", \"m\"]] for keys of "
							"two columns.")));
}

static char *
read_value(JsonbValue *json)
{
	char *value = json_get_string(json);

	if (value == NULL)
		invalid_keys("Each part of a key is a string: not null, a number or anything else.");
	return value;
}

/* Reads a key: an array of strings, or a string if there is one column. */
static void
read_key(JsonbValue *json, KeyList *list, int position)
{
	JsonbContainer *parts = json_get_array(json);
	char **key = list->value + (Size) position * list->columns;

	if (parts == NULL && list->columns == 1)
		key[0] = read_value(json);
	else if (parts == NULL || JsonContainerSize(parts) != list->columns)
		invalid_keys("All keys have the same number of columns.");
	else
		for (int i = 0; i < list->columns; i++)
			key[i] = read_value(getIthJsonbValueFromContainer(parts, i));
}

void
key_list_read(JsonbValue *json, KeyList *list)
{
	JsonbContainer *keys = json_get_array(json);
	JsonbContainer *first;

	if (keys == NULL || JsonContainerSize(keys) == 0)
		invalid_keys("The list is public: it does not come from the rows, and has one key at "
					 "least.");
	check_count(JsonContainerSize(keys));
	list->count = JsonContainerSize(keys);
	first = json_get_array(getIthJsonbValueFromContainer(keys, 0));
	list->columns = first == NULL ? 1 : JsonContainerSize(first);
	if (list->columns == 0 || list->columns > KEY_LIST_MAX)
		invalid_keys("A key has one column at least.");
	list->value = palloc(sizeof(char *) * list->columns * list->count);
	for (int position = 0; position < list->count; position++)
		read_key(getIthJsonbValueFromContainer(keys, position), list, position);
	finish(list);
}

void
key_list_texts(ArrayType *array, const char *name, KeyList *list)
{
	Datum *values;
	bool *nulls;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls, &list->count);
	if (list->count < 1 || list->count > KEY_LIST_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be an array of 1 to %d texts", name, KEY_LIST_MAX)));
	list->columns = 1;
	list->value = palloc(list->count * sizeof(char *));
	for (int i = 0; i < list->count; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("%s must not contain nulls", name)));
		list->value[i] = TextDatumGetCString(values[i]);
	}
	finish(list);
}

void
key_list_product(const Encoders *columns, KeyList *list)
{
	int64 count = 1;

	for (int i = 0; i < columns->count; i++)
	{
		count *= encoder_values(&columns->encoder[i]);
		check_count(count);
	}
	list->columns = columns->count;
	list->count = (int) count;
	list->value = palloc(sizeof(char *) * list->columns * list->count);
	for (int position = 0; position < list->count; position++)
		for (int i = columns->count - 1, rest = position; i >= 0; i--)
		{
			const Encoder *encoder = &columns->encoder[i];
			int values = encoder_values(encoder);

			list->value[position * list->columns + i] = encoder_value_name(encoder, rest % values);
			rest /= values;
		}
	finish(list);
}

/* ---- showing ---- */

void
key_append(StringInfo text, const KeyList *list, int position)
{
	char *const *key = key_list_get(list, position);

	for (int i = 0; i < list->columns; i++)
	{
		appendStringInfoString(text, i == 0 ? "[" : ", ");
		escape_json(text, key[i]);
	}
	appendStringInfoChar(text, ']');
}

void
key_list_append(StringInfo text, const KeyList *list)
{
	for (int position = 0; position < list->count; position++)
	{
		appendStringInfoString(text, position == 0 ? "[" : ", ");
		key_append(text, list, position);
	}
	appendStringInfoChar(text, ']');
}

ArrayType *
key_array(const KeyList *list, int position)
{
	char *const *key = key_list_get(list, position);
	Datum *values = palloc(list->columns * sizeof(Datum));

	for (int i = 0; i < list->columns; i++)
		values[i] = CStringGetTextDatum(key[i]);
	return construct_array(values, list->columns, TEXTOID, -1, false, TYPALIGN_INT);
}

/*
 * json_value.c - typed access to jsonb values.
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "server/base/compat.h"
#include "server/base/json_value.h"

bool
json_is_string(JsonbValue *value, const char *text)
{
	return value->type == jbvString && value->val.string.len == (int) strlen(text) &&
		   memcmp(value->val.string.val, text, value->val.string.len) == 0;
}

bool
json_is_true(JsonbValue *value)
{
	return value != NULL && value->type == jbvBool && value->val.boolean;
}

char *
json_get_string(JsonbValue *value)
{
	if (value == NULL || value->type != jbvString)
		return NULL;
	return pnstrdup(value->val.string.val, value->val.string.len);
}

bool
json_get_number(JsonbValue *value, double *number)
{
	if (value == NULL || value->type != jbvNumeric)
		return false;
	*number = DatumGetFloat8(
		DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	return isfinite(*number);
}

bool
json_get_integer(JsonbValue *value, double min, double max, int64 *integer)
{
	double number;

	if (!json_get_number(value, &number) || number != floor(number) || number < min || number > max)
		return false;
	*integer = (int64) number;
	return true;
}

bool
json_get_bigint(JsonbValue *value, int64 *integer)
{
	char *end;

	if (value == NULL || value->type != jbvNumeric)
		return false;
	errno = 0;
	*integer = strtoi64(numeric_normalize(value->val.numeric), &end, 10);
	return errno == 0 && *end == '\0';
}

JsonbContainer *
json_get_array(JsonbValue *value)
{
	if (value == NULL || value->type != jbvBinary ||
		!JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerIsScalar(value->val.binary.data))
		return NULL;
	return value->val.binary.data;
}

bool
json_get_pair(JsonbValue *value, double *first, double *second)
{
	JsonbContainer *pair = json_get_array(value);

	return pair != NULL && JsonContainerSize(pair) == 2 &&
		   json_get_number(getIthJsonbValueFromContainer(pair, 0), first) &&
		   json_get_number(getIthJsonbValueFromContainer(pair, 1), second);
}

JsonbContainer *
json_get_object(JsonbValue *value)
{
	if (value == NULL || value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		return NULL;
	return value->val.binary.data;
}

bool
json_equal(JsonbValue *a, JsonbValue *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return compareJsonbContainers(&JsonbValueToJsonb(a)->root, &JsonbValueToJsonb(b)->root) == 0;
}

JsonbValue *
json_member(JsonbContainer *object, const char *key)
{
	return getKeyJsonValueFromContainer(object, key, strlen(key), NULL);
}

JsonbValue *
json_option(Jsonb *options, const char *name)
{
	bool is_object = options != NULL && JB_ROOT_IS_OBJECT(options);

	return is_object ? json_member(&options->root, name) : NULL;
}

List *
json_keys(JsonbContainer *object)
{
	List *keys = NIL;
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbIteratorToken token;
	JsonbValue key;

	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
		if (token == WJB_KEY)
			keys = lappend(keys, json_get_string(&key));
	return keys;
}

bool
names_include(const List *names, const char *name)
{
	ListCell *cell;

	foreach (cell, names)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

char *
json_known(const char *const *names, int count)
{
	StringInfoData known;

	initStringInfo(&known);
	for (int i = 0; i < count; i++)
		appendStringInfo(&known, "%s%s", i > 0 ? ", " : "", names[i]);
	return known.data;
}

char *
json_digits(double number)
{
	char *digits = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

	double_to_shortest_decimal_buf(number, digits);
	return digits;
}

#define TEXT_LENGTH 60

char *
json_text(JsonbValue *value)
{
	Jsonb *jsonb = JsonbValueToJsonb(value);
	char *text = JsonbToCString(NULL, &jsonb->root, VARSIZE(jsonb));
	int length = strlen(text);

	if (length <= TEXT_LENGTH)
		return text;
	return psprintf("%.*s...", pg_mbcliplen(text, length, TEXT_LENGTH), text);
}

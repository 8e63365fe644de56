/*
 * json_value.c - typed access to jsonb values.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "server/base/json_value.h"

bool
json_is_string(JsonbValue *value, const char *text)
{
	return value->type == jbvString && value->val.string.len == (int) strlen(text) &&
		   memcmp(value->val.string.val, text, value->val.string.len) == 0;
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

JsonbContainer *
json_get_array(JsonbValue *value)
{
	if (value == NULL || value->type != jbvBinary ||
		!JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerIsScalar(value->val.binary.data))
		return NULL;
	return value->val.binary.data;
}

JsonbContainer *
json_get_object(JsonbValue *value)
{
	if (value == NULL || value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		return NULL;
	return value->val.binary.data;
}

JsonbValue *
json_member(JsonbContainer *object, const char *key)
{
	return getKeyJsonValueFromContainer(object, key, strlen(key), NULL);
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

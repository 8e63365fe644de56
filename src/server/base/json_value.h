/*
 * json_value.h - typed access to jsonb values, for options and declarations.
 */
#ifndef DPOBJ_JSON_VALUE_H
#define DPOBJ_JSON_VALUE_H

#include "postgres.h"

#include "utils/jsonb.h"

extern bool json_is_string(JsonbValue *value, const char *text);

/* Reads a number that a float8 can hold; false for other values and NULL. */
extern bool json_get_number(JsonbValue *value, double *number);

/* Reads a whole number from min to max; false for other values and NULL. */
extern bool json_get_integer(JsonbValue *value, double min, double max, int64 *integer);

/* Return NULL for a value of another type and for NULL. */
extern char *json_get_string(JsonbValue *value);
extern JsonbContainer *json_get_array(JsonbValue *value);
extern JsonbContainer *json_get_object(JsonbValue *value);

/* Returns the member of an object, or NULL. */
extern JsonbValue *json_member(JsonbContainer *object, const char *key);

/* Writes the value as JSON for a message, cut off after 60 bytes. */
extern char *json_text(JsonbValue *value);

#endif

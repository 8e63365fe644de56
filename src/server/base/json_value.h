/*
 * json_value.h - what a jsonb value is, for those who read options and declarations.
 */
#ifndef DPOBJ_JSON_VALUE_H
#define DPOBJ_JSON_VALUE_H

#include "postgres.h"

#include "utils/jsonb.h"

extern bool json_is_string(JsonbValue *value, const char *text);

/* False unless the value is a number that a float8 can hold; value may be NULL. */
extern bool json_get_number(JsonbValue *value, double *number);

/* False unless the value is a whole number from min to max; value may be NULL. */
extern bool json_get_integer(JsonbValue *value, double min, double max, int64 *integer);

/* NULL if the value, which may itself be NULL, is anything else. */
extern char *json_get_string(JsonbValue *value);
extern JsonbContainer *json_get_array(JsonbValue *value);
extern JsonbContainer *json_get_object(JsonbValue *value);

/* The member of an object, or NULL. */
extern JsonbValue *json_member(JsonbContainer *object, const char *key);

/* The value as it is written in JSON, for messages; long ones are cut off. */
extern char *json_text(JsonbValue *value);

#endif

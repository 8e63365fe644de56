/*
 * json_value.h - typed access to jsonb values, for options and declarations.
 */
#ifndef DPOBJ_JSON_VALUE_H
#define DPOBJ_JSON_VALUE_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

extern bool json_is_string(JsonbValue *value, const char *text);

/* Is the value true?  False for NULL. */
extern bool json_is_true(JsonbValue *value);

/* Reads a number that a float8 can hold; false for other values and NULL. */
extern bool json_get_number(JsonbValue *value, double *number);

/* Reads a whole number from min to max; false for other values and NULL. */
extern bool json_get_integer(JsonbValue *value, double min, double max, int64 *integer);

/* Reads a whole number that a bigint can hold; false for other values and NULL. */
extern bool json_get_bigint(JsonbValue *value, int64 *integer);

/* Reads an array of two numbers; false for other values and NULL. */
extern bool json_get_pair(JsonbValue *value, double *first, double *second);

/* Return NULL for a value of another type and for NULL. */
extern char *json_get_string(JsonbValue *value);
extern JsonbContainer *json_get_array(JsonbValue *value);
extern JsonbContainer *json_get_object(JsonbValue *value);

/* Are the values equal, or both NULL? */
extern bool json_equal(JsonbValue *a, JsonbValue *b);

/* Returns the member of an object, or NULL. */
extern JsonbValue *json_member(JsonbContainer *object, const char *key);

/* The same of options, which may be NULL, or no object as long as nobody has checked them. */
extern JsonbValue *json_option(Jsonb *options, const char *name);

/* Returns the keys of an object, as strings. */
extern List *json_keys(JsonbContainer *object);

/* Do the strings of the list include the name? */
extern bool names_include(const List *names, const char *name);

/* Writes the names with commas between them, for messages about keys that are not known. */
extern char *json_known(const char *const *names, int count);

/* The shortest digits that read back as the same finite number, whatever the session's settings. */
extern char *json_digits(double number);

/* Writes the value as JSON for a message, cut off after 60 bytes. */
extern char *json_text(JsonbValue *value);

#endif

/*
 * text_value.h - numbers, booleans, dates and times that a table keeps as text.
 *
 * What a row contains must not lead to an error (rule H12), so a text is read by its characters: it
 * is a value or it is none.  Blanks around it do not count; a text of more than TEXT_VALUE_LONGEST
 * bytes is none.
 *
 *   number     a sign, digits with a point among or around them, "e" with an exponent of at most
 *              two digits; the result is the nearest double, which is never infinite.
 *   boolean    as PostgreSQL reads it: true, yes, on, 1, false, no, off, 0 and their unique
 *              beginnings, in any case.
 *   date       2024-12-31, from the year 1 on.
 *   timestamp  a date, or one with a time of day behind a blank or "T": 2024-12-31 23:59, with
 *              seconds and up to six digits of a fraction if they are given.
 */
#ifndef DPOBJ_TEXT_VALUE_H
#define DPOBJ_TEXT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#define TEXT_VALUE_LONGEST 100

/* Each is false if the text is no such value. */
extern bool text_number(const char *text, int length, double *number);
extern bool text_boolean(const char *text, int length, bool *value);

/* Days since 1970-01-01. */
extern bool text_date(const char *text, int length, int32_t *days);

/* Microseconds since 1970-01-01. */
extern bool text_timestamp(const char *text, int length, int64_t *microseconds);

#endif

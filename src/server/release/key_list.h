/*
 * key_list.h - a public list of keys, one for each group of a call (rule P4).
 *
 * A key is one text for each grouping column.  The list is known before any row is read,
 * and every key of it is answered; a row whose key is not on it, or is null, is in no group.
 */
#ifndef DPOBJ_KEY_LIST_H
#define DPOBJ_KEY_LIST_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "server/rows/encoders.h"

/* Groups of a call: each is trained, whatever it costs in time. */
#define KEY_LIST_MAX 1000

/* Bytes of a key, all its columns together: it becomes a part of a model's name. */
#define KEY_MAX_LENGTH 1024

typedef struct KeyList /* training.h knows its name */
{
	int columns;
	int count;
	char **value; /* columns of them for each key */
	int *sorted;  /* positions, by the bytes of the keys */
} KeyList;

/* The keys in an option; raises 22023 for what is no list of different keys of one length. */
extern void key_list_read(JsonbValue *json, KeyList *list);

/* All combinations of the values that the encoders declare; the last column changes first. */
extern void key_list_product(const Encoders *columns, KeyList *list);

/* The position of a key, -1 if it is not on the list: as texts, and as lengths with bytes. */
extern int key_list_find(const KeyList *list, const char *const *bytes, const int *lengths);

static inline char *const *
key_list_get(const KeyList *list, int position)
{
	return list->value + (Size) position * list->columns;
}

/* A key, and all of them, as JSON and as text[]. */
extern void key_append(StringInfo text, const KeyList *list, int position);
extern void key_list_append(StringInfo text, const KeyList *list);
extern ArrayType *key_array(const KeyList *list, int position);

#endif

/*
 * key_list.h - a public list of keys, one for each group of a call (rule P4).
 *
 * A key is one text for each grouping column.  The list is known before any row is read, and each
 * of its keys gets a model.  A row whose key is not on the list, or is null, is in no group.
 */
#ifndef DPOBJ_KEY_LIST_H
#define DPOBJ_KEY_LIST_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "server/rows/encoders.h"

/* The most groups of a call, which are all trained. */
#define KEY_LIST_MAX 1000

/* The most bytes of a key, all its columns together: it becomes a part of a model's name. */
#define KEY_MAX_LENGTH 1024

typedef struct KeyList /* training.h declares it */
{
	int columns;
	int count;
	char **value; /* one for each column of each key, key by key */
	int *sorted;  /* positions, by the bytes of the keys */
} KeyList;

/* Reads option "keys"; raises 22023 unless it lists different keys with equally many columns. */
extern void key_list_read(JsonbValue *json, KeyList *list);

/* The same for keys of one column, from a text[]; name: of the argument. */
extern void key_list_texts(ArrayType *array, const char *name, KeyList *list);

/* Makes all combinations of the values that the encoders declare; the last column changes first. */
extern void key_list_product(const Encoders *columns, KeyList *list);

/* Finds the key that has these bytes, of these lengths, in its columns; -1 if there is none. */
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

/*
 * key.h - a table of the keys that a JSON object may have, and where their values go.
 *
 * server/base/keyed_json.h reads an object by such a table.  This file is without PostgreSQL.
 */
#ifndef DPOBJ_KEY_H
#define DPOBJ_KEY_H

#include <stddef.h>

struct JsonbValue;

/* What a value is, and what it is read into. */
typedef enum KeyType
{
	KEY_VALUE,      /* read() takes it */
	KEY_BOOLEAN,    /* bool */
	KEY_INTEGER,    /* int64_t, from least to most */
	KEY_ABOVE_ZERO, /* double */
	KEY_CHOICE      /* an enumeration: the position among names, from least to below most */
} KeyType;

typedef struct Key Key;

struct Key
{
	const char *name;
	KeyType type;
	int setters;  /* a set of who may give it */
	int takers;   /* a set of what takes it */
	size_t field; /* of the caller's struct */
	double least;
	double most;
	const char *const *names;
	const char *expected; /* "must be ...", of an error; NULL: by the type */
	void (*read)(const Key *key, struct JsonbValue *value, void *target);
};

typedef struct KeyTable
{
	const char *what; /* "option" */
	const char *of;   /* "method \"svm\"", for errors: what takes the keys of this taker */
	int setter;
	int taker;
	int count;
	const Key *key;
	const char *(*elsewhere)(const Key *key, int setter); /* where a key of others is given */
} KeyTable;

#endif

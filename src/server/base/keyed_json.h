/*
 * keyed_json.h - JSON objects whose keys are known, and errors about keys and values.
 */
#ifndef DPOBJ_KEYED_JSON_H
#define DPOBJ_KEYED_JSON_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "core/base/key.h"

/*
 * Reads an object by the table into the fields of target, and returns a bit for each key that is
 * given.  Raises 22023 for keys that are not known or not for this taker or setter, and for values
 * out of range.
 */
extern uint64 keyed_json_read(const KeyTable *table, Jsonb *jsonb, void *target);

/*
 * The position of a name among those that are known.  Raises 22023 if it is none of them: so much
 * is not known, and what is.  what: "key"; where: what follows the name in the error, or "".
 */
extern int keyed_json_find(const char *what, const char *where, const char *const *names, int count,
						   const char *name);

/* Raises 22023: the option of that name must be so. */
extern _Noreturn void keyed_json_invalid(const char *name, const char *expected);

/* The same of an option that must have one of the names; given: NULL if it is no string. */
extern _Noreturn void keyed_json_invalid_choice(const char *name, const char *given,
												const char *const *names, int count);

/* Writes "a", "b" or "c". */
extern char *keyed_json_choices(const char *const *names, int count);

#endif

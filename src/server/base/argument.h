/*
 * argument.h - checked arguments of SQL functions.
 */
#ifndef DPOBJ_ARGUMENT_H
#define DPOBJ_ARGUMENT_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/jsonb.h"

/* Most bytes of a jsonb argument. */
#define ARGUMENT_MAX_JSON 65536

/* Raises 22023 with the name of the argument if it is null. */
extern void argument_require(bool isnull, const char *name);

/* Returns an argument that must not be null (22023). */
extern Datum argument_value(FunctionCallInfo fcinfo, int position, const char *name);

/*
 * Returns the name that a model or an answer is to have, or NULL for a null argument; raises 22023
 * for a length that names do not have.  what: "a model".
 */
extern char *argument_name(FunctionCallInfo fcinfo, int position, const char *what);

/* Returns NULL for a null argument; raises 22023 for one above ARGUMENT_MAX_JSON. */
extern Jsonb *argument_json(FunctionCallInfo fcinfo, int position, const char *name);

#endif

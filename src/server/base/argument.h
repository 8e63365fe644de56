/*
 * argument.h - arguments of SQL functions, by position.  Each raises 22023, naming the argument,
 * for what is null or too long.
 */
#ifndef DPOBJ_ARGUMENT_H
#define DPOBJ_ARGUMENT_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/jsonb.h"

/* Bytes of a jsonb argument. */
#define ARGUMENT_MAX_JSON 65536

/* For a value that was found otherwise: raises the same error. */
extern void argument_require(bool isnull, const char *name);

extern Datum argument_value(FunctionCallInfo fcinfo, int position, const char *name);
extern Jsonb *argument_json(FunctionCallInfo fcinfo, int position, const char *name); /* or NULL */

#endif

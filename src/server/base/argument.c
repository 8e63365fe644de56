/*
 * argument.c - checked arguments of SQL functions.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "server/base/argument.h"

/* Bytes of a name. */
#define NAME_MAX_LENGTH 256

void
argument_require(bool isnull, const char *name)
{
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must not be null", name)));
}

Datum
argument_value(FunctionCallInfo fcinfo, int position, const char *name)
{
	argument_require(PG_ARGISNULL(position), name);
	return PG_GETARG_DATUM(position);
}

char *
argument_name(FunctionCallInfo fcinfo, int position, const char *what)
{
	char *name;

	if (PG_ARGISNULL(position))
		return NULL;
	name = text_to_cstring(PG_GETARG_TEXT_PP(position));
	if (name[0] == '\0' || strlen(name) > NAME_MAX_LENGTH)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the name of %s must have 1 to %d bytes", what, NAME_MAX_LENGTH)));
	return name;
}

Jsonb *
argument_json(FunctionCallInfo fcinfo, int position, const char *name)
{
	Jsonb *json = PG_ARGISNULL(position) ? NULL : PG_GETARG_JSONB_P(position);

	if (json != NULL && VARSIZE(json) > ARGUMENT_MAX_JSON)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not be larger than %d kB", name, ARGUMENT_MAX_JSON / 1024)));
	return json;
}

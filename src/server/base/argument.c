/*
 * argument.c - checked arguments of SQL functions.
 */
#include "postgres.h"

#include "server/base/argument.h"

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

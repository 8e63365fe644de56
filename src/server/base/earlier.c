/*
 * earlier.c - entry points of 0.3.0 that this version has no more: its functions ask for the update
 * of a database that has not been updated yet.
 */
#include "postgres.h"

#include "fmgr.h"

#include "server/base/extension.h"

#define EARLIER(name)                                                                              \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		extension_require();                                                                       \
		elog(ERROR, "a function of an earlier version is called");                                 \
	}

EARLIER(dpobj_submit_training)
EARLIER(dpobj_submit_answer)
EARLIER(dpobj_schedule_training)
EARLIER(dpobj_answer_statement)

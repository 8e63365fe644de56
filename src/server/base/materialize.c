/*
 * materialize.c - functions that return a whole set at once.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "server/base/materialize.h"

Tuplestorestate *
materialize_begin(FunctionCallInfo fcinfo, TupleDesc *descriptor)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old;

	if (result == NULL || !IsA(result, ReturnSetInfo) ||
		(result->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("set-valued function called in context that cannot accept a set")));
	old = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	if (get_call_result_type(fcinfo, NULL, descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	*descriptor = CreateTupleDescCopy(*descriptor);
	result->returnMode = SFRM_Materialize;
	result->setDesc = *descriptor;
	result->setResult = tuplestore_begin_heap(true, false, work_mem);
	MemoryContextSwitchTo(old);
	return result->setResult;
}

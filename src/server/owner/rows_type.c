/*
 * rows_type.c - the SQL functions of dp_rows, the type of the aggregates' states.
 */
#include "postgres.h"

#include "fmgr.h"

#include "server/owner/owner.h"
#include "server/rows/rows_state.h"

PG_FUNCTION_INFO_V1(dpobj_rows_in);
Datum
dpobj_rows_in(PG_FUNCTION_ARGS)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("cannot accept a value of type dp_rows")));
}

PG_FUNCTION_INFO_V1(dpobj_rows_out);
Datum
dpobj_rows_out(PG_FUNCTION_ARGS)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("cannot display a value of type dp_rows")));
}

/*
 * dpobj_internal.rows_combine(dp_rows, dp_rows) -> dp_rows: adds the second partial state to the
 * first, which lives in the aggregate's context afterwards.
 */
PG_FUNCTION_INFO_V1(dpobj_rows_combine);
Datum
dpobj_rows_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	RowsState *state;
	struct varlena *flat;

	owner_check_combine(fcinfo, "rows_combine", &context);
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	flat = PG_DETOAST_DATUM(PG_GETARG_DATUM(1));
	state = PG_ARGISNULL(0) ? NULL : rows_state_get(PG_GETARG_DATUM(0), context);
	state = rows_state_combine(state, flat, fcinfo, context);
	PG_RETURN_DATUM(RowsStateGetDatum(state));
}

/*
 * days.c - dpobj.days(): the days from one date to another one, for views.
 *
 * date - date is an error where one of them is infinite, and whether one is depends on the row.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/date.h"

PG_FUNCTION_INFO_V1(dpobj_days);
Datum
dpobj_days(PG_FUNCTION_ARGS)
{
	DateADT from = PG_GETARG_DATEADT(0);
	DateADT to = PG_GETARG_DATEADT(1);

	if (DATE_NOT_FINITE(from) || DATE_NOT_FINITE(to))
		PG_RETURN_NULL();
	PG_RETURN_INT32(to - from);
}

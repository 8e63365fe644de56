/*
 * counts.c - makes states that count, and adds them up.
 */
#include "postgres.h"

#include "fmgr.h"

#include "server/owner/counts.h"
#include "server/owner/owner.h"

static Size
counts_size(int length)
{
	return offsetof(Counts, count) + (Size) length * sizeof(int64);
}

static Counts *
counts_create(int length)
{
	Counts *counts = palloc0(counts_size(length));

	SET_VARSIZE(counts, counts_size(length));
	counts->length = length;
	return counts;
}

static Counts *
counts_check(Counts *counts, int length)
{
	if (VARSIZE(counts) != counts_size(length) || counts->length != length)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("invalid state of counts")));
	return counts;
}

Counts *
counts_get(FunctionCallInfo fcinfo, int length)
{
	return PG_ARGISNULL(0) ? counts_create(length)
						   : counts_check((Counts *) PG_GETARG_BYTEA_P(0), length);
}

/*
 * dpobj_internal.counts_combine(bytea, bytea) -> bytea: adds the second state to the first.
 */
PG_FUNCTION_INFO_V1(dpobj_evaluation_combine);
Datum
dpobj_evaluation_combine(PG_FUNCTION_ARGS)
{
	Counts *sum;
	Counts *more;

	owner_check_combine(fcinfo, "counts_combine", NULL);
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	more = (Counts *) PG_GETARG_BYTEA_P(1);
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(more);
	sum = (Counts *) PG_GETARG_BYTEA_P(0);
	counts_check(more, sum->length);
	for (int i = 0; i < sum->length; i++)
		sum->count[i] += more->count[i];
	PG_RETURN_POINTER(sum);
}

/*
 * charge_wait.c - does another process wait for this session?
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"

#include "server/ledger/charge_wait.h"

/* Processes that are followed at most. */
#define FOLLOWED 64

/* Adds the processes that this one waits for to the list; true if this session is one. */
static bool
add_blockers(int pid, int pids[FOLLOWED], int *count)
{
	ArrayType *array =
		DatumGetArrayTypeP(DirectFunctionCall1(pg_blocking_pids, Int32GetDatum(pid)));
	const int32 *blocker = (const int32 *) ARR_DATA_PTR(array);
	int blockers = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	for (int i = 0; i < blockers; i++)
	{
		bool known = blocker[i] == 0; /* a prepared transaction */

		if (blocker[i] == MyProcPid)
			return true;
		for (int j = 0; j < *count && !known; j++)
			known = pids[j] == blocker[i];
		if (!known && *count < FOLLOWED)
			pids[(*count)++] = blocker[i];
	}
	return false;
}

bool
charge_waits_for_us(int pid)
{
	int pids[FOLLOWED] = {pid};
	int count = 1;

	for (int i = 0; i < count; i++)
	{
		if (add_blockers(pids[i], pids, &count))
			return true;
	}
	return false;
}

/*
 * same_call.c - finds the other copies of a call in a statement.
 *
 * All copies in one run of a statement have FmgrInfos in the same memory context, and see the same
 * snapshot.  Each copy has an FmgrInfo of its own, which keeps the last release that the copy had.
 * PL/pgSQL evaluates expressions of several statements in one context, each with a snapshot of its
 * own; the snapshot is held, so that no other one gets its address.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "server/release/same_call.h"

/* The latest release of this backend, while its statement runs. */
static struct
{
	Snapshot snapshot; /* NULL: none */
	MemoryContext statement;
	uint8 request[DIGEST_LENGTH];
	int64 release;
} latest;

static void
forget(void)
{
	if (latest.snapshot != NULL)
		UnregisterSnapshotFromOwner(latest.snapshot, TopTransactionResourceOwner);
	latest.snapshot = NULL;
}

static void
statement_ends(void *context)
{
	if (latest.statement == context)
	{
		forget();
		latest.statement = NULL;
	}
}

static void
transaction_ends(XactEvent event, void *argument)
{
	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE ||
		event == XACT_EVENT_ABORT)
		forget();
}

static void
watch(MemoryContext statement)
{
	MemoryContextCallback *callback = MemoryContextAlloc(statement, sizeof(MemoryContextCallback));
	static bool registered = false;

	if (!registered)
		RegisterXactCallback(transaction_ends, NULL);
	registered = true;
	callback->func = statement_ends;
	callback->arg = statement;
	MemoryContextRegisterResetCallback(statement, callback);
}

static void
keep(FunctionCallInfo fcinfo, int64 release)
{
	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(int64));
	*(int64 *) fcinfo->flinfo->fn_extra = release;
}

int64
same_call_find(FunctionCallInfo fcinfo, const uint8 request[DIGEST_LENGTH])
{
	const int64 *had = fcinfo->flinfo->fn_extra;

	if (latest.snapshot == NULL || latest.snapshot != GetActiveSnapshot() ||
		latest.statement != fcinfo->flinfo->fn_mcxt ||
		memcmp(latest.request, request, DIGEST_LENGTH) != 0 ||
		(had != NULL && *had == latest.release))
		return 0;
	keep(fcinfo, latest.release);
	return latest.release;
}

void
same_call_remember(FunctionCallInfo fcinfo, const uint8 request[DIGEST_LENGTH], int64 release)
{
	forget();
	if (latest.statement != fcinfo->flinfo->fn_mcxt)
		watch(fcinfo->flinfo->fn_mcxt);
	latest.statement = fcinfo->flinfo->fn_mcxt;
	latest.snapshot = RegisterSnapshotOnOwner(GetActiveSnapshot(), TopTransactionResourceOwner);
	memcpy(latest.request, request, DIGEST_LENGTH);
	latest.release = release;
	keep(fcinfo, release);
}

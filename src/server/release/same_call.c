/*
 * same_call.c - finds the other copies of a call in a statement.
 *
 * All copies in one run of a statement have FmgrInfos in the same memory context.  Each copy has an
 * FmgrInfo of its own, which keeps the last release that the copy had.
 */
#include "postgres.h"

#include "server/release/same_call.h"

/* The latest release of this backend, while its statement runs. */
static struct
{
	MemoryContext statement; /* NULL: none */
	uint8 request[DIGEST_LENGTH];
	int64 release;
} latest;

static void
forget(void *context)
{
	if (latest.statement == context)
		latest.statement = NULL;
}

static void
watch(MemoryContext statement)
{
	MemoryContextCallback *callback = MemoryContextAlloc(statement, sizeof(MemoryContextCallback));

	callback->func = forget;
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

	if (latest.statement == NULL || latest.statement != fcinfo->flinfo->fn_mcxt ||
		memcmp(latest.request, request, DIGEST_LENGTH) != 0 ||
		(had != NULL && *had == latest.release))
		return 0;
	keep(fcinfo, latest.release);
	return latest.release;
}

void
same_call_remember(FunctionCallInfo fcinfo, const uint8 request[DIGEST_LENGTH], int64 release)
{
	if (latest.statement != fcinfo->flinfo->fn_mcxt)
		watch(fcinfo->flinfo->fn_mcxt);
	latest.statement = fcinfo->flinfo->fn_mcxt;
	memcpy(latest.request, request, DIGEST_LENGTH);
	latest.release = release;
	keep(fcinfo, release);
}

/*
 * charge_slot.c - a queue for the worker slots that charge workers need.
 *
 * There may be more sessions than max_worker_processes, and other extensions use worker slots, too.
 * PostgreSQL does not signal that a slot is free, so the first session of the queue tries every
 * 10 ms.  It holds a lock until its worker is registered; the other sessions queue for that lock.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "server/ledger/charge_slot.h"
#include "server/base/worker_start.h"

/* The lock is on a role that does not exist, of which gate.c has no lock. */
#define QUEUE_SUBOBJECT 3

/* Milliseconds between two attempts of the first session. */
#define ATTEMPT_PAUSE 10

/* Overrides lock_timeout, because the session's value is meant for locks on tables. */
static void
wait_for_turn(const LOCKTAG *tag, long milliseconds)
{
	int level = NewGUCNestLevel();
	char timeout[32];

	snprintf(timeout, sizeof(timeout), "%ldms", milliseconds);
	(void) set_config_option("lock_timeout", timeout, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	(void) LockAcquire(tag, ExclusiveLock, false, false);
	AtEOXact_GUC(true, level);
}

/* Returns false if the lock is not free in time; raises all other errors. */
static bool
take_turn(const LOCKTAG *tag, long milliseconds)
{
	volatile bool taken = false;
	MemoryContext context = CurrentMemoryContext;
	ErrorData *error;

	if (LockAcquire(tag, ExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL)
		return true;
	PG_TRY();
	{
		wait_for_turn(tag, milliseconds);
		taken = true;
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		if (error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE)
			ReThrowError(error);
	}
	PG_END_TRY();
	return taken;
}

/* Returns NULL if no slot is free until end. */
static BackgroundWorkerHandle *
try_until(BackgroundWorker *worker, TimestampTz end)
{
	BackgroundWorkerHandle *handle;

	while (!RegisterDynamicBackgroundWorker(worker, &handle))
	{
		if (GetCurrentTimestamp() >= end)
			return NULL;
		worker_wait_for_latch(ATTEMPT_PAUSE);
	}
	return handle;
}

BackgroundWorkerHandle *
charge_slot_start(BackgroundWorker *worker)
{
	TimestampTz end =
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), CHARGE_SLOT_TIMEOUT * 1000);
	LOCKTAG tag;
	BackgroundWorkerHandle *handle;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, AuthIdRelationId, InvalidOid, QUEUE_SUBOBJECT);
	if (!take_turn(&tag, CHARGE_SLOT_TIMEOUT * 1000))
		return NULL;
	handle = try_until(worker, end);
	LockRelease(&tag, ExclusiveLock, false);
	return handle;
}

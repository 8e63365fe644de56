/*
 * charge_slot.c - a queue for the worker slots that charge workers need.
 *
 * There may be more sessions than max_worker_processes, and others use the slots, too.  Nothing
 * tells that one is free, so that somebody has to try again and again: the first of the queue.
 * Who is first holds a lock until his worker is registered, and the others wait for that lock in
 * the order in which they came.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "charge_slot.h"
#include "compat.h"

/* Another sub-object than those of gate.c, of a role that does not exist. */
#define QUEUE_SUBOBJECT 3

/* Milliseconds between two attempts of the first. */
#define ATTEMPT_PAUSE 10

static void
set_tag(LOCKTAG *tag)
{
	SET_LOCKTAG_OBJECT(*tag, InvalidOid, AuthIdRelationId, InvalidOid, QUEUE_SUBOBJECT);
}

/* The session's own lock_timeout is for locks on tables. */
static void
wait_for_turn(const LOCKTAG *tag, long milliseconds)
{
	int level = NewGUCNestLevel();
	char patience[32];

	snprintf(patience, sizeof(patience), "%ldms", milliseconds);
	(void) set_config_option("lock_timeout", patience, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	(void) LockAcquire(tag, ExclusiveLock, false, false);
	AtEOXact_GUC(true, level);
}

/* False if it takes longer; raises all other errors. */
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

static long
milliseconds_left(TimestampTz end)
{
	return TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end);
}

/* Null once the moment has come. */
static BackgroundWorkerHandle *
try_until(BackgroundWorker *worker, TimestampTz end)
{
	BackgroundWorkerHandle *handle;

	while (!RegisterDynamicBackgroundWorker(worker, &handle))
	{
		if (milliseconds_left(end) <= 0)
			return NULL;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ATTEMPT_PAUSE,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	return handle;
}

/* The caller raises an error then, so that what a wait in vain has left is undone. */
BackgroundWorkerHandle *
charge_slot_start(BackgroundWorker *worker)
{
	TimestampTz end =
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), CHARGE_SLOT_PATIENCE * 1000);
	LOCKTAG tag;
	BackgroundWorkerHandle *handle;

	set_tag(&tag);
	if (!take_turn(&tag, CHARGE_SLOT_PATIENCE * 1000))
		return NULL;
	handle = try_until(worker, end);
	LockRelease(&tag, ExclusiveLock, false);
	return handle;
}

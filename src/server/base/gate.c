/*
 * gate.c - limits how many releases run at a time, and delays answers to ticks.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"

/* Sub-objects of the lock tags; a lock on the role itself has sub-object 0. */
#define GATE_QUEUE 1
#define GATE_SCHEDULES 3
#define GATE_PARTS 4
#define GATE_PLACE 1024 /* the first of the places */

/* Milliseconds between two looks for a free place. */
#define PLACE_PAUSE 20

/*
 * Places of one kind are numbered.  Who finds none free waits for the turn, a lock, in whose queue
 * all others wait; who has the turn takes the next place that is free.
 */
typedef struct Places
{
	Oid owner; /* a role; InvalidOid: the places of solvers */
	int count;
	int taken; /* by this backend last; an error gives it back */
	bool kept; /* by a job, over commits */
} Places;

static Places solvers = {.owner = InvalidOid};
static Places releases;

/* An abort releases session locks; the exit of a process does not. */
static void
leave_at_exit(int code, Datum argument)
{
	LockReleaseAll(DEFAULT_LOCKMETHOD, true);
}

void
gate_leave_at_exit(void)
{
	before_shmem_exit(leave_at_exit, (Datum) 0);
}

void
gate_leave_all(void)
{
	LockReleaseSession(DEFAULT_LOCKMETHOD);
	releases.kept = false;
}

static LOCKTAG
tag_of(Oid database, Oid object, int gate)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, database, AuthIdRelationId, object, gate);
	return tag;
}

/* Takes the lock; false if it is taken and the caller does not wait. */
static bool
lock_gate(LOCKTAG tag, bool across_transactions, bool wait)
{
	return LockAcquire(&tag, ExclusiveLock, across_transactions, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

static void
unlock_gate(LOCKTAG tag)
{
	LockRelease(&tag, ExclusiveLock, false);
}

/* ---- names ---- */

/*
 * The models of groups are called name{key}: they share the lock of the name.  Names of a role may
 * have a lock in common, those of two roles have none.  Of this database there are no other gates.
 */
static LOCKTAG
tag_of_name(Oid role, const char *name)
{
	uint32 hash = hash_bytes((const unsigned char *) name, (int) strcspn(name, "{"));

	return tag_of(MyDatabaseId, role, (int) (hash & PG_UINT16_MAX));
}

void
gate_enter_name(Oid role, const char *name)
{
	if (name != NULL)
		(void) lock_gate(tag_of_name(role, name), false, true);
}

void
gate_leave_name(Oid role, const char *name)
{
	if (name != NULL)
		unlock_gate(tag_of_name(role, name));
}

/* ---- places ---- */

static LOCKTAG
tag_of_place(const Places *places, int place)
{
	return tag_of(InvalidOid, places->owner, GATE_PLACE + place);
}

static bool
try_places(Places *places, bool across_transactions)
{
	for (places->taken = 0; places->taken < places->count; places->taken++)
		if (lock_gate(tag_of_place(places, places->taken), across_transactions, false))
			return true;
	return false;
}

static bool
is_place(const Places *places, const LOCKTAG *tag)
{
	return tag->locktag_type == LOCKTAG_OBJECT && tag->locktag_field1 == InvalidOid &&
		   tag->locktag_field2 == AuthIdRelationId && tag->locktag_field3 == places->owner &&
		   tag->locktag_field4 >= GATE_PLACE;
}

/* Does the process wait for this one, perhaps for another process that does? */
static bool
waits_for_me(int pid, List **tried)
{
	ArrayType *blockers;

	if (pid == MyProcPid)
		return true;
	if (pid == 0 || list_member_int(*tried, pid)) /* 0: a prepared transaction */
		return false;
	*tried = lappend_int(*tried, pid);
	blockers = DatumGetArrayTypeP(DirectFunctionCall1(pg_blocking_pids, Int32GetDatum(pid)));
	for (int i = 0; i < ArrayGetNItems(ARR_NDIM(blockers), ARR_DIMS(blockers)); i++)
		if (waits_for_me(((int32 *) ARR_DATA_PTR(blockers))[i], tried))
			return true;
	return false;
}

/* Do all processes that have a place wait for this one? */
static bool
is_deadlock(const Places *places)
{
	const LockData *locks = GetLockStatusData();
	int holders = 0;

	for (int i = 0; i < locks->nelements; i++)
	{
		const LockInstanceData *lock = &locks->locks[i];
		List *tried = NIL;

		if (lock->holdMask == 0 || !is_place(places, &lock->locktag))
			continue;
		holders++;
		if (!waits_for_me(lock->pid, &tried))
			return false;
	}
	return holders > 0;
}

/* The server's search for deadlocks does not see a wait for the next free place. */
static void
check_deadlock(const Places *places)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "dpobj locks", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	bool found = is_deadlock(places);

	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	if (found)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_DEADLOCK_DETECTED), errmsg("deadlock detected"),
				 errdetail("Each release that has a place waits for a lock of this transaction, "
						   "which waits for a place.")));
}

/* Ends as a wait for a lock ends: by a place, a cancel, lock_timeout or a deadlock. */
static void
wait_for_place(Places *places)
{
	int64 began = gate_clock();
	int64 checked = began;

	while (!try_places(places, false))
	{
		int64 now = gate_clock();

		if (LockTimeout > 0 && now - began >= (int64) LockTimeout * 1000)
			ereport(ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
							errmsg("canceling statement due to lock timeout")));
		if (now - checked >= (int64) DeadlockTimeout * 1000)
		{
			check_deadlock(places);
			checked = now;
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, PLACE_PAUSE,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * A place that is free is not for who comes while others wait for it.  The statement of a job uses
 * the job's place.
 */
static void
enter_place(Places *places)
{
	LOCKTAG turn = tag_of(InvalidOid, places->owner, GATE_QUEUE);

	if (places->kept)
	{
		(void) lock_gate(tag_of_place(places, places->taken), false, true);
		return;
	}
	(void) lock_gate(turn, false, true);
	wait_for_place(places);
	unlock_gate(turn);
}

static void
leave_place(const Places *places)
{
	unlock_gate(tag_of_place(places, places->taken));
}

void
gate_enter_role(Oid role)
{
	releases.owner = role;
	releases.count = dpobj_max_role_releases;
	enter_place(&releases);
}

bool
gate_try_role(Oid role)
{
	releases.owner = role;
	releases.count = dpobj_max_role_releases;
	releases.kept = try_places(&releases, true);
	return releases.kept;
}

void
gate_leave_role(void)
{
	leave_place(&releases);
}

void
gate_enter_parts(void)
{
	(void) lock_gate(tag_of(InvalidOid, GetSessionUserId(), GATE_PARTS), false, true);
}

void
gate_leave_parts(void)
{
	unlock_gate(tag_of(InvalidOid, GetSessionUserId(), GATE_PARTS));
}

/* A job waits in turn without a timeout, because each of the running releases ends. */
void
gate_enter_solvers(void)
{
	int timeout = LockTimeout;

	solvers.count = dpobj_max_solvers;
	if (releases.kept)
		LockTimeout = 0; /* an error ends the job, which then sets its own timeout again */
	enter_place(&solvers);
	LockTimeout = timeout;
}

void
gate_leave_solvers(void)
{
	leave_place(&solvers);
}

void
gate_enter_schedules(Oid role)
{
	(void) lock_gate(tag_of(InvalidOid, role, GATE_SCHEDULES), false, true);
}

/* ---- ticks ---- */

/* Microseconds for the cleanup after a cancel: to kill and reap the solver and free the memory. */
#define CLEANUP_TIME 100000

/* Microseconds; if ticks are longer, a cancelled run is answered at a multiple of this. */
#define LONGEST_CANCEL_TICK 1000000

#define MICROSECONDS 1000

/* The run of this backend; tick 0: no run, or a run without ticks. */
static struct
{
	int64 tick;      /* microseconds */
	int64 start;     /* by gate_clock() */
	int64 cancelled; /* when the cancel was noticed; 0: not cancelled */
} run;

int64
gate_clock(void)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	return (int64) INSTR_TIME_GET_MICROSEC(now);
}

void
gate_begin_run(int milliseconds)
{
	run.tick = (int64) Max(milliseconds, 0) * MICROSECONDS;
	run.start = gate_clock();
	run.cancelled = 0;
	if (run.tick > 0)
		HOLD_INTERRUPTS();
}

void
gate_hold_again(void)
{
	if (run.tick > 0)
		HOLD_INTERRUPTS();
}

/* Says whether a cancel, a timeout or a termination waits. */
static bool
end_is_pending(void)
{
	return QueryCancelPending || ProcDiePending || TransactionTimeoutPending;
}

/* Handles the other interrupts: another process may wait for it, or the client may be gone. */
static void
handle_others(void)
{
	if (!InterruptPending)
		return;
	RESUME_INTERRUPTS();
	CHECK_FOR_INTERRUPTS();
	HOLD_INTERRUPTS();
}

void
gate_interrupted(void)
{
	if (run.tick == 0)
	{
		CHECK_FOR_INTERRUPTS();
		return;
	}
	if (!end_is_pending())
	{
		handle_others();
		return;
	}
	if (run.cancelled == 0)
		run.cancelled = gate_clock();
	ereport(ERROR, (errcode(ERRCODE_QUERY_CANCELED), errmsg("canceling the release")));
}

/* The first tick after moment. */
static int64
tick_after(int64 moment, int64 tick)
{
	return run.start + ((moment - run.start) / tick + 1) * tick;
}

/*
 * The answer to a cancel comes at a tick that depends only on the time of the cancel.  CLEANUP_TIME
 * is added because the cleanup takes longer during a search than during the wait for the tick.
 */
static int64
end_of_run(void)
{
	int64 now = gate_clock();

	if (run.cancelled == 0)
		return tick_after(now, run.tick);
	return tick_after(Max(run.cancelled + CLEANUP_TIME, now), Min(run.tick, LONGEST_CANCEL_TICK));
}

void
gate_end_run(void)
{
	int64 end = run.tick > 0 ? end_of_run() : 0;
	int64 left;

	while (run.tick > 0 && (left = end - gate_clock()) > 0)
	{
		/* The same wait event as for the solver, so that pg_stat_activity does not tell them apart.
		 */
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) ((left + MICROSECONDS - 1) / MICROSECONDS), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		if (!end_is_pending())
		{
			int64 tick = run.tick;

			run.tick = 0; /* an error ends the run */
			handle_others();
			run.tick = tick;
		}
		else if (run.cancelled == 0)
		{
			run.cancelled = gate_clock();
			end = end_of_run();
		}
	}
	if (run.tick > 0)
		RESUME_INTERRUPTS();
	run.tick = 0;
}

/*
 * gate.c - limits how many releases run at a time, and delays answers to ticks.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "storage/proc.h"

#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"

/* Sub-objects of the lock tags; a lock on the role itself has sub-object 0. */
#define GATE_ROLE 1
#define GATE_SOLVER 2
#define GATE_PARTS 3

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
}

/* Takes the lock; false if it is taken and the caller does not wait. */
static bool
lock_gate(Oid object, int gate, bool across_transactions, bool wait)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, AuthIdRelationId, object, gate);
	return LockAcquire(&tag, ExclusiveLock, across_transactions, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

static void
unlock_gate(Oid object, int gate)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, AuthIdRelationId, object, gate);
	LockRelease(&tag, ExclusiveLock, false);
}

void
gate_enter_role(Oid role)
{
	(void) lock_gate(role, GATE_ROLE, false, true);
}

bool
gate_try_role(Oid role)
{
	return lock_gate(role, GATE_ROLE, true, false);
}

void
gate_leave_role(void)
{
	unlock_gate(GetSessionUserId(), GATE_ROLE);
}

void
gate_enter_parts(void)
{
	(void) lock_gate(GetSessionUserId(), GATE_PARTS, false, true);
}

void
gate_leave_parts(void)
{
	unlock_gate(GetSessionUserId(), GATE_PARTS);
}

/* ---- solvers ---- */

/* The number of the lock that this backend took last; an error releases the lock. */
static int solver_lock = 0;

void
gate_enter_solvers(const JobContext *job)
{
	for (solver_lock = 1; solver_lock <= dpobj_max_solvers; solver_lock++)
	{
		if (lock_gate((Oid) solver_lock, GATE_SOLVER, job != NULL, false))
			return;
	}
	/* All are taken: the backend queues for the one that its number selects. */
	solver_lock = 1 + GetNumberFromPGProc(MyProc) % dpobj_max_solvers;
	(void) lock_gate((Oid) solver_lock, GATE_SOLVER, job != NULL, true);
}

void
gate_leave_solvers(void)
{
	unlock_gate((Oid) solver_lock, GATE_SOLVER);
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

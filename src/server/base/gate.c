/*
 * gate.c - the queue of releases and the clock that answers keep to.
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

/* Locks on roles themselves have sub-object 0. */
#define GATE_ROLE 1
#define GATE_SOLVER 2

/* PostgreSQL gives locks back that outlive transactions when one is aborted, but not at the end. */
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

static void
set_tag(LOCKTAG *tag, Oid object, int gate)
{
	SET_LOCKTAG_OBJECT(*tag, InvalidOid, AuthIdRelationId, object, gate);
}

void
gate_enter_role(void)
{
	LOCKTAG tag;

	set_tag(&tag, GetSessionUserId(), GATE_ROLE);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

bool
gate_try_role(Oid role)
{
	LOCKTAG tag;

	set_tag(&tag, role, GATE_ROLE);
	return LockAcquire(&tag, ExclusiveLock, true, true) != LOCKACQUIRE_NOT_AVAIL;
}

void
gate_leave_role(void)
{
	LOCKTAG tag;

	set_tag(&tag, GetSessionUserId(), GATE_ROLE);
	LockRelease(&tag, ExclusiveLock, false);
}

/* ---- solvers ---- */

/* The place that this backend has, 0: none; an error gives it back without telling us. */
static int solver_place = 0;

void
gate_enter_solvers(const JobContext *job)
{
	bool across_transactions = job != NULL;
	LOCKTAG tag;

	for (solver_place = 1; solver_place <= dpobj_max_solvers; solver_place++)
	{
		set_tag(&tag, (Oid) solver_place, GATE_SOLVER);
		if (LockAcquire(&tag, ExclusiveLock, across_transactions, true) != LOCKACQUIRE_NOT_AVAIL)
			return;
	}
	/* All are taken: queue for one of them, each backend for its own. */
	solver_place = 1 + GetNumberFromPGProc(MyProc) % dpobj_max_solvers;
	set_tag(&tag, (Oid) solver_place, GATE_SOLVER);
	(void) LockAcquire(&tag, ExclusiveLock, across_transactions, false);
}

void
gate_leave_solvers(void)
{
	LOCKTAG tag;

	set_tag(&tag, (Oid) solver_place, GATE_SOLVER);
	LockRelease(&tag, ExclusiveLock, false);
}

/* ---- ticks ---- */

/*
 * Microseconds in which a cancelled run must have ended: its solver is killed and reaped, and its
 * memory freed.
 */
#define END_ROOM 100000

/* Microseconds; where ticks are longer, a cancelled run is answered at a multiple of this. */
#define LONGEST_END_TICK 1000000

#define MICROSECONDS 1000

/* The run of this backend; tick 0: no run, or a run without ticks. */
static struct
{
	int64 tick;  /* microseconds */
	int64 start; /* by gate_clock() */
	int64 ended; /* when the cancel was noticed; 0: not cancelled */
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
	run.ended = 0;
	if (run.tick > 0)
		HOLD_INTERRUPTS();
}

void
gate_hold_on(void)
{
	if (run.tick > 0)
		HOLD_INTERRUPTS();
}

/* Is there a cancel, a timeout or the end of the session? */
static bool
is_to_end(void)
{
	return QueryCancelPending || ProcDiePending || TransactionTimeoutPending;
}

/* Handles other interrupts: other processes may wait for that, and the client may be gone. */
static void
serve_others(void)
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
	if (!is_to_end())
	{
		serve_others();
		return;
	}
	if (run.ended == 0)
		run.ended = gate_clock();
	ereport(ERROR, (errcode(ERRCODE_QUERY_CANCELED), errmsg("canceling the release")));
}

/* The first tick after moment. */
static int64
tick_after(int64 moment, int64 tick)
{
	return run.start + ((moment - run.start) / tick + 1) * tick;
}

/*
 * The answer to a cancel comes at a tick that depends only on when the cancel came.  END_ROOM is
 * left for the cleanup, which takes longer during a search than during the wait for an answer.
 */
static int64
end_of_run(void)
{
	int64 now = gate_clock();

	if (run.ended == 0)
		return tick_after(now, run.tick);
	return tick_after(Max(run.ended + END_ROOM, now), Min(run.tick, LONGEST_END_TICK));
}

void
gate_end_run(void)
{
	int64 end = run.tick > 0 ? end_of_run() : 0;
	int64 left;

	while (run.tick > 0 && (left = end - gate_clock()) > 0)
	{
		/* The event of a solver's wait: nobody sees in pg_stat_activity which of them it is. */
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) ((left + MICROSECONDS - 1) / MICROSECONDS), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		if (!is_to_end())
		{
			int64 tick = run.tick;

			run.tick = 0; /* an error from here leaves no run behind */
			serve_others();
			run.tick = tick;
		}
		else if (run.ended == 0)
		{
			run.ended = gate_clock();
			end = end_of_run();
		}
	}
	if (run.tick > 0)
		RESUME_INTERRUPTS();
	run.tick = 0;
	CHECK_FOR_INTERRUPTS();
}

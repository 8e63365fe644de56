/*
 * gate.c - the queue of releases and the clock that answers keep to.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "dpobj.h"
#include "gate.h"

/* Locks on roles themselves have sub-object 0. */
#define GATE_ROLE 1
#define GATE_SOLVER 2

/* Of a job: it charges in one transaction and reads in the next. */
static bool across_transactions = false;

/* PostgreSQL gives locks back that outlive transactions when one is aborted, but not at the end. */
static void
leave_at_exit(int code, Datum argument)
{
	LockReleaseAll(DEFAULT_LOCKMETHOD, true);
}

void
gate_across_transactions(void)
{
	across_transactions = true;
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
	(void) LockAcquire(&tag, ExclusiveLock, across_transactions, false);
}

bool
gate_try_role(Oid role)
{
	LOCKTAG tag;

	set_tag(&tag, role, GATE_ROLE);
	return LockAcquire(&tag, ExclusiveLock, across_transactions, true) != LOCKACQUIRE_NOT_AVAIL;
}

void
gate_leave_role(void)
{
	LOCKTAG tag;

	set_tag(&tag, GetSessionUserId(), GATE_ROLE);
	LockRelease(&tag, ExclusiveLock, across_transactions);
}

/* ---- solvers ---- */

/* The place that this backend has, 0: none; an error gives it back without telling us. */
static int solver_place = 0;

void
gate_enter_solvers(void)
{
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
	LockRelease(&tag, ExclusiveLock, across_transactions);
}

/* ---- ticks ---- */

void
gate_wait_for_tick(int milliseconds)
{
	TimestampTz tick = (TimestampTz) milliseconds * 1000;
	TimestampTz end;
	long left;

	if (milliseconds <= 0)
		return;
	end = (GetCurrentTimestamp() / tick + 1) * tick;
	while ((left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end)) > 0)
	{
		/* The event of a solver's wait: nobody sees in pg_stat_activity which of them it is. */
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, left,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

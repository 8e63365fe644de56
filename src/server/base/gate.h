/*
 * gate.h - limits how many releases run at a time, and delays answers to ticks.
 *
 * The limits are heavyweight locks on tags that nothing else uses.  So lock_timeout, a cancel and a
 * deadlock end the wait, and an error releases them.
 */
#ifndef DPOBJ_GATE_H
#define DPOBJ_GATE_H

#include "postgres.h"

#include "miscadmin.h"

/*
 * Allow dpobj.max_role_releases releases of the analyst's door at a time for a session user, in the
 * whole cluster.  Who does not leave keeps a place until the end of the transaction.
 */
extern void gate_enter_role(Oid role);
extern void gate_leave_role(void);

/* Allow one session of the session user to wait for connections to servers of parts. */
extern void gate_enter_parts(void);
extern void gate_leave_parts(void);

/* Allow dpobj.max_solvers releases of that door at a time, in the whole cluster. */
extern void gate_enter_solvers(void);
extern void gate_leave_solvers(void);

/*
 * Allow one process at a time to make or change what the role has released under a name; NULL: no
 * name.  Who does not leave keeps the name until the end of the transaction.
 */
extern void gate_enter_name(Oid role, const char *name);
extern void gate_leave_name(Oid role, const char *name);

/* Allows one run at a time of the role's schedules, until the end of the transaction. */
extern void gate_enter_schedules(Oid role);

/*
 * For the worker of a job.  Takes a place of the role without waiting; false if there is none.  The
 * place is kept over transactions until gate_leave_all() or an abort, and the release that the job
 * makes uses it.
 */
extern bool gate_try_role(Oid role);
extern void gate_leave_all(void);

/* Called before the worker connects, so that the locks are released after its last transaction. */
extern void gate_leave_at_exit(void);

/*
 * A run begins after its charge is committed and its locks are taken, and before it reads the first
 * row.  It ends a whole number of ticks later, so that its duration shows only this number (rule
 * H14).  Ticks count from the begin of the run: with ticks of the clock, the caller could choose
 * the length of the first one.
 *
 * Interrupts are held during a run.  A cancel, a timeout or a termination ends the work at once,
 * but is answered at the first tick that is at least a tenth of a second away (if ticks are longer
 * than a second, at the first such whole second of the run).  So the moment of the answer does not
 * show how far the run was.  0 milliseconds: no ticks, and interrupts are not held.
 */
extern void gate_begin_run(int milliseconds);
extern void gate_end_run(void); /* waits for the tick, and raises the error of a held interrupt */

/* Holds interrupts again after a caught error of the run, because an error resets the hold. */
extern void gate_hold_again(void);

/* Replaces CHECK_FOR_INTERRUPTS(), which does nothing during a run; raises an error to end the
 * work. */
extern void gate_interrupted(void);

#define GATE_CHECK_FOR_INTERRUPTS()                                                                \
	do                                                                                             \
	{                                                                                              \
		if (unlikely(InterruptPending))                                                            \
			gate_interrupted();                                                                    \
	} while (0)

/* Microseconds of a monotonic clock that all processes share. */
extern int64 gate_clock(void);

#endif

/*
 * gate.h - how many releases may run at a time, and when an answer may be seen.
 *
 * Locks that nobody else takes, on numbers that are no catalog's: they are waited
 * for like any lock (lock_timeout, cancel), and an error gives them back.
 */
#ifndef DPOBJ_GATE_H
#define DPOBJ_GATE_H

#include "postgres.h"

#include "miscadmin.h"

#include "server/base/job_context.h"

/* One release of the analyst's door per session user, in the whole cluster. */
extern void gate_enter_role(void);
extern void gate_leave_role(void);

/* One of dpobj.max_solvers places for releases of that door, in the whole cluster. */
extern void gate_enter_solvers(const JobContext *job);
extern void gate_leave_solvers(void);

/*
 * The worker of a job charges in one transaction and reads in the next: it keeps its places over
 * commits, until it leaves them all.  Enters the role's, if that need not be waited for: false if
 * so.  A transaction that is aborted gives places back, too: then the next release of the role can
 * be charged before the failure of this one is in the ledger.
 */
extern bool gate_try_role(Oid role);
extern void gate_leave_all(void);

/* Before the worker connects, so that it leaves its places after its last transaction. */
extern void gate_leave_at_exit(void);

/*
 * A run begins when its charge is committed and its locks are taken, before the first row is read.
 * It ends a whole number of ticks later, so that only this number can be seen of its duration
 * (rule H14).  With ticks of the clock the caller could choose the length of the first one.
 *
 * Interrupts are held during a run.  A cancel, a timeout or a termination ends the work at once and
 * is answered at the first tick that is at least a tenth of a second away (where ticks are longer
 * than a second, at the first such whole second of the run).  So the moment of the answer does not
 * show how far the run was.  0 milliseconds: there are no ticks, and interrupts are not held.
 */
extern void gate_begin_run(int milliseconds);
extern void gate_end_run(void); /* waits, and raises what was held */

/* Holds interrupts again after an error of the run was caught: an error ends the hold. */
extern void gate_hold_on(void);

/* Instead of CHECK_FOR_INTERRUPTS(), which does nothing during a run: an error ends the work. */
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

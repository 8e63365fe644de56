/*
 * gate.h - how many releases may run at a time, and when an answer may be seen.
 *
 * Locks that nobody else takes, on numbers that are no catalog's: they are waited
 * for like any lock (lock_timeout, cancel), and an error gives them back.
 */
#ifndef DPOBJ_GATE_H
#define DPOBJ_GATE_H

/* One release of the analyst's door per session user, in the whole cluster. */
extern void gate_enter_role(void);
extern void gate_leave_role(void);

/* The same for another role, if it need not be waited for: false if so. */
extern bool gate_try_role(Oid role);

/* One of dpobj.max_solvers places for releases of that door, in the whole cluster. */
extern void gate_enter_solvers(void);
extern void gate_leave_solvers(void);

/*
 * Before it connects, so that it leaves them after its last transaction.  From here on this
 * process, the worker of a job, keeps places over commits until it leaves them; and leaves all that
 * it has.  A transaction that is aborted gives them back, too: then the next release of the role
 * can be charged before the failure of this one is in the ledger.
 */
extern void gate_across_transactions(void);
extern void gate_leave_all(void);

/*
 * Waits for the next multiple of milliseconds on the clock (0: not at all), so that
 * what can be seen of a run's duration is the number of ticks (PRIVACY.md 7).
 */
extern void gate_wait_for_tick(int milliseconds);

#endif

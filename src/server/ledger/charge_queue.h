/*
 * charge_queue.h - the queue of requests to the ledger writers, in shared memory.
 *
 * A charge worker can commit every request as well (charge_worker.c).  A backend starts one if there
 * is no writer, or if the writer returns the request.
 *
 * The end of a release is posted: its slot and its segment belong to the queue until it is written.
 * From before the charge on, the release holds a slot, so that there is one for its end.
 */
#ifndef DPOBJ_CHARGE_QUEUE_H
#define DPOBJ_CHARGE_QUEUE_H

#include "postgres.h"

#include "storage/dsm.h"

#include "server/ledger/charge_shared.h"

/* What pg_stat_activity shows of it; nothing there depends on the requests. */
#define CHARGE_WRITER_NAME "dpobj writer"

/* The writer's entry point, as the postmaster looks it up. */
#define CHARGE_WRITER_FUNCTION "dpobj_writer_main"

/* How many releases can run and requests wait. */
#define CHARGE_QUEUE_SLOTS 1024

/* Asks for the shared memory; for _PG_init(). */
extern void charge_queue_install(void);

/* ---- The backend's side ---- */

/* Takes a slot for the request until its segment is detached; an error if there is none. */
extern void charge_queue_enter(dsm_segment *segment);

/*
 * Has a writer commit the request.  CHARGE_PENDING: the writer ended without an answer, and the
 * event may have been written.  CHARGE_NOT_WRITTEN: nothing was written; a charge worker must
 * commit the request.
 */
extern ChargeStatus charge_queue_commit(dsm_segment *segment);

/*
 * Posts the end of a release: charge is the segment of its charge, which may have become the end's.
 * False if this process has no slot for it and none is free.  Raises no error, allocates nothing.
 */
extern bool charge_queue_post(dsm_segment *charge, dsm_segment *end);

/*
 * Waits until a posted end is written.  CHARGE_PENDING: the writer waits for a lock of this
 * transaction.
 */
extern ChargeStatus charge_queue_wait(dsm_segment *end);

/* Waits until no end of a release of the role waits to be written, but for those put off. */
extern void charge_queue_settle(Oid role);

/*
 * Notes which release the charge begins; for the process that is about to commit it, so that the
 * release is never seen without running.
 */
extern void charge_queue_note(const ChargeRequest *charge);

/*
 * Says of a release of this database: "running", "writing" its end, which is tried again at once,
 * or NULL for neither.
 */
extern const char *charge_queue_state(int64 release);

/* The releases of this database that run or whose end is not written: int8[]. */
extern Datum charge_queue_releases(void);

/* ---- The writer's side ---- */

/*
 * Claims the writer's slot for this process until it exits; returns the database, or InvalidOid if
 * the slot was given up.
 */
extern Oid charge_queue_join(void);

/* Tells the waiting backends that the writer has connected: if it ends they start the next one. */
extern void charge_queue_ready(void);

typedef struct ChargeTaken
{
	int slot;
	dsm_handle segment;
	bool posted;
} ChargeTaken;

/*
 * Takes every request that waits for this writer, those that are not tried again first; returns how
 * many.  *waiting: do posted ends wait to be tried again soon?
 */
extern int charge_queue_take(ChargeTaken taken[CHARGE_QUEUE_SLOTS], bool *waiting);

/* Gives back a posted end that is tried again after so many milliseconds; 0: it is written. */
extern void charge_queue_return(const ChargeTaken *taken, int pause);

/* Milliseconds after which a posted end is tried again: at first, and if that has not helped. */
#define CHARGE_RETRY_PAUSE 20
#define CHARGE_LONG_PAUSE 60000

#endif

/*
 * charge_queue.h - the queue of requests to the ledger writers, in shared memory.
 *
 * Only a server that preloads the library has the queue.  A charge worker can commit every request
 * as well (charge_worker.c).  A backend starts one if there is no queue, no free slot or no writer,
 * or if the writer returns the request.
 */
#ifndef DPOBJ_CHARGE_QUEUE_H
#define DPOBJ_CHARGE_QUEUE_H

#include "postgres.h"

#include "storage/dsm.h"

#include "server/ledger/charge_worker.h"

/* How many requests can wait. */
#define CHARGE_QUEUE_SLOTS 256

/* Asks for the shared memory, if the library is being preloaded. */
extern void charge_queue_install(void);

/* ---- The backend's side ---- */

/*
 * Has a writer commit the request.  CHARGE_PENDING: the writer ended without an answer, and the
 * event may have been written.  CHARGE_NOT_WRITTEN: nothing was written; a charge worker must
 * commit the request.
 */
extern ChargeStatus charge_queue_commit(dsm_segment *segment);

/* ---- The writer's side ---- */

/*
 * Claims the writer's slot for this process until it exits; returns the database, or InvalidOid if
 * the slot was given up.
 */
extern Oid charge_queue_join(void);

/* Tells the waiting backends that the writer has connected: if it ends they start the next one. */
extern void charge_queue_ready(void);

/* Takes every request that waits for this writer; returns how many. */
extern int charge_queue_take(dsm_handle segments[CHARGE_QUEUE_SLOTS]);

#endif

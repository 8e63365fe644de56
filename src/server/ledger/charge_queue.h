/*
 * charge_queue.h - requests that wait for a ledger writer, in shared memory.
 *
 * Only a server that preloads the library has the queue.  Everything that waits
 * here may also be committed by a worker of its own (charge_worker.c): that is
 * what a backend does when there is no queue, no room, no writer, or when the
 * writer hands a request back.
 */
#ifndef DPOBJ_CHARGE_QUEUE_H
#define DPOBJ_CHARGE_QUEUE_H

#include "postgres.h"

#include "storage/dsm.h"

#include "server/ledger/charge_worker.h"

/* How many requests can wait; who finds no place asks a worker of its own. */
#define CHARGE_QUEUE_PLACES 256

/* Asks for the shared memory, if the library is being preloaded. */
extern void charge_queue_install(void);

/* ---- The backend's side ---- */

/*
 * Has a writer commit the request.  CHARGE_PENDING: the writer ended without an
 * answer, the event may have been written.  CHARGE_ALONE: nothing was written, a
 * worker of its own has to do it.
 */
extern ChargeStatus charge_queue_commit(dsm_segment *segment);

/* ---- The writer's side ---- */

/*
 * Becomes the writer that this process was started as; returns the database, invalid if it comes
 * too late.  Whatever ends the process gives the place up.
 */
extern Oid charge_queue_join(void);

/* The writer has connected: who waits need not look for another way if it ends. */
extern void charge_queue_ready(void);

/* Takes every request that waits for this writer; returns how many. */
extern int charge_queue_take(dsm_handle segments[CHARGE_QUEUE_PLACES]);

#endif

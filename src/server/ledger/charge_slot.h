/*
 * charge_slot.h - a queue for the worker slots that charge workers need.
 */
#ifndef DPOBJ_CHARGE_SLOT_H
#define DPOBJ_CHARGE_SLOT_H

#include "postgres.h"

#include "postmaster/bgworker.h"

/* Seconds that an event waits for a worker slot, its time in the queue included. */
#define CHARGE_SLOT_TIMEOUT 30

/*
 * Starts the worker as soon as a slot is free; NULL after CHARGE_SLOT_TIMEOUT seconds.  The caller
 * then raises an error, which also restores lock_timeout.
 */
extern BackgroundWorkerHandle *charge_slot_start(BackgroundWorker *worker);

#endif

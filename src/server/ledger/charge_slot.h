/*
 * charge_slot.h - a queue for the worker slots that charge workers need.
 */
#ifndef DPOBJ_CHARGE_SLOT_H
#define DPOBJ_CHARGE_SLOT_H

#include "postgres.h"

#include "postmaster/bgworker.h"

/* How long (in seconds) an event waits for a worker slot, its time in the queue included. */
#define CHARGE_SLOT_PATIENCE 30

/* Starts the worker as soon as a slot is free; null after CHARGE_SLOT_PATIENCE seconds. */
extern BackgroundWorkerHandle *charge_slot_start(BackgroundWorker *worker);

#endif

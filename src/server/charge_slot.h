/*
 * charge_slot.h - a queue for the worker slots that charge workers need.
 */
#ifndef DPOBJ_CHARGE_SLOT_H
#define DPOBJ_CHARGE_SLOT_H

#include "postgres.h"

#include "postmaster/bgworker.h"

/* How long (in seconds) an event waits for a worker slot, in the queue and in front of it. */
#define CHARGE_SLOT_PATIENCE 30

/* Starts the worker as soon as a worker slot is free; null if that takes too long. */
extern BackgroundWorkerHandle *charge_slot_start(BackgroundWorker *worker);

#endif

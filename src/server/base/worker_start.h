/*
 * worker_start.h - starts background workers, and frees the slots of those that never run.
 *
 * PostgreSQL does not report to another process that a worker could not be forked or died before it
 * ran.  So each start gets a slot in shared memory, under a number that is never used again, and
 * the worker claims its slot by that number.  A slot is lost if its worker has not claimed it
 * within five seconds; it is free then.  (A worker that is killed causes a crash restart, which
 * clears shared memory.)
 *
 * These slots are dpobj's own; max_worker_processes limits those of the server.
 */
#ifndef DPOBJ_WORKER_START_H
#define DPOBJ_WORKER_START_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "postmaster/bgworker.h"
#include "storage/proc.h"

/* Milliseconds in which a worker must claim its slot. */
#define WORKER_START_TIMEOUT 5000

#define WORKER_SLOTS 32

typedef struct WorkerSlot
{
	uint64 number;     /* of the start, 0: the slot is free */
	TimestampTz since; /* when the start was asked for */
	Oid database;
	PGPROC *worker; /* NULL: it has not claimed the slot yet */
	bool ready;     /* it has connected and does its work */
} WorkerSlot;

typedef struct WorkerSlots
{
	uint64 last_number;
	WorkerSlot slot[WORKER_SLOTS];
} WorkerSlots;

/* Fills in the registration of a worker; name is what pg_stat_activity shows of it. */
extern void worker_describe(BackgroundWorker *worker, const char *name, const char *function);

/* Waits for this process's latch, at most for that long, and raises the error of a cancel. */
extern void worker_wait_for_latch(long milliseconds);

/* ---- While the lock of the slots is held ---- */

/* Has the worker not claimed the slot in time? */
extern bool worker_slot_is_lost(const WorkerSlot *slot);

/* Reserves a free slot under a new number; NULL if limit slots are in use. */
extern WorkerSlot *worker_slot_take(WorkerSlots *slots, int limit, Oid database);

/* Finds the slot of a start; NULL if another start has it. */
extern WorkerSlot *worker_slot_numbered(WorkerSlots *slots, uint64 number);

extern void worker_slot_clear(WorkerSlot *slot);

/* Clears the slot of a start whose worker will not come. */
extern void worker_slot_give_up(WorkerSlots *slots, uint64 number);

/* ---- Without the lock ---- */

/* Registers the worker of a slot, given a copy of the slot; false if the server has no room. */
extern bool worker_register(const WorkerSlot *slot, const char *name, const char *function);

/* Returns the number of this worker's start. */
extern uint64 worker_number(void);

#endif

/*
 * worker_start.h - how background workers are started, and when their places are free again.
 *
 * PostgreSQL does not tell who asked for a worker that it could not be forked, or that it died
 * before it ran.  So a worker gets a place in shared memory when its start is asked for, under a
 * number that is never used again.  The worker claims the place by that number.  A place whose
 * worker has not come within five seconds is free.
 *
 * (A process that is killed takes the server through a crash restart, and shared memory with it.)
 */
#ifndef DPOBJ_WORKER_START_H
#define DPOBJ_WORKER_START_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "postmaster/bgworker.h"
#include "storage/proc.h"

/* Milliseconds that a worker has to come in. */
#define WORKER_PATIENCE 5000

#define WORKER_PLACES 32

typedef struct WorkerPlace
{
	uint64 number;     /* of the start, 0: the place is free */
	TimestampTz since; /* when the start was asked for */
	Oid database;
	PGPROC *worker; /* NULL: it has not come yet */
	bool ready;     /* it has connected and does its work */
} WorkerPlace;

typedef struct WorkerPlaces
{
	uint64 last_number;
	WorkerPlace place[WORKER_PLACES];
} WorkerPlaces;

/* Fills in what the registration of any worker of ours needs; name is what sessions see of it. */
extern void worker_describe(BackgroundWorker *worker, const char *name, const char *function);

/* ---- While the lock of the places is held ---- */

/* Is it nobody's, or that of a worker that did not come? */
extern bool worker_place_is_free(const WorkerPlace *place);

/* Did its worker not come? */
extern bool worker_place_is_lost(const WorkerPlace *place);

/* Reserves a free one under a new number; NULL if limit places are taken. */
extern WorkerPlace *worker_place_take(WorkerPlaces *places, int limit, Oid database);

/* NULL if there is none: another start has the place. */
extern WorkerPlace *worker_place_numbered(WorkerPlaces *places, uint64 number);

extern void worker_place_clear(WorkerPlace *place);

/* ---- Without the lock ---- */

/* Registers the worker of a place, given a copy of it; false if no worker slot is free. */
extern bool worker_register(const WorkerPlace *place, const char *name, const char *function);

/* In the worker: the number of its start. */
extern uint64 worker_number(void);

#endif

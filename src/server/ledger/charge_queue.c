/*
 * charge_queue.c - requests that wait for a ledger writer, in shared memory.
 *
 * A place belongs to the backend whose request it holds, from the moment it finds
 * it free until its request's segment is detached, which happens on every way out;
 * the writer only marks it as taken.  A database has at most one writer, whose start
 * has a number that is never used again (worker_start.h), so that nobody mistakes it
 * for its successor.  A writer that ends gives up its number and wakes everybody who
 * waits for it: those whose requests it had taken know that no answer will come, the
 * others start the next writer.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "utils/timestamp.h"

#include "server/ledger/charge_queue.h"
#include "server/ledger/charge_writer.h"
#include "server/base/compat.h"
#include "server/base/preload.h"
#include "server/base/worker_start.h"

/* Databases with a writer; the others' requests get workers of their own. */
#define WRITERS 16

/* How long (in milliseconds) a request waits to be taken. */
#define TAKING_PATIENCE 2000

/* The writer sets our latch; this only bounds what a lost wake-up could cost. */
#define ANSWER_PAUSE 1000

typedef enum PlaceState
{
	PLACE_FREE,
	PLACE_WAITING,
	PLACE_TAKEN,
	PLACE_ALONE /* no writer could be started */
} PlaceState;

typedef struct Place
{
	PlaceState state;
	Oid database;
	dsm_handle segment;
	PGPROC *leader;
	uint64 writer; /* of a taken one */
} Place;

typedef struct Queue
{
	WorkerPlaces writers; /* ready: the writer has connected */
	Place places[CHARGE_QUEUE_PLACES];
} Queue;

/* NULL: the library is not preloaded. */
static Queue *queue = NULL;
static LWLock *lock = NULL;

/* In the writer: its own place. */
static WorkerPlace *own = NULL;

static void
attach(void *memory, LWLock *its_lock, bool new)
{
	queue = memory;
	lock = its_lock;
}

void
charge_queue_install(void)
{
	static SharedPiece piece = {"dpobj charges", sizeof(Queue), attach};

	preload_memory(&piece);
}

/* Our database's; NULL: it has none, and none is on its way.  The lock is held. */
static WorkerPlace *
find_writer(void)
{
	for (int i = 0; i < WORKER_PLACES; i++)
	{
		WorkerPlace *place = &queue->writers.place[i];

		if (place->database != MyDatabaseId)
			continue;
		if (!worker_place_is_lost(place))
			return place;
		worker_place_clear(place);
	}
	return NULL;
}

/* ---- The backend's side ----------------------------------------------------- */

static bool
holds(const Place *place, dsm_segment *segment)
{
	return place->state != PLACE_FREE && place->leader == MyProc &&
		   place->segment == dsm_segment_handle(segment);
}

static void
place_clear(dsm_segment *segment, Datum argument)
{
	Place *place = (Place *) DatumGetPointer(argument);

	LWLockAcquire(lock, LW_EXCLUSIVE);
	if (holds(place, segment))
		place->state = PLACE_FREE;
	LWLockRelease(lock);
}

/* Null if there is none. */
static Place *
place_find(dsm_segment *segment)
{
	Place *found = NULL;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < CHARGE_QUEUE_PLACES && found == NULL; i++)
	{
		if (queue->places[i].state == PLACE_FREE)
			found = &queue->places[i];
	}
	if (found != NULL)
		*found = (Place){.state = PLACE_WAITING,
						 .database = MyDatabaseId,
						 .segment = dsm_segment_handle(segment),
						 .leader = MyProc};
	LWLockRelease(lock);
	return found;
}

static void
give_up_start(uint64 number)
{
	WorkerPlace *place;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	place = worker_place_numbered(&queue->writers, number);
	if (place != NULL)
		worker_place_clear(place);
	LWLockRelease(lock);
}

/* Wakes our database's writer, or starts one; false if that is not possible. */
static bool
writer_call(void)
{
	WorkerPlace start = {0};
	WorkerPlace *place;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	place = find_writer();
	if (place != NULL && place->worker != NULL)
		SetLatch(&place->worker->procLatch);
	else if (place == NULL)
	{
		place = worker_place_take(&queue->writers, WRITERS, MyDatabaseId);
		if (place != NULL)
			start = *place;
	}
	LWLockRelease(lock);

	if (start.number == 0)
		return place != NULL;
	if (worker_register(&start, CHARGE_WRITER_NAME, CHARGE_WRITER_FUNCTION))
		return true;
	give_up_start(start.number);
	return false;
}

typedef enum Prospect
{
	PROSPECT_ANSWER, /* the writer has the request */
	PROSPECT_TURN,   /* it waits to be taken */
	PROSPECT_NONE,   /* the writer had it and is gone */
	PROSPECT_ALONE   /* nobody had it, nobody will: the place is given back */
} Prospect;

static Prospect
prospect_of(Place *place, bool patient)
{
	Prospect prospect;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	if (place->state == PLACE_TAKEN)
		prospect = worker_place_numbered(&queue->writers, place->writer) != NULL ? PROSPECT_ANSWER
																				 : PROSPECT_NONE;
	else if (place->state == PLACE_WAITING && patient)
		prospect = PROSPECT_TURN;
	else
	{
		place->state = PLACE_FREE;
		prospect = PROSPECT_ALONE;
	}
	LWLockRelease(lock);
	return prospect;
}

static ChargeStatus
status_of(ChargeRequest *request)
{
	ChargeStatus status = (ChargeStatus) pg_atomic_read_u32(&request->status);

	pg_read_barrier(); /* pairs with the write barrier of the writer */
	return status;
}

static void
pause_interruptibly(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ANSWER_PAUSE,
					 PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

static ChargeStatus
place_wait(Place *place, ChargeRequest *request)
{
	TimestampTz began = GetCurrentTimestamp();
	bool patient = true;

	for (;;)
	{
		/* Asked before the status is read: a writer that is gone has answered if it ever will. */
		Prospect prospect = prospect_of(place, patient);
		ChargeStatus status = status_of(request);

		if (status != CHARGE_PENDING || prospect == PROSPECT_NONE)
			return status;
		if (prospect == PROSPECT_ALONE)
			return CHARGE_ALONE;

		/* Each time: the writer that we called may have left before it saw us. */
		if (prospect == PROSPECT_TURN)
		{
			patient = writer_call() &&
					  !TimestampDifferenceExceeds(began, GetCurrentTimestamp(), TAKING_PATIENCE);
			if (!patient)
				continue; /* and give the place back, unless the writer is quicker */
		}
		pause_interruptibly();
	}
}

ChargeStatus
charge_queue_commit(dsm_segment *segment)
{
	Place *place = queue == NULL ? NULL : place_find(segment);

	if (place == NULL)
		return CHARGE_ALONE;
	on_dsm_detach(segment, place_clear, PointerGetDatum(place));
	return place_wait(place, dsm_segment_address(segment));
}

/* ---- The writer's side ------------------------------------------------------ */

/* Wakes all who wait; each looks at its own place. */
static void
leave(int code, Datum argument)
{
	Oid database = own->database;
	bool ready = own->ready;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	worker_place_clear(own);
	for (int i = 0; i < CHARGE_QUEUE_PLACES; i++)
	{
		Place *place = &queue->places[i];

		if (place->state == PLACE_FREE || place->database != database)
			continue;
		if (place->state == PLACE_WAITING && !ready)
			place->state = PLACE_ALONE;
		SetLatch(&place->leader->procLatch);
	}
	LWLockRelease(lock);
}

Oid
charge_queue_join(void)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	own = worker_place_numbered(&queue->writers, worker_number());
	if (own != NULL)
		own->worker = MyProc;
	LWLockRelease(lock);
	if (own == NULL)
		return InvalidOid;
	before_shmem_exit(leave, (Datum) 0);
	return own->database;
}

void
charge_queue_ready(void)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	own->ready = true;
	LWLockRelease(lock);
}

int
charge_queue_take(dsm_handle segments[CHARGE_QUEUE_PLACES])
{
	int count = 0;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < CHARGE_QUEUE_PLACES; i++)
	{
		Place *place = &queue->places[i];

		if (place->state != PLACE_WAITING || place->database != own->database)
			continue;
		place->state = PLACE_TAKEN;
		place->writer = own->number;
		segments[count++] = place->segment;
	}
	LWLockRelease(lock);
	return count;
}

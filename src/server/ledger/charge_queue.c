/*
 * charge_queue.c - requests that wait for a ledger writer, in shared memory.
 *
 * A place belongs to the backend whose request it holds, from the moment it finds
 * it free until its request's segment is detached, which happens on every way out;
 * the writer only marks it as taken.  An office is the right to write for one
 * database: at most one process holds it, under a number that is never used again,
 * so that nobody mistakes a writer for its successor.  A writer that ends, however,
 * clears its office and wakes everybody who waits for it: those whose requests it
 * had taken know that no answer will come, the others start the next writer.  (A
 * process that is killed takes the server through a crash restart, and the queue
 * with it.)
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "server/ledger/charge_queue.h"
#include "server/ledger/charge_writer.h"
#include "server/base/compat.h"

/* Databases with a writer; the others' requests get workers of their own. */
#define OFFICES 16

/* How long (in milliseconds) a request waits to be taken, and for a writer to appear. */
#define TAKING_PATIENCE 2000
#define STARTING_PATIENCE 5000

/* The writer sets our latch; this only bounds what a lost wake-up could cost. */
#define ANSWER_PAUSE 1000

#define QUEUE_NAME "dpobj charges"

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

typedef struct Office
{
	Oid database;      /* invalid: nobody's */
	uint64 number;     /* of the writer, also while it starts */
	PGPROC *writer;    /* null while it starts */
	TimestampTz since; /* when the start was asked for */
	bool ready;        /* it has connected */
} Office;

typedef struct Queue
{
	LWLock *lock;
	uint64 last_number;
	Office offices[OFFICES];
	Place places[CHARGE_QUEUE_PLACES];
} Queue;

static Queue *queue = NULL;

/* The writer's own office, in the writer. */
static Office *own_office = NULL;
static uint64 own_number = 0;

/* ---- Shared memory ---------------------------------------------------------- */

static shmem_request_hook_type next_request_hook = NULL;
static shmem_startup_hook_type next_startup_hook = NULL;

static void
request_memory(void)
{
	if (next_request_hook != NULL)
		next_request_hook();
	RequestAddinShmemSpace(MAXALIGN(sizeof(Queue)));
	RequestNamedLWLockTranche(QUEUE_NAME, 1);
}

static void
startup_hook(void)
{
	bool found;

	if (next_startup_hook != NULL)
		next_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	queue = ShmemInitStruct(QUEUE_NAME, sizeof(Queue), &found);
	if (!found)
	{
		memset(queue, 0, sizeof(Queue));
		queue->lock = &GetNamedLWLockTranche(QUEUE_NAME)->lock;
	}
	LWLockRelease(AddinShmemInitLock);
}

void
charge_queue_install(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	chain_shmem_request(&next_request_hook, request_memory);
	next_startup_hook = shmem_startup_hook;
	shmem_startup_hook = startup_hook;
}

/* ---- Offices ---------------------------------------------------------------- */

/* All of these: the lock is held. */

static Office *
office_of(Oid database)
{
	for (int i = 0; i < OFFICES; i++)
	{
		if (queue->offices[i].database == database)
			return &queue->offices[i];
	}
	return NULL;
}

static bool
writer_lives(uint64 number)
{
	for (int i = 0; i < OFFICES; i++)
	{
		if (OidIsValid(queue->offices[i].database) && queue->offices[i].number == number)
			return true;
	}
	return false;
}

/* A start that led to nothing: the postmaster could not fork. */
static bool
start_failed(const Office *office)
{
	return office->writer == NULL &&
		   TimestampDifferenceExceeds(office->since, GetCurrentTimestamp(), STARTING_PATIENCE);
}

/* An office for our database that has no writer yet; null if there is none. */
static Office *
office_open(void)
{
	Office *office = office_of(MyDatabaseId);

	if (office == NULL)
		office = office_of(InvalidOid);
	if (office == NULL)
		return NULL;
	memset(office, 0, sizeof(Office));
	office->database = MyDatabaseId;
	office->number = ++queue->last_number;
	office->since = GetCurrentTimestamp();
	return office;
}

static void
office_close(Office *office, uint64 number)
{
	if (office->number == number)
		memset(office, 0, sizeof(Office));
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

	LWLockAcquire(queue->lock, LW_EXCLUSIVE);
	if (holds(place, segment))
		place->state = PLACE_FREE;
	LWLockRelease(queue->lock);
}

/* Null if there is none. */
static Place *
place_find(dsm_segment *segment)
{
	Place *found = NULL;

	LWLockAcquire(queue->lock, LW_EXCLUSIVE);
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
	LWLockRelease(queue->lock);
	return found;
}

static bool
writer_register(int office, uint64 number)
{
	BackgroundWorker worker;

	charge_worker_describe(&worker, CHARGE_WRITER_NAME, CHARGE_WRITER_FUNCTION);
	worker.bgw_main_arg = Int32GetDatum(office);
	memcpy(worker.bgw_extra, &number, sizeof(number));
	return RegisterDynamicBackgroundWorker(&worker, NULL);
}

/* Wakes our database's writer, or starts one; false if that is not possible. */
static bool
writer_call(void)
{
	PGPROC *writer = NULL;
	uint64 number = 0;
	Office *office;
	bool called = true;

	LWLockAcquire(queue->lock, LW_EXCLUSIVE);
	office = office_of(MyDatabaseId);
	if (office != NULL && !start_failed(office))
		writer = office->writer;
	else
	{
		office = office_open();
		called = office != NULL;
		number = called ? office->number : 0;
	}
	LWLockRelease(queue->lock);

	if (writer != NULL)
		SetLatch(&writer->procLatch);
	if (number == 0 || writer_register((int) (office - queue->offices), number))
		return called;

	LWLockAcquire(queue->lock, LW_EXCLUSIVE);
	office_close(office, number);
	LWLockRelease(queue->lock);
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

	LWLockAcquire(queue->lock, LW_EXCLUSIVE);
	if (place->state == PLACE_TAKEN)
		prospect = writer_lives(place->writer) ? PROSPECT_ANSWER : PROSPECT_NONE;
	else if (place->state == PLACE_WAITING && patient)
		prospect = PROSPECT_TURN;
	else
	{
		place->state = PLACE_FREE;
		prospect = PROSPECT_ALONE;
	}
	LWLockRelease(queue->lock);
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

/* Those who wait look for themselves what this means for them. */
static void
leave(int code, Datum argument)
{
	Oid database = own_office->database;
	bool ready = own_office->ready;

	LWLockAcquire(queue->lock, LW_EXCLUSIVE);
	office_close(own_office, own_number);
	for (int i = 0; i < CHARGE_QUEUE_PLACES; i++)
	{
		Place *place = &queue->places[i];

		if (place->state == PLACE_FREE || place->database != database)
			continue;
		if (place->state == PLACE_WAITING && !ready)
			place->state = PLACE_ALONE;
		SetLatch(&place->leader->procLatch);
	}
	LWLockRelease(queue->lock);
}

Oid
charge_queue_join(int office, uint64 number)
{
	Oid database = InvalidOid;

	LWLockAcquire(queue->lock, LW_EXCLUSIVE);
	if (queue->offices[office].number == number)
	{
		own_office = &queue->offices[office];
		own_number = number;
		own_office->writer = MyProc;
		database = own_office->database;
	}
	LWLockRelease(queue->lock);
	if (OidIsValid(database))
		before_shmem_exit(leave, (Datum) 0);
	return database;
}

void
charge_queue_ready(void)
{
	LWLockAcquire(queue->lock, LW_EXCLUSIVE);
	own_office->ready = true;
	LWLockRelease(queue->lock);
}

int
charge_queue_take(dsm_handle segments[CHARGE_QUEUE_PLACES])
{
	int count = 0;

	LWLockAcquire(queue->lock, LW_EXCLUSIVE);
	for (int i = 0; i < CHARGE_QUEUE_PLACES; i++)
	{
		Place *place = &queue->places[i];

		if (place->state != PLACE_WAITING || place->database != own_office->database)
			continue;
		place->state = PLACE_TAKEN;
		place->writer = own_number;
		segments[count++] = place->segment;
	}
	LWLockRelease(queue->lock);
	return count;
}

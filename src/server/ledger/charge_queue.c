/*
 * charge_queue.c - the queue of requests to the ledger writers, in shared memory.
 *
 * A queue slot belongs to a backend from the moment it finds it free until it detaches its
 * request's segment, which also happens after an error; the writer only marks the slot as taken.  A
 * database has at most one writer.  Its start has a number that is never used again
 * (worker_start.h), so that no backend mistakes the next writer for it.  A writer that ends clears
 * its worker slot and wakes every backend that waits for it.  If the writer had taken the request,
 * no answer will come; the other backends start the next writer.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "utils/timestamp.h"

#include "server/ledger/charge_queue.h"
#include "server/ledger/charge_writer.h"
#include "server/base/preload.h"
#include "server/base/worker_start.h"

/* Databases with a writer; requests of other databases are committed by charge workers. */
#define WRITERS 16

/* Milliseconds in which a writer must take a request. */
#define TAKE_TIMEOUT 2000

typedef enum SlotState
{
	SLOT_FREE,
	SLOT_WAITING,
	SLOT_TAKEN,
	SLOT_WITHOUT_WRITER /* the writer could not connect */
} SlotState;

typedef struct Slot
{
	SlotState state;
	Oid database;
	dsm_handle segment;
	PGPROC *backend;
	uint64 writer; /* number of the writer that has taken the request */
} Slot;

typedef struct Queue
{
	WorkerSlots writers;
	Slot slots[CHARGE_QUEUE_SLOTS];
} Queue;

/* NULL: the library is not preloaded. */
static Queue *queue = NULL;
static LWLock *lock = NULL;

/* The slot of this process, if it is a writer. */
static WorkerSlot *own = NULL;

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

/* Finds the writer of this database; NULL if none runs or starts.  The lock is held. */
static WorkerSlot *
find_writer(void)
{
	for (int i = 0; i < WORKER_SLOTS; i++)
	{
		WorkerSlot *writer = &queue->writers.slot[i];

		if (writer->database != MyDatabaseId)
			continue;
		if (!worker_slot_is_lost(writer))
			return writer;
		worker_slot_clear(writer);
	}
	return NULL;
}

/* ---- The backend's side ----------------------------------------------------- */

/* Frees the slot, unless another request has it by now. */
static void
slot_free(dsm_segment *segment, Datum argument)
{
	Slot *slot = (Slot *) DatumGetPointer(argument);

	LWLockAcquire(lock, LW_EXCLUSIVE);
	if (slot->backend == MyProc && slot->segment == dsm_segment_handle(segment))
		slot->state = SLOT_FREE;
	LWLockRelease(lock);
}

/* Puts the request into a free slot; NULL if there is none. */
static Slot *
slot_take(dsm_segment *segment)
{
	Slot *found = NULL;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < CHARGE_QUEUE_SLOTS && found == NULL; i++)
	{
		if (queue->slots[i].state == SLOT_FREE)
			found = &queue->slots[i];
	}
	if (found != NULL)
		*found = (Slot){.state = SLOT_WAITING,
						.database = MyDatabaseId,
						.segment = dsm_segment_handle(segment),
						.backend = MyProc};
	LWLockRelease(lock);
	return found;
}

/* Wakes the writer of this database, or starts one; false if that is not possible. */
static bool
writer_call(void)
{
	WorkerSlot start = {0};
	WorkerSlot *writer;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	writer = find_writer();
	if (writer != NULL && writer->worker != NULL)
		SetLatch(&writer->worker->procLatch);
	else if (writer == NULL)
	{
		writer = worker_slot_take(&queue->writers, WRITERS, MyDatabaseId);
		if (writer != NULL)
			start = *writer;
	}
	LWLockRelease(lock);

	if (start.number == 0)
		return writer != NULL;
	if (worker_register(&start, CHARGE_WRITER_NAME, CHARGE_WRITER_FUNCTION))
		return true;
	LWLockAcquire(lock, LW_EXCLUSIVE);
	worker_slot_give_up(&queue->writers, start.number);
	LWLockRelease(lock);
	return false;
}

typedef enum Progress
{
	PROGRESS_TAKEN,   /* a writer that runs has the request */
	PROGRESS_WAITING, /* no writer has taken it yet */
	PROGRESS_LOST,    /* the writer that had it has ended */
	PROGRESS_RETURNED /* no writer had it or will have it: the slot is free */
} Progress;

static Progress
slot_progress(Slot *slot, bool may_wait)
{
	Progress progress = PROGRESS_RETURNED;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	if (slot->state == SLOT_TAKEN)
		progress = worker_slot_numbered(&queue->writers, slot->writer) != NULL ? PROGRESS_TAKEN
																			   : PROGRESS_LOST;
	else if (slot->state == SLOT_WAITING && may_wait)
		progress = PROGRESS_WAITING;
	else
		slot->state = SLOT_FREE;
	LWLockRelease(lock);
	return progress;
}

static ChargeStatus
slot_wait(Slot *slot, ChargeRequest *request)
{
	TimestampTz began = GetCurrentTimestamp();
	bool may_wait = true;

	for (;;)
	{
		/* Read before the status: a writer that has ended answered before, or never will. */
		Progress progress = slot_progress(slot, may_wait);
		ChargeStatus status = charge_status(request);

		if (status != CHARGE_PENDING || progress == PROGRESS_LOST)
			return status;
		if (progress == PROGRESS_RETURNED)
			return CHARGE_NOT_WRITTEN;

		/* Called each time: the writer may have ended before it saw the request. */
		if (progress == PROGRESS_WAITING)
		{
			may_wait = writer_call() &&
					   !TimestampDifferenceExceeds(began, GetCurrentTimestamp(), TAKE_TIMEOUT);
			if (!may_wait)
				continue; /* frees the slot, unless a writer takes the request first */
		}
		worker_wait_for_latch(CHARGE_STATUS_PAUSE);
	}
}

ChargeStatus
charge_queue_commit(dsm_segment *segment)
{
	Slot *slot = queue == NULL ? NULL : slot_take(segment);

	if (slot == NULL)
		return CHARGE_NOT_WRITTEN;
	on_dsm_detach(segment, slot_free, PointerGetDatum(slot));
	return slot_wait(slot, dsm_segment_address(segment));
}

/* ---- The writer's side ------------------------------------------------------ */

/* Clears the writer's slot and wakes all backends that wait; each looks at its own slot. */
static void
writer_exit(int code, Datum argument)
{
	Oid database = own->database;
	bool ready = own->ready;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	worker_slot_clear(own);
	for (int i = 0; i < CHARGE_QUEUE_SLOTS; i++)
	{
		Slot *slot = &queue->slots[i];

		if (slot->state == SLOT_FREE || slot->database != database)
			continue;
		if (slot->state == SLOT_WAITING && !ready)
			slot->state = SLOT_WITHOUT_WRITER;
		SetLatch(&slot->backend->procLatch);
	}
	LWLockRelease(lock);
}

Oid
charge_queue_join(void)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	own = worker_slot_numbered(&queue->writers, worker_number());
	if (own != NULL)
		own->worker = MyProc;
	LWLockRelease(lock);
	if (own == NULL)
		return InvalidOid;
	before_shmem_exit(writer_exit, (Datum) 0);
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
charge_queue_take(dsm_handle segments[CHARGE_QUEUE_SLOTS])
{
	int count = 0;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < CHARGE_QUEUE_SLOTS; i++)
	{
		Slot *slot = &queue->slots[i];

		if (slot->state != SLOT_WAITING || slot->database != own->database)
			continue;
		slot->state = SLOT_TAKEN;
		slot->writer = own->number;
		segments[count++] = slot->segment;
	}
	LWLockRelease(lock);
	return count;
}

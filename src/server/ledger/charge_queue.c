/*
 * charge_queue.c - the queue of requests to the ledger writers, in shared memory.
 *
 * A queue slot belongs to a backend from before it asks for a charge until it detaches the charge's
 * segment, which also happens after an error; the writer only marks the slot as taken.  The slot of
 * a posted end belongs to the queue, and the writer frees it: a writer that ends before leaves it
 * to the next one.  A database has at most one writer.  Its start has a number that is
 * never used again (worker_start.h), so that no backend mistakes the next writer for it.  A writer
 * that ends clears its worker slot and wakes every backend that waits for it.  If the writer had
 * taken the request, no answer will come; the other backends start the next writer.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "utils/array.h"
#include "utils/timestamp.h"

#include "server/ledger/charge_queue.h"
#include "server/ledger/charge_wait.h"
#include "server/base/preload.h"
#include "server/base/worker_start.h"

/* Databases with a writer; requests of other databases are committed by charge workers. */
#define WRITERS 16

/* Milliseconds in which a writer must take a request. */
#define TAKE_TIMEOUT 2000

typedef enum SlotState
{
	SLOT_FREE,
	SLOT_HELD, /* no writer is to take the request */
	SLOT_WAITING,
	SLOT_TAKEN,         /* a writer has it, or had it */
	SLOT_WITHOUT_WRITER /* the writer could not connect */
} SlotState;

typedef struct Slot
{
	SlotState state;
	Oid database;
	dsm_handle segment;
	PGPROC *backend;
	Oid role;          /* of a posted end */
	uint64 writer;     /* number of the writer that has taken the request */
	bool posted;       /* an end, which the backend has given to the queue */
	int64 release;     /* that runs or ends; 0: neither */
	TimestampTz again; /* of a posted end that could not be written: when it is tried again */
} Slot;

typedef struct Queue
{
	WorkerSlots writers;
	Slot slots[CHARGE_QUEUE_SLOTS];
} Queue;

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

/* Finds the slot of a request of this backend, else a free one.  The lock is held. */
static Slot *
find_slot(dsm_handle segment)
{
	Slot *free = NULL;

	for (int i = 0; i < CHARGE_QUEUE_SLOTS; i++)
	{
		Slot *slot = &queue->slots[i];

		if (slot->state == SLOT_FREE)
			free = free == NULL ? slot : free;
		else if (slot->backend == MyProc && slot->segment == segment && !slot->posted)
			return slot;
	}
	return free;
}

/* Sets the slot of the request or a free one; NULL if there is none. */
static Slot *
slot_set(dsm_segment *segment, SlotState state)
{
	dsm_handle handle = dsm_segment_handle(segment);
	Slot *found;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	found = find_slot(handle);
	if (found != NULL)
		*found =
			(Slot){.state = state, .database = MyDatabaseId, .segment = handle, .backend = MyProc};
	LWLockRelease(lock);
	return found;
}

/* The slot of a posted end is not this backend's any more. */
static void
slot_free(dsm_segment *segment, Datum argument)
{
	Slot *slot;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	slot = find_slot(dsm_segment_handle(segment));
	if (slot != NULL)
		slot->state = SLOT_FREE;
	LWLockRelease(lock);
}

void
charge_queue_enter(dsm_segment *segment)
{
	on_dsm_detach(segment, slot_free, (Datum) 0);
	if (slot_set(segment, SLOT_HELD) == NULL)
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_RESOURCES), errmsg("too many releases run at a time"),
			 errdetail("At most %d can. Nothing was written to the ledger.", CHARGE_QUEUE_SLOTS)));
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
	PROGRESS_RETURNED /* no writer had it or will have it */
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
		slot->state = SLOT_HELD;
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
				continue; /* takes it back, unless a writer takes the request first */
		}
		worker_wait_for_latch(CHARGE_STATUS_PAUSE);
	}
}

ChargeStatus
charge_queue_commit(dsm_segment *segment)
{
	Slot *slot = slot_set(segment, SLOT_WAITING);

	return slot_wait(slot, dsm_segment_address(segment));
}

/* ---- Ends ------------------------------------------------------------------- */

void
charge_queue_note(const ChargeRequest *charge)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < CHARGE_QUEUE_SLOTS; i++)
	{
		Slot *slot = &queue->slots[i];

		if (slot->state != SLOT_FREE && slot->backend == charge->backend &&
			slot->segment == charge->segment && !slot->posted)
			slot->release = charge->id;
	}
	LWLockRelease(lock);
}

bool
charge_queue_post(dsm_segment *charge, dsm_segment *end)
{
	ChargeRequest *request = dsm_segment_address(end);
	Slot *slot = NULL;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	slot = find_slot(dsm_segment_handle(charge));
	if (slot != NULL)
	{
		request->posted = true;
		dsm_pin_segment(end);
		*slot = (Slot){.state = SLOT_WAITING,
					   .database = request->database,
					   .segment = dsm_segment_handle(end),
					   .backend = MyProc,
					   .role = request->role,
					   .posted = true,
					   .release = request->release};
	}
	LWLockRelease(lock);
	if (slot != NULL)
		(void) writer_call();
	return slot != NULL;
}

/* The process of the writer of this database; 0: none. */
static int
writer_pid(void)
{
	WorkerSlot *writer;
	int pid = 0;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	writer = find_writer();
	if (writer != NULL && writer->worker != NULL)
		pid = writer->worker->pid;
	LWLockRelease(lock);
	return pid;
}

/*
 * Calls the writer, which may have ended before it saw the end.  A writer that seems to wait for
 * this transaction may do so for another request, but then not for long.
 */
ChargeStatus
charge_queue_wait(dsm_segment *end)
{
	ChargeRequest *request = dsm_segment_address(end);
	TimestampTz next = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), CHARGE_STATUS_PAUSE);
	int waits_for_us = 0;
	ChargeStatus status;

	while ((status = charge_status(request)) == CHARGE_PENDING && waits_for_us < 2)
	{
		int pid;

		worker_wait_for_latch(CHARGE_STATUS_PAUSE);
		if (GetCurrentTimestamp() < next)
			continue;
		next = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), CHARGE_STATUS_PAUSE);
		pid = writer_pid();
		if (pid == 0)
			(void) writer_call();
		waits_for_us = pid != 0 && charge_waits_for_us(pid) ? waits_for_us + 1 : 0;
	}
	return status;
}

/* Is the end tried again only after the long pause? */
static bool
is_put_off(const Slot *slot, TimestampTz now)
{
	return slot->again > TimestampTzPlusMilliseconds(now, CHARGE_RETRY_PAUSE);
}

static bool
role_has_end(Oid role)
{
	TimestampTz now = GetCurrentTimestamp();
	bool found = false;

	LWLockAcquire(lock, LW_SHARED);
	for (int i = 0; i < CHARGE_QUEUE_SLOTS && !found; i++)
	{
		const Slot *slot = &queue->slots[i];

		found = slot->state != SLOT_FREE && slot->posted && slot->role == role &&
				slot->database == MyDatabaseId && !is_put_off(slot, now);
	}
	LWLockRelease(lock);
	return found;
}

/*
 * No event wakes this process, so it looks often: an end is seldom delayed.  Ends as a wait for a
 * lock ends, or if the writer waits for a lock of this transaction.
 */
void
charge_queue_settle(Oid role)
{
	TimestampTz began = GetCurrentTimestamp();
	TimestampTz next = TimestampTzPlusMilliseconds(began, CHARGE_STATUS_PAUSE);
	int waits_for_us = 0;

	while (role_has_end(role))
	{
		TimestampTz now = GetCurrentTimestamp();
		int pid = writer_pid();

		if (LockTimeout > 0 && TimestampDifferenceExceeds(began, now, LockTimeout))
			ereport(ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
							errmsg("canceling statement due to lock timeout")));
		if (now >= next)
		{
			next = TimestampTzPlusMilliseconds(now, CHARGE_STATUS_PAUSE);
			waits_for_us = pid != 0 && charge_waits_for_us(pid) ? waits_for_us + 1 : 0;
		}
		if (waits_for_us >= 2)
			ereport(ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
							errmsg("an earlier answer is paid for but cannot be written yet"),
							errdetail("A lock of this transaction is in the way."),
							errhint("End the transaction.")));
		(void) writer_call();
		worker_wait_for_latch(CHARGE_RETRY_PAUSE);
	}
}

const char *
charge_queue_state(int64 release)
{
	TimestampTz now = GetCurrentTimestamp();
	const char *state = NULL;

	if (release == 0)
		return NULL;
	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < CHARGE_QUEUE_SLOTS && state == NULL; i++)
	{
		Slot *slot = &queue->slots[i];

		if (slot->state == SLOT_FREE || slot->database != MyDatabaseId || slot->release != release)
			continue;
		state = slot->posted ? "writing" : "running";
		slot->again = Min(slot->again, now);
	}
	LWLockRelease(lock);
	if (state != NULL && strcmp(state, "writing") == 0)
		(void) writer_call(); /* perhaps none could be started when the end was posted */
	return state;
}

static int
list_releases(Datum releases[CHARGE_QUEUE_SLOTS])
{
	int count = 0;

	LWLockAcquire(lock, LW_SHARED);
	for (int i = 0; i < CHARGE_QUEUE_SLOTS; i++)
	{
		const Slot *slot = &queue->slots[i];

		if (slot->state != SLOT_FREE && slot->database == MyDatabaseId && slot->release != 0)
			releases[count++] = Int64GetDatum(slot->release);
	}
	LWLockRelease(lock);
	return count;
}

Datum
charge_queue_releases(void)
{
	Datum *releases = palloc(sizeof(Datum) * CHARGE_QUEUE_SLOTS);
	int count = list_releases(releases);

	return PointerGetDatum(
		construct_array(releases, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* ---- The writer's side ------------------------------------------------------ */

/*
 * Clears the writer's slot and wakes all backends that wait; each looks at its own slot.  Posted
 * ends are left to the next writer, which is called at once because perhaps nobody waits for them.
 * If this one could not connect, the database is gone, or a later request calls one.
 */
static void
writer_exit(int code, Datum argument)
{
	Oid database = own->database;
	uint64 number = own->number;
	bool ready = own->ready;
	bool ends = false;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	worker_slot_clear(own);
	for (int i = 0; i < CHARGE_QUEUE_SLOTS; i++)
	{
		Slot *slot = &queue->slots[i];

		if (slot->state == SLOT_FREE || slot->database != database)
			continue;
		if (slot->posted)
		{
			if (slot->state == SLOT_TAKEN && slot->writer == number)
				slot->state = SLOT_WAITING;
			ends = true;
		}
		else if (slot->state == SLOT_WAITING && !ready)
			slot->state = SLOT_WITHOUT_WRITER;
		SetLatch(&slot->backend->procLatch);
	}
	LWLockRelease(lock);
	if (ends && ready)
		(void) writer_call();
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

/* Takes the requests that are tried again, or the others.  The lock is held. */
static int
take_waiting(ChargeTaken *taken, bool again, TimestampTz now, bool *waiting)
{
	int count = 0;

	for (int i = 0; i < CHARGE_QUEUE_SLOTS; i++)
	{
		Slot *slot = &queue->slots[i];

		if (slot->state != SLOT_WAITING || slot->database != own->database ||
			(slot->again != 0) != again)
			continue;
		if (slot->again > now)
		{
			*waiting = *waiting || !is_put_off(slot, now);
			continue;
		}
		slot->state = SLOT_TAKEN;
		slot->writer = own->number;
		taken[count++] = (ChargeTaken){i, slot->segment, slot->posted};
	}
	return count;
}

int
charge_queue_take(ChargeTaken taken[CHARGE_QUEUE_SLOTS], bool *waiting)
{
	TimestampTz now = GetCurrentTimestamp();
	int count;

	*waiting = false;
	LWLockAcquire(lock, LW_EXCLUSIVE);
	count = take_waiting(taken, false, now, waiting);
	count += take_waiting(taken + count, true, now, waiting);
	LWLockRelease(lock);
	return count;
}

void
charge_queue_return(const ChargeTaken *taken, int pause)
{
	Slot *slot = &queue->slots[taken->slot];

	LWLockAcquire(lock, LW_EXCLUSIVE);
	slot->state = pause == 0 ? SLOT_FREE : SLOT_WAITING;
	slot->again = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), pause);
	LWLockRelease(lock);
	if (pause == 0)
		dsm_unpin_segment(taken->segment);
}

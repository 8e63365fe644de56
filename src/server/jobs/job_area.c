/*
 * job_area.c - which jobs are running now and how far they are, in shared memory.
 */
#include "postgres.h"

#include <math.h>
#include <signal.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/timestamp.h"

#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/base/preload.h"
#include "server/base/worker_start.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_worker.h"
#include "server/release/progress.h"

/* Databases that somebody is to look into. */
#define CALLS 64

/* Milliseconds without a start after one in vain, and after many in a row. */
#define FIRST_PAUSE 200
#define LAST_PAUSE 60000

/* What a worker does. */
typedef struct Slot
{
	bool finished;  /* it looks for jobs no more */
	bool sent_away; /* by the launcher */
	int64 job;      /* 0: none yet */
	bool cancelled;
	bool ending; /* what became of it is being written */
	JobPhase phase;
	double rows_total;
	int step;         /* of the scan; JOB_SCAN_STEPS: it has ended */
	int step_at_tick; /* when its last tick began */
	int64 tick_number;
	int tick;         /* milliseconds, 0: none */
	int64 scan_start; /* by gate_clock(); ticks are counted from here */
	bool searched;
	int64 nodes;
	int64 attempts;
	double gap;
} Slot;

typedef struct Area
{
	ConditionVariable ends;
	PGPROC *launcher;
	WorkerSlots workers;   /* ready: the worker runs jobs */
	Slot slots[JOB_SLOTS]; /* of the workers, in the order of their places */
	int pause;             /* milliseconds, after the last start in vain; 0: it was not */
	TimestampTz pause_end;
	bool calls_lost;
	bool crowded; /* the last worker found no room among max_worker_processes */
	int call_count;
	Oid calls[CALLS]; /* first come, first served */
} Area;

StaticAssertDecl(JOB_SLOTS == WORKER_SLOTS, "each worker has a place and a slot");

/* NULL: the library is not preloaded. */
static Area *area = NULL;
static LWLock *lock = NULL;

/* In a worker. */
static WorkerSlot *own_place = NULL;
static Slot *own = NULL;

static void
attach(void *memory, LWLock *its_lock, bool new)
{
	area = memory;
	lock = its_lock;
	if (new)
		ConditionVariableInit(&area->ends);
}

void
job_area_install(void)
{
	static SharedPiece piece = {"dpobj jobs", sizeof(Area), attach};

	preload_memory(&piece);
}

static void
area_lock(void)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
}

static void
area_unlock(void)
{
	LWLockRelease(lock);
}

/* ---- Slots; the lock is held ------------------------------------------------ */

static WorkerSlot *
place_of(const Slot *slot)
{
	return &area->workers.slot[slot - area->slots];
}

/* Is it that of a worker of our database, which has come? */
static bool
is_ours(const Slot *slot)
{
	const WorkerSlot *place = place_of(slot);

	return place->worker != NULL && place->database == MyDatabaseId;
}

/* NULL if there is none. */
static Slot *
slot_of(int64 job)
{
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		if (is_ours(&area->slots[i]) && area->slots[i].job == job)
			return &area->slots[i];
	}
	return NULL;
}

static int
slots_joined(void)
{
	int joined = 0;

	for (int i = 0; i < JOB_SLOTS; i++)
		joined += area->workers.slot[i].ready;
	return joined;
}

/* ---- Pauses; the lock is held ----------------------------------------------- */

/*
 * A worker found that there are too few worker slots, or died when it ran jobs.  Not one that died
 * before: nobody calls again for it, and a database's owner can see to it that none may connect.
 */
static void
pause_starts(void)
{
	area->pause = area->pause == 0 ? FIRST_PAUSE : Min(2 * area->pause, LAST_PAUSE);
	area->pause_end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), area->pause);
}

/* A job has begun, or a worker slot is free again. */
static void
resume_starts(void)
{
	area->pause = 0;
}

/* Also where the clock was set back. */
static bool
starts_pause(void)
{
	long left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), area->pause_end);

	return area->pause > 0 && left > 0 && left <= area->pause;
}

/* ---- Calls; the lock is held ------------------------------------------------ */

static bool
call_exists(Oid database)
{
	for (int i = 0; i < area->call_count; i++)
	{
		if (area->calls[i] == database)
			return true;
	}
	return false;
}

/* The launcher looks into all databases for the call that finds no room. */
static void
call_add(Oid database)
{
	if (call_exists(database))
		return;
	if (area->call_count < CALLS)
		area->calls[area->call_count++] = database;
	else
		area->calls_lost = true;
}

static void
wake_launcher(void)
{
	if (area->launcher != NULL)
		SetLatch(&area->launcher->procLatch);
}

/* Takes the first call, which is over then; false if no worker can be started for it now. */
static bool
call_take(WorkerSlot *start)
{
	const WorkerSlot *place = NULL;

	if (area->call_count > 0 && !starts_pause())
		place = worker_slot_take(&area->workers, dpobj_max_jobs, area->calls[0]);
	if (place == NULL)
		return false;
	*start = *place;
	area->call_count--;
	memmove(area->calls, area->calls + 1, area->call_count * sizeof(Oid));
	return true;
}

/* ---- Everybody -------------------------------------------------------------- */

int
job_area_running(int64 jobs[JOB_SLOTS])
{
	int count = 0;

	if (area == NULL)
		return 0;
	area_lock();
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		const Slot *slot = &area->slots[i];

		if (is_ours(slot) && slot->job != 0)
			jobs[count++] = slot->job;
	}
	area_unlock();
	return count;
}

static int64
tick_number(const Slot *slot)
{
	return (gate_clock() - slot->scan_start) / ((int64) slot->tick * 1000);
}

/* As it was at the last tick. */
static int
step_to_tell(const Slot *slot)
{
	if (slot->tick > 0 && tick_number(slot) == slot->tick_number)
		return slot->step_at_tick;
	return slot->step;
}

static void
describe(const Slot *slot, JobProgress *progress)
{
	int step = step_to_tell(slot);

	memset(progress, 0, sizeof(*progress));
	progress->phase = slot->phase;
	if (slot->phase == JOB_SCANNING && step == JOB_SCAN_STEPS)
		progress->phase = JOB_SOLVING;
	progress->rows_total = slot->rows_total;
	progress->rows_scanned = floor(slot->rows_total * step / JOB_SCAN_STEPS);
	progress->searched = slot->searched;
	progress->nodes = slot->nodes;
	progress->attempts = slot->attempts;
	progress->gap = slot->gap;
}

bool
job_area_progress(int64 job, JobProgress *progress)
{
	const Slot *slot;

	if (area == NULL)
		return false;
	area_lock();
	slot = slot_of(job);
	if (slot != NULL)
		describe(slot, progress);
	area_unlock();
	return slot != NULL;
}

/* Under the lock, so that the signal is not meant for the job before or after it. */
bool
job_area_cancel(int64 job)
{
	Slot *slot;

	if (area == NULL)
		return false;
	area_lock();
	slot = slot_of(job);
	if (slot != NULL)
	{
		slot->cancelled = true;
		if (!slot->ending)
			(void) kill(place_of(slot)->worker->pid, SIGINT);
	}
	area_unlock();
	return slot != NULL;
}

void
job_area_watch(void)
{
	if (area != NULL)
		ConditionVariablePrepareToSleep(&area->ends);
}

void
job_area_wait(long milliseconds)
{
	(void) ConditionVariableTimedSleep(&area->ends, milliseconds, PG_WAIT_EXTENSION);
}

void
job_area_watch_no_more(void)
{
	ConditionVariableCancelSleep();
}

void
job_area_call(Oid database)
{
	if (area == NULL)
		return;
	area_lock();
	call_add(database);
	wake_launcher();
	area_unlock();
}

bool
job_area_is_crowded(void)
{
	bool crowded;

	if (area == NULL)
		return false;
	area_lock();
	crowded = area->crowded;
	area_unlock();
	return crowded;
}

/* ---- The worker ------------------------------------------------------------- */

/*
 * Whoever waits for the place, or for the job, goes on.  One that dies while it runs jobs leaves
 * those that are queued behind: somebody is to look for them.
 */
static void
leave(int code, Datum argument)
{
	bool failed = own_place->ready && code != 0 && !own->sent_away;

	area_lock();
	if (own_place->ready && code == 0)
		resume_starts();
	if (failed)
	{
		pause_starts();
		call_add(own_place->database);
	}
	worker_slot_clear(own_place);
	wake_launcher();
	area_unlock();
	ConditionVariableBroadcast(&area->ends);
}

bool
job_area_arrive(Oid database)
{
	area_lock();
	own_place = worker_slot_numbered(&area->workers, worker_number());
	if (own_place == NULL || worker_slot_is_lost(own_place)) /* we were not expected any more */
		own_place = worker_slot_take(&area->workers, dpobj_max_jobs, database);
	if (own_place != NULL)
	{
		own_place->worker = MyProc;
		own = &area->slots[own_place - area->workers.slot];
		memset(own, 0, sizeof(*own));
	}
	else
	{
		call_add(database);
		wake_launcher();
	}
	area_unlock();
	if (own != NULL)
		before_shmem_exit(leave, (Datum) 0);
	return own != NULL;
}

bool
job_area_join(int other_workers)
{
	bool joined;

	area_lock();
	joined = max_worker_processes - other_workers - slots_joined() - 1 >= JOB_SPARE_WORKERS;
	own_place->ready = joined;
	area->crowded = !joined;
	if (joined)
		wake_launcher(); /* it looks after workers */
	else
	{
		pause_starts();
		call_add(MyDatabaseId);
	}
	area_unlock();
	return joined;
}

void
job_area_call_again(void)
{
	area_lock();
	call_add(MyDatabaseId);
	area_unlock();
}

bool
job_area_others_wait(void)
{
	bool waiting = false;

	area_lock();
	for (int i = 0; i < area->call_count; i++)
		waiting |= area->calls[i] != MyDatabaseId;
	if (waiting)
		call_add(MyDatabaseId);
	area_unlock();
	return waiting;
}

/* The lock is held. */
static bool
is_looking(const Slot *slot)
{
	return slot != own && is_ours(slot) && place_of(slot)->ready && slot->job == 0 &&
		   !slot->finished;
}

/* Is one of the first so many? */
static bool
any_looks(ptrdiff_t slots)
{
	bool looks = false;

	area_lock();
	for (ptrdiff_t i = 0; i < slots; i++)
		looks |= is_looking(&area->slots[i]);
	area_unlock();
	return looks;
}

bool
job_area_is_looking(void)
{
	return any_looks(JOB_SLOTS);
}

bool
job_area_is_spare(void)
{
	return any_looks(own - area->slots);
}

void
job_area_finish(void)
{
	area_lock();
	own->finished = true;
	area_unlock();
}

bool
job_area_begin(int64 job)
{
	bool cancelled;

	area_lock();
	cancelled = own->cancelled;
	*own = (Slot){.sent_away = own->sent_away, .job = job};
	if (job != 0)
		resume_starts();
	area_unlock();
	if (job == 0)
		ConditionVariableBroadcast(&area->ends);
	return cancelled;
}

void
job_area_end(void)
{
	area_lock();
	own->ending = true;
	area_unlock();
}

bool
job_area_is_cancelled(void)
{
	bool cancelled;

	area_lock();
	cancelled = own->cancelled;
	area_unlock();
	return cancelled;
}

/* The lock is held. */
static void
set_step(int step)
{
	int64 number = own->tick > 0 ? tick_number(own) : 0;

	if (number != own->tick_number)
	{
		own->step_at_tick = own->step;
		own->tick_number = number;
	}
	own->step = step;
}

void
job_area_scan(double rows_total, int tick)
{
	area_lock();
	own->phase = JOB_SCANNING;
	own->rows_total = rows_total;
	own->tick = tick;
	own->scan_start = gate_clock();
	area_unlock();
}

/* Called for each page: own->step is nobody else's to change. */
void
job_area_scanned(double part)
{
	int step = part < 1 ? (int) (part * JOB_SCAN_STEPS) : JOB_SCAN_STEPS;

	if (step <= own->step)
		return;
	area_lock();
	set_step(step);
	area_unlock();
}

void
job_area_searched(const MechanismProgress *progress)
{
	area_lock();
	own->searched = true;
	own->nodes = progress->nodes;
	own->attempts = progress->attempts;
	own->gap = progress_gap(progress);
	area_unlock();
}

void
job_area_release(void)
{
	area_lock();
	own->phase = JOB_RELEASING;
	own->step = own->step_at_tick = JOB_SCAN_STEPS;
	area_unlock();
}

/* ---- The launcher ----------------------------------------------------------- */

static void
resign(int code, Datum argument)
{
	area_lock();
	area->launcher = NULL;
	area_unlock();
}

void
job_area_lead(void)
{
	area_lock();
	area->launcher = MyProc;
	area_unlock();
	before_shmem_exit(resign, (Datum) 0);
}

/* A worker that never came has looked for nothing.  Are there others that are still to come? */
static bool
call_again_for_lost(void)
{
	bool waiting = false;

	for (int i = 0; i < WORKER_SLOTS; i++)
	{
		WorkerSlot *place = &area->workers.slot[i];

		if (worker_slot_is_lost(place))
		{
			call_add(place->database);
			worker_slot_clear(place);
		}
		waiting |= place->number != 0 && place->worker == NULL;
	}
	return waiting;
}

/* The place of a worker that will not come; crowded: because there was no worker slot. */
static void
give_back(const WorkerSlot *start, bool crowded)
{
	area_lock();
	worker_slot_give_up(&area->workers, start->number);
	if (crowded)
	{
		area->crowded = true;
		call_add(start->database);
	}
	area_unlock();
}

/* Each call once: a worker that finds no place calls again. */
bool
job_area_answer_calls(bool (*may_connect)(Oid database))
{
	int calls;
	bool left;

	area_lock();
	(void) call_again_for_lost();
	calls = area->call_count;
	area_unlock();
	for (int i = 0; i < calls; i++)
	{
		WorkerSlot start;
		bool taken;

		area_lock();
		taken = call_take(&start);
		area_unlock();
		if (!taken)
			break;
		if (!may_connect(start.database))
			give_back(&start, false);
		else if (!worker_register(&start, JOB_WORKER_NAME, JOB_WORKER_FUNCTION))
			give_back(&start, true);
	}
	area_lock();
	left = call_again_for_lost() || (area->call_count > 0 && dpobj_max_jobs > 0);
	area_unlock();
	return !left;
}

bool
job_area_is_full(void)
{
	bool full;

	area_lock();
	full = area->call_count == CALLS;
	area_unlock();
	return full;
}

bool
job_area_lost_calls(void)
{
	bool lost;

	area_lock();
	lost = area->calls_lost;
	area->calls_lost = false;
	area_unlock();
	return lost;
}

int
job_area_databases(Oid databases[JOB_SLOTS])
{
	int count = 0;

	area_lock();
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		const WorkerSlot *place = &area->workers.slot[i];
		bool known = place->worker == NULL;

		for (int j = 0; j < count; j++)
			known |= databases[j] == place->database;
		if (!known)
			databases[count++] = place->database;
	}
	area_unlock();
	return count;
}

/* Under the lock, so that the signal is not meant for another process of that number. */
void
job_area_send_away(Oid database)
{
	area_lock();
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		const WorkerSlot *place = &area->workers.slot[i];

		if (place->worker == NULL || place->database != database)
			continue;
		area->slots[i].sent_away = true;
		(void) kill(place->worker->pid, SIGTERM);
	}
	area_unlock();
}

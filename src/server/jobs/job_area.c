/*
 * job_area.c - the slots of running jobs and their progress, in shared memory.
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
#include "server/release/progress.h"

/* The most calls that can be pending: one for each database. */
#define CALLS 64

/* Milliseconds without a start after the first failure, and at most after many in a row. */
#define FIRST_PAUSE 200
#define LAST_PAUSE 60000

/* What a worker does. */
typedef struct Slot
{
	bool finished;   /* it does not look for jobs any more */
	bool terminated; /* by the launcher */
	int64 job;       /* 0: none */
	bool cancelled;
	bool ending;          /* the job's end is being written: a cancel does not interrupt it */
	JobProgress progress; /* without rows_scanned, which follows from the step */
	int step;             /* of the scan; JOB_SCAN_STEPS: the scan has ended */
	int step_at_tick;     /* the step when the last tick began */
	int64 tick_number;
	int tick;         /* milliseconds, 0: there are no ticks */
	int64 scan_start; /* by gate_clock(); ticks are counted from here */
} Slot;

typedef struct Area
{
	ConditionVariable ends; /* some job has ended */
	PGPROC *launcher;
	WorkerSlots workers;   /* ready: the worker runs jobs */
	Slot slots[JOB_SLOTS]; /* slots[i] is of the worker of workers.slot[i] */
	int pause;             /* milliseconds, doubled at each failure; 0: the last start succeeded */
	TimestampTz pause_end;
	bool calls_lost;
	bool crowded; /* the last worker found too few of max_worker_processes free */
	int call_count;
	Oid calls[CALLS]; /* databases; the first call is answered first */
} Area;

StaticAssertDecl(JOB_SLOTS == WORKER_SLOTS, "each start has a slot");

static Area *area = NULL;
static LWLock *lock = NULL;

/* In a worker: its own. */
static WorkerSlot *own_start = NULL;
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

/* ---- Slots; the lock is held ------------------------------------------------ */

static WorkerSlot *
start_of(const Slot *slot)
{
	return &area->workers.slot[slot - area->slots];
}

/* Has a worker of this database taken the slot? */
static bool
is_ours(const Slot *slot)
{
	const WorkerSlot *start = start_of(slot);

	return start->worker != NULL && start->database == MyDatabaseId;
}

/* The slot of a job of this database; NULL if it has none. */
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

/* Counts the workers that run jobs, of all databases. */
static int
count_ready(void)
{
	int ready = 0;

	for (int i = 0; i < JOB_SLOTS; i++)
		ready += area->workers.slot[i].ready;
	return ready;
}

/* ---- Pauses; the lock is held ----------------------------------------------- */

/*
 * Called for a worker that found too few worker slots free or died while it ran jobs.  It is not
 * called for one that died before: that one does not call again, and the owner of a database can
 * keep workers from connecting.
 */
static void
pause_starts(void)
{
	area->pause = area->pause == 0 ? FIRST_PAUSE : Min(2 * area->pause, LAST_PAUSE);
	area->pause_end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), area->pause);
}

/* False, too, if the clock was set back to before the pause. */
static bool
starts_pause(void)
{
	long left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), area->pause_end);

	return area->pause > 0 && left > 0 && left <= area->pause;
}

/* ---- Calls; the lock is held ------------------------------------------------ */

/* For a call that finds no room, the launcher calls for all databases. */
static void
call_add(Oid database)
{
	for (int i = 0; i < area->call_count; i++)
	{
		if (area->calls[i] == database)
			return;
	}
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

/* Removes the first call and takes a slot for its worker; false if none can be started now. */
static bool
call_take(WorkerSlot *start)
{
	const WorkerSlot *taken = NULL;

	if (area->call_count > 0 && !starts_pause())
		taken = worker_slot_take(&area->workers, dpobj_max_jobs, area->calls[0]);
	if (taken == NULL)
		return false;
	*start = *taken;
	area->call_count--;
	memmove(area->calls, area->calls + 1, area->call_count * sizeof(Oid));
	return true;
}

/* ---- Everybody -------------------------------------------------------------- */

int
job_area_running(int64 jobs[JOB_SLOTS])
{
	int count = 0;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		const Slot *slot = &area->slots[i];

		if (is_ours(slot) && slot->job != 0)
			jobs[count++] = slot->job;
	}
	LWLockRelease(lock);
	return count;
}

static int64
tick_number(const Slot *slot)
{
	return (gate_clock() - slot->scan_start) / ((int64) slot->tick * 1000);
}

/* The step of the scan as it was at the last tick. */
static int
shown_step(const Slot *slot)
{
	if (slot->tick > 0 && tick_number(slot) == slot->tick_number)
		return slot->step_at_tick;
	return slot->step;
}

static void
describe(const Slot *slot, JobProgress *progress)
{
	int step = shown_step(slot);

	*progress = slot->progress;
	if (progress->phase == JOB_SCANNING && step == JOB_SCAN_STEPS)
		progress->phase = JOB_SOLVING;
	progress->rows_scanned = floor(progress->rows_total * step / JOB_SCAN_STEPS);
}

bool
job_area_progress(int64 job, JobProgress *progress)
{
	const Slot *slot;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	slot = slot_of(job);
	if (slot != NULL)
		describe(slot, progress);
	LWLockRelease(lock);
	return slot != NULL;
}

/* Sends the signal under the lock, so that it cannot reach the job before or after this one. */
bool
job_area_cancel(int64 job)
{
	Slot *slot;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	slot = slot_of(job);
	if (slot != NULL)
	{
		slot->cancelled = true;
		if (!slot->ending)
			(void) kill(start_of(slot)->worker->pid, SIGINT);
	}
	LWLockRelease(lock);
	return slot != NULL;
}

void
job_area_wait(long milliseconds)
{
	(void) ConditionVariableTimedSleep(&area->ends, milliseconds, PG_WAIT_EXTENSION);
}

void
job_area_end_wait(void)
{
	ConditionVariableCancelSleep();
}

void
job_area_call(Oid database)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	call_add(database);
	wake_launcher();
	LWLockRelease(lock);
}

bool
job_area_is_crowded(void)
{
	bool crowded;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	crowded = area->crowded;
	LWLockRelease(lock);
	return crowded;
}

/* ---- The worker ------------------------------------------------------------- */

/*
 * Frees the worker's slot when it exits.  If it dies while it runs jobs, queued ones may be left,
 * so another worker is called.
 */
static void
free_slot(int code, Datum argument)
{
	bool failed = own_start->ready && code != 0 && !own->terminated;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	if (own_start->ready && code == 0)
		area->pause = 0;
	if (failed)
	{
		pause_starts();
		call_add(own_start->database);
	}
	worker_slot_clear(own_start);
	wake_launcher();
	LWLockRelease(lock);
	ConditionVariableBroadcast(&area->ends);
}

bool
job_area_take_slot(Oid database)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	own_start = worker_slot_numbered(&area->workers, worker_number());
	if (own_start == NULL || worker_slot_is_lost(own_start)) /* this worker comes too late */
		own_start = worker_slot_take(&area->workers, dpobj_max_jobs, database);
	if (own_start != NULL)
	{
		own_start->worker = MyProc;
		own = &area->slots[own_start - area->workers.slot];
		memset(own, 0, sizeof(*own));
	}
	else
	{
		call_add(database);
		wake_launcher();
	}
	LWLockRelease(lock);
	if (own != NULL)
		before_shmem_exit(free_slot, (Datum) 0);
	return own != NULL;
}

bool
job_area_activate(int other_workers)
{
	bool ready;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	ready = max_worker_processes - other_workers - count_ready() - 1 >= JOB_SPARE_WORKERS;
	own_start->ready = ready;
	area->crowded = !ready;
	if (ready)
		wake_launcher(); /* to watch for DROP DATABASE */
	else
	{
		pause_starts();
		call_add(MyDatabaseId);
	}
	LWLockRelease(lock);
	return ready;
}

void
job_area_call_again(void)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	call_add(MyDatabaseId);
	LWLockRelease(lock);
}

bool
job_area_must_yield(void)
{
	bool waiting = false;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < area->call_count; i++)
		waiting |= area->calls[i] != MyDatabaseId;
	if (waiting)
		call_add(MyDatabaseId);
	LWLockRelease(lock);
	return waiting;
}

/* Does another worker, of one of the first slots, look for jobs of this database? */
static bool
any_looks(ptrdiff_t slots)
{
	bool looks = false;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (ptrdiff_t i = 0; i < slots; i++)
	{
		const Slot *slot = &area->slots[i];

		looks |= slot != own && is_ours(slot) && start_of(slot)->ready && slot->job == 0 &&
				 !slot->finished;
	}
	LWLockRelease(lock);
	return looks;
}

bool
job_area_is_looking(void)
{
	return any_looks(JOB_SLOTS);
}

bool
job_area_is_redundant(void)
{
	return any_looks(own - area->slots);
}

void
job_area_stop_looking(void)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	own->finished = true;
	LWLockRelease(lock);
}

bool
job_area_set_job(int64 job)
{
	bool cancelled;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	cancelled = own->cancelled;
	*own = (Slot){.terminated = own->terminated, .job = job};
	if (job != 0)
		area->pause = 0;
	LWLockRelease(lock);
	if (job == 0)
		ConditionVariableBroadcast(&area->ends);
	return cancelled;
}

void
job_area_ignore_cancels(void)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	own->ending = true;
	LWLockRelease(lock);
}

bool
job_area_is_cancelled(void)
{
	bool cancelled;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	cancelled = own->cancelled;
	LWLockRelease(lock);
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
job_area_charged(int64 release, double rows_total, int tick)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	own->progress.phase = JOB_SCANNING;
	own->progress.release = release;
	own->progress.rows_total = rows_total;
	own->tick = tick;
	own->scan_start = gate_clock();
	LWLockRelease(lock);
}

/* Called for each page.  Only this worker changes own->step, so it reads it without the lock. */
void
job_area_scanned(double part)
{
	int step = part < 1 ? (int) (part * JOB_SCAN_STEPS) : JOB_SCAN_STEPS;

	if (step <= own->step)
		return;
	LWLockAcquire(lock, LW_EXCLUSIVE);
	set_step(step);
	LWLockRelease(lock);
}

void
job_area_searched(const MechanismProgress *progress)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	own->progress.searched = true;
	own->progress.nodes = progress->nodes;
	own->progress.attempts = progress->attempts;
	own->progress.gap = progress_gap(progress);
	LWLockRelease(lock);
}

void
job_area_release(void)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	own->progress.phase = JOB_RELEASING;
	own->step = own->step_at_tick = JOB_SCAN_STEPS;
	LWLockRelease(lock);
}

/* ---- The launcher ----------------------------------------------------------- */

static void
unset_launcher(int code, Datum argument)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	area->launcher = NULL;
	LWLockRelease(lock);
}

void
job_area_set_launcher(void)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	area->launcher = MyProc;
	LWLockRelease(lock);
	before_shmem_exit(unset_launcher, (Datum) 0);
}

/* Calls again for workers that never came.  Returns whether any may still come. */
static bool
call_again_for_lost(void)
{
	bool waiting = false;

	for (int i = 0; i < WORKER_SLOTS; i++)
	{
		WorkerSlot *start = &area->workers.slot[i];

		if (worker_slot_is_lost(start))
		{
			call_add(start->database);
			worker_slot_clear(start);
		}
		waiting |= start->number != 0 && start->worker == NULL;
	}
	return waiting;
}

/* Frees the slot of a worker that cannot start.  crowded: no worker slot was free; calls again. */
static void
give_back(const WorkerSlot *start, bool crowded)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	worker_slot_give_up(&area->workers, start->number);
	if (crowded)
	{
		area->crowded = true;
		call_add(start->database);
	}
	LWLockRelease(lock);
}

/* Answers each pending call once; those that are added meanwhile wait for the next time. */
bool
job_area_answer_calls(bool (*may_connect)(Oid database))
{
	int calls;
	bool left;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	(void) call_again_for_lost();
	calls = area->call_count;
	LWLockRelease(lock);
	for (int i = 0; i < calls; i++)
	{
		WorkerSlot start;
		bool taken;

		LWLockAcquire(lock, LW_EXCLUSIVE);
		taken = call_take(&start);
		LWLockRelease(lock);
		if (!taken)
			break;
		if (!may_connect(start.database))
			give_back(&start, false);
		else if (!worker_register(&start, JOB_WORKER_NAME, JOB_WORKER_FUNCTION))
			give_back(&start, true);
	}
	LWLockAcquire(lock, LW_EXCLUSIVE);
	left = call_again_for_lost() || (area->call_count > 0 && dpobj_max_jobs > 0);
	LWLockRelease(lock);
	return !left;
}

bool
job_area_is_full(void)
{
	bool full;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	full = area->call_count == CALLS;
	LWLockRelease(lock);
	return full;
}

bool
job_area_lost_calls(void)
{
	bool lost;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	lost = area->calls_lost;
	area->calls_lost = false;
	LWLockRelease(lock);
	return lost;
}

int
job_area_databases(Oid databases[JOB_SLOTS])
{
	int count = 0;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		const WorkerSlot *start = &area->workers.slot[i];
		bool known = start->worker == NULL;

		for (int j = 0; j < count; j++)
			known |= databases[j] == start->database;
		if (!known)
			databases[count++] = start->database;
	}
	LWLockRelease(lock);
	return count;
}

/* Sends the signal under the lock, so that it cannot reach another process with that pid. */
void
job_area_terminate(Oid database)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		const WorkerSlot *start = &area->workers.slot[i];

		if (start->worker == NULL || start->database != database)
			continue;
		area->slots[i].terminated = true;
		(void) kill(start->worker->pid, SIGTERM);
	}
	LWLockRelease(lock);
}

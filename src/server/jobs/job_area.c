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
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_worker.h"
#include "server/release/progress.h"

#define AREA_NAME "dpobj jobs"

/* Another one whenever the structures below mean something else. */
#define AREA_LAYOUT "dpobj jobs, layout 2"

/* Of every layout, so that each finds the others' and says so. */
#define AREA_SIZE 8192

/* Databases that somebody is to look into. */
#define CALLS 64

/* Milliseconds that a worker has to come in; then it is taken to have never been. */
#define START_PATIENCE 5000

/* Milliseconds without a start after one in vain, and after many in a row. */
#define FIRST_PAUSE 200
#define LAST_PAUSE 60000

/* Belongs to a worker from the moment that its start is asked for until it ends. */
typedef struct Slot
{
	uint64 start;      /* number of the start, 0: nobody's */
	TimestampTz since; /* when it was asked for */
	int pid;           /* 0: the worker has not come yet */
	bool joined;       /* it runs jobs */
	bool finished;     /* it looks for jobs no more */
	bool sent_away;    /* by the launcher */
	Oid database;
	int64 job; /* 0: none yet */
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
	char layout[sizeof(AREA_LAYOUT)]; /* in front, for all time */
	LWLock lock;
	ConditionVariable ends;
	PGPROC *launcher;
	uint64 last_start;
	Slot slots[JOB_SLOTS];
	int pause; /* milliseconds, after the last start in vain; 0: it was not */
	TimestampTz pause_end;
	bool calls_lost;
	bool crowded; /* the last worker found no room among max_worker_processes */
	int call_count;
	Oid calls[CALLS]; /* first come, first served */
} Area;

StaticAssertDecl(sizeof(Area) <= AREA_SIZE, "the area must hold the jobs");

static Area *area = NULL;
static Slot *own = NULL;

/* ---- Shared memory ---------------------------------------------------------- */

static shmem_request_hook_type next_request_hook = NULL;

static void
request_memory(void)
{
	if (next_request_hook != NULL)
		next_request_hook();
	RequestAddinShmemSpace(AREA_SIZE);
}

void
job_area_install(void)
{
	if (process_shared_preload_libraries_in_progress)
		chain_shmem_request(&next_request_hook, request_memory);
}

static Area *
area_find(void)
{
	bool found;
	Area *there;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	there = ShmemInitStruct(AREA_NAME, AREA_SIZE, &found);
	if (!found)
	{
		memset(there, 0, AREA_SIZE);
		strlcpy(there->layout, AREA_LAYOUT, sizeof(there->layout));
		LWLockInitialize(&there->lock, LWLockNewTrancheId());
		ConditionVariableInit(&there->ends);
	}
	LWLockRelease(AddinShmemInitLock);
	return there;
}

/* A library that is not preloaded may be replaced while the memory stays. */
static void
area_attach(void)
{
	Area *there;

	if (area != NULL)
		return;
	there = area_find();
	if (strncmp(there->layout, AREA_LAYOUT, sizeof(there->layout)) != 0)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("another version of dpobj runs jobs in this server"),
						errdetail("The library was replaced while the server was running."),
						errhint("Restart the server.")));
	area = there;
	LWLockRegisterTranche(area->lock.tranche, AREA_NAME);
}

static void
area_lock(void)
{
	area_attach();
	LWLockAcquire(&area->lock, LW_EXCLUSIVE);
}

static void
area_unlock(void)
{
	LWLockRelease(&area->lock);
}

/* ---- Slots; the lock is held ------------------------------------------------ */

static Slot *
slot_of(int64 job)
{
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		Slot *slot = &area->slots[i];

		if (slot->pid != 0 && slot->database == MyDatabaseId && slot->job == job)
			return slot;
	}
	return NULL;
}

/*
 * A worker that does not come may not have been forked, or have died on its way.  Also where the
 * clock was set back.
 */
static bool
is_forgotten(const Slot *slot)
{
	TimestampTz now = GetCurrentTimestamp();

	return slot->start != 0 && slot->pid == 0 &&
		   (now < slot->since || TimestampDifferenceExceeds(slot->since, now, START_PATIENCE));
}

static bool
is_free(const Slot *slot)
{
	return slot->start == 0 || is_forgotten(slot);
}

static int
slots_joined(void)
{
	int joined = 0;

	for (int i = 0; i < JOB_SLOTS; i++)
		joined += area->slots[i].joined;
	return joined;
}

/* Null if none is free, or dpobj.max_jobs are taken. */
static Slot *
slot_free(void)
{
	Slot *found = NULL;
	int taken = 0;

	for (int i = 0; i < JOB_SLOTS; i++)
	{
		if (!is_free(&area->slots[i]))
			taken++;
		else if (found == NULL)
			found = &area->slots[i];
	}
	return taken < dpobj_max_jobs ? found : NULL;
}

/* Null if somebody else has it by now. */
static Slot *
slot_started(uint64 start)
{
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		if (area->slots[i].start == start)
			return &area->slots[i];
	}
	return NULL;
}

static void
slot_clear(Slot *slot)
{
	memset(slot, 0, sizeof(*slot));
}

/* Takes a free one; null if there is none. */
static Slot *
slot_take(Oid database)
{
	Slot *slot = slot_free();

	if (slot == NULL)
		return NULL;
	slot_clear(slot);
	slot->start = ++area->last_start;
	slot->since = GetCurrentTimestamp();
	slot->database = database;
	return slot;
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

/* What finds no room, the launcher or the next call of a function of ours looks for. */
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

/* The number of the start of a worker, which has its slot; 0: it cannot be started now. */
static uint64
start_reserve(Oid database)
{
	const Slot *slot = starts_pause() ? NULL : slot_take(database);

	return slot == NULL ? 0 : slot->start;
}

/* The same for the first call, which is over then. */
static uint64
call_take(Oid *database)
{
	uint64 start;

	if (area->call_count == 0)
		return 0;
	*database = area->calls[0];
	start = start_reserve(*database);
	if (start == 0)
		return 0;
	area->call_count--;
	memmove(area->calls, area->calls + 1, area->call_count * sizeof(Oid));
	return start;
}

/* ---- Everybody -------------------------------------------------------------- */

int
job_area_running(int64 jobs[JOB_SLOTS])
{
	int count = 0;

	area_lock();
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		const Slot *slot = &area->slots[i];

		if (slot->pid != 0 && slot->database == MyDatabaseId && slot->job != 0)
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

	area_lock();
	slot = slot_of(job);
	if (slot != NULL)
	{
		slot->cancelled = true;
		if (!slot->ending)
			(void) kill(slot->pid, SIGINT);
	}
	area_unlock();
	return slot != NULL;
}

void
job_area_watch(void)
{
	area_attach();
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

/* The slot of a worker that will not come; is there to be another one? */
static void
give_back(uint64 start, Oid database, bool call)
{
	Slot *slot;

	area_lock();
	slot = slot_started(start);
	if (slot != NULL)
		slot_clear(slot);
	if (call)
	{
		area->crowded = true;
		call_add(database);
	}
	area_unlock();
}

/* Who finds no worker slot calls again: the launcher, or the next function of ours. */
static void
start_worker(uint64 start, Oid database)
{
	if (!job_worker_start(start, database))
		give_back(start, database, true);
}

void
job_area_call(Oid database)
{
	uint64 start = 0;

	area_lock();
	if (area->launcher == NULL)
		start = start_reserve(database);
	if (start == 0)
		call_add(database);
	wake_launcher();
	area_unlock();
	if (start != 0)
		start_worker(start, database);
}

bool
job_area_is_crowded(void)
{
	bool crowded;

	area_lock();
	crowded = area->crowded;
	area_unlock();
	return crowded;
}

bool
job_area_is_called(void)
{
	bool called;

	area_lock();
	called = call_exists(MyDatabaseId) || (area->calls_lost && area->launcher == NULL);
	area_unlock();
	return called;
}

/* ---- The worker ------------------------------------------------------------- */

/*
 * Whoever waits for the place, or for the job, goes on.  One that dies while it runs jobs leaves
 * those that are queued behind: somebody is to look for them.
 */
static void
leave(int code, Datum argument)
{
	bool failed = own->joined && code != 0 && !own->sent_away;
	bool done = own->joined && code == 0;
	Oid database = own->database;
	Oid next = InvalidOid;
	uint64 start = 0;

	area_lock();
	slot_clear(own);
	own = NULL;
	if (done)
		resume_starts();
	if (area->launcher == NULL)
		start = call_take(&next);
	if (failed)
	{
		pause_starts();
		call_add(database);
	}
	wake_launcher();
	area_unlock();
	ConditionVariableBroadcast(&area->ends);
	if (start != 0)
		start_worker(start, next);
}

bool
job_area_arrive(uint64 start, Oid database)
{
	area_lock();
	own = slot_started(start);
	if (own == NULL || is_free(own))
		own = slot_take(database); /* we were not expected any more */
	if (own != NULL)
		own->pid = MyProcPid;
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
	area_lock();
	own->joined = max_worker_processes - other_workers - slots_joined() - 1 >= JOB_SPARE_WORKERS;
	area->crowded = !own->joined;
	if (own->joined)
		wake_launcher(); /* it looks after workers */
	else
	{
		pause_starts();
		call_add(MyDatabaseId);
	}
	area_unlock();
	return own->joined;
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
	return slot != own && slot->joined && slot->database == MyDatabaseId && slot->job == 0 &&
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
	Slot next = {.start = own->start,
				 .pid = MyProcPid,
				 .joined = true,
				 .database = MyDatabaseId,
				 .job = job};

	area_lock();
	next.sent_away = own->sent_away;
	cancelled = own->cancelled;
	*own = next;
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
call_again_for_forgotten(void)
{
	bool waiting = false;

	for (int i = 0; i < JOB_SLOTS; i++)
	{
		Slot *slot = &area->slots[i];

		if (is_forgotten(slot))
		{
			call_add(slot->database);
			slot_clear(slot);
		}
		waiting |= slot->start != 0 && slot->pid == 0;
	}
	return waiting;
}

/* Each call once: a worker that finds no place calls again. */
bool
job_area_answer_calls(bool (*may_connect)(Oid database))
{
	int calls;
	bool left;

	area_lock();
	(void) call_again_for_forgotten();
	calls = area->call_count;
	area_unlock();
	for (int i = 0; i < calls; i++)
	{
		Oid database;
		uint64 start;

		area_lock();
		start = call_take(&database);
		area_unlock();
		if (start == 0)
			break;
		if (may_connect(database))
			start_worker(start, database);
		else
			give_back(start, database, false);
	}
	area_lock();
	left = call_again_for_forgotten() || (area->call_count > 0 && dpobj_max_jobs > 0);
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
		bool known = area->slots[i].pid == 0;

		for (int j = 0; j < count; j++)
			known |= databases[j] == area->slots[i].database;
		if (!known)
			databases[count++] = area->slots[i].database;
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
		Slot *slot = &area->slots[i];

		if (slot->pid == 0 || slot->database != database)
			continue;
		slot->sent_away = true;
		(void) kill(slot->pid, SIGTERM);
	}
	area_unlock();
}

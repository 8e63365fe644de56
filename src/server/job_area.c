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

#include "compat.h"
#include "dpobj.h"
#include "job_area.h"
#include "job_worker.h"
#include "progress.h"

#define AREA_NAME "dpobj jobs"

/* Databases that somebody is to look into. */
#define CALLS 64

typedef struct Slot
{
	int pid; /* 0: nobody's */
	Oid database;
	int64 job; /* 0: none yet */
	bool cancelled;
	JobPhase phase;
	double rows_total;
	int step;         /* of the scan; JOB_SCAN_STEPS: it has ended */
	int step_at_tick; /* when its last tick began */
	int64 tick_number;
	int tick; /* milliseconds, 0: none */
	bool searched;
	int64 nodes;
	int64 attempts;
	double gap;
} Slot;

typedef struct Area
{
	LWLock lock;
	ConditionVariable ends;
	PGPROC *launcher;
	Slot slots[JOB_SLOTS];
	int call_count;
	Oid calls[CALLS]; /* first come, first served */
} Area;

static Area *area = NULL;
static Slot *own = NULL;

/* ---- Shared memory ---------------------------------------------------------- */

static shmem_request_hook_type next_request_hook = NULL;

static void
request_memory(void)
{
	if (next_request_hook != NULL)
		next_request_hook();
	RequestAddinShmemSpace(MAXALIGN(sizeof(Area)));
}

void
job_area_install(void)
{
	if (process_shared_preload_libraries_in_progress)
		chain_shmem_request(&next_request_hook, request_memory);
}

static void
area_attach(void)
{
	bool found;

	if (area != NULL)
		return;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	area = ShmemInitStruct(AREA_NAME, sizeof(Area), &found);
	if (!found)
	{
		memset(area, 0, sizeof(Area));
		LWLockInitialize(&area->lock, LWLockNewTrancheId());
		ConditionVariableInit(&area->ends);
	}
	LWLockRelease(AddinShmemInitLock);
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

static int
slots_taken(void)
{
	int taken = 0;

	for (int i = 0; i < JOB_SLOTS; i++)
		taken += area->slots[i].pid != 0;
	return taken;
}

static Slot *
slot_free(void)
{
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		if (area->slots[i].pid == 0)
			return &area->slots[i];
	}
	return NULL;
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

/* What finds no room is looked for by the next call of a function of ours. */
static void
call_add(Oid database)
{
	if (!call_exists(database) && area->call_count < CALLS)
		area->calls[area->call_count++] = database;
}

/* The first one, if there is a place for its worker; else invalid. */
static Oid
call_take(void)
{
	Oid database;

	if (area->call_count == 0 || slots_taken() >= Min(dpobj_max_jobs, JOB_SLOTS))
		return InvalidOid;
	database = area->calls[0];
	area->call_count--;
	memmove(area->calls, area->calls + 1, area->call_count * sizeof(Oid));
	return database;
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
tick_number(int tick)
{
	return GetCurrentTimestamp() / ((TimestampTz) tick * 1000);
}

/* As it was at the last tick. */
static int
step_to_tell(const Slot *slot)
{
	if (slot->tick > 0 && tick_number(slot->tick) == slot->tick_number)
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

/* Who finds no worker slot calls again: the launcher, or the next function of ours. */
static void
start_or_call(Oid database)
{
	if (job_worker_start(database))
		return;
	area_lock();
	call_add(database);
	area_unlock();
}

void
job_area_call(Oid database)
{
	PGPROC *launcher;

	area_lock();
	launcher = area->launcher;
	if (launcher != NULL)
	{
		call_add(database);
		SetLatch(&launcher->procLatch);
	}
	area_unlock();
	if (launcher == NULL)
		start_or_call(database);
}

bool
job_area_is_called(void)
{
	bool called;

	area_lock();
	called = call_exists(MyDatabaseId);
	area_unlock();
	return called;
}

/* ---- The worker ------------------------------------------------------------- */

/* Whoever waits for the place, or for the job, goes on. */
static void
leave(int code, Datum argument)
{
	PGPROC *launcher;
	Oid next = InvalidOid;

	area_lock();
	memset(own, 0, sizeof(*own));
	own = NULL;
	launcher = area->launcher;
	if (launcher != NULL)
		SetLatch(&launcher->procLatch);
	else
		next = call_take();
	area_unlock();
	ConditionVariableBroadcast(&area->ends);
	if (OidIsValid(next))
		start_or_call(next);
}

bool
job_area_join(int other_workers)
{
	int taken;

	area_lock();
	taken = slots_taken();
	if (taken < Min(dpobj_max_jobs, JOB_SLOTS) &&
		max_worker_processes - other_workers - taken - 1 >= JOB_SPARE_WORKERS)
		own = slot_free();
	if (own != NULL)
	{
		own->pid = MyProcPid;
		own->database = MyDatabaseId;
		if (area->launcher != NULL)
			SetLatch(&area->launcher->procLatch); /* it looks after workers */
	}
	else
		call_add(MyDatabaseId);
	area_unlock();
	if (own != NULL)
		before_shmem_exit(leave, (Datum) 0);
	return own != NULL;
}

/* Then ours is called last. */
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

void
job_area_begin(int64 job)
{
	int pid = own->pid;

	area_lock();
	memset(own, 0, sizeof(*own));
	own->pid = pid;
	own->database = MyDatabaseId;
	own->job = job;
	area_unlock();
	if (job == 0)
		ConditionVariableBroadcast(&area->ends);
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
	int64 number = own->tick > 0 ? tick_number(own->tick) : 0;

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

/* Each call once: a worker that finds no place calls again. */
bool
job_area_answer_calls(void)
{
	int calls;
	bool left;

	area_lock();
	calls = area->call_count;
	area_unlock();
	for (int i = 0; i < calls; i++)
	{
		Oid database;

		area_lock();
		database = call_take();
		area_unlock();
		if (!OidIsValid(database))
			break;
		start_or_call(database);
	}
	area_lock();
	left = area->call_count > 0;
	area_unlock();
	return !left;
}

int
job_area_workers(Oid databases[JOB_SLOTS], int pids[JOB_SLOTS])
{
	int count = 0;

	area_lock();
	for (int i = 0; i < JOB_SLOTS; i++)
	{
		if (area->slots[i].pid == 0)
			continue;
		databases[count] = area->slots[i].database;
		pids[count++] = area->slots[i].pid;
	}
	area_unlock();
	return count;
}

/*
 * job_area.h - the slots of running jobs and their progress, in shared memory.
 *
 * A job whose row in dpobj.job_rows says running has a slot, from before the row says so until
 * after it no longer does; a running job without a slot has lost its worker.
 *
 * A slot is taken when the start of a worker is requested (worker_start.h), so that starting and
 * working job workers together are at most dpobj.max_jobs.
 *
 * A call asks the launcher to start a worker that looks for queued jobs of a database.
 */
#ifndef DPOBJ_JOB_AREA_H
#define DPOBJ_JOB_AREA_H

#include "postgres.h"

#include "core/mechanisms/mechanism.h"

/* The worker's type and only text in pg_stat_activity. */
#define JOB_WORKER_NAME "dpobj job"

/* The worker's entry point, as the postmaster looks it up. */
#define JOB_WORKER_FUNCTION "dpobj_job_main"

/* The most that dpobj.max_jobs may be. */
#define JOB_SLOTS 32

/* Worker slots that jobs leave to charges and parallel queries. */
#define JOB_SPARE_WORKERS 2

/* The progress of a scan is shown in this many steps. */
#define JOB_SCAN_STEPS 20

typedef enum JobPhase
{
	JOB_QUEUED, /* also a running job that waits for its turn to scan */
	JOB_SCANNING,
	JOB_SOLVING,
	JOB_RELEASING
} JobPhase;

/* What dpobj.progress shows of a running job. */
typedef struct JobProgress
{
	JobPhase phase;
	int64 release; /* 0: not charged yet */
	double rows_scanned;
	double rows_total; /* from public statistics; 0 until the scan begins, or if not public */
	/* the rest is for the table's owner only */
	bool searched; /* the solver has reported */
	int64 nodes;
	int64 attempts;
	double gap;
} JobProgress;

/* Requests the memory; for _PG_init(). */
extern void job_area_install(void);

/* ---- Everybody ---- */

/* Lists the jobs of this database that have a slot; returns how many. */
extern int job_area_running(int64 jobs[JOB_SLOTS]);

/* False if the job has no slot. */
extern bool job_area_progress(int64 job, JobProgress *progress);

/* Interrupts the job's worker; false if the job has no slot. */
extern bool job_area_cancel(int64 job);

/*
 * Sleeps until some job has ended, at most this many milliseconds; the first call returns at once.
 * After the last one, job_area_end_wait().
 */
extern void job_area_wait(long milliseconds);
extern void job_area_end_wait(void);

/* Adds a call, and wakes the launcher. */
extern void job_area_call(Oid database);

/* Did the last worker, or its start, find too few of max_worker_processes free? */
extern bool job_area_is_crowded(void);

/* Does another worker of this database look for jobs? */
extern bool job_area_is_looking(void);

/* ---- The worker ---- */

/*
 * Takes the slot that the worker was started for, or another one if the worker is late; the first
 * thing that it does.  False, after another call, if none of dpobj.max_jobs is free.
 */
extern bool job_area_take_slot(Oid database);

/*
 * Lets the worker run jobs if enough worker slots stay free; other_workers: background workers
 * that are not of jobs.  False, after another call, if too few do.
 */
extern bool job_area_activate(int other_workers);

/* Adds a call for this database, which the launcher sees when this worker exits. */
extern void job_area_call_again(void);

/* Must this worker exit because of a call for another database?  Then this one is called last. */
extern bool job_area_must_yield(void);

/* Does the worker of an earlier slot look for jobs of this database, too? */
extern bool job_area_is_redundant(void);

/* Notes that the worker does not look for jobs any more; while it has the queue locked. */
extern void job_area_stop_looking(void);

/* Gives the slot to this job, 0: to none.  Returns whether the job before was cancelled. */
extern bool job_area_set_job(int64 job);
extern bool job_area_is_cancelled(void);

/* From now on a cancel does not interrupt the job. */
extern void job_area_ignore_cancels(void);

/*
 * Begins the scan of a release.  Its progress is shown at ticks of this many milliseconds from now,
 * because the moment when it ends depends on the rows.
 */
extern void job_area_charged(int64 release, double rows_total, int tick);
extern void job_area_scanned(double part); /* of the table; 1: all of it */
extern void job_area_searched(const MechanismProgress *progress);
extern void job_area_release(void);

/* ---- The launcher ---- */

/* Registers this process as the launcher. */
extern void job_area_set_launcher(void);

/*
 * Starts workers for the calls that there are slots for.  False if calls are left, or if workers
 * that were started before have not come yet.  Calls are dropped for databases where may_connect()
 * is false.
 */
extern bool job_area_answer_calls(bool (*may_connect)(Oid database));

/* Is there no room for another call?  Has a call found no room since this was last asked? */
extern bool job_area_is_full(void);
extern bool job_area_lost_calls(void);

/* Lists the databases that have workers; returns how many. */
extern int job_area_databases(Oid databases[JOB_SLOTS]);

/* Terminates the workers of the database; no pause of starts follows. */
extern void job_area_terminate(Oid database);

#endif

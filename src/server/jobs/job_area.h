/*
 * job_area.h - which jobs are running now and how far they are, in shared memory.
 *
 * The table dpobj.job_rows says what became of jobs; this says who is at work.  A job that its
 * row calls running has a slot from before its row says so until after it no longer does;
 * one without a slot is dead.  Only a server that preloads the library has the memory: in
 * another one no job runs.
 *
 * A slot is taken when the start of a worker is asked for (worker_start.h), so that there are
 * never more than dpobj.max_jobs of them, whether they run jobs or are on their way.
 */
#ifndef DPOBJ_JOB_AREA_H
#define DPOBJ_JOB_AREA_H

#include "postgres.h"

#include "core/mechanisms/mechanism.h"

/* The most that dpobj.max_jobs may be. */
#define JOB_SLOTS 32

/* Worker slots that jobs leave to charges and parallel queries. */
#define JOB_SPARE_WORKERS 2

/* A scan is told in so many steps. */
#define JOB_SCAN_STEPS 20

typedef enum JobPhase
{
	JOB_QUEUED, /* also while it waits for its turn with a worker */
	JOB_SCANNING,
	JOB_SOLVING,
	JOB_RELEASING
} JobPhase;

/* What may be told of a running job. */
typedef struct JobProgress
{
	JobPhase phase;
	double rows_scanned;
	double rows_total; /* by public numbers; 0 until the scan begins */
	/* for the table's owner only */
	bool searched; /* the solver has reported */
	int64 nodes;
	int64 attempts;
	double gap;
} JobProgress;

/* Asks for the memory, if the library is being preloaded. */
extern void job_area_install(void);

/* ---- Everybody ---- */

/* The jobs of this database that have a slot; returns how many. */
extern int job_area_running(int64 jobs[JOB_SLOTS]);

/* False if it has no slot. */
extern bool job_area_progress(int64 job, JobProgress *progress);

/* Interrupts the job's worker; false if it has no slot. */
extern bool job_area_cancel(int64 job);

/*
 * Sleeps until some job has ended, or for so many milliseconds: watch, look at the job, wait, look
 * again and so on, and stop watching.
 */
extern void job_area_watch(void);
extern void job_area_wait(long milliseconds);
extern void job_area_watch_no_more(void);

/* Has the launcher send a worker that looks for queued jobs of the database. */
extern void job_area_call(Oid database);

/* Did the last worker, or its start, find too few of max_worker_processes free? */
extern bool job_area_is_crowded(void);

/* Does a worker of this database, other than this one, look for a job to run, again and again? */
extern bool job_area_is_looking(void);

/* ---- The worker ---- */

/*
 * The first that a worker does: takes the slot that it was started for, or another where it is
 * late; false, after a call for later, if none of dpobj.max_jobs is free.
 */
extern bool job_area_arrive(Oid database);

/*
 * From here on it runs jobs, if enough worker slots stay free beside the workers that are not
 * ours; false, after a call for later, if that is not so.
 */
extern bool job_area_join(int other_workers);

/* Another worker is to look into this database when this one has left. */
extern void job_area_call_again(void);

/* Is there a call for another database?  Then that one's turn has come, and ours is called last. */
extern bool job_area_others_wait(void);

/* Does another worker of this database, before this one, look for a job to run, too? */
extern bool job_area_is_spare(void);

/* It has found none, and will look no more.  While it has the queue locked. */
extern void job_area_finish(void);

/* The slot is of this job from now on; 0: of none.  Was the one before cancelled? */
extern bool job_area_begin(int64 job);
extern bool job_area_is_cancelled(void);

/* From now on a cancel interrupts nothing. */
extern void job_area_end(void);

/*
 * Begins a scan.  How far the scan and later the solver are is shown at ticks of this many
 * milliseconds, counted from here, because the moments at which they end depend on the rows.
 */
extern void job_area_scan(double rows_total, int tick);
extern void job_area_scanned(double part); /* 1: all of it */
extern void job_area_searched(const MechanismProgress *progress);
extern void job_area_release(void);

/* ---- The launcher ---- */

extern void job_area_lead(void);

/*
 * Starts workers for the calls that there are places for; false if some are left, or workers that
 * were started before have not come yet.  A database that a worker may not connect to is called
 * no more.
 */
extern bool job_area_answer_calls(bool (*may_connect)(Oid database));

/* Is there no room for another call?  Has there been none for some since this was asked last? */
extern bool job_area_is_full(void);
extern bool job_area_lost_calls(void);

/* Databases that have workers; returns how many. */
extern int job_area_databases(Oid databases[JOB_SLOTS]);

/* Ends the workers of that database.  It is no fault of theirs, so that no pause follows. */
extern void job_area_send_away(Oid database);

#endif

/*
 * job_table.h - the rows of dpobj.job_rows: what was asked for, and what became of it.
 *
 *   queued -> running -> released, failed or cancelled; queued -> cancelled; running -> queued
 *
 * A row is written in the transaction of dpobj.submit, so that it is nobody's to run before
 * that commits, and then by the job's worker only.  What a job died of is not written by it:
 * a running job without a worker reads as failed, and the next worker says so in the row.
 */
#ifndef DPOBJ_JOB_TABLE_H
#define DPOBJ_JOB_TABLE_H

#include "postgres.h"

#include "fmgr.h"

#include "server/analyst/train_request.h"

/* The arguments of dpobj.train, in its order. */
#define JOB_ARGUMENTS 9

typedef struct Job
{
	int64 id;
	Oid role;
	bool superuser; /* is the role one now? */
	NullableDatum argument[JOB_ARGUMENTS];
} Job;

/* Reads the arguments as dpobj.train does; raises 22023.  hash is the request's. */
extern void job_read(const Job *job, TrainRequest *request, uint8 hash[CHARGE_HASH_LENGTH]);

/* ---- The caller's side: as the owner of the table, in the caller's transaction ---- */

/* Adds a row; returns its id. */
extern int64 job_add(const Job *job, const TrainRequest *request,
					 const uint8 hash[CHARGE_HASH_LENGTH]);

/* What somebody may know of a job; the latest, however old the caller's snapshot is. */
typedef struct JobState
{
	Oid role;
	char *state;
	bool uncommitted; /* its last change is the caller's own transaction's */
	uint8 hash[CHARGE_HASH_LENGTH];
	int64 id;
} JobState;

/* False if there is none; a running one without a worker is failed. */
extern bool job_find(int64 id, JobState *state);

/* The last one of that name that the session user submitted here. */
extern bool job_find_name(const char *name, JobState *state);

extern int job_count_queued(void); /* of the session user */

/* Removes the session user's jobs that ended without a charge, except the last ones. */
extern void job_forget_ended(int kept);

/*
 * Is one queued in this database that no worker is to come to in any case?  False without the
 * extension, or with 0.1.0 of it.
 */
extern bool job_any_waiting(void);

/* Ids (bigint[]) of running ones that had no worker when it was looked for. */
extern Datum job_dead(void);

/* May the current role see everybody's? */
extern bool job_sees_all(void);

/* False if it is queued no more. */
extern bool job_cancel_queued(int64 id);

/* ---- The worker's side: within a transaction, as superuser ---- */

/* Until the end of the transaction no other worker takes a job: two might take one role's. */
extern void job_lock_queue(void);

/* Marks running jobs without a worker, and their releases, as failed. */
extern void job_bury(void);

typedef enum JobClaim
{
	JOB_NONE,
	JOB_AT_GATE, /* only of roles that have releases in sessions of theirs just now */
	JOB_CLAIMED
} JobClaim;

/*
 * Takes the first queued job of a role that has no job running, and enters the role's gate for it.
 * The texts live in the current context.  After job_lock_queue().
 */
extern JobClaim job_claim(Job *job);

/* Of a job that was not charged; behind those that are queued now: started is its place. */
extern void job_queue_again(int64 id);

extern void job_note_release(int64 id, int64 release);

/* finished: with the precision of the tick.  release: 0, none.  reason: NULL, none. */
extern void job_end(int64 id, const char *state, int tick, int64 release, int sqlstate,
					const char *reason);

#endif

/*
 * job_table.h - the rows of dpobj.job_rows: the request of a job, and how the job ended.
 *
 *   queued -> running -> released, failed or cancelled; queued -> cancelled; running -> queued
 *
 * dpobj.submit writes the row in its caller's transaction, so no worker sees the job before that
 * commits; later only the job's worker and dpobj.cancel write it.  A worker that dies leaves the
 * row as it is: a running job without a worker reads as failed, and the next worker writes it.
 */
#ifndef DPOBJ_JOB_TABLE_H
#define DPOBJ_JOB_TABLE_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "server/base/digest.h"

typedef struct Job
{
	int64 id;
	Oid role;
	bool superuser; /* the role is one when the job starts */
	char *call;     /* the function, with its arguments but for the next two (paid_call.h) */
	Oid relation;
	Jsonb *arguments;
	char *name;
	char *statement; /* when it is submitted, like its hash */
	uint8 hash[DIGEST_LENGTH];
} Job;

/* ---- The caller's side: as the owner of the table, in the caller's transaction ---- */

/* Adds a row; returns its id. */
extern int64 job_add(const Job *job);

/* The state of a job as it is now, however old the caller's snapshot is. */
typedef struct JobState
{
	Oid role;
	char *state;
	bool uncommitted; /* this transaction has written it */
	uint8 hash[DIGEST_LENGTH];
	int64 id;
} JobState;

/* False if there is no such job; one that runs without a worker reads as failed. */
extern bool job_find(int64 id, JobState *state);

/* The last job of that name that the session user submitted in this database. */
extern bool job_find_name(const char *name, JobState *state);

extern int job_count_queued(void); /* of the session user */

/* Has the session user a job that is queued or runs? */
extern bool job_any_unended(void);

/* Removes the session user's jobs that ended without a charge, except the last ones. */
extern void job_forget_ended(int kept);

/*
 * Is a job queued in this database that no running worker takes next?  False without the
 * extension.
 */
extern bool job_any_waiting(void);

/* The ids (bigint[]) of jobs that run without a worker. */
extern Datum job_dead(void);

/* May the current role see all jobs? */
extern bool job_sees_all(void);

/* False if the job is not queued any more. */
extern bool job_cancel_queued(int64 id);

/* The name that a row m of dpobj.model_rows was charged under; groups are charged as name{key}. */
#define CHARGED_NAME                                                                               \
	"left(coalesce(m.charged_as, m.name),"                                                         \
	" length(coalesce(m.charged_as, m.name)) - coalesce(length(m.key::text), 0))"

/* ---- The worker's side: within a transaction ---- */

/* Keeps other workers from taking jobs until its end: two could take jobs of the same role. */
extern void job_lock_queue(void);

/* Marks running jobs without a worker, and their releases, as failed.  As superuser. */
extern void job_fail_dead(void);

typedef enum JobClaim
{
	JOB_NONE,
	JOB_AT_GATE, /* only jobs of roles that have a release in a session now */
	JOB_CLAIMED
} JobClaim;

/*
 * Takes the first queued job of a role that has no running job, and enters the role's gate for it.
 * Its arguments are in the current memory context.  After job_lock_queue(), as superuser.
 */
extern JobClaim job_claim(Job *job);

/* Puts a job that was not charged behind those that are queued now, ordered by started. */
extern void job_queue_again(int64 id);

/*
 * Rounds finished down to the tick; release: 0 keeps the row's; reason: NULL without an error or a
 * warning.
 */
extern void job_end(int64 id, const char *state, int tick, int64 release, int sqlstate,
					const char *reason);

#endif

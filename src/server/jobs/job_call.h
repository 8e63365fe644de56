/*
 * job_call.h - calls for workers that look for queued jobs of this database (job_area.h).
 */
#ifndef DPOBJ_JOB_CALL_H
#define DPOBJ_JOB_CALL_H

#include "postgres.h"

/* Calls when this transaction commits. */
extern void job_call_at_commit(void);

/*
 * Calls when this transaction ends, even by a rollback: until then workers skip the job that it
 * cancels.
 */
extern void job_call_at_end(void);

/*
 * Calls now if jobs are queued that no worker comes to: nothing is called when a prepared
 * transaction commits.
 */
extern void job_call_now(void);

#endif

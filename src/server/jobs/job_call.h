/*
 * job_call.h - having queued jobs looked for.
 */
#ifndef DPOBJ_JOB_CALL_H
#define DPOBJ_JOB_CALL_H

#include "postgres.h"

/* Once this transaction has committed, and only then. */
extern void job_call_at_commit(void);

/* However it ends: a worker passes over a job that is being cancelled, which may not come true. */
extern void job_call_at_end(void);

/* If any are queued that a prepared transaction has submitted: PostgreSQL tells nobody of its
 * commit. */
extern void job_call_now(void);

#endif

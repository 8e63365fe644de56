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

/*
 * If any are queued.  Without a launcher, those that a restart or a lack of worker slots has left
 * behind wait for the next call of one of our functions, which asks for this.
 */
extern void job_call_now(void);

/* The same where it is asked often: a session looks once, and when somebody called in vain. */
extern void job_call_once(void);

#endif

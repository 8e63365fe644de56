/*
 * job_worker.h - the background worker that runs the queued jobs of one database.
 */
#ifndef DPOBJ_JOB_WORKER_H
#define DPOBJ_JOB_WORKER_H

#include "postgres.h"

/* The worker's type and only text in pg_stat_activity. */
#define JOB_WORKER_NAME "dpobj job"

/* The worker's entry point, as the postmaster looks it up. */
#define JOB_WORKER_FUNCTION "dpobj_job_main"

extern PGDLLEXPORT void dpobj_job_main(Datum database);

#endif

/*
 * job_worker.h - the background worker that runs the queued jobs of one database.
 */
#ifndef DPOBJ_JOB_WORKER_H
#define DPOBJ_JOB_WORKER_H

#include "postgres.h"

/* All that other sessions get to see of it, in pg_stat_activity. */
#define JOB_WORKER_NAME "dpobj job"

/* The worker's entry point, as the postmaster looks it up. */
#define JOB_WORKER_FUNCTION "dpobj_job_main"

/* Has one look for queued jobs, which arrives as this start (job_area.h); false if no worker slot
 * is free. */
extern bool job_worker_start(uint64 start, Oid database);

extern PGDLLEXPORT void dpobj_job_main(Datum database);

#endif

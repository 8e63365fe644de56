/*
 * job_worker.h - the background worker that runs the queued jobs of one database.
 */
#ifndef DPOBJ_JOB_WORKER_H
#define DPOBJ_JOB_WORKER_H

#include "postgres.h"

extern PGDLLEXPORT void dpobj_job_main(Datum database);

#endif

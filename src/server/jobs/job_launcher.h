/*
 * job_launcher.h - the background worker that starts the workers of jobs.
 */
#ifndef DPOBJ_JOB_LAUNCHER_H
#define DPOBJ_JOB_LAUNCHER_H

#include "postgres.h"

/* The launcher's type in pg_stat_activity. */
#define JOB_LAUNCHER_NAME "dpobj launcher"

/* The launcher's entry point, as the postmaster looks it up. */
#define JOB_LAUNCHER_FUNCTION "dpobj_launcher_main"

/* Registers it; for _PG_init(). */
extern void job_launcher_install(void);

extern PGDLLEXPORT void dpobj_launcher_main(Datum argument);

#endif

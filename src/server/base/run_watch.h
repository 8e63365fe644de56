/*
 * run_watch.h - who is told how far the releases of this process are: the worker of a job.
 *
 * A session has none; the owner of a table gets messages instead (progress.h).
 */
#ifndef DPOBJ_RUN_WATCH_H
#define DPOBJ_RUN_WATCH_H

#include "postgres.h"

struct MechanismProgress;

typedef struct RunWatch
{
	/* a run is charged and begins: the rows of the table, 0 if that is no public number; its tick */
	void (*charged)(int64 release, double rows, int tick);
	void (*scanned)(double part); /* of the pages; 1: the scan has ended */
	void (*searched)(const struct MechanismProgress *progress);
	void (*release)(void);             /* the run has ended; the end is yet to be written */
	void (*warn)(const char *message); /* about a released model */
} RunWatch;

/* NULL: nobody. */
extern const RunWatch *run_watch;

#endif

/*
 * job_context.h - how a release in a job differs from one in a statement.
 *
 * The context is passed down with a release; NULL: the release is a statement's.  A statement has
 * another process commit its events, holds its locks until its transaction ends, and reports
 * progress to its client.  The worker of a job commits its events itself, keeps its locks over
 * these commits, and reports progress to the functions below.
 */
#ifndef DPOBJ_JOB_CONTEXT_H
#define DPOBJ_JOB_CONTEXT_H

#include "core/mechanisms/mechanism.h"

typedef struct JobContext
{
	void (*scanned)(double part); /* of the pages; 1: the scan has ended */
	void (*searched)(const MechanismProgress *progress);
} JobContext;

#endif

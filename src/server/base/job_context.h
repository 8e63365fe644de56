/*
 * job_context.h - what a release in a job does otherwise than one in a statement.
 *
 * It is passed down with the release; where it is NULL, the release is a statement's.  A statement
 * has its events committed by another process, holds its locks until its transaction ends, and
 * tells its client how far it is.  The worker of a job commits its events itself, keeps its locks
 * over these commits, and tells these functions how far it is.
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

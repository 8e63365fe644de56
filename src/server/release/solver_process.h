/*
 * solver_process.h - runs the solver executable as a child of the backend (rule H7).
 */
#ifndef DPOBJ_SOLVER_PROCESS_H
#define DPOBJ_SOLVER_PROCESS_H

#include "postgres.h"

#include "core/mechanisms/mechanism.h"

typedef enum SolverOutcome
{
	SOLVER_ANSWERED,
	SOLVER_TIME_LIMIT,   /* stopped at the time limit */
	SOLVER_MEMORY_LIMIT, /* could not allocate, under the memory limit or the system's */
	SOLVER_DIED          /* missing, crashed, killed, or sent what is not valid */
} SolverOutcome;

typedef struct SolverLimits
{
	int seconds;   /* 0: none */
	int megabytes; /* 0: none */
} SolverLimits;

/* A function that is called while the solver works, NULL for none. */
typedef void (*SolverWatch)(const MechanismProgress *progress);

/*
 * Rows that are elsewhere: sums answers the bytes of a pass over them by the bytes of its sums
 * (wire.h), which are palloc'd, within so many milliseconds, -1 for any number; NULL if that time
 * is up.  It reacts to a cancel as the caller does.
 */
typedef struct SolverParts
{
	uint8 *(*sums)(void *context, const uint8 *pass, Size length, long milliseconds,
				   Size *sums_length);
	void *context;
} SolverParts;

/*
 * Sends the problem (wire.h) and waits for the answer, which is palloc'd, NULL unless
 * SOLVER_ANSWERED.  rows_path is the file of spilled rows (core/rows/spill.h), NULL if there is
 * none; the child reads it.  parts has the sums of a problem whose rows are elsewhere, NULL if they
 * are here.  The child's requests for random bytes get those of pg_strong_random.
 * A cancel or a timeout of the statement raises its usual error within 100 ms, plus the time that
 * the kernel takes to free the child's memory.  The child is always killed and reaped.  The reason
 * why a solver died is written to the server's log only.
 */
extern SolverOutcome solver_run(const uint8 *problem, Size length, const char *rows_path,
								const SolverLimits *limits, SolverWatch watch,
								const SolverParts *parts, uint8 **answer, Size *answer_length);

#endif

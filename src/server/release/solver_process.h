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
	SOLVER_TIME_LIMIT,   /* stopped by our time limit */
	SOLVER_MEMORY_LIMIT, /* could not allocate, under our memory limit or the system's */
	SOLVER_DIED          /* missing, crashed, killed or spoke nonsense */
} SolverOutcome;

typedef struct SolverLimits
{
	int seconds;   /* 0: none */
	int megabytes; /* 0: none */
} SolverLimits;

/* Called while the solver works; NULL: nobody watches. */
typedef void (*SolverWatch)(const MechanismProgress *progress);

/*
 * Sends the problem (wire.h), opens the file of its rows for the child if they were
 * spilled (core/rows/spill.h; NULL: they were not), serves the child's requests for random bytes
 * from pg_strong_random and waits for the answer, which is palloc'd (NULL unless SOLVER_ANSWERED).
 * A cancel or a timeout of the statement raises its usual error within 100 ms, plus the time that
 * the kernel takes to free the child's memory; the child is killed and reaped on every way out. Why
 * a solver died is written to the server's log only.
 */
extern SolverOutcome solver_run(const uint8 *problem, Size length, const char *rows_path,
								const SolverLimits *limits, SolverWatch watch, uint8 **answer,
								Size *answer_length);

#endif

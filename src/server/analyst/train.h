/*
 * train.h - the steps of dpobj.train, which jobs share.
 */
#ifndef DPOBJ_TRAIN_H
#define DPOBJ_TRAIN_H

#include "postgres.h"

#include "core/mechanisms/mechanism.h"

#include "server/analyst/analyst.h"
#include "server/rows/rows_state.h"
#include "server/rows/scan.h"
#include "server/rows/spill.h"
#include "server/analyst/train_request.h"
#include "server/release/passes.h"
#include "server/release/training.h"

typedef struct TrainRun
{
	Training *training;
	AnalystTable opened;
	Scan *scan;
	RowsState *state; /* empty until the run */
	Spill spill;      /* the temporary file of the state, after the run */
	Passes *passes;   /* over rows on several servers; NULL: the rows are gathered here */
	MechanismAnswer answer;
} TrainRun;

/* Opens the table and settles the mechanism; raises errors about the request. */
extern void train_open(const TrainRequest *request, TrainRun *run);

/* Raises UB001 and UB002 as grant_check_budgets() does. */
extern void train_check_budgets(const TrainRun *run);

/* Locks the table and its descendants; raises UB003 for one that is not read. */
extern void train_lock(TrainRun *run);

/* Makes the memory for the rows, or a temporary file if they may be too many. */
extern void train_make_room(TrainRun *run);

/* Frees memory and locks of a run that does not begin. */
extern void train_give_up(TrainRun *run);

/* Reads the rows and solves, after the charge: for analyst_attempt(). */
extern bool train_run(void *run);

/* Frees what a run that has answered still holds: after the tick, as others can see it go. */
extern void train_end(TrainRun *run);

#endif

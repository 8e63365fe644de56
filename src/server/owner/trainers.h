/*
 * trainers.h - what the training aggregates have in common.
 */
#ifndef DPOBJ_TRAINERS_H
#define DPOBJ_TRAINERS_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "server/plan/plan.h"
#include "server/rows/rows_state.h"
#include "server/release/solver_process.h"
#include "server/release/training.h"

/* Positions of the arguments, counted from the features, which may follow others. */
#define TRAINER_FEATURES 0
#define TRAINER_LABEL 1
#define TRAINER_EPSILON 2
#define TRAINER_DELTA 3
#define TRAINER_OPTIONS 4

/* The options, which must not depend on rows; NULL if they are null or left out. */
extern Jsonb *trainer_options(PlanCall *call, int first);

/*
 * Reads the call's public arguments, and the adjacency of a protected table, into a training whose
 * method is set.  first: the position of the features.  table is NULL in a parallel worker, which
 * needs only the encoding.
 */
extern void trainer_read(PlanCall *call, int first, Jsonb *options, const PlanTable *table,
						 Training *training);

/*
 * Settles the training if its dimension is known; raises 22023 unless it may come from a row.
 * rows: those that the aggregate has read, if they are all of the table, or TRAINER_ROWS_TO_COME;
 * 0: the table must be counted.
 */
extern void trainer_begin(PlanCall *call, int first, const PlanTable *table, int64 rows,
						  Training *training);

/* No row has been read: nothing that the transition function needs follows from their number. */
#define TRAINER_ROWS_TO_COME (-1)

/* Adds one row.  A row that cannot be encoded is neutral; no row raises an error. */
extern void trainer_add(const Training *training, RowsState *state, ArrayType *features,
						Datum label);

/* Lets a state spill its rows beyond the limit once the training is settled, before its first row.
 */
extern void trainer_let_spill(FunctionCallInfo fcinfo, const Training *training, Size limit,
							  RowsState *state);

/* Commits the failure of a release that the solver has not answered, and raises UB004. */
extern _Noreturn void trainer_fail(SolverOutcome outcome, const Training *training);

#endif

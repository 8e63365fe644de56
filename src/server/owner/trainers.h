/*
 * trainers.h - what the aggregates of the owner's door have in common.
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

/* The argument's value, which must not depend on rows; NULL: null, or there is none. */
extern Jsonb *trainer_options(PlanCall *call, int first);

/*
 * Reads the call's public arguments: cost, options, and on a protected table its adjacency.
 * first is the position of the features; the training's method must be set; table is NULL in a
 * parallel worker, which only needs the encoding.
 */
extern void trainer_read(PlanCall *call, int first, Jsonb *options, const PlanTable *table,
						 Training *training);

/* Settles the training if the dimension is known; else an error unless it may come from a row. */
extern void trainer_begin(PlanCall *call, int first, const PlanTable *table, Training *training);

/* Adds one row; one that cannot be encoded is neutral, and none raises an error. */
extern void trainer_add(const Training *training, RowsState *state, ArrayType *features,
						Datum label, Oid label_type);

/* Lets a state spill its rows beyond that, if the mechanism can take it; before the first row. */
extern void trainer_let_spill(FunctionCallInfo fcinfo, const Training *training, Size limit,
							  RowsState *state);

/* Commits the end of a release that the solver has not answered, and raises the error. */
extern _Noreturn void trainer_fail(int64 release, SolverOutcome outcome, const Training *training);

#endif

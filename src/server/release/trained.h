/*
 * trained.h - a training as a release: its charge, its solver and its model, for both doors.
 */
#ifndef DPOBJ_TRAINED_H
#define DPOBJ_TRAINED_H

#include "postgres.h"

#include "access/tupdesc.h"

#include "core/mechanisms/mechanism.h"

#include "server/ledger/charge.h"
#include "server/models/model.h"
#include "server/rows/rows_state.h"
#include "server/release/solver_process.h"
#include "server/release/training.h"

/*
 * Returns the problem in wire form.  state is NULL if there are no rows; then the loss is 0 for
 * every vector.  The solver reads spilled rows from their file: keep it until the solver has ended.
 */
extern uint8 *trained_encode(const Training *training, RowsState *state, Size *length);

/* What a settled training is charged. */
extern Charge trained_charge(const Training *training);

/*
 * Runs the mechanism on the problem and its spilled rows, NULL if there are none; parts has the
 * sums of rows that are elsewhere (passes.h), NULL if they are in the problem.  Unless it returns
 * SOLVER_ANSWERED there is no answer, and the caller must not try again.
 */
extern SolverOutcome trained_solve(const Training *training, const uint8 *problem, Size length,
								   const Spill *spill, const SolverParts *parts,
								   MechanismAnswer *answer);

/* Fills in the model; its texts live as long as the training's. */
extern void trained_describe(const Training *training, int64 release, const MechanismAnswer *answer,
							 Model *model);

/* Commits the 'released' event with the model, a row of dp_model, and returns it. */
extern Datum trained_keep(const Training *training, int64 release, const MechanismAnswer *answer,
						  TupleDesc descriptor);

#endif

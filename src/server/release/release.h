/*
 * release.h - from the rows to a model, for both doors: charge, solve, release.
 *
 * The order is the guarantee.  First, public parameters decide what is refused.  Then
 * release_charge() commits the charge.  Only then does release_solve() hand out random bits.
 * Before anybody gets the model, release_model() writes it and its hash to the ledger.
 */
#ifndef DPOBJ_RELEASE_H
#define DPOBJ_RELEASE_H

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
extern uint8 *release_encode(const Training *training, RowsState *state, Size *length);

/* Commits the charge; analyst is NULL at the owner's door.  Returns its ledger id. */
extern int64 release_charge(const Training *training, Oid table, AnalystTerms *analyst);

/* The fingerprint of that charge, by charge_fingerprint(). */
extern void release_fingerprint(const Training *training, Oid table, AnalystTerms *analyst,
								uint8 fingerprint[CHARGE_HASH_LENGTH]);

/*
 * Runs the mechanism on the problem and its spilled rows, NULL if there are none; parts has the
 * sums of rows that are elsewhere (passes.h), NULL if they are in the problem.  Unless it returns
 * SOLVER_ANSWERED there is no answer, and the caller must not try again.
 */
extern SolverOutcome release_solve(const Training *training, const uint8 *problem, Size length,
								   const Spill *spill, const SolverParts *parts,
								   MechanismAnswer *answer);

/* Fills in the model; its texts live as long as the training's. */
extern void release_describe(const Training *training, int64 release, const MechanismAnswer *answer,
							 Model *model);

/* Commits the 'released' event with the model, a row of dp_model, and returns it. */
extern Datum release_model(const Training *training, int64 release, const MechanismAnswer *answer,
						   TupleDesc descriptor);

#endif

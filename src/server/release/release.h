/*
 * release.h - from the rows to a model, for both doors: charge, solve, release.
 *
 * The order is the guarantee: everything that can be refused was refused from
 * public parameters; then release_charge() commits the charge; only then does
 * release_solve() hand out random bits; release_model() writes hash and model to
 * the ledger before anybody gets them.
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
 * The problem in wire form; state may be NULL: without any rows the loss is 0 for every vector.
 * Rows that were spilled stay where they are: keep the spill until the solver has ended.
 */
extern uint8 *release_encode(const Training *training, RowsState *state, Size *length);

/* Commits the charge; analyst is NULL at the owner's door.  Returns its ledger id. */
extern int64 release_charge(const Training *training, Oid table, AnalystTerms *analyst);

/* Of that charge, as charge_fingerprint() makes it. */
extern void release_fingerprint(const Training *training, Oid table, AnalystTerms *analyst,
								uint8 fingerprint[CHARGE_HASH_LENGTH]);

/* Runs the mechanism on the problem and its spilled rows, NULL if there are none; unless
 * SOLVER_ANSWERED there is no answer, and none must be sought again. */
extern SolverOutcome release_solve(const Training *training, const uint8 *problem, Size length,
								   const Spill *spill, MechanismAnswer *answer);

/* What the model is; its texts live as long as the training's. */
extern void release_describe(const Training *training, int64 release, const MechanismAnswer *answer,
							 Model *model);

/* Commits the 'released' event with the model, a row of dp_model, and returns it. */
extern Datum release_model(const Training *training, int64 release, const MechanismAnswer *answer,
						   TupleDesc descriptor);

#endif

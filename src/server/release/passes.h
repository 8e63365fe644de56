/*
 * passes.h - a convex model over rows on several servers: weights go down and sums come up, and no
 * row leaves its server.
 *
 * Whether it is made so follows from public facts alone: rows are on other servers, and the
 * mechanism learns of rows by sums of passes only (mechanism_passes()).  The law of the model is
 * the same as over the same rows in one place (theorem V20).  The rows of this server are one part
 * more, which this process answers for.
 */
#ifndef DPOBJ_PASSES_H
#define DPOBJ_PASSES_H

#include "postgres.h"

#include "server/release/solver_process.h"
#include "server/release/training.h"
#include "server/rows/rows_state.h"
#include "server/rows/scan.h"

typedef struct Passes Passes;

/* Will the rows of the scan answer passes? */
extern bool passes_are_made(const Training *training, const Scan *scan);

/*
 * After the charge and before scan_run(): lets the rows of the parts stay there.  NULL if the rows
 * are to be gathered here.
 */
extern Passes *passes_plan(const Training *training, Scan *scan);

/* After scan_run(): the rows that enter on other servers; 0 if passes is NULL. */
extern int64 passes_rows_elsewhere(const Passes *passes);

/*
 * Takes these parts, which the scan has no more, and the rows of the state, which is freed but for
 * its spill file.
 */
extern void passes_begin(Passes *passes, struct ScanParts *parts, RowsState *here);

/* The problem, in wire form, and what answers the solver's passes over it. */
extern const uint8 *passes_problem(const Passes *passes, Size *length);
extern const SolverParts *passes_parts(const Passes *passes);

/*
 * Ends the connections to the parts and frees the rows.  Call it after the tick: roles on the
 * servers of the parts can see when a connection ends.  NULL: nothing to do.
 */
extern void passes_end(Passes *passes);

#endif

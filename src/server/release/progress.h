/*
 * progress.h - shows the owner of a table how far the solver is.
 */
#ifndef DPOBJ_PROGRESS_H
#define DPOBJ_PROGRESS_H

#include "postgres.h"

#include "core/mechanisms/mechanism.h"

#include "server/release/solver_process.h"

/*
 * Is the setting dpobj.progress on, in a session of the table's owner?  Bounds, nodes and their
 * timing depend on the rows and on the noise, so only the owner may see them (rule B10).
 */
extern bool progress_wanted(Oid table);

/* May this session's user see the progress, whatever the setting is?  The table must exist. */
extern bool progress_may_see(Oid table);

/* How many misclassified rows fewer than the best vector so far the optimum has at most. */
extern double progress_gap(const MechanismProgress *progress);

/* Sends one INFO message to the client; a SolverWatch. */
extern void progress_report(const MechanismProgress *progress);

#endif

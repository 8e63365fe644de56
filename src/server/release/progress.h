/*
 * progress.h - tells the owner of a table how far the solver is.
 */
#ifndef DPOBJ_PROGRESS_H
#define DPOBJ_PROGRESS_H

#include "postgres.h"

#include "core/mechanisms/mechanism.h"

#include "server/release/solver_process.h"

/*
 * Is the setting dpobj.progress on, in a session of the table's owner?  Bounds,
 * nodes and their timing depend on the rows and on the noise, so nobody else is
 * told (rule B10), whatever the setting.
 */
extern bool progress_wanted(Oid table);

/* May this session's user be told, whatever the setting is?  The table must exist. */
extern bool progress_may_see(Oid table);

/* By how many misclassified rows the optimum is better, at most, than the best vector so far. */
extern double progress_gap(const MechanismProgress *progress);

/* Sends one INFO message to the client; a SolverWatch. */
extern void progress_report(const MechanismProgress *progress);

#endif

/*
 * progress.h - tells the owner of a table how far the solver is.
 */
#ifndef DPOBJ_PROGRESS_H
#define DPOBJ_PROGRESS_H

#include "postgres.h"

#include "core/mechanism.h"

/*
 * Is the setting dpobj.progress on, in a session of the table's owner?  Bounds,
 * nodes and their timing depend on the rows and on the noise, so nobody else is
 * told (PRIVACY.md 3), whatever the setting.
 */
extern bool progress_wanted(Oid table);

/* Sends one INFO message to the client; a SolverWatch. */
extern void progress_report(const MechanismProgress *progress);

#endif

/*
 * epoch.h - the epoch of this database, and those of the servers that it shares tables with.
 *
 * A release is refused if the epoch is another one than in the last event of the ledger (rule H5).
 * A table whose rows are on several servers has several epochs: each server remembers that of the
 * other in its ledger, and refuses a release when it has changed (rule H26).
 */
#ifndef DPOBJ_EPOCH_H
#define DPOBJ_EPOCH_H

#include "postgres.h"

/* System identifier, OID of the database, timeline and a hash of the base backup's label. */
extern char *epoch_current(void);

/* Is it that of the last event? */
extern bool epoch_is_confirmed(void);

/* Raises the error with which releases are refused then. */
extern void epoch_refuse(void);

#endif

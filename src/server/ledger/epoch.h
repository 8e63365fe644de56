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

/* Another server that this one meets. */
typedef struct MetServer
{
	const char *name;  /* under which this server knows it: what is at a place, or a role's */
	const char *owner; /* the role that wrote the name or has it */
	Oid table;         /* for which it is met; invalid: none is named */
	const char *epoch; /* that it says it has; it begins with its identity */
} MetServer;

/*
 * Has the other server this epoch since dpobj.confirm_epoch() was last called here?  It must be the
 * epoch of the first server that had this name, and of the first that had this identity.  What is
 * met first is committed to the ledger.  Both hold for this owner alone: another one can write the
 * same name for a server of his own, which may say anything.
 */
extern bool epoch_of_server_is(const MetServer *met);

#endif

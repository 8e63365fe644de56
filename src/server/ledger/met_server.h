/*
 * met_server.h - the epochs of the servers that this one shares tables with (rule H26).
 */
#ifndef DPOBJ_MET_SERVER_H
#define DPOBJ_MET_SERVER_H

#include "postgres.h"

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

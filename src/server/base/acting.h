/*
 * acting.h - code of the server that runs as another role than the caller.
 */
#ifndef DPOBJ_ACTING_H
#define DPOBJ_ACTING_H

#include "postgres.h"

#include "executor/instrument.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

/* The user, settings and counters to return to. */
typedef struct Acting
{
	Oid role;
	int security;
	int settings;
	BufferUsage pages;
} Acting;

/* Notes what acting_end() returns to. */
extern void acting_note(Acting *before);

/*
 * Acts as the role until acting_end(), in a security-restricted operation: no code that runs then
 * can change the role or the session user, and operators and functions are found in pg_catalog
 * only.  After an error, the end of the (sub)transaction returns to the caller, or acting_end() of
 * whoever catches the error without one.
 */
extern void acting_begin(Oid role, Acting *before);
extern void acting_end(const Acting *before);

/* Sets a setting of the session until acting_end(), or until the end of the subtransaction. */
extern void acting_set(const char *name, const char *value);

/* The client gets no debug messages until then.  acting_begin() calls it. */
extern void acting_set_quiet(void);

/* Acts as the owner of the relation. */
extern void acting_begin_owner(Relation relation, Acting *before);

/*
 * Whose rows views show: the session user's, also after SET ROLE, but in a SECURITY DEFINER
 * function and in maintenance the current user's.  What the current user may see beyond them
 * depends on its own memberships.
 */
typedef struct Reader
{
	Oid owner;
	Oid current;
} Reader;

/* The reader that a running query on a _seen view is for (seen_query.h), else the caller. */
extern Reader acting_reader(void);
/* Returns what to set in the end. */
extern Reader acting_set_reader(Reader reader);

/*
 * Opens a relation of a user as its owner: what PostgreSQL keeps of an open relation may take
 * expressions of the owner.  Raises 42P01 if no relation has this OID, also if it is dropped during
 * the wait for its lock.
 */
extern Relation acting_open(Oid relation, LOCKMODE lock);

/* The same, but NULL if no relation has this OID. */
extern Relation acting_try_open(Oid relation, LOCKMODE lock);

/*
 * Raises UB003 in a security-restricted operation.  VACUUM, ANALYZE, REINDEX and REFRESH
 * MATERIALIZED VIEW call functions of a table's owner in one, in the name of the session user.
 * function: what is called, for the message.
 */
extern void acting_refuse_maintenance(const char *function);

#endif

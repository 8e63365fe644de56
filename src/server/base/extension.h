/*
 * extension.h - checks that schema dpobj belongs to the extension, and holds the extension.
 *
 * dpobj reads and writes its tables as superuser, by name.  In a database without the extension, a
 * role that may create a schema can make tables and functions of those names, and the functions
 * would run as superuser.  The owner of a database can even drop the extension, with its schema,
 * while such a statement runs.
 */
#ifndef DPOBJ_EXTENSION_H
#define DPOBJ_EXTENSION_H

#include "postgres.h"

#include "utils/relcache.h"

/*
 * Holds the extension, so that nobody drops it; false if this database does not have it.  An error
 * releases it.
 */
extern bool extension_hold(void);
extern void extension_release(void);

/* Holds the extension or raises 42704; called before each statement that runs as superuser. */
extern void extension_require(void);

/* Returns a table of schema dpobj; InvalidOid if the installed version does not have it. */
extern Oid extension_table(const char *name);

/* Says whether a table of schema dpobj has this column in the installed version. */
extern bool extension_has_column(const char *table, const char *column);

/* Opens a table of the extension with AccessShareLock. */
extern Relation extension_open_table(const char *name);

/* Says whether the extension has schema dpobj_internal; before 0.3.0 its functions are in dpobj. */
extern bool extension_has_internal(void);

/*
 * Replaces schema dpobj_internal in a statement by the schema of the installed version, while the
 * extension is held.
 */
extern const char *extension_statement(const char *statement);

#endif

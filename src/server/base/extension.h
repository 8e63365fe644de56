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
 * Holds the extension, so that nobody drops it; false if this database does not have the version of
 * this library, whose tables and functions its statements name.  An error releases it.
 */
extern bool extension_hold(void);
extern void extension_release(void);

/*
 * Holds the extension; raises 42704 without it, and 55000 for another version.  Called before each
 * statement that runs as superuser.
 */
extern void extension_require(void);

/* Returns a table of schema dpobj. */
extern Oid extension_table(const char *name);

/* Opens a table of the extension with AccessShareLock. */
extern Relation extension_open_table(const char *name);

#endif

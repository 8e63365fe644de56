/*
 * extension.h - whose the names in schema dpobj are.
 *
 * We read and write our tables as superuser, by name.  In a database without the extension, or
 * after it was dropped, anybody who may create a schema can have tables and functions of those
 * names, and they would run as superuser.  The owner of a database may even drop the schema that
 * the extension is in, and the extension with it, while a statement of ours runs.
 */
#ifndef DPOBJ_EXTENSION_H
#define DPOBJ_EXTENSION_H

#include "postgres.h"

#include "utils/relcache.h"

/*
 * Keeps the extension from being dropped; false if this database does not have it.  An error gives
 * it up, too.
 */
extern bool extension_hold(void);
extern void extension_give_up(void);

/* Holds it or raises an error; before each statement that is run as superuser. */
extern void extension_require(void);

/* Opens a table of ours with AccessShareLock, or raises an error: its columns are what they are. */
extern Relation extension_open_table(const char *name);

/* Has the extension a schema dpobj_internal?  Versions before 0.3.0 have those functions in dpobj.
 */
extern bool extension_has_internal(void);

/*
 * The statement with the functions of dpobj_internal named as the installed version has them; while
 * the extension is held.
 */
extern const char *extension_statement(const char *statement);

#endif

/*
 * identity.h - which row of dpobj.identities a table is.
 *
 * Read from the catalogs and from our own table in C, so that settings, objects
 * and privileges of the caller do not matter; the charge worker, which also
 * writes identities, has the same rules in SQL (charge_budget.c).
 */
#ifndef DPOBJ_IDENTITY_H
#define DPOBJ_IDENTITY_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"

/* Where OIDs hold: dpobj_internal.origin(). */
extern char *identity_origin(void);

/*
 * The identity that has the table's OID here or, if there is none, the last one
 * that had its name and whose own table is gone; 0 for a table that no charge, no
 * budget and no protection has touched.  As it was last committed, however old
 * the caller's snapshot is.
 */
extern int64 identity_of_table(Oid relation);

/* A system catalog, or a table of dpobj. */
extern bool identity_is_system_table(Oid table);

/* One attribute of a row of a table in schema dpobj, by name. */
extern Datum identity_attribute(HeapTuple tuple, TupleDesc descriptor, const char *name,
								bool *isnull);

#endif

/*
 * identity.h - finds the row of dpobj.identities for a table.
 *
 * It reads the catalogs and the table in C, so that settings, objects and privileges of the caller
 * have no effect.  The charge worker, which also writes identities, has the same rules in SQL
 * (charge_identity.c).
 */
#ifndef DPOBJ_IDENTITY_H
#define DPOBJ_IDENTITY_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"

/* Names the server and database in which OIDs are valid: dpobj_internal.origin(). */
extern char *identity_origin(void);

/*
 * Finds the identity with the table's OID in this database, else the last one with its name whose
 * own table does not exist; 0 if no charge, budget or protection ever named the table.  Reads the
 * last committed rows.
 */
extern int64 identity_of_table(Oid relation);

/*
 * Copies the 16 bytes of the secret key by which the rows of a table with an identity are dealt
 * between training and rating.  The tables of a population have one key, so that a person is on one
 * side in all of them.
 */
extern void identity_holdout_key(Oid relation, uint8 *key);

/* The owner of the relation; InvalidOid: there is no such relation. */
extern Oid identity_owner(Oid relation);

/* May the role read all rows and columns of the table?  Privileges on single columns do not count.
 */
extern bool table_is_readable(Oid table, Oid role);

/* Is it a system catalog or a table of dpobj? */
extern bool identity_is_system_table(Oid table);

/* Returns one attribute of a row of a table of dpobj, by name. */
extern Datum identity_attribute(HeapTuple tuple, TupleDesc descriptor, const char *name,
								bool *isnull);

#endif

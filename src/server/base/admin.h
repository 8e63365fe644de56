/*
 * admin.h - who may administer, and statements on dpobj's own tables.
 */
#ifndef DPOBJ_ADMIN_H
#define DPOBJ_ADMIN_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"

/*
 * Raises 42501 unless session user and current user both are superusers or members
 * of dpobj_admin by grants that superusers made; 25006 where nothing can be
 * written.  function: its name, for messages.
 */
extern void admin_require(const char *function);

/* The same about the roles alone, without an error. */
extern bool admin_allowed(void);

/*
 * Runs one statement as the owner of dpobj's tables, whatever the caller may do,
 * and returns the number of rows.  The caller's search_path must be pinned (SET
 * search_path of the SQL function).
 */
extern uint64 admin_execute(const char *statement, int count, Oid *types, Datum *values,
							const char *nulls);

/* The same to rows that are committed now, however old the caller's snapshot is. */
extern uint64 admin_execute_latest(const char *statement, int count, Oid *types, Datum *values);

/*
 * The first row of a SELECT, likewise; false if there is none.  row and isnull have room
 * for its columns.  It sees what is committed now, however old the caller's snapshot is;
 * but in a parallel plan, which allows no other snapshot, what the caller sees.
 */
extern bool admin_select(const char *statement, int count, Oid *types, Datum *values, Datum *row,
						 bool *isnull);

/* Every row of a SELECT, likewise; they are taken as the caller again. */
extern void admin_read(const char *statement, int count, Oid *types, Datum *values,
					   void (*take)(HeapTuple row, TupleDesc descriptor, void *context),
					   void *context);

#endif

/*
 * admin.h - the check of administrators, and statements on the tables of dpobj.
 */
#ifndef DPOBJ_ADMIN_H
#define DPOBJ_ADMIN_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"

#include "server/base/acting.h"

/*
 * Raises 42501 unless both session user and current user are superusers or members of dpobj_admin
 * by grants of superusers, and 25006 in a read-only transaction.  function is its name, for
 * messages.
 */
extern void admin_require(const char *function);

/* Says whether the two roles may administer. */
extern bool admin_allowed(void);

/* May the current role see the entries of all roles?  Superusers and members of dpobj_auditor by
 * grants of superusers. */
extern bool admin_sees_all(void);

/* The role of administrators ("admin") or of auditors ("auditor"), whatever its name is now. */
extern Oid admin_role(const char *kind);

/*
 * Acts as the owner of dpobj's tables, and as the caller again, around a statement or a part of its
 * rows; the extension is held in between.
 */
extern void admin_become_owner(Acting *caller);
extern void admin_become_caller(const Acting *caller);

/*
 * Runs one statement as the owner of dpobj's tables and returns the number of rows.  The statement
 * names the schemas of its tables, and finds all else in pg_catalog.
 */
extern uint64 admin_execute(const char *statement, int count, Oid *types, Datum *values,
							const char *nulls);

/* The same with the latest snapshot instead of the caller's. */
extern uint64 admin_execute_latest(const char *statement, int count, Oid *types, Datum *values);

/*
 * Runs a SELECT and copies the columns of its first row into row and isnull; false if there is no
 * row.  The statement has the latest snapshot, but in a parallel plan the caller's, because no
 * other is allowed there.
 */
extern bool admin_select(const char *statement, int count, Oid *types, Datum *values, Datum *row,
						 bool *isnull);

/*
 * The names in an array that the SELECT of one row answers with, for hints.  There are none unless
 * the current user is the session user: whoever calls a SECURITY DEFINER function may not see the
 * names that its owner sees.
 */
extern List *admin_select_names(const char *statement, int count, Oid *types, Datum *values);

/* The same for every row; take is called with the caller's privileges. */
extern void admin_read(const char *statement, int count, Oid *types, Datum *values,
					   void (*take)(HeapTuple row, TupleDesc descriptor, void *context),
					   void *context);

#endif

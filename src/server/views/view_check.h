/*
 * view_check.h - is a view row-local to a person?
 *
 * Then the rows of its person p are a function of p's rows in the protected tables and of public
 * tables, computed without an error whatever the rows are (theorem M4 of docs/proofs/persons.md).
 */
#ifndef DPOBJ_VIEW_CHECK_H
#define DPOBJ_VIEW_CHECK_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* A table that the view reads. */
typedef struct ViewBase
{
	Oid relation;
	char *person; /* its declared column of persons; NULL: the table is public */
} ViewBase;

/*
 * The tables that the view reads, itself or through other views, each once and in the order of
 * their OIDs; person is the view's column of persons.  Raises UB003 for a view that is not
 * row-local: what was found, and where.  The view and the tables stay locked.
 */
extern List *view_check(Oid view, const char *person);

#endif

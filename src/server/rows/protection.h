/*
 * protection.h - what an administrator declared about a table: dpobj.protections.
 */
#ifndef DPOBJ_PROTECTION_H
#define DPOBJ_PROTECTION_H

#include "postgres.h"

#include "utils/jsonb.h"
#include "utils/relcache.h"

#include "core/base/privacy.h"

#include "server/rows/column.h"
#include "server/rows/encoders.h"

typedef struct Protection
{
	Oid relation; /* whose declaration it is: the encoders name its columns */
	Jsonb *encoders;
	Adjacency adjacency;
	char *person;            /* column that names the person of a row; NULL: none */
	int max_rows_per_person; /* 0: none */
	int64 n;                 /* declared number of rows; 0: none */
	bool ignore_rls;
} Protection;

/*
 * The declaration about a relation itself, found by its identity as budgets are:
 * through renames, and by name after DROP and CREATE or a restore.  False if there
 * is none.  It is the latest that was committed, however old the caller's snapshot
 * is; no privilege is asked for, and no setting of the session matters.
 */
extern bool protection_find(Relation relation, Protection *protection);

/*
 * The declaration that covers a relation: only topmost tables are protected, and
 * with them all that inherits from them.  Of several topmost ancestors at most one
 * may be protected, else UB003.
 */
extern bool protection_find_topmost(Relation relation, Protection *protection);

/* The same; raises UB003 if there is none. */
extern void protection_require(Relation relation, Protection *protection);

/*
 * The declared encoders of the columns of a request: features (NIL: all), label (NULL: none) and
 * grouping columns.  Raises 22023, and says who has to act, if one of these columns was dropped or
 * has a type that its encoder does not fit.  Other columns do not matter.
 */
extern void protection_encoders(const Protection *protection, TupleDesc descriptor, List *names,
								const char *label, List *by, Encoders *encoders);

/*
 * The column that names the person of a row; false if none was declared.  Raises
 * 22023 if it has gone or is of another type by now, that can name nobody.
 */
extern bool protection_person(const Protection *protection, TupleDesc descriptor, Column *column);

#endif

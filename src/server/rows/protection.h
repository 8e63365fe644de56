/*
 * protection.h - the declarations of administrators about tables, in dpobj.protections.
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
	Oid relation; /* the declared table: the encoders name its columns */
	Jsonb *encoders;
	Adjacency adjacency;
	char *person;            /* column that names the person of a row, or NULL */
	int max_rows_per_person; /* 0 if there is no person */
	char *holdout_by;        /* column that deals rows between training and rating, or NULL */
	int64 n;                 /* declared number of rows, or 0 */
	bool ignore_rls;
} Protection;

/*
 * Finds the declaration of the relation itself; false if there is none.  Like budgets, it is found
 * by identity: through renames, and by name after DROP and CREATE or a restore.  It is the latest
 * that was committed, however old the caller's snapshot is.  Needs no privilege, and depends on no
 * setting of the session.
 */
extern bool protection_find(Relation relation, Protection *protection);

/*
 * Finds the declaration that covers a relation: only topmost tables are protected, and with them
 * all that inherits from them.  Raises UB003 if several topmost ancestors are protected.
 */
extern bool protection_find_topmost(Relation relation, Protection *protection);

/* The same; raises UB003 if there is none. */
extern void protection_require(Relation relation, Protection *protection);

/*
 * The declared encoders of the columns of a request: features (NIL: all), label (NULL: none) and
 * grouping columns.  Raises 22023, with a hint who has to act, if one of these columns was dropped
 * or has a type that its encoder does not fit.  Other columns do not matter.
 */
extern void protection_encoders(const Protection *protection, TupleDesc descriptor, List *names,
								const char *label, List *by, Encoders *encoders);

/*
 * Finds the column that names the person of a row; false if none was declared.  Raises 22023 if it
 * no longer exists, or has a type that cannot name persons.
 */
extern bool protection_person(const Protection *protection, TupleDesc descriptor, Column *column);

/*
 * The columns whose values deal rows between training and rating, and their number: the person, or
 * else the column declared for it, or else all declared columns in the order in which jsonb has
 * their names.  Raises 22023 if one of them no longer exists or has a type that does not fit.
 */
extern Column *protection_dealing(const Protection *protection, TupleDesc descriptor, int *count);

#endif

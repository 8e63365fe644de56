/*
 * protection.h - what an administrator declared about a table: dpobj.protections.
 */
#ifndef DPOBJ_PROTECTION_H
#define DPOBJ_PROTECTION_H

#include "postgres.h"

#include "utils/jsonb.h"
#include "utils/relcache.h"

#include "core/privacy.h"

typedef struct Protection
{
	Jsonb *encoders;
	Adjacency adjacency;
	char *person;            /* column that names the person of a row; NULL: none */
	int max_rows_per_person; /* 0: none */
	int64 n;                 /* declared number of rows; 0: none */
	bool ignore_rls;
} Protection;

/*
 * The declaration about a relation, found by its qualified name: OIDs do not
 * survive a restore.  False if there is none; no privilege is asked for.
 */
extern bool protection_find(Relation relation, Protection *protection);

/* The same; raises UB003 if there is none. */
extern void protection_require(Relation relation, Protection *protection);

#endif

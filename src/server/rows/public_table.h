/*
 * public_table.h - tables whose rows are about nobody, by declaration of their owners.
 *
 * Views may join them freely.  A declaration is its owner's word about one table here: it ends with
 * the table, its owner, or the database.
 */
#ifndef DPOBJ_PUBLIC_TABLE_H
#define DPOBJ_PUBLIC_TABLE_H

#include "postgres.h"

#include "utils/relcache.h"

/* Did the present owner declare it, in this database? */
extern bool public_table_is_declared(Relation relation);

/* Raises UB003 if the table, an ancestor or a descendant of it is declared public. */
extern void public_table_check_none(Oid relation);

#endif

/*
 * charge_tables.h - the tables of a charge: the scanned table, its ancestors and its descendants.
 */
#ifndef DPOBJ_CHARGE_TABLES_H
#define DPOBJ_CHARGE_TABLES_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "server/ledger/charge_shared.h"

/* Lists the table, then every ancestor; a partition has one parent, other children may have more.
 */
extern List *charge_table_and_ancestors(Oid relation);

/*
 * Fills in the texts of the tables: the given one, its ancestors, its descendants.  Returns the
 * number of ancestors.  Sees the catalogs as the caller's transaction does.
 */
extern int charge_tables_describe(Oid relation, const char *texts[CHARGE_TEXTS]);

/* Raises 42809 for a partition or child, because its rows are rows of its ancestors too. */
extern void charge_tables_check_topmost(Oid relation, const char *hint);

/* Lists the ancestors without a parent; the table itself if it has no parent. */
extern List *charge_tables_topmost(Oid relation);

#endif

/*
 * charge_tables.h - which tables a charge concerns: the one that was trained on,
 * its ancestors and its descendants.
 */
#ifndef DPOBJ_CHARGE_TABLES_H
#define DPOBJ_CHARGE_TABLES_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "server/ledger/charge_worker.h"

/* The table, then every ancestor: partitions have one parent, other children may have more. */
extern List *charge_table_and_ancestors(Oid relation);

/*
 * Fills in the texts of the tables, the given one first, then its ancestors, then
 * its descendants; returns how many ancestors there are.  Reads the catalogs as
 * the caller sees them: what it attached itself counts too.
 */
extern int charge_tables_describe(Oid relation, const char *texts[CHARGE_TEXTS]);

/*
 * Raises 42809 for a partition or child: its rows are rows of the whole, and what
 * is declared about a part of it would not be the whole story.
 */
extern void charge_tables_check_topmost(Oid relation, const char *hint);

/* The ancestors of a table that have none themselves; the table itself if it has none. */
extern List *charge_tables_topmost(Oid relation);

#endif

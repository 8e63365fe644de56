/*
 * charge_citus.h - which tables of Citus are charged, and where.
 *
 * A table that Citus manages is read by its shards (server/remote/citus_parts.c), and charged once,
 * on the coordinator.  A shard by itself is refused, and so is the table on a worker: the ledger of
 * that node is another one, and the budgets of the table would not count it.
 */
#ifndef DPOBJ_CHARGE_CITUS_H
#define DPOBJ_CHARGE_CITUS_H

#include "postgres.h"

/*
 * The DETAIL of the error that refuses releases of the relation on this node, and declarations of
 * what these may cost, and its HINT; NULL if nothing of Citus does.
 */
extern const char *citus_rule(Oid relation, const char **hint);

/* The same at the owner's door, where a plan would gather the rows or read the local table. */
extern const char *citus_owner_rule(Oid relation, const char **hint);

#endif

/*
 * citus.h - which tables of Citus a scan does not read.
 *
 * A table that Citus manages is read by its shards (server/remote/citus_parts.c), and charged once,
 * on the coordinator.  A shard by itself is refused: the ledger of its node is another one, and the
 * budgets of its table would not count it.
 */
#ifndef DPOBJ_CITUS_H
#define DPOBJ_CITUS_H

#include "postgres.h"

/* The DETAIL of the error that refuses the relation, and its HINT; NULL if nothing of Citus does.
 */
extern const char *citus_rule(Oid relation, const char **hint);

/* The same at the owner's door, where a plan would gather the rows or read the local table. */
extern const char *citus_owner_rule(Oid relation, const char **hint);

#endif

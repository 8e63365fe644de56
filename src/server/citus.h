/*
 * citus.h - tables that Citus manages, and parts of them.
 *
 * Their rows are on several nodes, each with a ledger of its own, or in shards, which budgets of
 * the table do not know; and the table that is named may hold stale rows.
 */
#ifndef DPOBJ_CITUS_H
#define DPOBJ_CITUS_H

#include "postgres.h"

/* Why rows of the relation cannot be counted here, as the DETAIL of an error; NULL: they can. */
extern const char *citus_rule(Oid relation);

#define CITUS_HINT "Copy the rows into a table that Citus does not manage, and train on that."

#endif

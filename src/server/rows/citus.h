/*
 * citus.h - tables that Citus manages, and parts of them.
 *
 * Their rows are on several nodes, each with a ledger of its own, or in shards, which the budgets
 * of the table do not cover.  The local table may hold stale rows.
 */
#ifndef DPOBJ_CITUS_H
#define DPOBJ_CITUS_H

#include "postgres.h"

/* The DETAIL of the error that refuses the relation; NULL if Citus does not manage it. */
extern const char *citus_rule(Oid relation);

#define CITUS_HINT "Copy the rows into a table that Citus does not manage, and train on that."

#endif

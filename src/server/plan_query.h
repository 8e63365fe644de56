/*
 * plan_query.h - what the planner would compute before the shape guard can look.
 *
 * The guard judges plans.  A function that is declared IMMUTABLE is called by the planner where its
 * arguments are constants, and in the plan stands what it returned, whatever tables it read.  So
 * queries are looked at as they come to the planner, with views and row-level security put in.
 */
#ifndef DPOBJ_PLAN_QUERY_H
#define DPOBJ_PLAN_QUERY_H

#include "postgres.h"

/* From now on this process refuses queries in which a user's function feeds a private call. */
extern void plan_query_install(void);

#endif

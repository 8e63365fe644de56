/*
 * plan_query.h - the check of queries before the planner computes parts of them.
 *
 * The shape guard checks plans.  But the planner calls a function that is declared IMMUTABLE if its
 * arguments are constants, and the plan has its result, whatever tables the function read.  So
 * queries are checked before they are planned, after views and row-level security were put in.
 */
#ifndef DPOBJ_PLAN_QUERY_H
#define DPOBJ_PLAN_QUERY_H

#include "postgres.h"

/* Makes this process refuse queries in which a user's function feeds a private call. */
extern void plan_query_install(void);

#endif

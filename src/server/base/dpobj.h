/*
 * dpobj.h - what every file of the server layer shares.
 */
#ifndef DPOBJ_SERVER_H
#define DPOBJ_SERVER_H

#include "postgres.h"

/* SQLSTATEs of rule Q1. */
#define ERRCODE_DPOBJ_BUDGET_EXHAUSTED MAKE_SQLSTATE('U', 'B', '0', '0', '1')
#define ERRCODE_DPOBJ_NO_BUDGET MAKE_SQLSTATE('U', 'B', '0', '0', '2')
#define ERRCODE_DPOBJ_NOT_ALLOWED MAKE_SQLSTATE('U', 'B', '0', '0', '3')
#define ERRCODE_DPOBJ_STOPPED MAKE_SQLSTATE('U', 'B', '0', '0', '4')

/* GUCs (dpobj.c). */
extern int dpobj_time_limit;      /* seconds, 0: none */
extern int dpobj_memory_limit;    /* MiB, 0: none */
extern int dpobj_solver_threads;  /* threads of one solver process */
extern bool dpobj_progress;       /* messages to the owner while a solver works */
extern bool dpobj_require_budget; /* no budget, no release */
extern bool dpobj_allow_unproven; /* may noise as published be used? */
extern double dpobj_min_epsilon;  /* least epsilon of a release at the analyst's door */
extern int dpobj_release_tick;    /* milliseconds that its answers keep to, 0: none */
extern int dpobj_max_failures;    /* of one role, per table */
extern int dpobj_max_solvers;     /* its releases at a time */
extern int dpobj_max_jobs;        /* jobs at a time */

#endif

/*
 * dpobj.h - SQLSTATEs and settings.
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
extern int dpobj_time_limit;           /* seconds, 0: none */
extern int dpobj_longest_run;          /* seconds; run_choice.h */
extern double dpobj_machine_pace;      /* seconds here for one of the machine of docs/solver.md */
extern int dpobj_part_timeout;         /* seconds */
extern int dpobj_max_part_connections; /* of a release to a server */
extern int dpobj_memory_limit;         /* MiB, 0: none */
extern int dpobj_solver_threads;       /* of one solver process */
extern bool dpobj_progress;            /* progress messages to the owner */
extern bool dpobj_require_budget;      /* releases need a budget */
extern bool dpobj_allow_unproven;      /* allows noise as the papers published it */
extern double dpobj_min_epsilon;       /* least epsilon of a release at the analyst's door */
extern int dpobj_release_tick;         /* milliseconds; its answers come at multiples, 0: at once */
extern int dpobj_max_failures;         /* releases of a role that may fail, per table */
extern int dpobj_max_solvers;          /* releases of that door at a time */
extern int dpobj_max_role_releases;    /* of one role */
extern int dpobj_max_jobs;             /* jobs at a time */

/* MiB: the least of dpobj.memory_limit and of option memory_limit; less starts no solver. */
#define DPOBJ_LEAST_MEMORY 24

#endif

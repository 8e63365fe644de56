/*
 * seen_scan.h - the scan that the planner puts in the place of dpobj_internal.see_...().
 */
#ifndef DPOBJ_SEEN_SCAN_H
#define DPOBJ_SEEN_SCAN_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Called by _PG_init(). */
extern void seen_scan_install(void);

/* Is the node such a scan, which reads tables of dpobj only? */
extern bool seen_scan_is(const Plan *plan);

#endif

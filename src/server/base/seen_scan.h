/*
 * seen_scan.h - the scan that the planner puts in the place of dpobj_internal.see_...().
 */
#ifndef DPOBJ_SEEN_SCAN_H
#define DPOBJ_SEEN_SCAN_H

/* Called by _PG_init(). */
extern void seen_scan_install(void);

#endif

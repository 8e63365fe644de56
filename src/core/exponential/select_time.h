/*
 * select_time.h - how long an enumeration takes at most, from public numbers alone.
 */
#ifndef DPOBJ_CORE_SELECT_TIME_H
#define DPOBJ_CORE_SELECT_TIME_H

#include "core/exponential/select.h"

/*
 * Nanoseconds with two threads, measured on a slow machine and rounded up; the only such numbers of
 * an enumeration.  A configuration takes SELECT_STEP_TIME, and for each distinct row
 * SELECT_ROW_TIME once, and again for each level of the group that is summed out.
 */
#define SELECT_STEP_TIME 60.0
#define SELECT_ROW_TIME 0.13

/* The most seconds of an enumeration over at most so many distinct rows. */
extern double select_seconds(const Grid *grid, SelectGroup group, double rows);

#endif

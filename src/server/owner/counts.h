/*
 * counts.h - the state of aggregates that only count: a bytea with a vector of integers.
 */
#ifndef DPOBJ_COUNTS_H
#define DPOBJ_COUNTS_H

#include "postgres.h"

#include "fmgr.h"

typedef struct Counts
{
	int32 vl_len_;
	int32 length;
	int64 count[FLEXIBLE_ARRAY_MEMBER];
} Counts;

/*
 * The state that is argument 0 of a transition or final function, or a new one before the first
 * row.  Raises 22000 if it has another length.
 */
extern Counts *counts_get(FunctionCallInfo fcinfo, int length);

#endif

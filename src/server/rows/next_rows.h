/*
 * next_rows.h - asks for the memory of a table's next rows while a row is read.
 *
 * A page of a table has its next rows before the current one, against the direction in which
 * processors fetch memory by themselves.  They may not be there: then nothing happens.
 */
#ifndef DPOBJ_NEXT_ROWS_H
#define DPOBJ_NEXT_ROWS_H

#include "postgres.h"

#define NEXT_ROWS_AHEAD 1024
#define NEXT_ROWS_LINE 64

/* GCC drops calls of a function that does nothing else, so it is inlined. */
static pg_attribute_always_inline void
next_rows_prefetch(const void *row, Size length)
{
	uintptr_t first = (uintptr_t) row - NEXT_ROWS_AHEAD;

	for (Size offset = 0; offset <= length && offset < NEXT_ROWS_AHEAD; offset += NEXT_ROWS_LINE)
		__builtin_prefetch((const void *) (first + offset));
}

#endif

/*
 * row_memory.h - the memory that rows take in this process, from public numbers (rule F3).
 */
#ifndef DPOBJ_ROW_MEMORY_H
#define DPOBJ_ROW_MEMORY_H

#include "postgres.h"

#include "core/rows/encoding.h"

/*
 * Raises 22023, before the charge, if the rows of persons may not fit into the limit of megabytes,
 * 0 for none.  person: NULL if rows are protected, which need not wait in memory.  rows: the
 * declared number, 0 for none.
 */
extern void row_memory_check(const char *person, const Encoding *encoding, int64 rows,
							 int megabytes);

/* Raises 22023: so many bytes may be needed, more than the limit.  hint: what else to do, or "". */
extern void row_memory_refuse(double bytes, int megabytes, int64 rows, const char *hint)
	pg_attribute_noreturn();

#endif

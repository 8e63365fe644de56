/*
 * row_memory.h - the memory that rows take in this process, from public numbers (rule F3).
 */
#ifndef DPOBJ_ROW_MEMORY_H
#define DPOBJ_ROW_MEMORY_H

#include "postgres.h"

#include "core/rows/encoding.h"

/* For how many rows files have room.  declared: their number, 0 for none. */
extern int64 row_memory_rows(int64 declared);

/*
 * Bytes of the choice among rows of persons (scan_make_room()) under a limit of megabytes, 0 for
 * none.  most: of each person; 0 if rows are protected, among which nothing is chosen.
 */
extern double row_memory_of_persons(int most, const Encoding *encoding, int64 declared,
									int megabytes);

/*
 * Raises 22023, before the charge, if the choice among rows of persons may take more than half of
 * the limit; the other half is for the rows that were chosen.
 */
extern void row_memory_check(int most, const Encoding *encoding, int64 declared, int megabytes);

/*
 * The same for levels that nobody has declared, of which each row may have another one; rows and
 * levels may take half of the limit each.
 */
extern void row_memory_check_levels(int most, int64 declared, int megabytes);

/* Raises 22023: so many bytes may be needed, more than the limit.  hint: what else to do, or "". */
extern void row_memory_refuse(double bytes, int megabytes, int64 rows, const char *hint)
	__attribute__((noreturn));

#endif

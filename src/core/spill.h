/*
 * spill.h - rows that do not stay in memory: how they are written and read back.
 *
 * They are records of one size, one after the other: a row's coordinates as int32,
 * padded with a zero to an even number of them, then the number of its positive and of its
 * negative labels.  A row may have several records.  Where they are kept is
 * the caller's business: a temporary file of PostgreSQL (server/spill.c), or memory in tests.
 */
#ifndef DPOBJ_CORE_SPILL_H
#define DPOBJ_CORE_SPILL_H

#include <stddef.h>
#include <stdint.h>

/* Takes records in the order in which they come.  It does not return when it fails. */
typedef struct SpillSink SpillSink;

struct SpillSink
{
	void (*append)(SpillSink *self, const void *records, size_t bytes);
};

/* Gives bytes back; several threads may ask at a time.  It does not return when it fails. */
typedef struct SpillSource SpillSource;

struct SpillSource
{
	void (*read)(SpillSource *self, uint64_t offset, size_t bytes, void *records);
};

/* Numbers of labels in a record. */
typedef struct RowCount
{
	int64_t positive;
	int64_t negative;
} RowCount;

/* int32 of a row. */
static inline int
spill_stride(int dimension)
{
	return (dimension + 1) & ~1;
}

static inline size_t
spill_record_size(int dimension)
{
	return (size_t) spill_stride(dimension) * sizeof(int32_t) + sizeof(RowCount);
}

#endif

/*
 * spill.h - rows that do not stay in memory: how they are written and read back.
 *
 * They are records of one size, one after the other: an int32 for each numeric coordinate of a row,
 * a bit for each coordinate that is 0 or 1 (which ones, is public), then the numbers of its
 * positive and of its negative labels.  A row may have several records.  Where they are kept is the
 * caller's business: a temporary file of PostgreSQL (server/rows/spill.c), or memory in tests.
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

/* What a record holds; coordinate j has bit j % 64 of binary[j / 64]. */
typedef struct SpillShape
{
	int dimension;
	uint64_t binary[2]; /* coordinates that are 0 or FIXED_POINT_ONE in every row */
} SpillShape;

extern size_t spill_record_size(const SpillShape *shape);

extern void spill_pack(const SpillShape *shape, const int32_t *x, RowCount count, uint8_t *record);
extern void spill_unpack(const SpillShape *shape, const uint8_t *record, int32_t *x,
						 RowCount *count);

#endif

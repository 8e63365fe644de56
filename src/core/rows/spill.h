/*
 * spill.h - the records in which rows are written out of memory and read back.
 *
 * All records have the same size: an int32 for each numeric coordinate of a row, a bit for each
 * coordinate that is 0 or 1 in every row (a public property), then the numbers of positive and of
 * negative labels.  A row may have several records.  The caller stores them: in a temporary file of
 * PostgreSQL (server/rows/spill.c), or in memory in tests.
 */
#ifndef DPOBJ_CORE_SPILL_H
#define DPOBJ_CORE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/grid/grid.h"

/*
 * Appends records in order, if so many bytes fit.  Does not return if the write fails.  fits: NULL
 * if everything does.
 */
typedef struct SpillSink SpillSink;

struct SpillSink
{
	void (*append)(SpillSink *self, const void *records, size_t bytes);
	bool (*fits)(const SpillSink *self, size_t bytes);
};

/* Reads bytes; several threads may read at the same time.  Does not return if the read fails. */
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

/* The layout of a record; bit j % 64 of binary[j / 64] stands for coordinate j. */
typedef struct SpillShape
{
	int dimension;
	uint64_t binary[COLUMNS_MAX / 64]; /* coordinates that are 0 or FIXED_POINT_ONE in every row */
} SpillShape;

extern size_t spill_record_size(const SpillShape *shape);

extern void spill_pack(const SpillShape *shape, const int32_t *x, RowCount count, uint8_t *record);
extern void spill_unpack(const SpillShape *shape, const uint8_t *record, int32_t *x,
						 RowCount *count);

/* The same for records one behind the other; x is row-major. */
extern void spill_unpack_rows(const SpillShape *shape, const uint8_t *records, int64_t rows,
							  int32_t *x, int64_t *positive, int64_t *negative);

#endif

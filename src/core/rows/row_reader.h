/*
 * row_reader.h - the rows of an instance with their labels, block by block.
 *
 * They come from memory or from where they were spilled, in the same order every time:
 * a reader has room for a block, however many rows there are.  Several may read at a time.
 */
#ifndef DPOBJ_CORE_ROW_READER_H
#define DPOBJ_CORE_ROW_READER_H

#include <stdint.h>

#include "core/rows/instance.h"
#include "core/base/memory.h"

/* So many that a block and its source fit into a processor's cache, even where rows are long. */
#define BLOCK_ROWS 256

/* Valid until the reader's next block. */
typedef struct RowBlock
{
	int64_t rows;
	const int32_t *x; /* rows x dimension, row-major */
	const int64_t *positive;
	const int64_t *negative;
} RowBlock;

typedef struct RowReader RowReader;

/* The instance, one with both counts of labels, must outlive the reader. */
extern RowReader *row_reader_create(const Instance *instance, Memory *memory);
extern void row_reader_destroy(RowReader *reader, Memory *memory);

/* BLOCK_ROWS rows from that number on, or as many as there are left. */
extern RowBlock row_reader_block(RowReader *reader, int64_t first);

/* Adds a block's labels to a sum, with the checks of row_reader_labels(). */
extern void row_block_add_labels(const RowBlock *block, int64_t *sum);

/*
 * All labels, in a pass over the rows: fewer than INSTANCE_MAX_LABELS.  Other records of spilled
 * rows nobody has written, and the process ends.
 */
extern int64_t row_reader_labels(const Instance *instance, Memory *memory);

#endif

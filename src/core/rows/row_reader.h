/*
 * row_reader.h - the rows of an instance with their labels, block by block.
 *
 * Rows come from memory or from a spill file, in the same order every time.  A reader holds one
 * block.  Several readers may read at the same time.
 */
#ifndef DPOBJ_CORE_ROW_READER_H
#define DPOBJ_CORE_ROW_READER_H

#include <stdint.h>

#include "core/rows/instance.h"
#include "core/base/memory.h"

/* So many rows and their records fit into a processor's cache, even if rows are long. */
#define BLOCK_ROWS 256

/* A block is valid until the reader's next one. */
typedef struct RowBlock
{
	int64_t rows;
	const int32_t *x; /* rows x dimension, row-major */
	const int64_t *positive;
	const int64_t *negative;
} RowBlock;

typedef struct RowReader RowReader;

/* The instance must have both counts of labels and outlive the reader. */
extern RowReader *row_reader_create(const Instance *instance, Memory *memory);
extern void row_reader_destroy(RowReader *reader, Memory *memory);

/* Returns BLOCK_ROWS rows from number first on, or the rest of the rows. */
extern RowBlock row_reader_block(RowReader *reader, int64_t first);

/* Adds a block's labels to a sum, with the checks of row_reader_labels(). */
extern void row_block_add_labels(const RowBlock *block, int64_t *sum);

/*
 * Counts all labels in a pass over the rows, wherever they are; the sum is below
 * INSTANCE_MAX_LABELS.  Ends the process at records that dpobj cannot have written.
 */
extern int64_t row_reader_labels(const Instance *instance, Memory *memory);

#endif

/*
 * batch.h - random batches of rows, drawn exactly from fair bits.
 *
 * A batch gives for each record the number of its labels in the batch.  Labels are drawn one by
 * one, so merging equal rows does not change the law.  A batch is drawn block by block, in the
 * order of a pass over all rows.
 */
#ifndef DPOBJ_CORE_BATCH_H
#define DPOBJ_CORE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random/bits.h"
#include "core/convex/descent.h"
#include "core/rows/row_reader.h"

/* True with probability p / q exactly, 0 <= p <= q < 2^62; takes two bits on average. */
extern bool batch_chance(Bits *bits, int64_t p, int64_t q);

/*
 * DESCENT_POISSON: each label is in the batch with probability size / rows, independently of all
 * others.
 *
 * DESCENT_FIXED: out of max(labels, rows) places, size are chosen, every set of them with the same
 * probability. Places beyond the labels are empty.
 */
typedef struct Batch
{
	DescentSampling sampling; /* one of these two */
	int64_t size;
	int64_t rows; /* the declared number */
	Bits *bits;
	int64_t left;   /* DESCENT_FIXED: places not yet decided */
	int64_t wanted; /* DESCENT_FIXED: places still to be chosen */
} Batch;

/* Starts a batch; to be called before the first block of a pass over this many labels. */
extern void batch_begin(Batch *batch, int64_t labels);

/* Draws for the next block how many labels of each row are in the batch. */
extern void batch_choose(Batch *batch, const RowBlock *block, int64_t *positive, int64_t *negative);

#endif

/*
 * batch.h - random batches of rows, drawn exactly from fair bits.
 *
 * A batch is how many labels of each record are in it: labels are drawn one by one,
 * whatever records they share, so that its law is the same however equal rows are merged.
 * It is drawn block by block, in the order of a pass over all rows.
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
 * DESCENT_POISSON: each label is in the batch with probability size / rows, independently
 * of all others.
 *
 * DESCENT_FIXED: of as many places as there are labels, but no fewer than rows, size are
 * chosen, all sets of them alike; places beyond the labels hold nothing.
 */
typedef struct Batch
{
	DescentSampling sampling; /* one of these two */
	int64_t size;
	int64_t rows; /* the declared number */
	Bits *bits;
	int64_t left;   /* places that are still to be looked at, of DESCENT_FIXED */
	int64_t wanted; /* and how many of them are still to be chosen */
} Batch;

/* Before the first block of a pass over so many labels. */
extern void batch_begin(Batch *batch, int64_t labels);

/* The next block: how many labels of each of its rows are in the batch. */
extern void batch_choose(Batch *batch, const RowBlock *block, int64_t *positive, int64_t *negative);

#endif

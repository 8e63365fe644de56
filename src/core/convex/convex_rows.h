/*
 * convex_rows.h - rows clipped to the unit ball, in passes over all of them.
 *
 * A pass takes the rows in blocks (row_reader.h) and clips them anew: memory is that of a
 * block for each thread, however many rows there are.
 */
#ifndef DPOBJ_CORE_CONVEX_ROWS_H
#define DPOBJ_CORE_CONVEX_ROWS_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/convex/batch.h"
#include "core/convex/convex_row.h"
#include "core/base/crew.h"
#include "core/rows/instance.h"
#include "core/base/memory.h"

typedef struct ConvexReader ConvexReader;

typedef struct ConvexRows
{
	const Instance *instance;
	double radius;
	int64_t labels;
	double count; /* of all labels, rounded up */
	int32_t peak; /* no |v_j| is longer: cut off there; CONVEX_NO_PEAK, as made: none is */
	Batch *batch; /* NULL, as made: all labels; else a pass sees a batch, in one thread */
	int threads;
	atomic_llong next; /* row of a pass that nobody has taken yet */
	ConvexReader *reader[CREW_MAX_THREADS];
} ConvexRows;

#define CONVEX_NO_PEAK INT32_MAX

/* The instance must outlive the rows, which must stay where they are. */
extern void convex_rows_make(const Instance *instance, double radius, int threads, Memory *memory,
							 ConvexRows *rows);
extern void convex_rows_release(ConvexRows *rows, Memory *memory);

typedef struct ConvexBlock
{
	int64_t rows;
	const int32_t *v; /* rows x dimension, row-major */
	const int64_t *positive;
	const int64_t *negative;
} ConvexBlock;

typedef void (*ConvexVisit)(void *context, const ConvexBlock *block);

/*
 * Visits all rows with labels, in blocks, each thread with its context; there are
 * rows->threads of those.
 */
extern void convex_rows_visit(ConvexRows *rows, ConvexVisit visit, void *const *context);

#endif

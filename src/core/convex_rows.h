/*
 * convex_rows.h - rows clipped to the unit ball, in passes over all of them.
 *
 * A pass takes the rows in blocks, from memory or from where they were spilled, and clips
 * them anew: memory is that of a block for each thread, however many rows there are.
 */
#ifndef DPOBJ_CORE_CONVEX_ROWS_H
#define DPOBJ_CORE_CONVEX_ROWS_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/convex_sample.h"
#include "core/crew.h"
#include "core/instance.h"
#include "core/memory.h"

typedef struct ConvexReader ConvexReader;

typedef struct ConvexRows
{
	const Instance *instance;
	double radius;
	double count; /* of all labels, rounded up */
	int threads;
	atomic_llong next; /* row of a pass that nobody has taken yet */
	ConvexReader *reader[CREW_MAX_THREADS];
} ConvexRows;

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

/* Visits all rows, in blocks, each thread with its context; there are rows->threads of those. */
extern void convex_rows_visit(ConvexRows *rows, ConvexVisit visit, void *const *context);

#endif

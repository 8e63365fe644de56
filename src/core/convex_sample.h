/*
 * convex_sample.h - rows clipped to the unit ball, in passes over all of them.
 *
 * Rows are integers in units of 2^-20 whose squares add up to 2^40 at most, so
 * that |v|_2 <= 1 holds exactly.  v is a function of the row and of R alone.
 *
 * A pass takes the rows in blocks, from memory or from where they were spilled, and clips
 * them anew: memory is that of a block for each thread, however many rows there are.
 */
#ifndef DPOBJ_CORE_CONVEX_SAMPLE_H
#define DPOBJ_CORE_CONVEX_SAMPLE_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/convex.h"
#include "core/crew.h"
#include "core/instance.h"
#include "core/memory.h"

#define ROW_BITS 20

typedef struct ConvexReader ConvexReader;

typedef struct ConvexSample
{
	const Instance *instance;
	double radius;
	double count; /* of all labels, rounded up */
	int threads;
	atomic_llong next; /* row of a pass that nobody has taken yet */
	ConvexReader *reader[CREW_MAX_THREADS];
} ConvexSample;

/* The instance must outlive the sample, and the sample must stay where it is. */
extern void convex_sample_make(const Instance *instance, double radius, int threads, Memory *memory,
							   ConvexSample *sample);
extern void convex_sample_release(ConvexSample *sample, Memory *memory);

/* One row, clipped: v of x, which is in units of 2^-16. */
extern void convex_clip_row(const int32_t *x, int dimension, double radius, int32_t *v);

typedef struct ConvexBlock
{
	int64_t rows;
	const int32_t *v; /* rows x dimension, row-major */
	const int64_t *positive;
	const int64_t *negative;
} ConvexBlock;

typedef void (*ConvexVisit)(void *context, const ConvexBlock *block);

/* Visits all rows, in blocks, each thread with its context; there are sample->threads of them. */
extern void convex_sample_visit(ConvexSample *sample, ConvexVisit visit, void *const *context);

#endif

/*
 * convex_rows.h - rows clipped to the unit ball, in passes over all of them.
 *
 * A pass takes the rows in blocks (row_reader.h) and clips them anew: memory is one block for each
 * thread, for any number of rows.
 */
#ifndef DPOBJ_CORE_CONVEX_ROWS_H
#define DPOBJ_CORE_CONVEX_ROWS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/convex/batch.h"
#include "core/convex/convex_row.h"
#include "core/convex/residual.h"
#include "core/base/crew.h"
#include "core/rows/instance.h"
#include "core/base/memory.h"

typedef struct ConvexReader ConvexReader;

typedef struct ConvexRows
{
	const Instance *instance;
	int dimension;         /* of v: the instance's, but for a target */
	const int16_t *levels; /* of each column (convex.h); NULL initially: all are numbers */
	int weights;           /* convex_weights(); the dimension without levels */
	bool targets;          /* initially false */
	bool classes;          /* are targets classes? */
	double radius;
	int64_t labels;
	double count; /* of all labels, rounded up */
	int32_t
		peak; /* coordinates are clipped to |v_j| <= peak; initially CONVEX_NO_PEAK: no clipping */
	/* NULL initially; else numbers alone are measured and clipped (convex_clip_numbers()) */
	const ConvexColumns *columns;
	double number_length;
	ResidualClip clip; /* of slopes; CLIP_NONE initially */
	Batch *batch;      /* NULL initially: all labels; else a pass visits a batch, in one thread */
	int64_t thin; /* a pass visits about one of so many rows, by what they hold; initially 1: all */
	int threads;
	Pause pause;       /* of the memory; with one thread it is taken after each block */
	atomic_llong next; /* first row of the pass that no thread has taken */
	ConvexReader *reader[CREW_MAX_THREADS];
} ConvexRows;

#define CONVEX_NO_PEAK INT32_MAX

/* The instance must outlive the rows, which must not be moved. */
extern void convex_rows_make(const Instance *instance, double radius, int threads, Memory *memory,
							 ConvexRows *rows);

/* The first number of each row is a target, and all labels are positive. */
extern void convex_rows_set_targets(ConvexRows *rows);

/* The same for a target that is a class. */
extern void convex_rows_set_classes(ConvexRows *rows);

/* Columns have levels; to be called after the others.  The levels must outlive the rows. */
extern void convex_rows_set_levels(ConvexRows *rows, const int16_t *levels, Memory *memory);

extern void convex_rows_release(ConvexRows *rows, Memory *memory);

typedef struct ConvexBlock
{
	int64_t rows;
	const int32_t *v;     /* rows x dimension, row-major */
	const int32_t *place; /* the weight of each number of v; NULL: a row has one for each weight */
	const int32_t
		*target; /* in units of 2^-16, scaled as the row is if it is no class; NULL: none */
	const int64_t *positive;
	const int64_t *negative;
} ConvexBlock;

typedef void (*ConvexVisit)(void *context, const ConvexBlock *block);

/*
 * Visits all rows with labels in blocks, each thread with its own of the rows->threads contexts.
 */
extern void convex_rows_visit(ConvexRows *rows, ConvexVisit visit, void *const *context);

#endif

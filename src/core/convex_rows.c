/*
 * convex_rows.c - rows in blocks: read, clipped and handed to several threads.
 */
#include "core/convex_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/crew.h"
#include "core/mutant.h"

/* ---- blocks ---- */

/* So many that a block and its source fit into a processor's cache, even where rows are long. */
#define BLOCK_ROWS 256

/* Room of one thread. */
struct ConvexReader
{
	ConvexRows *rows;
	ConvexVisit visit;
	void *context;
	uint8_t *records; /* of a spilled block; else NULL */
	int32_t *v;
	int64_t positive[BLOCK_ROWS];
	int64_t negative[BLOCK_ROWS];
};

/* A row of the block, copied out of its record. */
static void
unpack_record(ConvexReader *reader, int64_t i)
{
	const ConvexRows *rows = reader->rows;
	int dimension = rows->instance->dimension;
	const uint8_t *record = reader->records + (size_t) i * spill_record_size(dimension);
	int32_t x[GRID_MAX_DIMENSION];
	RowCount count;

	memcpy(x, record, (size_t) dimension * sizeof(int32_t));
	memcpy(&count, record + (size_t) spill_stride(dimension) * sizeof(int32_t), sizeof(count));
	convex_clip_row(x, dimension, rows->radius, reader->v + i * dimension);
	reader->positive[i] = count.positive;
	reader->negative[i] = MUTANT(111) ? 0 : count.negative;
}

static ConvexBlock
read_block(ConvexReader *reader, int64_t first, int64_t count)
{
	const Instance *instance = reader->rows->instance;
	size_t size = spill_record_size(instance->dimension);

	if (instance->spilled)
	{
		instance->source->read(instance->source, (uint64_t) first * size, (size_t) count * size,
							   reader->records);
		for (int64_t i = 0; i < count; i++)
			unpack_record(reader, i);
		return (ConvexBlock){count, reader->v, reader->positive, reader->negative};
	}
	for (int64_t i = 0; i < count; i++)
		convex_clip_row(instance->x + (first + i) * instance->dimension, instance->dimension,
						reader->rows->radius, reader->v + i * instance->dimension);
	return (ConvexBlock){count, reader->v, instance->positive + first, instance->negative + first};
}

/* Whoever is free takes the next block. */
static void
visit_blocks(void *context)
{
	ConvexReader *reader = context;
	ConvexRows *rows = reader->rows;
	int64_t first;

	while ((first = atomic_fetch_add(&rows->next, BLOCK_ROWS)) < rows->instance->rows)
	{
		int64_t left = rows->instance->rows - first;
		ConvexBlock block = read_block(reader, first, left < BLOCK_ROWS ? left : BLOCK_ROWS);

		if (MUTANT(112) && rows->threads > 1 && block.rows < BLOCK_ROWS)
			return;
		reader->visit(reader->context, &block);
	}
}

void
convex_rows_visit(ConvexRows *rows, ConvexVisit visit, void *const *context)
{
	void *reader[CREW_MAX_THREADS];

	atomic_store(&rows->next, 0);
	for (int k = 0; k < rows->threads; k++)
	{
		rows->reader[k]->visit = visit;
		rows->reader[k]->context = context[k];
		reader[k] = rows->reader[k];
	}
	crew_run(rows->threads, visit_blocks, reader);
}

/* ---- the whole ---- */

/* No count is negative, and all of them are fewer than the arithmetic is made for. */
static void
count_labels(void *context, const ConvexBlock *block)
{
	int64_t *sum = context;

	for (int64_t i = 0; i < block->rows; i++)
		if (block->positive[i] < 0 || block->negative[i] < 0 ||
			__builtin_add_overflow(*sum, block->positive[i], sum) ||
			__builtin_add_overflow(*sum, block->negative[i], sum) || *sum >= CONVEX_MAX_LABELS)
			abort(); /* nobody has so many, and no record is like that */
}

static double
labels_above(ConvexRows *rows)
{
	int64_t count[CREW_MAX_THREADS] = {0};
	void *context[CREW_MAX_THREADS];
	double sum = 0;

	for (int k = 0; k < rows->threads; k++)
		context[k] = &count[k];
	convex_rows_visit(rows, count_labels, context);
	for (int k = 0; k < rows->threads; k++)
		sum += (double) count[k];
	if (sum >= (double) CONVEX_MAX_LABELS)
		abort();
	return sum * (1 + 1e-9);
}

void
convex_rows_make(const Instance *instance, double radius, int threads, Memory *memory,
				 ConvexRows *rows)
{
	int64_t blocks = (instance->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
	size_t dimension = (size_t) instance->dimension;

	memset(rows, 0, sizeof(*rows));
	rows->instance = instance;
	rows->radius = radius;
	rows->threads = threads < CREW_MAX_THREADS ? threads : CREW_MAX_THREADS;
	if (rows->threads > blocks)
		rows->threads = blocks > 0 ? (int) blocks : 1;
	for (int k = 0; k < rows->threads; k++)
	{
		ConvexReader *reader = memory_allocate_zero(memory, 1, sizeof(ConvexReader));

		reader->rows = rows;
		reader->v = memory_allocate(memory, BLOCK_ROWS, dimension * sizeof(int32_t));
		if (instance->spilled)
			reader->records =
				memory_allocate(memory, BLOCK_ROWS, spill_record_size(instance->dimension));
		rows->reader[k] = reader;
	}
	rows->count = labels_above(rows);
}

void
convex_rows_release(ConvexRows *rows, Memory *memory)
{
	for (int k = 0; k < rows->threads; k++)
	{
		memory_release(memory, rows->reader[k]->records);
		memory_release(memory, rows->reader[k]->v);
		memory_release(memory, rows->reader[k]);
	}
}

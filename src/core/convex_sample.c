/*
 * convex_sample.c - rows in blocks: read, clipped and handed to several threads.
 */
#include "core/convex_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/crew.h"
#include "core/mutant.h"

/* ---- one row ---- */

static int64_t
squared_norm(const int32_t *x, int dimension)
{
	int64_t sum = 0;

	for (int j = 0; j < dimension; j++)
		sum += (int64_t) x[j] * x[j];
	return sum;
}

/*
 * Towards zero, so that a row as long as R stays within the ball; should the
 * rounding of doubles have left one outside, it is drawn in by whole units.
 */
void
convex_clip_row(const int32_t *x, int dimension, double radius, int32_t *v)
{
	double norm = sqrt((double) squared_norm(x, dimension)) / FIXED_POINT_ONE;
	double factor =
		ldexp(1 / (norm > radius && !MUTANT(30) ? norm : radius), ROW_BITS - FIXED_POINT_BITS);

	for (int j = 0; j < dimension; j++)
		v[j] = (int32_t) (x[j] * factor);
	while (!MUTANT(30) && squared_norm(v, dimension) > INT64_C(1) << (2 * ROW_BITS))
		for (int j = 0; j < dimension; j++)
			v[j] -= (v[j] > 0) - (v[j] < 0);
}

/* ---- blocks ---- */

/* So many that a block and its source fit into a processor's cache, even where rows are long. */
#define BLOCK_ROWS 256

/* Room of one thread. */
struct ConvexReader
{
	ConvexSample *sample;
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
	const ConvexSample *sample = reader->sample;
	int dimension = sample->instance->dimension;
	const uint8_t *record = reader->records + (size_t) i * spill_record_size(dimension);
	int32_t x[GRID_MAX_DIMENSION];
	RowCount count;

	memcpy(x, record, (size_t) dimension * sizeof(int32_t));
	memcpy(&count, record + (size_t) spill_stride(dimension) * sizeof(int32_t), sizeof(count));
	convex_clip_row(x, dimension, sample->radius, reader->v + i * dimension);
	reader->positive[i] = count.positive;
	reader->negative[i] = MUTANT(111) ? 0 : count.negative;
}

static ConvexBlock
read_block(ConvexReader *reader, int64_t first, int64_t rows)
{
	const Instance *instance = reader->sample->instance;
	size_t size = spill_record_size(instance->dimension);

	if (instance->spilled)
	{
		instance->source->read(instance->source, (uint64_t) first * size, (size_t) rows * size,
							   reader->records);
		for (int64_t i = 0; i < rows; i++)
			unpack_record(reader, i);
		return (ConvexBlock){rows, reader->v, reader->positive, reader->negative};
	}
	for (int64_t i = 0; i < rows; i++)
		convex_clip_row(instance->x + (first + i) * instance->dimension, instance->dimension,
						reader->sample->radius, reader->v + i * instance->dimension);
	return (ConvexBlock){rows, reader->v, instance->positive + first, instance->negative + first};
}

/* Whoever is free takes the next block. */
static void
visit_blocks(void *context)
{
	ConvexReader *reader = context;
	ConvexSample *sample = reader->sample;
	int64_t first;

	while ((first = atomic_fetch_add(&sample->next, BLOCK_ROWS)) < sample->instance->rows)
	{
		int64_t left = sample->instance->rows - first;
		ConvexBlock block = read_block(reader, first, left < BLOCK_ROWS ? left : BLOCK_ROWS);

		if (MUTANT(112) && sample->threads > 1 && block.rows < BLOCK_ROWS)
			return;
		reader->visit(reader->context, &block);
	}
}

void
convex_sample_visit(ConvexSample *sample, ConvexVisit visit, void *const *context)
{
	void *reader[CREW_MAX_THREADS];

	atomic_store(&sample->next, 0);
	for (int k = 0; k < sample->threads; k++)
	{
		sample->reader[k]->visit = visit;
		sample->reader[k]->context = context[k];
		reader[k] = sample->reader[k];
	}
	crew_run(sample->threads, visit_blocks, reader);
}

/* ---- the sample ---- */

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
labels_above(ConvexSample *sample)
{
	int64_t count[CREW_MAX_THREADS] = {0};
	void *context[CREW_MAX_THREADS];
	double sum = 0;

	for (int k = 0; k < sample->threads; k++)
		context[k] = &count[k];
	convex_sample_visit(sample, count_labels, context);
	for (int k = 0; k < sample->threads; k++)
		sum += (double) count[k];
	if (sum >= (double) CONVEX_MAX_LABELS)
		abort();
	return sum * (1 + 1e-9);
}

void
convex_sample_make(const Instance *instance, double radius, int threads, Memory *memory,
				   ConvexSample *sample)
{
	int64_t blocks = (instance->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
	size_t dimension = (size_t) instance->dimension;

	memset(sample, 0, sizeof(*sample));
	sample->instance = instance;
	sample->radius = radius;
	sample->threads = threads < CREW_MAX_THREADS ? threads : CREW_MAX_THREADS;
	if (sample->threads > blocks)
		sample->threads = blocks > 0 ? (int) blocks : 1;
	for (int k = 0; k < sample->threads; k++)
	{
		ConvexReader *reader = memory_allocate_zero(memory, 1, sizeof(ConvexReader));

		reader->sample = sample;
		reader->v = memory_allocate(memory, BLOCK_ROWS, dimension * sizeof(int32_t));
		if (instance->spilled)
			reader->records =
				memory_allocate(memory, BLOCK_ROWS, spill_record_size(instance->dimension));
		sample->reader[k] = reader;
	}
	sample->count = labels_above(sample);
}

void
convex_sample_release(ConvexSample *sample, Memory *memory)
{
	for (int k = 0; k < sample->threads; k++)
	{
		memory_release(memory, sample->reader[k]->records);
		memory_release(memory, sample->reader[k]->v);
		memory_release(memory, sample->reader[k]);
	}
}

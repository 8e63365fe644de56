/*
 * row_reader.c - blocks of rows, copied out of their records if they were spilled.
 */
#include "core/rows/row_reader.h"

#include <stdlib.h>

struct RowReader
{
	const Instance *instance;
	uint8_t *records; /* of a spilled block; NULL for rows in memory, which leave the fields below
						 unused */
	int32_t *x;
	int64_t positive[BLOCK_ROWS];
	int64_t negative[BLOCK_ROWS];
};

RowReader *
row_reader_create(const Instance *instance, Memory *memory)
{
	RowReader *reader = memory_allocate_zero(memory, 1, sizeof(RowReader));

	reader->instance = instance;
	if (instance->spilled)
	{
		reader->records = memory_allocate(memory, BLOCK_ROWS, spill_record_size(&instance->shape));
		reader->x =
			memory_allocate(memory, BLOCK_ROWS, (size_t) instance->dimension * sizeof(int32_t));
	}
	return reader;
}

void
row_reader_destroy(RowReader *reader, Memory *memory)
{
	memory_release(memory, reader->records);
	memory_release(memory, reader->x);
	memory_release(memory, reader);
}

RowBlock
row_reader_block(RowReader *reader, int64_t first)
{
	const Instance *instance = reader->instance;
	int64_t left = instance->rows - first;
	int64_t count = left < BLOCK_ROWS ? left : BLOCK_ROWS;
	size_t size;

	if (!instance->spilled)
		return (RowBlock){count, instance->x + first * instance->dimension,
						  instance->positive + first, instance->negative + first};
	size = spill_record_size(&instance->shape);
	instance->source->read(instance->source, (uint64_t) first * size, (size_t) count * size,
						   reader->records);
	spill_unpack_rows(&instance->shape, reader->records, count, reader->x, reader->positive,
					  reader->negative);
	return (RowBlock){count, reader->x, reader->positive, reader->negative};
}

void
row_block_add_labels(const RowBlock *block, int64_t *sum)
{
	for (int64_t i = 0; i < block->rows; i++)
		if (block->positive[i] < 0 || block->negative[i] < 0 ||
			__builtin_add_overflow(*sum, block->positive[i], sum) ||
			__builtin_add_overflow(*sum, block->negative[i], sum) || *sum >= INSTANCE_MAX_LABELS)
			abort(); /* dpobj writes no such record, and no table has so many rows */
}

static int64_t
labels_elsewhere(PassSource *parts)
{
	Pass pass = {.kind = PASS_LABELS, .sums = 1};
	Wide sum;

	pass_make(parts, &pass, &sum);
	return (int64_t) sum;
}

int64_t
row_reader_labels(const Instance *instance, Memory *memory)
{
	RowReader *reader;
	int64_t sum = 0;

	if (instance->elsewhere)
		return labels_elsewhere(instance->parts);
	reader = row_reader_create(instance, memory);
	for (int64_t first = 0; first < instance->rows; first += BLOCK_ROWS)
	{
		RowBlock block = row_reader_block(reader, first);

		row_block_add_labels(&block, &sum);
	}
	row_reader_destroy(reader, memory);
	return sum;
}
